"""Lets `python -m threadmed` do what `threadmed` does."""

from threadmed.cli import main

if __name__ == "__main__":
    main()
