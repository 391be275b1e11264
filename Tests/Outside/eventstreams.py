"""A client of event streams over plain HTTP, for the tests."""

import asyncio
import json
import zlib

from harness import DEADLINE, http


class Response:
    """A response in chunks, read as it arrives."""

    def __init__(self, reader, writer, status, fields):
        self.reader, self.writer, self.status, self.fields = reader, writer, status, fields
        self.inflater = zlib.decompressobj(31) if fields.get("content-encoding") == "gzip" else None
        self.text = b""
        self.ended = False
        # The rest of the current chunk.
        self.left = 0

    async def more(self):
        """Reads what comes next; False at the end of the body or of the connection."""
        try:
            if self.fields.get("transfer-encoding") == "chunked":
                data = await self._read_of_chunk()
            else:
                data = await self.reader.read(65536)
                self.ended = not data
        except (asyncio.IncompleteReadError, ConnectionError):
            return False
        self.text += self.inflater.decompress(data) if self.inflater else data
        return bool(data)

    async def _read_of_chunk(self):
        """The next bytes of a chunk, which may be cut; empty at the end of the body."""
        if self.left == 0:
            line = await self.reader.readuntil(b"\r\n")
            if line == b"\r\n":
                # The end of the last chunk.
                line = await self.reader.readuntil(b"\r\n")
            self.left = int(line, 16)
            if self.left == 0:
                await self.reader.readexactly(2)
                self.ended = True
                return b""
        data = await self.reader.read(min(self.left, 65536))
        self.left -= len(data)
        return data

    async def event(self):
        """The next event, a dictionary of its fields; None at the end."""
        async with asyncio.timeout(DEADLINE):
            while True:
                while b"\n\n" not in self.text:
                    if not await self.more() and b"\n\n" not in self.text:
                        return None
                block, self.text = self.text.split(b"\n\n", 1)
                lines = [line for line in block.decode().split("\n") if not line.startswith(":")]
                if lines and lines != [""]:
                    return dict(line.split(": ", 1) for line in lines)

    async def rest(self):
        """All events until the end."""
        events = []
        while event := await self.event():
            events.append(event)
        return events

    def close(self):
        self.writer.close()


async def begin(port, target, method="GET", version="1.1", body=b"", tls=None, **fields):
    """Sends a request, over TLS with a context for it, and reads the head of its answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=tls)
    named = {"Host": "127.0.0.1", **{name.replace("_", "-"): value for name, value in fields.items()}}
    head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    writer.write(f"{method} {target} HTTP/{version}\r\n{head}\r\n".encode() + body)
    async with asyncio.timeout(DEADLINE):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *rest = head.split("\r\n")
    pairs = (line.split(": ", 1) for line in rest if ": " in line)
    return Response(reader, writer, int(first.split(" ")[1]), {n.lower(): v for n, v in pairs})


async def post(port, target, value, **fields):
    """Posts a message: the status, the headers and the answer."""
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    fields = {name.replace("_", "-"): value for name, value in fields.items()}
    status, named, content = await http(
        port, "POST", target,
        {"Content-Type": "application/json", "Content-Length": str(len(body)), **fields}, body)
    return status, named, json.loads(content) if content else None


def request(method, number=1, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


class Stream:
    """A stream with its session, which keeps the events it has received."""

    def __init__(self, port, address, result):
        self.port, self.address, self.result = port, address, result
        self.response = None
        self.last = 0
        self.events, self.answers = [], {}
        self.closed = None
        self.number = 1

    @classmethod
    async def open(cls, port, user_id, **params):
        status, _, answer = await post(
            port, "/v1/streams", request("session.open", user_id=user_id, groups=False, **params))
        assert status == 201, (status, answer)
        return cls(port, answer["stream"], answer["result"])

    async def listen(self, query="", **fields):
        """Asks for the events after those received."""
        if self.last and "after=" not in query:
            fields.setdefault("Last_Event_ID", str(self.last))
        self.response = await begin(self.port, self.address + query, **fields)
        return self.response

    def note(self, event):
        if "id" not in event:
            return
        number = int(event["id"])
        assert number == self.last + 1, (number, self.last)
        self.last = number
        value = json.loads(event["data"])
        if event.get("event") == "close":
            self.closed = value
        elif "id" in value and value["id"] is not None:
            self.answers[value["id"]] = value
        else:
            self.events.append(value)

    async def poll(self):
        """Takes the events there are; how many they were."""
        response = await begin(self.port, f"{self.address}?poll=1&after={self.last}")
        assert response.status == 200, response.status
        events = await response.rest()
        response.close()
        for event in events:
            self.note(event)
        return len(events)

    async def step(self):
        event = await self.response.event()
        assert event is not None, "the response ended"
        self.note(event)

    async def until(self, condition):
        while not (found := condition()):
            await self.step()
        return found

    async def send(self, method, **params):
        """Posts a request: its id."""
        self.number += 1
        status, _, answer = await post(
            self.port, self.address, request(method, self.number, **params))
        assert (status, answer) == (202, {}), (status, answer)
        return self.number

    async def call(self, method, **params):
        """Posts a request, and reads its result or error from the stream."""
        number = await self.send(method, **params)
        return await self.until(lambda: self.answers.get(number))

    def messages(self):
        return [event["params"]["message"]["message"] for event in self.events
                if event["method"] == "message.received"]


async def relay(reader, writer, pass_on):
    """Copies bytes with a function that may hold them back or end them."""
    try:
        while data := await reader.read(65536):
            if not await pass_on(data, writer):
                break
    except OSError:
        pass
    finally:
        writer.close()


async def proxy(port, pass_on):
    """A proxy in front of a server: its port. Only what the server sends is treated."""
    async def plain(data, writer):
        writer.write(data)
        await writer.drain()
        return True

    async def serve(reader, writer):
        there, back = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(relay(reader, back, plain), relay(there, writer, pass_on()))
    listener = await asyncio.start_server(serve, "127.0.0.1", 0)
    return listener, listener.sockets[0].getsockname()[1]
