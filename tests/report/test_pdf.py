import pytest

from threadmed.report.pdf import ordered


def pdf(objects: dict[int, bytes], *, root: int) -> bytes:
    """Write a PDF whose objects stand in the order given."""
    body, places = bytearray(b"%PDF-1.7\n\n"), {}
    for number, inside in objects.items():
        places[number] = len(body)
        body += b"%d 0 obj\n%b\nendobj\n\n" % (number, inside)
    size = len(objects) + 1
    table = b"".join(b"%010d 00000 n \n" % places[n] for n in sorted(places))
    start = len(body)
    body += b"xref\n0 %d\n0000000000 65535 f \n%b" % (size, table)
    body += b"trailer\n<</Size %d /Root %d 0 R>>\n" % (size, root)
    return bytes(body) + b"startxref\n%d\n%%%%EOF" % start


ONE = {
    1: b"<</Pages 2 0 R>>",
    2: b"<</Font <<\n  /f0 3 0 R\n  /f1 4 0 R\n>>\n/Contents 5 0 R>>",
    3: b"<</BaseFont /Plain>>",
    4: b"<</BaseFont /Bold>>",
    5: b"<</Length 14>>\nstream\n9 0 R endobj 1\nendstream",
}
OTHER = {
    5: b"<</BaseFont /Bold>>",
    4: b"<</BaseFont /Plain>>",
    1: b"<</Length 14>>\nstream\n9 0 R endobj 1\nendstream",
    2: b"<</Font <<\n  /f1 5 0 R\n  /f0 4 0 R\n>>\n/Contents 1 0 R>>",
    3: b"<</Pages 2 0 R>>",
}


def test_the_same_objects_give_the_same_bytes_whatever_their_order() -> None:
    assert pdf(ONE, root=1) != pdf(OTHER, root=3)
    assert ordered(pdf(ONE, root=1)) == ordered(pdf(OTHER, root=3))


def test_what_is_in_order_stays_as_it_is() -> None:
    once = ordered(pdf(OTHER, root=3))

    assert ordered(once) == once


def test_every_place_of_the_table_is_where_its_object_begins() -> None:
    made = ordered(pdf(OTHER, root=3))
    lines = made[made.index(b"xref") :].splitlines()

    for number, line in enumerate(lines[3:8], start=1):
        assert made[int(line[:10]) :].startswith(b"%d 0 obj" % number)
    assert made[int(lines[-2]) :].startswith(b"xref")


def test_bytes_that_a_stream_carries_are_left_alone() -> None:
    assert b"stream\n9 0 R endobj 1\nendstream" in ordered(pdf(ONE, root=1))


def test_what_nothing_refers_to_is_left_out() -> None:
    more = {**ONE, 6: b"<</Producer (x)>>"}

    assert ordered(pdf(more, root=1)) == ordered(pdf(ONE, root=1))


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (b"%PDF-1.7", "plain table"),
        (pdf(ONE, root=1).replace(b"startxref\n", b"startxref\n1"), "plain table"),
        (pdf(ONE, root=1).replace(b"/Root", b"/Foot"), "root object"),
        (pdf(ONE, root=1).replace(b"3 0 obj", b"x 0 obj"), "no object at byte"),
    ],
)
def test_a_pdf_of_another_make_is_refused(broken: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        ordered(broken)
