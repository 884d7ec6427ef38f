"""Runs every benchmark in its small setting: `make bench`."""

from bench import building, command_line

if __name__ == "__main__":
    command_line.main()
    building.main(["--small"])
