"""A chat completions server for tests, to be run as a process of its own.

It prints its port; faults.py says what it can be told to do.
"""

import json
from typing import Any

from batches import OpenAIBatches
from faults import Body, main


class OpenAI:
    name = "openai"
    routes = (r"(/v1)?/chat/completions",)

    def key(self, headers: dict[str, str]) -> str:
        return headers.get("authorization", "").removeprefix("Bearer ")

    def asked(self, body: Body) -> str:
        return str(body["messages"][-1]["content"])

    def schema(self, body: Body) -> str:
        return json.dumps(body.get("response_format", ""))

    def size(self, body: Body) -> int:
        return len(body["messages"])

    def answer(self, body: Body, text: str) -> dict[str, Any]:
        del body
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 0,
            "model": "served-model-1",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": text, "refusal": None},
                }
            ],
            "usage": {
                "prompt_tokens": 100,
                "completion_tokens": 20,
                "total_tokens": 120,
            },
        }


if __name__ == "__main__":
    wire = OpenAI()
    main(wire, OpenAIBatches(wire).routes())
