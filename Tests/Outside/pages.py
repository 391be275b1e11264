"""A local web server whose pages the gateway looks up."""

import asyncio


class Pages:
    """Serves pages by path, counts what was asked for, and can hold answers back."""

    def __init__(self):
        self.asked = []
        self.pages = {}
        self.gates = {}
        self.arrived = asyncio.Event()

    @classmethod
    async def start(cls):
        pages = cls()
        pages.server = await asyncio.start_server(pages._serve, "127.0.0.1", 0)
        pages.port = pages.server.sockets[0].getsockname()[1]
        return pages

    def url(self, path):
        return f"http://127.0.0.1:{self.port}{path}"

    def add(self, path, title, **members):
        tags = [f'<meta property="og:title" content="{title}">']
        tags += [f'<meta property="{name.replace("__", ":")}" content="{value}">'
                 for name, value in members.items()]
        body = f"<!doctype html><html><head>{''.join(tags)}</head><body>x</body></html>".encode()
        self.answer(path, "200 OK", {"Content-Type": "text/html; charset=utf-8"}, body)

    def answer(self, path, status, headers, body=b""):
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.pages[path] = (
            f"HTTP/1.1 {status}\r\n{head}Content-Length: {len(body)}\r\n"
            "Connection: close\r\n\r\n").encode() + body

    def hold(self, path):
        """Answers for the path wait until the event that is given back is set."""
        self.gates[path] = asyncio.Event()
        return self.gates[path]

    def count(self, path):
        return self.asked.count(path)

    async def asked_for(self, path, times=1):
        async with asyncio.timeout(30):
            while self.count(path) < times:
                await self.arrived.wait()

    async def _serve(self, reader, writer):
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            path = head.split(b" ")[1].decode()
            self.asked.append(path)
            self.arrived.set()
            self.arrived = asyncio.Event()
            if path in self.gates:
                await self.gates[path].wait()
            missing = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            writer.write(self.pages.get(path, missing))
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def close(self):
        self.server.close()
