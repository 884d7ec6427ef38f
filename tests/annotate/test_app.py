"""The served app, asked as browsers and strangers ask: a process of its own."""

import http.client
import json
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from annotate.rating_server import NAMES, Client, Server, rated_study
from threadmed.labels.experts import read_ratings
from threadmed.study import Folder

HOSTILE = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"
OPTIONS = ("--size", "12", "--raters", "ann,bob", "--gold-share", "0.5")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return rated_study(tmp_path_factory.mktemp("study"), words=HOSTILE)


@pytest.fixture(scope="module")
def server(folder: Folder) -> Iterator[Server]:
    running = Server(folder, *OPTIONS)
    yield running
    running.stop()


def signed_in(server: Server, name: str) -> Client:
    """Let somebody in, by a link that the organiser makes."""
    host = Client(server.url)
    token = server.links["organiser"].partition("token=")[2]
    if host.form("/enter", token=token)[0] == 200:
        _, text, _ = host.ask("/rate/scoring")
        host.setup = json.loads(text.partition('id="setup">')[2].partition("</")[0])
        ORGANISERS[server.url] = host
    host = ORGANISERS[server.url]
    if name == "organiser":
        return host
    status, text, _ = host.form("/organiser/link", form=host.setup["form"], name=name)
    assert status == 200
    link = text.partition("/enter?token=")[2].partition("<")[0]
    return Client(server.url).come_in(f"token={link}")


ORGANISERS: dict[str, Client] = {}
"""The one session that the organiser's own link begins, by server."""


def test_nobody_comes_in_without_a_link(server: Server) -> None:
    stranger = Client(server.url)
    for path in ("/", "/rate/scoring", "/item/scoring", "/organiser"):
        status, text, _ = stranger.ask(path)
        assert status == 401
        assert "your own link" in text
    guess = "guess"
    assert stranger.form("/enter", token=guess)[0] == 403
    assert stranger.ask("/enter?token=guess")[0] == 403


def test_a_link_opens_once_and_a_look_at_it_uses_nothing_up(server: Server) -> None:
    host = signed_in(server, "organiser")
    _, text, _ = host.form("/organiser/link", form=host.setup["form"], name="ann")
    token = text.partition("/enter?token=")[2].partition("<")[0]
    first, second = Client(server.url), Client(server.url)

    assert "Begin" in first.ask(f"/enter?token={token}")[1]
    assert "Begin" in second.ask(f"/enter?token={token}")[1]
    assert first.form("/enter", token=token)[0] == 200
    status, text, _ = second.form("/enter", token=token)
    assert status == 403
    assert "was used" in text
    assert first.ask("/item/scoring")[0] == 200


def test_the_cookie_is_closed_to_scripts_and_to_other_sites(server: Server) -> None:
    host = signed_in(server, "organiser")
    _, text, _ = host.form("/organiser/link", form=host.setup["form"], name="bob")
    token = text.partition("/enter?token=")[2].partition("<")[0]
    asked = http.client.HTTPConnection(server.url.removeprefix("http://"))
    headers = {
        "Origin": server.url,
        "Content-Type": "application/x-www-form-urlencoded",
    }
    asked.request("POST", "/enter", f"token={token}", headers)
    reply = asked.getresponse()
    cookie = reply.headers["Set-Cookie"]
    asked.close()

    assert reply.status == 303
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie


def test_every_reply_forbids_inline_script_and_other_servers(server: Server) -> None:
    client = signed_in(server, "ann")
    for path in ("/rate/scoring", "/item/scoring", "/static/rate.js", "/nothing"):
        _, text, headers = client.ask(path)
        policy = headers["content-security-policy"]
        assert "default-src 'none'; script-src 'self'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert " onclick=" not in text
        assert "<style" not in text


def test_raters_are_told_no_name_and_text_stays_text(server: Server) -> None:
    client = signed_in(server, "ann")
    pages = [client.ask("/rate/scoring")[1], client.ask("/rate/identification")[1]]
    for task in ("scoring", "identification"):
        for _ in range(4):
            found = client.look(task)
            assert HOSTILE in found["shown"]["question"]
            pages.append(json.dumps(found))
            client.send("later", {"item": found["item"]}, task=task)

    for text in pages:
        assert not [name for name in (*NAMES, "THREAD_", "bob") if name in text]
    assert not [text for text in pages[:2] if "<img" in text]


