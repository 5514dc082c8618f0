"""What counts of a document when one act on it is taken back."""

from collections.abc import Sequence

from judging.models import Judgment


def standing_without(undone: Judgment, acts: Sequence[Judgment]) -> Judgment | None:
    """The act that counts without this one; None where nothing was said before it.

    `acts`: all that its assessor did to the document in the pass until it is taken back, in the order of their moments. What was
    said since, on another device, stays: the last act has it. Of what was said before, the last counts that was not taken back
    itself, however late it arrived.
    """
    taken_back = {one.undoes for one in acts}
    place = [one.uuid for one in acts].index(undone.uuid)
    if any(one.undoes is None and one.uuid not in taken_back for one in acts[place + 1 :]):
        return acts[-1]
    return next((one for one in reversed(acts[:place]) if one.uuid not in taken_back), None)
