"""Power against integration over the deviation that is observed, and topics needed against counting up."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import chi, norm, t

from evaluation.engine.reliability.topics_needed import paired_t_power, topics_needed


def power_by_integration(topics: int, effect: float) -> float:
    freedom, shift = topics - 1, effect * np.sqrt(topics)
    critical = t.ppf(0.975, freedom) / np.sqrt(freedom)

    def rejected(root: float) -> float:
        inside = norm.cdf(critical * root - shift) - norm.cdf(-critical * root - shift)
        return float((1 - inside) * chi.pdf(root, freedom))

    return float(quad(rejected, 0, np.sqrt(freedom) + 12, limit=200)[0])


@pytest.mark.parametrize(("topics", "effect"), [(2, 0.5), (3, 2.0), (10, 0.0), (34, 0.5), (200, 0.2)])
def test_power_is_the_integral_over_observed_deviations(topics: int, effect: float) -> None:
    assert paired_t_power(topics, effect) == pytest.approx(power_by_integration(topics, effect), abs=1e-6)


def test_power_is_a_share_even_where_the_noncentral_t_of_scipy_is_undefined() -> None:
    powers = [paired_t_power(topics, effect) for topics in (2, 3, 5, 50) for effect in (1.0, 10.0, 100.0, 1e4, 1e8)]
    assert np.isfinite(powers).all()
    assert paired_t_power(50, 1e4) == pytest.approx(1)


@pytest.mark.parametrize("difference", [0.05, 0.2, 1.0, 30.0])
def test_the_topics_needed_are_the_fewest_that_reach_the_power(difference: float) -> None:
    needed = topics_needed(0.3, difference)
    assert needed == next(n for n in range(2, 1000) if paired_t_power(n, difference / 0.3) >= 0.8)


def test_edges_are_defined() -> None:
    assert topics_needed(0.0, 0.1) == 2
    assert topics_needed(1.0, 1e-9) is None
    with pytest.raises(ValueError, match="difference above 0"):
        topics_needed(0.3, 0.0)
