"""What the Python resource and authorization servers here share: a record of requests, a step-up, a listener."""
import contextlib
import json

import uvicorn
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

CONTROL = "/control/"


class Recorder:
    """An ASGI application that records each request and hands it to the next application.

    `GET /control/requests` returns the requests as JSON, oldest first, and `DELETE` empties the list. Requests below
    `/control/` are not recorded.
    """

    def __init__(self, app):
        self.app = app
        self.requests = []

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        if scope["path"] == f"{CONTROL}requests":
            return await self.answer(scope, receive, send)
        if scope["path"].startswith(CONTROL):
            return await self.app(scope, receive, send)
        body = await read_body(receive)
        entry = {
            "method": scope["method"],
            "path": scope["path"],
            "query": scope["query_string"].decode("latin-1"),
            # Names are in lowercase; a name may occur more than once.
            "headers": [[name.decode("latin-1"), value.decode("latin-1")] for name, value in scope["headers"]],
            "body": body.decode(errors="replace"),
            "status": None,
        }
        self.requests.append(entry)

        async def note_status(message):
            if message["type"] == "http.response.start":
                entry["status"] = message["status"]
            await send(message)

        await self.app(scope, replay(body, receive), note_status)

    async def answer(self, scope, receive, send):
        if scope["method"] == "DELETE":
            self.requests.clear()
            response = Response(status_code=204)
        else:
            response = JSONResponse(self.requests)
        await response(scope, receive, send)


class StepUp:
    """Hands calls of the tool `write_note` to `strict`, which requires a further scope, and all others to `usual`."""

    def __init__(self, usual, strict):
        self.usual, self.strict = usual, strict

    async def __call__(self, scope, receive, send):
        body = await read_body(receive)
        app = self.strict if is_write(body) else self.usual
        await app(scope, replay(body, receive), send)


def is_write(body):
    try:
        message = json.loads(body)
    except ValueError:
        return False
    is_call = isinstance(message, dict) and message.get("method") == "tools/call"
    return is_call and (message.get("params") or {}).get("name") == "write_note"


class Listener(uvicorn.Server):
    """A server without signal handlers: SIGTERM ends the process at once, open event streams included."""

    @contextlib.contextmanager
    def capture_signals(self):
        yield


async def read_body(receive):
    """Returns the whole body of a request."""
    parts = []
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        if message["type"] != "http.request" or not message.get("more_body"):
            return b"".join(parts)


def replay(body, receive):
    """Returns an ASGI `receive` that delivers a body that was already read."""
    is_delivered = False

    async def receive_again():
        nonlocal is_delivered
        if is_delivered:
            return await receive()
        is_delivered = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_again


async def form_of(request: Request):
    """Returns the fields of a form, the last of each name."""
    return {name: value for name, value in (await request.form()).items() if isinstance(value, str)}
