import io
import pickle

from threadmed.dataset.passes.process_loop import serve


def half(whole: int) -> int:
    if whole % 2:
        raise ValueError(f"{whole} is odd")
    return whole // 2


def answers(*messages: tuple[object, ...]) -> list[object]:
    """Ask everything at once, and give what was answered."""
    asked = io.BytesIO(b"".join(map(pickle.dumps, messages)))
    given = io.BytesIO()
    serve(asked, given)
    given.seek(0)
    return [pickle.load(given) for _ in messages]  # noqa: S301 - our own


def test_a_task_is_answered_by_its_result_or_its_error() -> None:
    task = pickle.dumps(half)

    (_, two), (is_done, error), (_, four) = answers(
        (task, 4), (task, 5), (pickle.dumps(abs), -4)
    )

    assert (two, four) == (2, 4)
    assert not is_done
    assert isinstance(error, ValueError)
    assert str(error) == "5 is odd"


def test_work_ends_where_nobody_reads_the_answers() -> None:
    class Shut(io.BytesIO):
        def write(self, _: object) -> int:
            raise BrokenPipeError

    asked = io.BytesIO(pickle.dumps((pickle.dumps(half), 2)) * 2)
    serve(asked, Shut())

    assert asked.tell() < len(asked.getvalue())
