"""The words of a command line before they are parsed."""

SEVERAL = ("--posts", "--comments", "--explain", "--merge")
"""Options that take all that stands up to the next option, as a shell's globs give."""


def spread(arguments: list[str]) -> list[str]:
    """Repeat an option that takes several paths before each of them.

    Example:
        >>> spread(["build", "--posts", "a", "b", "--out", "c"])
        ['build', '--posts', 'a', '--posts', 'b', '--out', 'c']
    """
    spread_out: list[str] = []
    option = ""
    for argument in arguments:
        if argument.startswith("-"):
            option = argument if argument in SEVERAL else ""
        elif option and spread_out[-1] != option:
            spread_out.append(option)
        spread_out.append(argument)
    return spread_out
