"""A user in a process of its own, so that its waiting is the server's and not that of the tests.

Run as probe.py PORT CHANNEL HISTORY: it opens sessions, sends to CHANNEL, looks a message up and
reads a page of HISTORY, over and over. After each round it writes a line of JSON with the
milliseconds that each took.
"""

import base64
import json
import os
import socket
import sys
import time

from wire import request

DEADLINE = 15 * float(os.environ.get("PARLEY_TEST_PATIENCE", "1"))


class Closed(Exception):
    """The connection has ended, with a close code if there was one."""


class Connection:
    """A WebSocket that waits for each answer."""

    def __init__(self, port, user_id):
        self.socket = socket.create_connection(("127.0.0.1", port), DEADLINE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.stream = self.socket.makefile("rb")
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET /v1/ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
            "Sec-WebSocket-Version: 13\r\n\r\n".encode())
        first = self.stream.readline()
        while self.stream.readline().strip():
            pass
        if b" 101 " not in first:
            raise Closed(first.decode("latin-1"))
        self.number = 0
        self.call("session.open", user_id=user_id)

    def call(self, method, **params):
        self.number += 1
        self.socket.sendall(request(self.number, method, **params))
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Closed(json.dumps(answer["error"]))
                return answer["result"]

    def read(self):
        while True:
            head = self.stream.read(2)
            if len(head) < 2:
                raise Closed("ended")
            size = head[1] & 0x7F
            if size >= 126:
                size = int.from_bytes(self.stream.read(2 if size == 126 else 8), "big")
            payload = self.stream.read(size)
            if head[0] & 0x0F == 1:
                return json.loads(payload)
            if head[0] & 0x0F == 8:
                raise Closed(f"closed with {int.from_bytes(payload[:2], 'big')}")

    def close(self):
        self.stream.close()
        self.socket.close()


def main():
    port, channel, history = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    senders = [Connection(port, f"probe-{n}") for n in range(6)]
    for sender in senders:
        sender.call("channel.enter", channel_url=channel)
    turn = 0
    while True:
        took = {}

        def timed(name, what):
            begun = time.monotonic()
            try:
                return what()
            finally:
                took[name] = round((time.monotonic() - begun) * 1000, 1)

        sender = senders[turn % len(senders)]
        turn += 1
        begun = time.monotonic()
        try:
            timed("session.open", lambda: Connection(port, f"newcomer-{turn % 50}")).close()
            sent = timed("message.send", lambda: sender.call(
                "message.send", channel_url=channel, message="x"))
            timed("message.get", lambda: sender.call(
                "message.get", channel_url=channel, message_id=sent["message"]["message_id"]))
            timed("message.list", lambda: sender.call(
                "message.list", channel_url=history, prev_limit=30))
        except (Closed, OSError) as failure:
            took["failure"] = f"{type(failure).__name__} {failure}"
        print(json.dumps(took), flush=True)
        if "failure" in took:
            senders[(turn - 1) % len(senders)] = Connection(port, sender_name(turn))
            senders[(turn - 1) % len(senders)].call("channel.enter", channel_url=channel)
        time.sleep(max(0, 0.04 - (time.monotonic() - begun)))


def sender_name(turn):
    return f"probe-again-{turn}"


if __name__ == "__main__":
    main()
