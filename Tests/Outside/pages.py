"""A local web server whose pages the gateway looks up."""

import asyncio
import contextlib

from harness import DEADLINE


class Request:
    """What was asked for, with its header fields in order and by their lower-case names."""

    def __init__(self, head):
        first, *lines = head.decode("latin-1").split("\r\n")
        self.method, self.target, _ = first.split(" ", 2)
        self.path = self.target
        pairs = (line.split(":", 1) for line in lines if ":" in line)
        self.fields = {name.strip().lower(): value.strip() for name, value in pairs}


class Pages:
    """Serves pages by path, counts what was asked for, and can hold answers back."""

    def __init__(self):
        self.asked = []
        self.requests = []
        self.connections = 0
        self.underway = 0
        self.most_underway = 0
        self.pages = {}
        self.scripts = {}
        self.gates = {}
        self.arrived = asyncio.Event()

    @classmethod
    async def start(cls, host="127.0.0.1", port=0):
        pages = cls()
        pages.host = host
        pages.server = await asyncio.start_server(pages._serve, host, port)
        pages.port = pages.server.sockets[0].getsockname()[1]
        return pages

    def url(self, path, host=None):
        return f"http://{host or self.host}:{self.port}{path}"

    def add(self, path, title, **members):
        tags = [f'<meta property="og:title" content="{title}">']
        tags += [f'<meta property="{name.replace("__", ":")}" content="{value}">'
                 for name, value in members.items()]
        self.add_html(
            path, f"<!doctype html><html><head>{''.join(tags)}</head><body>x</body></html>")

    def add_html(self, path, page, **fields):
        """A page as it is written, with further header fields such as cache_control="no-store"."""
        named = {name.replace("_", "-").title(): value for name, value in fields.items()}
        page = page if isinstance(page, bytes) else page.encode()
        self.answer(path, "200 OK", {"Content-Type": "text/html; charset=utf-8", **named}, page)

    def redirect(self, path, target, status="302 Found"):
        self.answer(path, status, {"Location": target})

    def answer(self, path, status, headers, body=b""):
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.pages[path] = (
            f"HTTP/1.1 {status}\r\n{head}Content-Length: {len(body)}\r\n"
            "Connection: close\r\n\r\n").encode() + body

    def script(self, path, answering):
        """Requests for the path are answered by a coroutine that is given reader and writer."""
        self.scripts[path] = answering

    def endless(self, path, head, piece):
        """Answers with a head, then the piece again and again; gives a list of what was sent."""
        sent = []

        async def answering(_, writer):
            writer.write(head)
            while True:
                writer.write(piece)
                await writer.drain()
                sent.append(len(piece))
        self.script(path, answering)
        return sent

    def stall(self, path, beginning=b""):
        """Answers with this beginning and no more; the event is set when the asker gives up."""
        left = asyncio.Event()

        async def answering(reader, writer):
            writer.write(beginning)
            with contextlib.suppress(ConnectionError):
                while await reader.read(1024):
                    pass
            left.set()
        self.script(path, answering)
        return left

    def hold(self, path):
        """Answers for the path wait until the event that is given back is set."""
        self.gates[path] = asyncio.Event()
        return self.gates[path]

    def count(self, path):
        return self.asked.count(path)

    async def asked_for(self, path, times=1):
        await self.until(lambda: self.count(path) >= times, f"{times} requests for {path}")

    async def until(self, condition, what):
        """Looks at the condition whenever something was asked or answered."""
        try:
            async with asyncio.timeout(DEADLINE):
                while not condition():
                    await self.arrived.wait()
        except TimeoutError:
            raise AssertionError(f"never came: {what}; asked were {self.asked[-10:]}") from None

    def _tell(self):
        self.arrived.set()
        self.arrived = asyncio.Event()

    async def _serve(self, reader, writer):
        self.connections += 1
        self.underway += 1
        self.most_underway = max(self.underway, self.most_underway)
        try:
            request = Request(await reader.readuntil(b"\r\n\r\n"))
            self.requests.append(request)
            self.asked.append(request.path)
            self._tell()
            if request.path in self.gates:
                await self.gates[request.path].wait()
            if request.path in self.scripts:
                await self.scripts[request.path](reader, writer)
                return
            missing = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            writer.write(self.pages.get(request.path, missing))
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            self.underway -= 1
            self._tell()
            writer.close()

    def close(self):
        for gate in self.gates.values():
            gate.set()
        self.server.close()
