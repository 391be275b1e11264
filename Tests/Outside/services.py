"""Unfurl services: one whose answers a test scripts, and calls of a real one."""

import asyncio
import contextlib
import json

from harness import DEADLINE, http
from pages import Request


class ScriptedService:
    """Takes the gateway's questions, and answers them as a test likes.

    `answers` maps a URL to what is answered: a tuple of status and JSON, of status, bytes and
    header fields, or a coroutine function that is given reader and writer. A URL that is not in it
    gets its own name for a title.
    """

    def __init__(self):
        self.answers = {}
        self.asked, self.requests = [], []
        self.connections = 0
        self.broken = False
        self.arrived = asyncio.Event()

    @classmethod
    async def start(cls, port=0):
        service = cls()
        service.server = await asyncio.start_server(
            service._serve, "127.0.0.1", port, limit=1 << 20)
        service.port = service.server.sockets[0].getsockname()[1]
        return service

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/unfurl"

    def count(self, url):
        return sum(question.get("url") == url for question in self.asked)

    async def until(self, condition, what):
        try:
            async with asyncio.timeout(DEADLINE):
                while not condition():
                    await self.arrived.wait()
        except TimeoutError:
            raise AssertionError(f"never came: {what}; asked were {self.asked[-5:]}") from None

    def silent(self, url):
        """The question for the URL gets no answer; the event is set when the asker gives up."""
        left = asyncio.Event()

        async def waiting(reader, _):
            with contextlib.suppress(ConnectionError):
                await reader.read()
            left.set()
        self.answers[url] = waiting
        return left

    def held(self, url, *answer):
        """The question for the URL is answered when the event that is given back is set."""
        gate = asyncio.Event()

        async def waiting(_, writer):
            await gate.wait()
            writer.write(self.written(*answer))
            await writer.drain()
        self.answers[url] = waiting
        return gate

    @staticmethod
    def written(status, body, fields=None):
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        fields = {"Content-Type": "application/json", "Content-Length": len(body),
                  "Connection": "close", **(fields or {})}
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        return f"HTTP/1.1 {status} Status\r\n{head}\r\n".encode() + body

    async def _serve(self, reader, writer):
        self.connections += 1
        self.arrived.set()
        self.arrived = asyncio.Event()
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            if not self.broken:
                await self._answer(reader, writer)
        writer.close()

    async def _answer(self, reader, writer):
        request = Request(await reader.readuntil(b"\r\n\r\n"))
        request.body = await reader.readexactly(int(request.fields.get("content-length", 0)))
        question = json.loads(request.body)
        self.requests.append(request)
        self.asked.append(question)
        self.arrived.set()
        self.arrived = asyncio.Event()
        answer = self.answers.get(question["url"], (200, tag(question["url"])))
        if callable(answer):
            await answer(reader, writer)
        else:
            writer.write(self.written(*answer))
            await writer.drain()

    def close(self):
        self.server.close()


def tag(title, **members):
    members = {name.replace("__", ":"): value for name, value in members.items()}
    return {"og_tag": {"og:title": title, "og:url": None, "og:description": None,
                       "og:image": None, **members}}


async def ask(service, question, path="/unfurl", method="POST", **headers):
    """Puts a question to a real service: the status, the headers and the JSON answered."""
    body = question if isinstance(question, bytes) else json.dumps(question).encode()
    headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}
    status, fields, answer = await http(service.port, method, path, headers, body)
    return status, fields, json.loads(answer)
