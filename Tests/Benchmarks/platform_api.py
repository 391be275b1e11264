"""The Platform API of a server, as far as measurements need it."""

import http.client
import json
import threading
from concurrent.futures import ThreadPoolExecutor

WORKERS = 8
INVITED_AT_ONCE = 100


class PlatformAPI:
    """Calls of a back end, several at a time."""

    def __init__(self, port, token):
        self.port, self.token = port, token
        self.local = threading.local()

    def call(self, method, path, body=None):
        connection = getattr(self.local, "connection", None)
        if connection is None:
            connection = self.local.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(
            method, f"/v3{path}", json.dumps(body) if body is not None else None,
            {"Api-Token": self.token, "Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise SystemExit(f"{method} {path}: {answer.status} {text[:500]}")
        return json.loads(text)

    def at_once(self, call, values):
        """Makes many calls, several at a time."""
        with ThreadPoolExecutor(WORKERS) as pool:
            return list(pool.map(call, values))

    def add_users(self, count):
        self.at_once(lambda number: self.call("POST", "/users", {
            "user_id": f"bench-{number}", "nickname": f"Bench {number}", "profile_url": ""}), range(count))

    def add_group(self, url, count, first=0, **fields):
        """Makes a group of the users from one on, all of whom join."""
        users = [f"bench-{first + number}" for number in range(count)]
        self.call("POST", "/group_channels", {
            "channel_url": url, "user_ids": users[:INVITED_AT_ONCE], **fields})
        for start in range(INVITED_AT_ONCE, count, INVITED_AT_ONCE):
            self.call("POST", f"/group_channels/{url}/invite", {"user_ids": users[start:start + INVITED_AT_ONCE]})

    def send(self, url, sender):
        """Sends a message of a member, or of no user."""
        body = {"message_type": "MESG", "user_id": sender} if sender else {"message_type": "ADMM"}
        return self.call("POST", f"/group_channels/{url}/messages", {**body, "message": "hello"})

    def metric(self, name):
        samples = self.call("GET", "/parley/metrics")["samples"]
        return sum(sample["value"] for sample in samples if sample["name"] == name)