def test_the_organisers_pages_are_the_organisers_alone(server: Server) -> None:
    client = signed_in(server, "ann")
    for path in ("/organiser", "/organiser/live"):
        assert client.ask(path)[0] == 403
    for order in ("export", "link"):
        form = {"form": client.setup["form"], "name": "bob"}
        assert client.form(f"/organiser/{order}", **form)[0] == 403


def test_what_another_page_sends_is_refused(server: Server) -> None:
    client = signed_in(server, "bob")
    before = client.look()
    body = json.dumps({"item": before["item"], "value": "1"}).encode()
    form = {"X-Form": client.setup["form"]}
    for headers in (
        form | {"Origin": "http://evil.example"},
        form | {"Origin": "null"},
        {},
        {"X-Form": "0" * 32},
    ):
        assert client.ask("/item/scoring/save", body, headers=headers)[0] == 403
    host = signed_in(server, "organiser")
    assert host.form("/organiser/export", form="")[0] == 403
    assert client.look()["done"] == before["done"]


def test_a_name_that_is_not_the_servers_is_refused(server: Server) -> None:
    status, _, _ = Client(server.url).ask("/", headers={"Host": "evil.example"})

    assert status == 421


def test_a_body_that_is_too_large_is_refused_also_when_it_hides_its_length(
    server: Server,
) -> None:
    client = signed_in(server, "ann")
    large = b"x" * 70_000
    assert client.ask("/item/scoring/save", large)[0] == 413

    asked = http.client.HTTPConnection(server.url.removeprefix("http://"))
    asked.request(
        "POST",
        "/enter",
        iter([large[:40_000], large[:40_000]]),
        {"Origin": server.url},
        encode_chunked=True,
    )
    assert asked.getresponse().status == 413
    asked.close()


def test_what_is_not_complete_or_not_ones_own_is_told_and_not_kept(
    server: Server,
) -> None:
    ann, bob = signed_in(server, "ann"), signed_in(server, "bob")
    before = ann.look()
    own = {ann.look()["item"]}
    wrong = [
        ({"item": before["item"], "value": "2"}, "expected one of -1, 0, 1"),
        ({"item": "elsewhere", "value": "1"}, "not on your list"),
        ({"item": before["item"]}, "missing required field `value`"),
        ({"item": before["item"], "value": "1", "rater": "bob"}, "unknown field"),
        ([], "not what this page sends"),
    ]
    for body, why in wrong:
        status, told = ann.send("save", body)
        assert status == 422
        assert why in told["why"]
    assert ann.ask("/item/scoring?item=elsewhere")[0] == 422
    assert ann.ask("/item/other")[0] == 404
    assert ann.send("burn", {})[0] == 404
    assert ann.look()["done"] == before["done"]
    assert own
    assert bob.ask("/organiser/burn")[0] in {403, 405}


def test_an_answer_is_saved_and_undone_and_comes_back_as_it_was(server: Server) -> None:
    client = signed_in(server, "ann")
    before = client.look()
    after = client.say("0", note="a note", flag=True)
    assert (after["done"], after["recent"][0]["value"]) == (before["done"] + 1, "0")
    status, back = client.send("undo", {})

    assert status == 200
    assert back["item"] == before["item"]
    assert back["done"] == before["done"]
    assert back["draft"]["note"] == "a note"
    assert back["draft"]["flag"] is True


def test_who_leaves_must_come_in_again(server: Server) -> None:
    client = signed_in(server, "bob")
    assert client.form("/leave", form="wrong")[0] == 403
    status, text, _ = client.form("/leave", form=client.setup["form"])

    assert status == 401
    assert "your own link" in text
    assert client.ask("/item/scoring")[0] == 401


