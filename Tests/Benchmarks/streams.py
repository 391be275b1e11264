"""Event streams beside WebSockets, on the same server program.

Called by Scripts/bench --only streams. Rounds are interleaved; ratios are medians of the rounds' own.
"""

import base64
import json
import os
import selectors
import socket

from grouped_servers import settled_memory
from groups_report import Figures
from measuring import Measuring, measure, say
from tables import table

TOKEN = b'"message.received"'
KINDS = ("websocket", "stream")


def call(method, number, **params):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()


def read_until(connection, end):
    """The bytes up to the end of a text, and what has come after it."""
    found = b""
    while end not in found:
        more = connection.recv(65536)
        if not more:
            raise SystemExit(f"streams: the server ended a connection after {found[-300:]!r}")
        found += more
    place = found.index(end) + len(end)
    return found[:place], found[place:]


def post(connection, target, body):
    """Posts a message on a connection; returns the body of the answer."""
    connection.sendall(b"POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n%s" % (target, len(body), body))
    head, rest = read_until(connection, b"\r\n\r\n")
    fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n") if b": " in line)
    while len(rest) < int(fields[b"content-length"]):
        rest += connection.recv(65536)
    if not head.startswith(b"HTTP/1.1 20"):
        raise SystemExit(f"streams: {rest!r}")
    return json.loads(rest)


class Poster:
    """A connection for the messages of all streams."""

    def __init__(self, port):
        self.connection = socket.create_connection(("127.0.0.1", port))

    def stream(self, port, user, calls):
        address = post(self.connection, b"/v1/streams", call("session.open", 1, user_id=user, groups=False))["stream"]
        for message in calls:
            post(self.connection, address.encode(), message)
        listener = socket.create_connection(("127.0.0.1", port))
        listener.sendall(f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        read_until(listener, b"event: hello")
        return listener


def websocket(port, user, calls):
    connection = socket.create_connection(("127.0.0.1", port))
    key = base64.b64encode(os.urandom(16)).decode()
    connection.sendall(
        f"GET /v1/ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n".encode())
    head, _ = read_until(connection, b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 101"):
        raise SystemExit(f"streams: {head!r}")
    for message in [call("session.open", 1, user_id=user, groups=False), *calls]:
        length = bytes([0x80 | len(message)]) if len(message) < 126 else b"\xfe" + len(message).to_bytes(2, "big")
        connection.sendall(b"\x81" + length + bytes(4) + message)
        read_until(connection, b'"result"')
    return connection


class Readers:
    """Connections whose deliveries are counted."""

    def __init__(self, connections):
        self.selector = selectors.DefaultSelector()
        self.count = 0
        for connection in connections:
            connection.setblocking(False)
            self.selector.register(connection, selectors.EVENT_READ, [b""])

    def read(self, count):
        """Reads until this many deliveries have come."""
        self.count = 0
        while self.count < count:
            ready = self.selector.select(60)
            if not ready:
                raise SystemExit(f"streams: {self.count} of {count} deliveries came")
            for key, _ in ready:
                data = key.data[0] + key.fileobj.recv(262_144)
                self.count += data.count(TOKEN)
                # A token that has begun.
                key.data[0] = data[data.rindex(TOKEN) + len(TOKEN):] if TOKEN in data else data
                key.data[0] = key.data[0][1 - len(TOKEN):]


def cpu_ns(pid):
    """The CPU time of a process's threads, in nanoseconds."""
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/schedstat", encoding="ascii") as file:
            total += int(file.read().split()[0])
    return total


class Bench(Measuring):
    """The measurements of a run."""

    @staticmethod
    def open(kind, port, count, *calls):
        if kind == "websocket":
            return [websocket(port, f"user-{number}", calls) for number in range(count)]
        poster = Poster(port)
        return [poster.stream(port, f"user-{number}", calls) for number in range(count)]

    def deliveries(self, kind, in_flight):
        count = self.options.subscribers
        with self.servers.fresh() as server:
            say(f"deliveries, {kind}, {in_flight} in flight")
            server.back.call("POST", "/open_channels", {"name": "a", "channel_url": "bench"})
            enter = call("channel.enter", 2, channel_url="bench")
            sender = websocket(server.port, "bench-0", [enter])
            readers = Readers([sender, *self.open(kind, server.port, count, enter)])
            batches = max(self.options.deliveries // count // in_flight, 4)
            batch = json.dumps([json.loads(call("message.send", n + 3, channel_url="bench", message="x" * 100))
                                for n in range(in_flight)]).encode()
            frame = b"\x81\xfe" + len(batch).to_bytes(2, "big") + bytes(4) + batch
            for round_number in range(batches):
                if round_number == batches // 10:
                    before, counted = cpu_ns(server.pid), 0
                sender.sendall(frame)
                readers.read(count * in_flight)
                if round_number >= batches // 10:
                    counted += count * in_flight
            self.keep(f"{kind}/{in_flight}", {"cpu_ns_per_delivery": (cpu_ns(server.pid) - before) / counted})

    def idle(self, kind):
        warm, count = 200, self.options.idle
        with self.servers.fresh() as server:
            say(f"idle, {kind}")
            kept = self.open(kind, server.port, warm)
            before = settled_memory(server.pid)
            kept += self.open(kind, server.port, count)
            after = settled_memory(server.pid)
            self.keep(f"idle/{kind}", {"private_dirty_per_connection": (after - before) / count})
            del kept

    def run(self):
        for number in range(self.options.rounds):
            say(f"round {number + 1} of {self.options.rounds}")
            for kind in KINDS:
                for in_flight in (1, 16):
                    self.deliveries(kind, in_flight)
            if number < 3:
                for kind in KINDS:
                    self.idle(kind)

    def report(self):
        figures = Figures(self.records)
        for in_flight in (1, 16):
            figures.ratio(
                f"CPU per delivery, stream / WebSocket, {in_flight} in flight",
                (f"stream/{in_flight}", f"websocket/{in_flight}"), "cpu_ns_per_delivery", "µs", 1e3, 1.3)
        figures.ratio(
            "memory of an idle connection, stream / WebSocket", ("idle/stream", "idle/websocket"),
            "private_dirty_per_connection", "B", 1, 1.2)
        table(
            "Streams", "Medians; ratios are medians of the rounds' own (lowest–highest).",
            ["measured", "stream", "WebSocket", "ratio (of the rounds)", "goal", "met"], figures.rows)


if __name__ == "__main__":
    measure(Bench, [], {"rounds": 5, "subscribers": 400, "deliveries": 300_000, "idle": 2_000})
