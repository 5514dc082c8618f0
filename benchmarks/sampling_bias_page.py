"""The page docs/reference/sampling-bias.md: what the rows of the benchmark say, in words and tables."""

from benchmarks.estimation_errors import RELEVANT, Row
from benchmarks.growing_bias import GrowingRow, growing_section
from benchmarks.made_up_collections import EIGHT_RUNS, FURTHER, SINGLE_RUNS, TOPICS, Setting

ABOUT = """{topics} topics, {seeds} seeds; every drawn document is judged, without error. R: the number of relevant
documents of each topic. `xinfAP` and `infNDCG` read a stratified sample, `infAP` a uniform sample, `statAP` and `statP@10` a
statAP sample of about as many documents. Truth: mean AP (nDCG, P@10) by judgments of every document that could have been
drawn. Bias: mean of estimate - truth over runs, topics and seeds, with its 95 % interval; then the same over the topics in
whose sample a document is relevant, as they remain when topics without one are left out; then the same if the estimated sum
were divided by the true number of relevant documents in place of the estimated one. Error: root of the mean square, for one
run and topic.

*By noise*: runs of 600 documents that score relevant ones 2.5 standard deviations higher, with noise that they have in common
and noise of their own. *By 1/r*: a relevant document stands at position r of a run with a probability in proportion to 1/r,
in each run independently.

## What follows

- **With few relevant documents xinfAP, infNDCG and statAP are too high**, and how much depends on where those documents stand:
  for xinfAP and R = 5 by {eight:+.3f} where eight runs are pooled, and by up to {worst:+.3f} where one run is pooled alone.
  Real runs give more than made-up ones: see [Cranfield](collection-bias.md).
- **Why.** They divide an estimated sum by the estimated number of relevant documents. At rate 0.1 a relevant document counts as
  ten if it is drawn and as none if it is not, so that number is mostly too low and sometimes much too high; its inverse is too
  high on average. Divided by the true number the bias is nearly gone (*with R known*).
- **Why less for eight runs.** A document goes to the stratum of its best position in any run, so most relevant ones are in the
  stratum that is judged whole. Of one run alone all but ten documents are sampled.
- **With many relevant documents xinfAP can be too low**, by up to {lowest:+.3f} at R = 80: above the first drawn document of a
  stratum the estimator takes a third of the stratum's documents for relevant (0.00001 / 0.00003), and there more of them are.
- Elsewhere +.136, +.043 and 0 are given for xinfAP at R = 5, 20 and 80 with rates 1, 0.5 and 0.1, without the collection.
  Pools of eight runs do not give these values. Single runs do to within {near:.3f}: nearest is {nearest}.
- What to do: choose strata so that most relevant documents are in the one judged whole, pool many runs, and distrust topics
  with fewer than 20 relevant documents."""
GIVEN_ELSEWHERE = (0.136, 0.043, 0.0)


def page(rows: list[Row], growing: list[GrowingRow], seeds: int) -> str:
    lines = [
        "# The bias of estimates from sampled pools",
        "",
        "Written by `python -m benchmarks.sampling_bias`. Do not edit.",
        "",
        *ABOUT.format(topics=TOPICS, seeds=seeds, **_facts(rows)).splitlines(),
    ]
    for setting in (EIGHT_RUNS, *SINGLE_RUNS):
        lines += [
            "",
            f"## {setting.words[0].upper()}{setting.words[1:]}, rates `{setting.strata}`",
            "",
            "| R | estimator | judged a topic | truth | bias | with a relevant one | with R known | error |",
            "| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
            *(_line(row) for row in rows if row.setting == setting),
        ]
    lines += growing_section(growing)
    lines += ["", "## xinfAP in further settings", ""]
    lines += [f"| runs | rates | {' | '.join(f'bias, R = {relevant}' for relevant in RELEVANT)} |"]
    lines += ["| --- | --- | ---: | ---: | ---: |"]
    for setting, biases in _biases(rows).items():
        if setting in FURTHER:
            told = " | ".join(f"{bias:+.3f} ± {margin:.3f}" for bias, margin in biases)
            lines.append(f"| {setting.words} | `{setting.strata}` | {told} |")
    return "\n".join([*lines, ""])


def _facts(rows: list[Row]) -> dict[str, object]:
    """What the text says of the tables."""
    biases = {setting: [bias for bias, _ in found] for setting, found in _biases(rows).items()}
    single = {setting: found for setting, found in biases.items() if setting.runs == 1}
    distances = {
        setting: max(abs(one - other) for one, other in zip(found, GIVEN_ELSEWHERE, strict=True))
        for setting, found in single.items()
    }
    nearest = min(distances, key=lambda setting: distances[setting])
    values = ", ".join(f"{bias:+.3f}" for bias in single[nearest])
    return {
        "eight": biases[EIGHT_RUNS][0],
        "worst": max(found[0] for found in single.values()),
        "lowest": min(found[-1] for found in single.values()),
        "near": distances[nearest],
        "nearest": f"{nearest.words}, rates `{nearest.strata}`, with {values}",
    }


def _biases(rows: list[Row]) -> dict[Setting, list[tuple[float, float]]]:
    found: dict[Setting, list[tuple[float, float]]] = {}
    for row in rows:
        if row.measure == "xinfAP":
            found.setdefault(row.setting, []).append(row.bias)
    return found


def _line(row: Row) -> str:
    biases = (row.bias, row.bias_with_relevant, row.bias_undivided)
    told = " | ".join("–" if bias is None else f"{bias[0]:+.3f} ± {bias[1]:.3f}" for bias in biases)
    return (
        f"| {row.relevant} | {row.measure} | {row.judged:.1f} | {row.truth:.3f} | {told} | {row.root_mean_square:.3f} |"
    )
