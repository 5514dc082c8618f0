"""The pools of two settings side by side, and those of other values of one parameter."""

from typing import Any

from campaign.text.plurals import number_of
from pooling.core.labels import hours, percent, runs_taken
from pooling.core.preview.coverage import TopicSizes
from pooling.core.preview.pool_sizes import PoolSize
from pooling.forms import PoolForm
from pooling.selectors.cautions import time_needed
from pooling.selectors.previews import PoolPreview


def other_values(form: PoolForm, preview: PoolPreview) -> list[dict[str, Any]]:
    """The pools of other values of one parameter, each with a link to its preview."""
    parameter = preview.spec.method.compared
    if parameter is None:
        return []
    return [
        {
            "label": f"{parameter.words} {parameter.to_text(size.value)}",
            "query": form.query(**{parameter.name: parameter.to_text(size.value)}),
            "is_chosen": size.value == preview.spec.parameters[parameter.name],
            "figures": _sized(preview, size),
        }
        for size in preview.figures.compared
    ]


def _sized(preview: PoolPreview, size: PoolSize) -> str:
    """8,027 (+120), 1.0 h: pairs, those that no earlier version holds where there is one, and the time for what is not judged."""
    new = f" (+{size.new:,})" if preview.figures.known else ""
    return f"{size.pairs:,}{new}, {hours(preview.figures.hours_for(size.unjudged))}"


def side_by_side(a: PoolPreview, b: PoolPreview) -> list[tuple[str, str, str]]:
    """A row for each figure: its name, and what it is with the settings A and B."""
    columns = [_column(preview) for preview in (a, b)]
    return [(name, columns[0][name], columns[1][name]) for name in columns[0]]


def _column(preview: PoolPreview) -> dict[str, str]:
    figures = preview.figures
    least = figures.least_covered
    texts = "–" if figures.without_text is None else f"{figures.without_text:,}"
    return {
        "Strategy": ", ".join([figures.drawn_by, *runs_taken(figures.settings)]),
        "Runs pooled": f"{len(figures.runs):,} of {number_of(len(figures.teams), 'team')}",
        "Documents in the pool": f"{figures.total:,}",
        "In no earlier version": f"{figures.new:,}",
        "To judge": _to_judge(preview),
        "Time": time_needed(preview),
        "Documents per topic": _spread(figures.sizes),
        "First 10 of pooled runs in the pool": percent(figures.covered_top),
        "Least of one run": "the same for all" if least is None else f"{percent(least.covered)} ({least.tag})",
        "First 100 of pooled runs in the pool": percent(figures.covered),
        "First 100 of other runs in the pool": percent(figures.covered_of_others),
        "Documents judged already": f"{figures.judged:,}",
        "Documents without text": texts,
        "All judged to depth": f"{figures.judged_whole:,}" if figures.judged_whole else "no depth",
        "Sampled": "in strata" if len(figures.strata) > 1 else "yes" if figures.is_sampled else "no",
    }


def _to_judge(preview: PoolPreview) -> str:
    figures = preview.figures
    return f"{figures.least:,} to {figures.most:,}" if figures.varies else f"{figures.most:,}"


def _spread(sizes: TopicSizes) -> str:
    return f"{sizes.smallest:,} to {sizes.largest:,}, median {sizes.median:,g}"
