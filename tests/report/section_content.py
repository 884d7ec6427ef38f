"""What tests ask of a section: its tables, and the texts of their columns."""

from threadmed.report.blocks import Figure, Note, Prose, Section, Table


def table(section: Section | None, name: str) -> Table:
    assert section is not None
    return next(
        block
        for block in section.blocks
        if isinstance(block, Table) and block.id == name
    )


def figure(section: Section | None, name: str) -> Figure:
    assert section is not None
    return next(
        block
        for block in section.blocks
        if isinstance(block, Figure) and block.id == name
    )


def column(of: Table, key: str) -> list[str]:
    """Give the texts of a column, top to bottom."""
    place = [column.key for column in of.columns].index(key)
    return [getattr(row[place], "text", "") for row in of.rows]


def values(of: Table, key: str) -> list[float | int | None]:
    place = [column.key for column in of.columns].index(key)
    return [row[place].value for row in of.rows]  # type: ignore[union-attr]


def words(section: Section | None) -> str:
    """Give all prose of a section, and its warnings."""
    assert section is not None
    found = []
    for block in section.blocks:
        if isinstance(block, Prose):
            found.append(block.text)
        elif isinstance(block, Note):
            found += [block.text, *block.items]
    return " ".join(found)
