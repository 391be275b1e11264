"""A WebSocket client that counts bytes, keeps none, and may read slowly or not at all."""

import asyncio
import base64
import contextlib
import json
import os
import re
import socket
import struct
import time
import zlib
from collections import Counter

from harness import DEADLINE, Refused

MESSAGE_BYTES = 262_144
HEAD = re.compile(rb'\s*\{"jsonrpc":"2\.0","(?:method":"([^"]+)"|id":(\d+|null|"))')


def frame(value):
    """A client's frame of one text message; its mask is zero, which leaves the payload as it is."""
    payload = value if isinstance(value, bytes) else json.dumps(value, ensure_ascii=False).encode()
    size = len(payload)
    if size < 126:
        head = struct.pack("!BB", 0x81, 0x80 | size)
    elif size < 65536:
        head = struct.pack("!BBH", 0x81, 0x80 | 126, size)
    else:
        head = struct.pack("!BBQ", 0x81, 0x80 | 127, size)
    return head + bytes(4) + payload


def compressed(value):
    """A frame of one text message as permessage-deflate has it, without what was sent before."""
    payload = value if isinstance(value, bytes) else json.dumps(value, ensure_ascii=False).encode()
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)
    squeezed = squeeze.compress(payload) + squeeze.flush(zlib.Z_SYNC_FLUSH)
    made = bytearray(frame(squeezed[:-4]))
    made[0] |= 0x40
    return bytes(made)


