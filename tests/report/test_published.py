from report.section_content import column, table, values, words
from threadmed.metrics import measure, side_by_side
from threadmed.report.material import Found
from threadmed.report.sections.provenance import provenance
from threadmed.report.sections.published import published_numbers


def test_the_rates_of_the_paper_stand_in_both_ways(rated: Found) -> None:
    found = table(provenance(rated), "table-as-published")
    assert rated.both is not None
    ours, theirs = rated.both.recommended.groups[0], rated.both.as_published.groups[0]

    assert values(found, "here")[0] == ours.pcr.value
    assert values(found, "published")[0] == theirs.pcr.value
    place = [c.key for c in found.columns].index("published_ci")
    assert found.rows[0][place].low == theirs.pcr.low != ours.pcr.low
    assert {"PCR", "RR", "PCR, turn 0 copied in"} == set(column(found, "number"))


def test_every_published_number_says_why_it_is_another(rated: Found) -> None:
    found = table(provenance(rated), "table-as-published")
    place = [c.key for c in found.columns].index("published")

    assert all(row[place].note for row in found.rows)


def test_all_that_differs_is_counted(rated: Found) -> None:
    assert rated.both is not None

    assert f"{len(rated.both.differs)} numbers unlike" in words(provenance(rated))


def test_ways_that_agree_leave_no_table() -> None:
    assert published_numbers(side_by_side([])) == []
    assert measure([]).groups == ()
