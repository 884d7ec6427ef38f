import pytest

from threadmed.errors import InputError, ModelError, Stopped, boundary


def test_foreign_errors_become_ours_with_their_cause() -> None:
    with (
        pytest.raises(ModelError, match=r"calling m: bad \(ValueError\)") as caught,
        boundary(ModelError, "calling m"),
    ):
        raise ValueError("bad")

    assert isinstance(caught.value.__cause__, ValueError)


def test_our_own_errors_pass_as_they_are() -> None:
    with pytest.raises(Stopped, match="^enough$"), boundary(InputError, "reading"):
        raise Stopped("enough")