def test_each_is_led_to_their_own_page(server: Server) -> None:
    assert "How far the raters are" in signed_in(server, "organiser").ask("/")[1]
    client = signed_in(server, "ann")
    text = client.ask("/")[1]
    assert "Does this question rest on a false belief?" in text
    assert "Leave" in text


def test_two_raters_at_once_and_a_kill_in_the_middle_lose_nothing(
    tmp_path: Path,
) -> None:
    folder = rated_study(tmp_path)
    server = Server(folder, "--task", "scoring", *OPTIONS)
    raters = {
        name: Client(server.url).come_in(server.links[name]) for name in ("ann", "bob")
    }

    def rate(name: str, times: int) -> list[str]:
        return [
            raters[name].say("1", note=f"{name} {at}")["recent"][0]["item"]
            for at in range(times)
        ]

    with ThreadPoolExecutor(2) as pool:
        told = [pool.submit(rate, name, 4) for name in raters]
        said = {name: each.result() for name, each in zip(raters, told, strict=True)}
    server.kill()

    again = Server(folder, "--port", server.url.rpartition(":")[2])
    assert [raters[name].look()["done"] for name in raters] == [4, 4]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda name: said[name].extend(rate(name, 5)), raters))
    assert raters["ann"].look()["item"] is None
    host = Client(server.url).come_in(again.links["organiser"])
    _, text, _ = host.form("/organiser/export", form=host.setup["form"])
    assert "scoring.csv" in text
    assert "<p>Written:</p><p><code>" in text
    assert "stopped; every answer is in" in again.stop()
    assert again.process.returncode == 0

    rows = read_ratings(folder.ratings / "scoring.csv")
    for name in raters:
        own = {row.item: row for row in rows if row.rater == name}
        assert set(own) == set(said[name])
        assert len(own) == 9
        assert {row.value for row in own.values()} == {"1"}
        assert sum(row.note.startswith(name) for row in own.values()) == 9


def test_a_store_that_takes_nothing_is_told_and_not_passed_over(
    tmp_path: Path,
) -> None:
    folder = rated_study(tmp_path)
    server = Server(folder, "--task", "scoring", "--size", "3")
    client = Client(server.url).come_in(server.links["rater-1"])
    item = client.look()["item"]
    with closing(sqlite3.connect(folder.ratings / "annotation.sqlite")) as store:
        store.execute("ALTER TABLE entries RENAME COLUMN said TO lost")
    status, told = client.send("save", {"item": item, "value": "1"})
    server.stop()

    assert status == 503
    assert "the store did not take it" in told["why"]


def test_disagreements_are_settled_by_the_organiser(tmp_path: Path) -> None:
    folder = rated_study(tmp_path)
    server = Server(folder, "--task", "scoring", "--size", "3", "--gold-share", "1")
    first, second = (
        Client(server.url).come_in(server.links[f"rater-{n}"]) for n in (1, 2)
    )
    host = Client(server.url).come_in(server.links["organiser"])
    _, nothing, _ = host.ask("/organiser/live")
    for _ in range(3):
        first.say("1")
        second.say("0")
    assert [each["value"] for each in host.look()["opinions"]] == ["0", "1"]
    host.say("-1", note="settled")
    _, numbers, _ = host.ask("/organiser/live")
    host.form("/organiser/export", form=host.setup["form"])
    server.stop()

    assert "0 of 0 disagreements settled" in nothing
    assert "disabled>Settle disagreements" in nothing
    assert "1 of 3 disagreements settled" in numbers
    assert "disabled>Settle" not in numbers
    assert "0.0" in numbers
    rows = read_ratings(folder.ratings / "scoring.csv")
    assert [row.value for row in rows if row.rater == "adjudicated"] == ["-1"]


def test_a_study_that_was_not_run_says_why_nothing_is_scored(tmp_path: Path) -> None:
    folder = rated_study(tmp_path)
    folder.answers.unlink()
    server = Server(folder, "--size", "3")
    try:
        host = Client(server.url)
        host.form("/enter", token=server.links["organiser"].partition("token=")[2])
        _, text, _ = host.ask("/organiser")
    finally:
        server.stop()

    why = "Answers cannot be scored yet, as the study was not run"
    assert why in server.printed
    assert why in text
