"""Every error that threadmed raises on purpose.

    ThreadmedError            one line for a person: what, where, what to do
    ├── InputError            a file, row, key or column is not what it must be
    │   └── UsageError        an option of a command is not what it may be
    ├── StudyError            a study file asks for what cannot be done
    ├── ModelError            a model cannot be reached or used at all
    │   └── ModelUnavailable  one request failed for good; others may succeed
    └── Stopped               stopped early on purpose, everything paid for kept

The command line prints a ThreadmedError as one line and exits with 1, with 2 for
UsageError, or with 3 for Stopped.
Anything else is a bug and keeps its traceback.
"""

from collections.abc import Iterator
from contextlib import contextmanager


class ThreadmedError(Exception):
    """Something a person can mend; the message says how."""


class InputError(ThreadmedError):
    """A file, row, key or column is not what it must be."""


class UsageError(InputError):
    """An option of a command is not what it may be."""


class StudyError(ThreadmedError):
    """A study file asks for what cannot be done."""


class ModelError(ThreadmedError):
    """A model cannot be reached or used at all."""


class ModelUnavailable(ModelError):  # noqa: N818 - says what is so, like Stopped
    """One request failed for good; other requests may succeed."""


class Stopped(ThreadmedError):  # noqa: N818 - no error: all paid for is kept
    """Stopped early on purpose (budget, interrupt); what was paid for is kept."""


@contextmanager
def boundary(error: type[ThreadmedError], doing: str) -> Iterator[None]:
    """Turn whatever foreign code raises into one of our errors.

    Args:
        error: The class to raise.
        doing: What was being done, as in "calling openai:gpt-4o".

    Raises:
        ThreadmedError: Of class `error`, from the original exception.

    Example:
        >>> with boundary(InputError, "reading a.json"):
        ...     raise ValueError("bad byte")
        Traceback (most recent call last):
        ...
        threadmed.errors.InputError: reading a.json: bad byte (ValueError)
    """
    try:
        yield
    except ThreadmedError:
        raise
    except Exception as cause:
        raise error(f"{doing}: {cause} ({type(cause).__name__})") from cause
