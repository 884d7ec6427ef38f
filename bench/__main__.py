"""Runs every benchmark: `make bench`."""

from bench import command_line, reading

if __name__ == "__main__":
    command_line.main()
    reading.main()