def request(number, method, **params):
    return frame({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


class Sizes:
    """The largest answer to each method and the largest of each event, in bytes."""

    def __init__(self):
        self.answers, self.events = Counter(), Counter()

    def answer(self, method, size):
        self.answers[method] = max(self.answers[method], size)

    def event(self, name, size):
        self.events[name] = max(self.events[name], size)


class Wire(asyncio.Protocol):
    """One connection. `rate` bounds the bytes that it reads in a second, 0 reads nothing."""

    def __init__(self, sizes=None, rate=None):
        self.sizes, self.rate = sizes or Sizes(), rate
        self.buffer = bytearray()
        self.upgraded = self.transport = None
        self.allowance, self.refilled = 0.0, 0.0
        self.bytes_read, self.events, self.errors = 0, Counter(), Counter()
        self.answered, self.sent = 0, 0
        self.pending, self.numbers = {}, 0
        self.close_code = None
        self.ended = asyncio.get_running_loop().create_future()
        self.opened = asyncio.get_running_loop().create_future()
        self.user_id = None

    @classmethod
    async def connect(cls, server, *, sizes=None, rate=None, receive_buffer=None, deflate=False):
        loop = asyncio.get_running_loop()
        plain = socket.socket()
        if receive_buffer:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        plain.setblocking(False)
        await loop.sock_connect(plain, ("127.0.0.1", server.port))
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        _, wire = await loop.create_connection(lambda: cls(sizes, rate), sock=plain)
        wire.transport.set_write_buffer_limits(high=1 << 30)
        key = base64.b64encode(os.urandom(16)).decode()
        extension = "Sec-WebSocket-Extensions: permessage-deflate\r\n" if deflate else ""
        wire.transport.write(
            f"GET /v1/ws HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
            f"Sec-WebSocket-Version: 13\r\n{extension}\r\n".encode())
        async with asyncio.timeout(DEADLINE):
            await wire.opened
        return wire

    @classmethod
    async def open(cls, server, user_id, *, profile=None, **options):
        wire = await cls.connect(server, **options)
        wire.user_id = user_id
        wire.session = await wire.call("session.open", user_id=user_id, **(profile or {}))
        return wire

    # What the loop calls.

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.bytes_read += len(data)
        self.buffer += data
        if not self.upgraded:
            end = self.buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            self.upgraded = b" 101 " in self.buffer[:end].split(b"\r\n")[0]
            if not self.opened.done():
                if self.upgraded:
                    self.opened.set_result(True)
                else:
                    self.opened.set_exception(ConnectionError(self.buffer[:200].decode("latin-1")))
            del self.buffer[:end + 4]
        self._frames()
        if self.rate is not None:
            self._slow(len(data))

    def connection_lost(self, _):
        for waiting in [self.opened, *(future for _, future in self.pending.values() if future)]:
            if not waiting.done():
                waiting.set_exception(ConnectionError(f"closed with {self.close_code}"))
                waiting.exception()
        if not self.ended.done():
            self.ended.set_result(self.close_code)

    def _slow(self, count):
        # What has been saved up is no more than a quarter of a second's worth.
        now = time.monotonic()
        self.allowance = min(self.rate / 4, self.allowance + (now - self.refilled) * self.rate)
        self.refilled = now
        self.allowance -= count
        if self.allowance < 0:
            self.transport.pause_reading()
            if self.rate:
                asyncio.get_running_loop().call_later(
                    -self.allowance / self.rate, self._read_on)

    def _read_on(self):
        if not self.transport.is_closing() and self.rate != 0:
            self.transport.resume_reading()

    def stop_reading(self):
        self.rate, self.allowance = 0, -1
        self.transport.pause_reading()

    def read_on(self, rate=None):
        self.rate, self.allowance = rate, 0
        self.transport.resume_reading()

    def _frames(self):
        buffer, at = self.buffer, 0
        while len(buffer) - at >= 2:
            size, head = buffer[at + 1] & 0x7F, 2
            if size == 126:
                if len(buffer) - at < 4:
                    break
                size, head = int.from_bytes(buffer[at + 2:at + 4]), 4
            elif size == 127:
                if len(buffer) - at < 10:
                    break
                size, head = int.from_bytes(buffer[at + 2:at + 10]), 10
            if len(buffer) - at < head + size:
                break
            opcode, is_compressed = buffer[at] & 0x0F, buffer[at] & 0x40
            start = at + head
            at = start + size
            if is_compressed:
                text = zlib.decompressobj(-15).decompress(
                    bytes(buffer[start:at]) + b"\0\0\xff\xff")
                buffer[start:start] = text
                at, size = at + len(text), len(text)
            if opcode == 1:
                self._text(start, size)
            elif opcode == 9:
                self.transport.write(b"\x8a" + bytes([0x80 | size]) + bytes(4) + buffer[start:at])
            elif opcode == 8:
                self.close_code = (
                    int.from_bytes(buffer[start:start + 2]) if size >= 2 else 1005)
                self.transport.write(b"\x88\x80" + bytes(4))
        del buffer[:at]

    def _text(self, start, size):
        head = HEAD.match(self.buffer, start, start + min(size, 200))
        if head and head[1]:
            name = head[1].decode()
            self.events[name] += 1
            self.sizes.event(name, size)
            self.event(name, start, size)
            return
        self.answered += 1
        number = int(head[2]) if head and head[2] and head[2].isdigit() else None
        method, waiting = self.pending.pop(number, ("batch" if not head else None, None))
        if method:
            self.sizes.answer(method, size)
        if waiting is None or waiting.done():
            if not head:
                self.batch(size)
            elif b'"error":{' in self.buffer[start:start + 60]:
                self._error(start)
                if b'"id":null' in self.buffer[start:start + 60]:
                    self.batch(size)
            return
        waiting.set_result(bytes(self.buffer[start:start + size]))

    def _error(self, start):
        if code := re.search(rb'"code":(-?\d+)', self.buffer[start:start + 120]):
            self.errors[int(code[1])] += 1

    def event(self, name, start, size):
        """Called for each event, whose text is in the buffer."""

    def batch(self, size):
        """Called for each batch of answers."""
        waiting = self.pending.pop("batch", (None, None))[1]
        if waiting and not waiting.done():
            waiting.set_result(size)

    # What tests call.

    def write(self, data):
        if not self.transport.is_closing():
            self.transport.write(data)

    def fire(self, method, /, **params):
        """Sends a request whose answer nobody waits for."""
        self.numbers += 1
        self.pending[self.numbers] = (method, None)
        self.write(request(self.numbers, method, **params))

    def ask(self, method, /, **params):
        self.numbers += 1
        waiting = asyncio.get_running_loop().create_future()
        self.pending[self.numbers] = (method, waiting)
        self.write(request(self.numbers, method, **params))
        return waiting

    async def call(self, method, /, **params):
        if self.ended.done():
            raise ConnectionError(f"closed with {self.close_code}")
        if len(json.dumps(params, ensure_ascii=False).encode()) > MESSAGE_BYTES - 200:
            raise Refused({"code": 400110, "message": "more than a client may send at once"})
        async with asyncio.timeout(DEADLINE):
            while "error" in (answer := json.loads(await self.ask(method, **params))):
                # A limit of calls or sends is not what those who wait for an answer look at.
                if answer["error"]["code"] not in (500910, 900200):
                    raise Refused(answer["error"])
                if not (wait := (answer["error"].get("data") or {}).get("retry_after_ms")):
                    raise Refused(answer["error"])
                await asyncio.sleep(wait / 1000)
        return answer["result"]

    async def ask_batch(self, calls):
        """The size of the answer to a batch of (method, params)."""
        batch = [{"jsonrpc": "2.0", "id": f"b{n}", "method": method, "params": params}
                 for n, (method, params) in enumerate(calls)]
        waiting = asyncio.get_running_loop().create_future()
        self.pending["batch"] = ("batch", waiting)
        self.write(frame(batch))
        async with asyncio.timeout(DEADLINE):
            return await waiting

    async def until(self, condition, what="what was waited for"):
        async with asyncio.timeout(DEADLINE):
            while not condition():
                assert not self.ended.done(), f"closed with {self.close_code} before {what}"
                await asyncio.sleep(0.01)

    @property
    def is_open(self):
        return not self.ended.done() and self.close_code is None

    async def close(self):
        self.transport.abort()
        with contextlib.suppress(Exception):
            await self.ended

    # The harness closes clients through their socket.
    @property
    def socket(self):
        return self


class Memory:
    """What a process holds in RAM, in bytes."""

    def __init__(self, server):
        self.pid = server.process.pid
        self.begin()

    def _field(self, name):
        with open(f"/proc/{self.pid}/status", encoding="ascii") as file:
            for line in file:
                if line.startswith(name):
                    return int(line.split()[1]) * 1024
        return 0

    def begin(self):
        """Forgets the peak; growth counts from now."""
        with open(f"/proc/{self.pid}/clear_refs", "w", encoding="ascii") as file:
            file.write("5")
        self.start = self._field("VmRSS:")

    @property
    def growth(self):
        """By how much the peak since the beginning exceeds what was held then."""
        return max(0, self._field("VmHWM:") - self.start)

    @property
    def held(self):
        return self._field("VmRSS:") - self.start


def mib(count):
    return f"{count / 1048576:.1f} MiB"
