"""A proxy in front of a gateway that treats each kind of request in its own way, as some networks do."""

import asyncio
import contextlib
import random


class Front:
    """Passes requests on, each on a connection of its own, unless `treats` has another way for their kind.

    The kinds are `upgrade`, `open`, `listen`, `poll`, `post`, `delete` and `other`. A way is a coroutine function that
    takes the front, the head of the request, and the client's reader and writer.
    """

    def __init__(self, port, **treats):
        self.target = port
        self.treats = treats
        self.asked = []
        self.writers = set()

    @classmethod
    async def start(cls, port, **treats):
        front = cls(port, **treats)
        front.server = await asyncio.start_server(front._serve, "127.0.0.1", 0)
        front.port = front.server.sockets[0].getsockname()[1]
        front.url = f"http://127.0.0.1:{front.port}"
        return front

    async def _serve(self, reader, writer):
        self.writers.add(writer)
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            kind = self.kind(head)
            self.asked.append(kind)
            await self.treats.get(kind, passed)(self, head, reader, writer)
        self.writers.discard(writer)
        writer.close()

    @staticmethod
    def kind(head):
        method, path = head.split(b" ", 2)[:2]
        if b"upgrade: websocket" in head.lower():
            return "upgrade"
        if not path.startswith(b"/v1/streams"):
            return "other"
        if method == b"GET":
            return "poll" if b"poll=1" in path else "listen"
        if method == b"POST":
            return "open" if path == b"/v1/streams" else "post"
        return method.decode().lower()

    def count(self, kind):
        return self.asked.count(kind)

    async def connect(self, head):
        """A connection to the gateway on which the request was sent, and which ends with the answer."""
        there, back = await asyncio.open_connection("127.0.0.1", self.target)
        back.write(head if self.kind(head) == "upgrade" else head[:-2] + b"Connection: close\r\n\r\n")
        return there, back

    def cut(self):
        """Ends all connections."""
        for writer in self.writers:
            writer.transport.abort()

    def close(self):
        self.server.close()
        self.cut()


async def copy(reader, writer):
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()


async def passed(front, head, reader, writer):
    there, back = await front.connect(head)
    await asyncio.gather(copy(reader, back), copy(there, writer))


def refused(status):
    """Answers with a status."""
    async def way(front, head, reader, writer):
        writer.write(f"HTTP/1.1 {status} No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
        await writer.drain()
    return way


async def dropped(front, head, reader, writer):
    """Ends the connection without an answer."""
    writer.transport.abort()


def hanging(gate):
    """Passes requests on once an event is set."""
    async def way(front, head, reader, writer):
        await gate.wait()
        await passed(front, head, reader, writer)
    return way


def once(first, then=passed):
    """The first request is treated in a way of its own."""
    return times(1, first, then)


def times(count, first, then=passed):
    """The first requests are treated in a way of their own."""
    left = count

    async def way(*request):
        nonlocal left
        left -= 1
        await (first if left >= 0 else then)(*request)
    return way


async def unanswered(front, head, reader, writer):
    """Passes a request on, and ends the connection in place of its answer."""
    there, back = await front.connect(head)
    copying = asyncio.create_task(copy(reader, back))
    with contextlib.suppress(OSError):
        while await there.read(65536):
            pass
    copying.cancel()
    back.close()
    writer.transport.abort()


async def held(front, head, reader, writer):
    """Holds a response back until there are 64 KiB of it, or its end."""
    async def hold():
        waiting = b""
        with contextlib.suppress(OSError):
            while data := await there.read(65536):
                waiting += data
                if len(waiting) >= 65536:
                    writer.write(waiting)
                    waiting = b""
            writer.write(waiting)
        writer.close()
    there, back = await front.connect(head)
    await asyncio.gather(copy(reader, back), hold())


def cutting(seed):
    """Cuts each response after a number of bytes."""
    dice = random.Random(seed)

    async def way(front, head, reader, writer):
        async def cut(rest):
            with contextlib.suppress(OSError):
                while rest > 0 and (data := await there.read(65536)):
                    writer.write(data[:rest])
                    await writer.drain()
                    rest -= len(data)
            back.close()
            writer.close()
        there, back = await front.connect(head)
        await asyncio.gather(copy(reader, back), cut(dice.randrange(300, 3000)))
    return way
