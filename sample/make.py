"""Write the sample dump, its labels and its data card; run by `make sample`.

The dump is written first and then built as any other, so that the labels bear the
thread ids that a build with the default options gives.
"""

import argparse
import tempfile
from collections.abc import Mapping
from pathlib import Path

import msgspec
import zstandard
from dump import Line, dump_lines
from forum import Comment, Post

from conversations import Conversation, as_post, read_conversations
from threadmed import store
from threadmed.dataset.build import build
from threadmed.dataset.inputs import find_dump
from threadmed.records import Labelled, Thread, ThreadId

HERE = Path(__file__).parent
FOLDER = HERE.parent / "src/threadmed/dataset/sample"
SUBMISSIONS = "AskDocs_submissions.zst"
COMMENTS = "AskDocs_comments.zst"


def main() -> None:
    """Write the sample into a folder: the package's own unless told otherwise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=FOLDER)
    folder: Path = parser.parse_args().out
    conversations = read_conversations(HERE / "threads.json")
    posts = all_posts(conversations)
    submissions, comments = dump_lines(posts)
    store.write_bytes(folder / SUBMISSIONS, compress(submissions, frames=1))
    # Dumps that were put together from several files have several frames.
    store.write_bytes(folder / COMMENTS, compress(comments, frames=2))
    labels = label(conversations, thread_ids(folder))
    store.write_records(folder / "labels.jsonl", labels)
    counts = {
        "posts": len(submissions),
        "conversations": len(conversations),
        "further": len(posts) - len(conversations),
        "comments": len(comments),
        "questions": len(labels),
        "misconceptions": sum(one.misconception for one in labels),
    }
    store.write_text(folder / "README.md", card(counts))
    print(f"{folder}: {counts['posts']} posts, {counts['comments']} comments")


def all_posts(conversations: tuple[Conversation, ...]) -> tuple[Post, ...]:
    """Read every post that was written by hand."""
    beside = msgspec.json.decode(
        (HERE / "beside.json").read_bytes(), type=dict[str, tuple[Comment, ...]]
    )
    posts = [as_post(one, beside.get(one.id, ())) for one in conversations]
    for path in sorted((HERE / "posts").glob("*.json")):
        posts += msgspec.json.decode(path.read_bytes(), type=list[Post])
    return tuple(posts)


def compress(lines: list[Line], *, frames: int) -> bytes:
    """Write records as JSON lines in zstd; frames end where they end, in mid-line."""
    text = b"".join(msgspec.json.encode(line.record) + b"\n" for line in lines)
    size = -(-len(text) // frames)
    compressor = zstandard.ZstdCompressor(level=19, write_checksum=True)
    parts = (text[start : start + size] for start in range(0, len(text), size))
    return b"".join(compressor.compress(part) for part in parts)


def thread_ids(folder: Path) -> dict[str, ThreadId]:
    """Build the dump and give the id of each thread by its first question."""
    with tempfile.TemporaryDirectory() as name:
        out = Path(name)
        build(find_dump([folder / SUBMISSIONS], [folder / COMMENTS]), out)
        threads = store.read_records(out / "complete.jsonl", Thread)
    return {thread.turns[0].question: thread.thread_id for thread in threads}


def label(
    conversations: tuple[Conversation, ...], ids: Mapping[str, ThreadId]
) -> list[Labelled]:
    """Give the label of every question, by thread and turn.

    Raises:
        ValueError: If the build did not give exactly these conversations.
    """
    if set(ids) != {one.first_question() for one in conversations}:
        raise ValueError("the build of the sample does not give its conversations")
    labels = [
        Labelled(
            thread_id=ids[conversation.first_question()],
            turn=number,
            misconception=turn.misconception,
            belief=turn.belief or "",
            correction=turn.correction or "",
            harm=turn.harm,
            source="reference",
        )
        for conversation in conversations
        for number, turn in enumerate(conversation.turns)
    ]
    return sorted(labels, key=lambda one: (one.thread_id, one.turn))


def card(counts: Mapping[str, int]) -> str:
    """Fill the counts into the data card."""
    text = (HERE / "card.md").read_text(encoding="utf-8")
    for name, count in counts.items():
        text = text.replace(f"<{name}>", str(count))
    return text


if __name__ == "__main__":
    main()
