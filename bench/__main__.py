"""Runs every benchmark in its small setting: `make bench`."""

from bench import building, command_line, engine

if __name__ == "__main__":
    command_line.main()
    building.main(["--small"])
    engine.main(["--small"])
