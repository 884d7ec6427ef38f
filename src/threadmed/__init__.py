"""Whether language models correct the false beliefs in patients' questions."""

__version__ = "0.1.0"
