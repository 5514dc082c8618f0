"""What counts of a document when one act on it is taken back."""

from collections.abc import Sequence

from judging.models import Judgment


def standing_without(undone: Judgment, acts: Sequence[Judgment], current: Judgment | None) -> Judgment | None:
    """The act that counts without this one; None where nothing was said before it.

    `acts`: all that its assessor did to the document in the pass, in the order of arrival. What was said since, on another
    device, stays: the `current` act has it. Of what was said before, the last by its time counts that was not taken back
    itself, however late it arrived.
    """
    taken_back = {one.undoes for one in acts}
    order = {one.uuid: (one.judged_at, place) for place, one in enumerate(acts)}
    later = [one for one in acts if order[one.uuid] > order[undone.uuid]]
    if any(one.undoes is None and one.uuid not in taken_back for one in later):
        return current
    earlier = [one for one in acts if order[one.uuid] < order[undone.uuid] and one.uuid not in taken_back]
    return max(earlier, key=lambda one: order[one.uuid], default=None)
