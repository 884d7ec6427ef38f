import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from scipy.stats import t as student

from threadmed.metrics.quantiles import normal_quantile, t_factor, t_quantile

levels = st.floats(0.01, 0.999)


@settings(deadline=None)
@given(levels, st.integers(1, 500))
def test_quantiles_agree_with_the_laws_of_scipy(level: float, df: int) -> None:
    assert norm.cdf(normal_quantile(level)) == pytest.approx(0.5 + level / 2)
    assert student.cdf(t_quantile(level, df), df) == pytest.approx(0.5 + level / 2)


def test_one_degree_of_freedom_is_cauchys() -> None:
    # tan(pi (p - 1/2)) with p = .75 is tan(pi/4) = 1.
    assert t_quantile(0.5, 1) == pytest.approx(1)


@settings(deadline=None)
@given(levels, st.integers(1, 500))
def test_few_threads_make_fewer_of_a_number_and_many_leave_it(
    level: float, df: int
) -> None:
    assert 0 < t_factor(level, df) < t_factor(level, df + 1) < 1
    assert t_factor(level, 10**7) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("level", [0, 1, 95, -0.1])
def test_a_level_outside_0_and_1_is_refused(level: float) -> None:
    with pytest.raises(ValueError, match=rf"between 0 and 1, got {level}"):
        normal_quantile(level)
    with pytest.raises(ValueError, match=rf"between 0 and 1, got {level}"):
        t_quantile(level, 9)


def test_no_degree_of_freedom_is_refused() -> None:
    with pytest.raises(ValueError, match=r"at least 1 degree of freedom, got 0"):
        t_quantile(0.95, 0)
