"""A server on loopback that speaks OpenAI's two interfaces and answers from a script."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from benchmarks.samples.scripted import Answer, Call, Script

__all__ = ["serving"]

_USAGE = (70, 30)


@contextmanager
def serving(script: Script) -> Iterator[str]:
    """Serve a script; yields the base address that clients take, which ends in /v1."""
    handler = type("Handler", (_Handler,), {"script": script})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    script: Script

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.endswith("/responses"):
            whole = _response(self.script.answer(body), len(self.script.requests))
            events = _response_events(whole)
        else:
            whole = _completion(self.script.answer(body), len(self.script.requests))
            events = _completion_events(whole)
        if body.get("stream"):
            self._send("text/event-stream", events)
        else:
            self._send("application/json", [json.dumps(whole)])

    def _send(self, kind: str, pieces: list[str]) -> None:
        data = "".join(pieces).encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the base class's name
        """Say nothing."""


def _completion(answer: Answer, number: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer if isinstance(answer, str) else None}
    if isinstance(answer, Call):
        function = {"name": answer.name, "arguments": json.dumps(answer.arguments)}
        message["tool_calls"] = [{"id": f"call_{number}", "type": "function", "function": function}]
    reason = "tool_calls" if isinstance(answer, Call) else "stop"
    asked, said = _USAGE
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": reason, "logprobs": None}],
        "usage": {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said},
    }


def _completion_events(whole: dict[str, Any]) -> list[str]:
    choice = whole["choices"][0]
    message = dict(choice["message"])
    for index, call in enumerate(message.get("tool_calls", ())):
        call["index"] = index
    base = {key: whole[key] for key in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    chunks = [
        base | {"choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        base | {"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]},
        base | {"choices": [], "usage": whole["usage"]},
    ]
    return [*(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks), "data: [DONE]\n\n"]


def _response(answer: Answer, number: int) -> dict[str, Any]:
    if isinstance(answer, Call):
        arguments = json.dumps(answer.arguments)
        call = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": answer.name}
        item: dict[str, Any] = call | {"arguments": arguments, "status": "completed"}
    else:
        text = {"type": "output_text", "text": answer, "annotations": [], "logprobs": []}
        item = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed", "content": [text]}
    asked, said = _USAGE
    usage: dict[str, Any] = {"input_tokens": asked, "output_tokens": said, "total_tokens": asked + said}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": "scripted",
        "output": [item],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": usage,
    }


def _response_events(whole: dict[str, Any]) -> list[str]:
    event = {"type": "response.completed", "sequence_number": 0, "response": whole}
    return [f"event: response.completed\ndata: {json.dumps(event)}\n\n"]
