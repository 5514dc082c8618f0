"""The page of reference: a simulation with the words to read it by."""

from __future__ import annotations

from campaign.text.plurals import number_of
from evaluation.pool_simulation.simulation import Row, Simulation
from evaluation.pool_simulation.words import HEAD, OTHER_TOPICS, cells

COMMAND = "make reference-pooling COLLECTION=../shared/data/cranfield"
UNREACHABLE = "are not among the first 100 of any run: no pool here can find them."
PICTURE = "../images/pooling-simulation.svg"

PAGE = """# Pooling strategies compared

*Made by `{command}`: change the program, not this page.*

Which strategy is worth its judgments depends on the collection. Run this comparison on one that is judged already, as
last year's, to choose this year's strategy:

    python -m pooling simulate --qrels last-year.qrels --teams runs.csv runs/*.gz

It takes the qrels for the whole truth (what they do not name is not relevant), draws the pools of every strategy at
several costs, lets the qrels judge them, and compares what comes out with the truth. `--strategy NAME` takes some
strategies only; `--costs`, `--depth` and `--seeds` change the plan; `--format csv` and `json` give all digits,
`markdown` this page, `--picture FILE.svg` its picture.

The collection here: {runs}, {topics}, {relevant}. A pool of depth {depth} costs {pairs}, which is 100 % below.
{reachable}

![Relevant documents found and agreement of the order of runs, by strategy and cost]({picture})

## How to read it

- *judged*: pairs of topic and document, the mean of the seeds. *settings*: what is not as in
  `python -m pooling strategies`.
- *found*: the relevant documents among those judged, in percent of all relevant ones.
- *tau*, *tau_AP*: how the order of the runs by MAP agrees with their order by all judgments, 1 at best; tau_AP weighs
  the top of the order more (Yilmaz, Aslam and Robertson, 2008). Runs are scored by AP; by xinfAP where the pool is drawn
  in strata, as the adaptive ones are with their control sample; by statAP where each document has its own probability.
- *tau: other topics*: {other_topics}.
- *error*: the estimated share of relevant documents still outside less the true share, in percentage points: by the
  random sample, by capture-recapture between teams, by extrapolation of depth slices. Below 0 the estimate is too low.
  None of them can count the relevant documents that no run retrieves.
- In brackets: between which values 95 % of {seeds} lie. Without brackets all seeds give the same.

How each strategy was brought to its cost: `depth-k` by the largest depth that does not cost more; strategies with a
`size` by the largest number of documents for each topic that does not; a plain random sample is one of the pool of depth
{depth}; `stratified` judges the first positions whole for half of the cost, the next three times as many at one rate,
and the rest up to 100 at a fifth of that rate; adaptive strategies judge a base for half of the cost at most, and a
tenth of the judgments of a topic as its control sample.
{tables}"""


def page(simulation: Simulation) -> str:
    """The page in Markdown."""
    plan = simulation.plan
    outside = 1 - simulation.reachable
    return PAGE.format(
        command=COMMAND,
        picture=PICTURE,
        runs=number_of(simulation.runs, "run"),
        topics=number_of(simulation.topics, "topic"),
        relevant=number_of(simulation.relevant, "relevant document"),
        depth=plan.depth,
        pairs=number_of(simulation.pairs, "judgment"),
        reachable=f"{100 * outside:.1f} % of the relevant documents {UNREACHABLE}",
        other_topics=OTHER_TOPICS,
        seeds=number_of(plan.seeds, "seed"),
        tables="".join(_table(simulation, cost) for cost in plan.costs),
    )


def _table(simulation: Simulation, cost: float) -> str:
    rows = [row for row in simulation.rows if row.cost == cost]
    lines = [_line(HEAD), _line(["---", "---", *["---:"] * (len(HEAD) - 2)]), *(_line(_cells(row)) for row in rows)]
    return f"\n## At {100 * cost:g} % of the cost\n\n" + "".join(lines)


def _cells(row: Row) -> list[str]:
    strategy, settings, *values = cells(row)
    return [f"`{strategy}`", settings if settings == "–" else f"`{settings}`", *values]


def _line(columns: list[str] | tuple[str, ...]) -> str:
    return f"| {' | '.join(columns)} |\n"
