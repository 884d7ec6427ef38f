"""Whom the comments came from: roles, and the flairs that were taken for each."""

from collections.abc import Sequence
from itertools import groupby
from typing import get_args

from threadmed.dataset.flair import Role
from threadmed.dataset.manifest import RoleCount
from threadmed.report.blocks import (
    Block,
    Cell,
    Column,
    Heading,
    Prose,
    Quantity,
    Table,
    Words,
)
from threadmed.report.numbers import count, percent
from threadmed.report.readings import whole

ROLES: tuple[Role, ...] = get_args(Role)
COMMONEST = 6
"""Flairs that are shown of each role; flair_census.csv has all."""


def census(flair: Sequence[RoleCount]) -> list[Block]:
    """Show roles and their commonest flairs, so that a person can check them."""
    if not flair:
        return []
    return [
        Heading(text="Who answered"),
        Prose(
            text="What stands beside a user\u2019s name, the flair, decides whether a "
            "comment is a physician\u2019s. Flairs are free text, so look at what was "
            "taken for what; a build can be told otherwise."
        ),
        _roles(flair),
        _commonest(flair),
    ]


def _of(flair: Sequence[RoleCount], role: Role) -> list[RoleCount]:
    of_role = [line for line in flair if line.role == role]
    return sorted(of_role, key=lambda line: (-line.comments, line.flair))


def _roles(flair: Sequence[RoleCount]) -> Table:
    total = sum(line.comments for line in flair)
    rows: list[tuple[Cell, ...]] = []
    for role in ROLES:
        lines = _of(flair, role)
        comments = sum(line.comments for line in lines)
        share = comments / total if total else 0.0
        rows.append(
            (
                Words(text=role),
                whole(len(lines)),
                whole(comments),
                Quantity(value=share, text=percent(share)),
            )
        )
    return Table(
        id="table-roles",
        title="Roles that comments were taken for",
        caption="Comments under the posts kept.",
        columns=(
            Column(key="role", title="Taken for", align="text"),
            Column(key="flairs", title="Distinct flairs"),
            Column(key="comments", title="Comments"),
            Column(key="share", title="%"),
        ),
        rows=tuple(rows),
        judged=False,
    )


def _commonest(flair: Sequence[RoleCount]) -> Table:
    shown = [line for role in ROLES for line in _of(flair, role)[:COMMONEST]]
    parts = [
        f"{role} {len(list(lines))} of {count(len(_of(flair, role)))}"
        for role, lines in groupby(shown, key=lambda line: line.role)
    ]
    return Table(
        id="table-flair",
        title="The commonest flairs of each role",
        caption=f"Shown: {', '.join(parts)}.",
        columns=(
            Column(key="role", title="Taken for", align="text"),
            Column(key="flair", title="Flair", align="text"),
            Column(key="comments", title="Comments"),
        ),
        rows=tuple(
            (
                Words(text=line.role),
                Words(text=line.flair or "(none)"),
                whole(line.comments),
            )
            for line in shown
        ),
        note="All are in flair_census.csv of the dataset.",
        judged=False,
    )
