"""A generateContent server for tests; see faults.py."""

import json
from typing import Any

from batches import GoogleBatches
from faults import Body, main


class Google:
    name = "google"
    routes = (r"/v1beta/models/[^/]+:generateContent",)

    def key(self, headers: dict[str, str]) -> str:
        return headers.get("x-goog-api-key", "")

    def asked(self, body: Body) -> str:
        return str(body["contents"][-1]["parts"][-1]["text"])

    def schema(self, body: Body) -> str:
        return json.dumps(body.get("generationConfig", ""))

    def size(self, body: Body) -> int:
        return len(body["contents"])

    def answer(self, body: Body, text: str) -> dict[str, Any]:
        del body
        return {
            "candidates": [
                {
                    "content": {"parts": [{"text": text}], "role": "model"},
                    "finishReason": "STOP",
                    "index": 0,
                }
            ],
            "usageMetadata": {
                "promptTokenCount": 100,
                "candidatesTokenCount": 20,
                "totalTokenCount": 120,
            },
            "modelVersion": "served-gemini-1",
            "responseId": "r-1",
        }


if __name__ == "__main__":
    wire = Google()
    main(wire, GoogleBatches(wire).routes())
