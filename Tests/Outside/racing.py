"""Random valid calls over many connections that break off, while an operator takes things away.

As a program, `racing.py --parleyd PATH --seconds N --seed N` runs longer, as for a server that was built
with the address sanitizer; as a module of the outside tests it runs for some seconds with a fixed seed.
"""

import argparse
import asyncio
import contextlib
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from urllib.parse import quote

import schemas
from calls import Caller
from harness import Client, RawSocket, Server, eventually
from schemavalues import Maker, methods

FLAGS = ["--limits-flood-messages", "40", "--limits-calls-per-second", "2000",
         "--limits-calls-burst", "4000", "--limits-connections-per-user", "6",
         "--limits-outbound-bytes", "262144", "--limits-platform-calls-per-second", "100000",
         "--limits-platform-calls-burst", "100000", "--unfurl-timeout-ms", "500"]
USERS = [f"user{number}" for number in range(8)]
CHANNELS = [f"racing-{number}" for number in range(5)]
# No channel is deleted that is to keep what was acknowledged.
KEPT = CHANNELS[:2]
CLIENTS, SLOW_READERS = 10, 2

# What waits for another service.
LATE = {"preview.fetch", "message.translate"}
# What waits for its time after this many calls of one user about one group.
MARKS, PACE = {"group.mark_read", "group.mark_unread"}, 3

# How the server may end the connection of a client that reads and keeps to the protocol: the client
# itself, a user who is gone or deactivated, more connections than a user may have.
DECENT_CLOSES = {1000, 4002, 4003}


class Broken(Exception):
    """What must hold does not."""


def require(holds, what):
    if not holds:
        raise Broken(what)


class Race:
    """What has been sent, answered and taken away so far."""

    def __init__(self, server, seed, deadline):
        self.server, self.seed, self.deadline = server, seed, deadline
        self.acknowledged = {}
        self.taken = set()
        self.message_ids = []
        self.tokens = []
        self.counts = Counter()
        self.marks = Counter()

    @property
    def is_over(self):
        return time.monotonic() >= self.deadline

    def random(self, name):
        return random.Random(f"{self.seed}/{name}")

    def maker(self, source):
        def message_id():
            return source.choice(self.message_ids[-200:]) if self.message_ids else None

        return Maker(source, {
            "channel_url": lambda: source.choice(CHANNELS),
            "user_id": lambda: source.choice(USERS),
            "user_ids": lambda: source.sample(USERS, 2),
            "mentioned_user_ids": lambda: source.sample(USERS, 2),
            "operator_ids": lambda: source.sample(USERS, 2),
            "sender_ids": lambda: source.sample(USERS, 2),
            "message_id": message_id,
            "req_id": lambda: f"r{source.randrange(2_000)}",
            "token": lambda: source.choice(self.tokens[-20:]) if self.tokens else None,
            "profile_url": lambda: "https://a.example/p", "cover_url": lambda: "https://a.example/c",
        })


class Racer:
    """One connection's life: calls in a row, in batches and without waiting, and its end."""

    def __init__(self, race, source):
        self.race, self.source = race, source
        self.maker = race.maker(source)
        self.requests = {}
        self.expected = []
        # A request that waits for nothing but what answers late is overtaken by those behind it.
        self.overtakable = []
        self.user = None
        self.last_id = self.taken_in = self.answered = 0
        self.seqs = {}
        self.client = None

    async def live(self):
        self.user = self.source.choice(USERS)
        compression = self.source.choice([None, None, "deflate"])
        self.client = await Client.connect(self.race.server, compression=compression)
        try:
            await self._write(self._request("session.open", {"user_id": self.user}))
            for channel in self.source.sample(CHANNELS, 2):
                await self._write(self._request("channel.enter", {"channel_url": channel}))
            for _ in range(self.source.randint(5, 60)):
                await self._step()
            await self._end()
        except (AssertionError, OSError):
            # Waiting for what will not come any more.
            if self.client.closed is None:
                raise
        except Exception as failure:  # websockets' own error of a connection that is closed
            if "ConnectionClosed" not in type(failure).__name__:
                raise
        with contextlib.suppress(Exception):
            self.client.socket.transport.abort()
        await self.client.ended()
        self._take_in()
        require(self.client.closed in DECENT_CLOSES | {1006}, f"closed with {self.client.closed}")

    def _request(self, method, params):
        self.last_id += 1
        number = self.last_id
        self.requests[number] = (method, params)
        return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}

    def _random_request(self):
        while True:
            method = self.source.choice(METHODS)
            if method == "session.open" or method in RARE and self.source.random() < 0.9:
                continue
            if self.source.random() < 0.4:
                method = "message.send"
            params = self.maker.parameters(method)
            if method == "message.send":
                params.setdefault("message", "hello")
            if method == "message.send" and self.source.random() >= 0.9:
                # A repeated send is answered before its values are looked at: these are sent once.
                params["req_id"] = f"once-{self.source.randrange(1 << 60)}"
            elif method == "message.send":
                # The description can't say what goes together: most are plain texts.
                params |= {"message": f"hello {self.last_id}", "message_type": "MESG"}
                for name in ("file", "translation_target_langs", "mention_type"):
                    params.pop(name, None)
            if method == "channel.delete" and params["channel_url"] in KEPT:
                continue
            return self._request(method, params)

    async def _write(self, value):
        requests = value if isinstance(value, list) else [value]
        ids = [request["id"] for request in requests if "id" in request]
        if ids:
            is_late = any([self._may_be_late(request) for request in requests])
            (self.overtakable if is_late else self.expected).append(
                ids if isinstance(value, list) else ids[0])
        for request in requests:
            self.race.counts[request["method"]] += 1
            if request["method"] == "message.delete":
                self.race.taken.add(request["params"].get("message_id"))
        await self.client.write(value)

    def _may_be_late(self, request):
        """Whether an answer may come after later ones; counts marks."""
        if request["method"] not in MARKS:
            return request["method"] in LATE
        marked = self.user, request["params"].get("channel_url")
        self.race.marks[marked] += 1
        return self.race.marks[marked] > PACE

    async def _step(self):
        chance = self.source.random()
        if chance < 0.12:
            batch = [self._random_request() for _ in range(self.source.randint(1, 8))]
            for request in batch:
                if self.source.random() < 0.15:
                    del request["id"]
            await self._write(batch)
        else:
            request = self._random_request()
            if self.source.random() < 0.05:
                del request["id"]
            await self._write(request)
        if chance > 0.8:
            await self._settle()
        self._take_in()

    async def _settle(self):
        def is_answered():
            self._take_in()
            return self.answered >= len(self.expected) and not self.overtakable

        await self.client.until(is_answered, "every answer")

    async def _end(self):
        if self.source.random() < 0.5:
            await self._settle()
            await self.client.socket.close()

    def _take_in(self):
        """Each call is answered once and, unless it may be overtaken, in order; a channel goes forward."""
        inbox = self.client.inbox
        while self.taken_in < len(inbox):
            value = inbox[self.taken_in]
            self.taken_in += 1
            if isinstance(value, dict) and "method" in value:
                self._check_event(value)
                continue
            ids = [reply["id"] for reply in value] if isinstance(value, list) else value["id"]
            if ids in self.overtakable:
                self.overtakable.remove(ids)
            else:
                require(self.answered < len(self.expected), f"an answer to nothing: {value}")
                wanted = self.expected[self.answered]
                require(ids == wanted, f"the answer to {ids} came in the place of that to {wanted}")
                self.answered += 1
            self.race.counts["answers"] += 1
            for reply in value if isinstance(value, list) else [value]:
                self._note(reply)

    def _check_event(self, event):
        params = event["params"]
        url, seq = params.get("channel_url"), params.get("seq")
        self.race.counts["events"] += 1
        if event["method"] in ("channel.deleted", "group.lost"):
            self.seqs.pop(url, None)
        elif seq is not None:
            last = self.seqs.get(url, 0)
            # Updates are paced: one may come behind events that are newer.
            require(seq > last or event["method"] == "message.updated",
                    f"{event['method']} with seq {seq} after {last}")
            self.seqs[url] = max(seq, last)

    def _note(self, reply):
        method, params = self.requests[reply["id"]]
        if "error" in reply:
            code = reply["error"]["code"]
            self.race.counts[f"refused {code}"] += 1
            require(code not in (-32603, 500901), f"{method} {params}: {reply}")
            return
        result = reply["result"]
        if method == "channel.enter":
            self.seqs[params["channel_url"]] = result["seq"]
        elif method == "message.send":
            message = result["message"]
            self.race.message_ids.append(message["message_id"])
            self.race.counts["acknowledged"] += 1
            self.race.acknowledged[message["message_id"]] = message["channel_url"]
        elif next_page := result.get("next"):
            self.race.tokens.append(next_page)


METHODS = methods()
RARE = {"session.close", "session.refresh", "channel.delete", "channel.freeze", "channel.ban",
        "channel.mute", "message.delete"}


async def racer(race, number):
    source = race.random(f"racer {number}")
    while not race.is_over:
        await Racer(race, source).live()
        race.counts["connections"] += 1


async def slow_reader(race, number):
    """Enters channels, asks for pages, and reads nothing until the server has had enough of it."""
    source = race.random(f"slow {number}")
    while not race.is_over:
        raw = await RawSocket.open(race.server, receive_buffer=4_096)
        with contextlib.suppress(ConnectionError, TimeoutError):
            await raw.text({"jsonrpc": "2.0", "id": 1, "method": "session.open",
                            "params": {"user_id": source.choice(USERS)}})
            for channel in CHANNELS:
                for method in ("channel.enter", "message.list"):
                    await raw.text({"jsonrpc": "2.0", "id": 2, "method": method,
                                    "params": {"channel_url": channel}})
            # Pages that nobody reads, for as long as the patience of the other side lasts.
            for _ in range(source.randint(5, 60)):
                async with asyncio.timeout(1):
                    await raw.text({"jsonrpc": "2.0", "id": 3, "method": "message.list",
                                    "params": {"channel_url": KEPT[0], "prev_limit": 100}})
            # Being slow is all that it is here for.
            await asyncio.sleep(source.random())
        raw.writer.transport.abort()
        race.counts["slow readers"] += 1


async def operator(race):
    """Deletes, deactivates and refuses by the Platform API what the clients are at work with."""
    source = race.random("operator")
    async with Caller(race.server) as caller:
        while not race.is_over:
            await one_intervention(race, source, caller)


async def one_intervention(race, source, caller):
    user, channel = source.choice(USERS), source.choice(CHANNELS)
    message = source.choice(race.message_ids[-300:]) if race.message_ids else 1
    people, room = f"/v3/users/{quote(user)}", f"/v3/open_channels/{channel}"
    choices = [
        ("PUT", people, {"is_active": False}), ("PUT", people, {"is_active": True}),
        ("PUT", people, {"is_active": True}), ("PUT", people, {"nickname": "N" * 40}),
        ("GET", f"{people}", None), ("GET", "/v3/users?limit=50", None),
        ("POST", f"{room}/messages",
         {"message_type": "ADMM", "message": "from the operator http://127.0.0.1:1/x"}),
        ("POST", f"{room}/messages", {"message_type": "MESG", "user_id": user, "message": "hi"}),
        ("GET", f"{room}/messages?message_ts={int(time.time() * 1000)}&prev_limit=50", None),
        ("PUT", f"{room}/freeze", {"freeze": source.random() < 0.3}),
        ("PUT", f"{room}/freeze", {"freeze": False}),
        ("POST", f"{room}/ban", {"user_id": user, "seconds": 1}),
        ("POST", f"{room}/mute", {"user_id": user, "seconds": 1}),
        ("GET", f"{room}/participants?limit=50", None), ("GET", "/v3/open_channels?limit=50", None),
        ("GET", "/v3/parley/sessions?limit=20", None), ("GET", "/metrics", None),
        ("POST", "/v3/open_channels", {"channel_url": channel, "name": "again"}),
    ]
    rare = [("DELETE", f"{room}/messages/{message}", None), ("DELETE", people, None)]
    if channel not in KEPT:
        rare.append(("DELETE", room, None))
    method, target, body = source.choice(rare if source.random() < 0.08 else choices)
    if method == "DELETE" and "/messages/" in target:
        race.taken.add(message)
    answer = await caller.send(method, target, body)
    race.counts[f"operator {answer.status}"] += 1
    assert answer.status < 500, f"{method} {target} {body}: {answer}"
    await asyncio.sleep(0)


async def listed(caller, channel):
    """The ids of all messages of a channel, the newest first."""
    found, before = set(), None
    while True:
        place = f"message_id={before}" if before else f"message_ts={2**53 - 1}"
        answer = await caller.call(
            "GET", f"/open_channels/{channel}/messages?{place}&prev_limit=200&next_limit=0"
            "&include=false")
        page = {message["message_id"] for message in answer["messages"]}
        if not page - found:
            return found
        found |= page
        before = min(page)


async def check_kept(race, server):
    """What was acknowledged in the channels that nobody deleted is there, unless it was deleted."""
    async with Caller(server) as caller:
        for channel in KEPT:
            wanted = {number for number, url in race.acknowledged.items()
                      if url == channel and number not in race.taken}
            missing = wanted - await listed(caller, channel)
            assert not missing, f"{len(missing)} of {len(wanted)} acknowledged messages of " \
                f"{channel} are missing: {sorted(missing)[:5]}"
            race.counts["acknowledged and found"] += len(wanted)


async def run_race(server, seed, seconds):
    race = Race(server, seed, time.monotonic() + seconds)
    async with Caller(server) as caller:
        for user in USERS:
            await caller.send("POST", "/v3/users", {
                "user_id": user, "nickname": user, "profile_url": ""})
        for channel in CHANNELS:
            await caller.send("POST", "/v3/open_channels", {
                "channel_url": channel, "operators": USERS[:2]})
    try:
        async with asyncio.TaskGroup() as group:
            for number in range(CLIENTS):
                group.create_task(racer(race, number))
            for number in range(SLOW_READERS):
                group.create_task(slow_reader(race, number))
            group.create_task(operator(race))
    except ExceptionGroup as failures:
        # What one of them saw says more than that some failed.
        raise failures.exceptions[0] from None
    await eventually(lambda: has_settled(server), "the end of all connections")
    await check_kept(race, server)
    return race


async def has_settled(server):
    _, answer = await server.api("GET", "/parley/sessions")
    return not answer["sessions"]


async def test_racing(ctx):
    """Some seconds of random calls, aborts and interventions, with a fixed seed; then a restart."""
    server = await ctx.fresh(*FLAGS)
    race = await run_race(server, 20260101, 5)
    assert race.counts["answers"] > 100 and race.counts["acknowledged and found"] > 0, race.counts
    assert await server.end() == 0, list(server.lines)[-5:]
    again = await ctx.fresh(*FLAGS, data=server.data)
    await check_kept(race, again)


async def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parleyd", required=True, help="the server's executable")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", default="1")
    options = parser.parse_args()
    print(f"seed {options.seed}, {options.seconds} s", flush=True)
    data = tempfile.mkdtemp(prefix="parley-racing-")
    environment = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "detect_leaks=0")}
    server = await Server.start(options.parleyd, data, FLAGS, environment)
    failures = []
    race = None
    try:
        race = await run_race(server, options.seed, options.seconds)
    except* Exception as group:
        failures += [f"{type(e).__name__}: {e}" for e in leaves(group)]
    failures += [f"not as described: {one}" for one in schemas.taken_deviations()[:5]]
    code = await server.end()
    reports = [line for line in server.lines if "Sanitizer" in line or "Fatal error" in line]
    if code != 0 or reports:
        failures.append(f"the server ended with {code}; its last lines:")
        failures += list(server.lines)[-60:]
    elif race:
        again = await Server.start(options.parleyd, data, FLAGS, environment)
        await check_kept(race, again)
        assert await again.end() == 0
    if race:
        for name, count in sorted(race.counts.items()):
            print(f"{count:8} {name}")
    shutil.rmtree(data, ignore_errors=True)
    for failure in failures:
        print(failure, file=sys.stderr)
    print("failed" if failures else "no findings")
    return 1 if failures else 0


def leaves(group):
    for one in group.exceptions:
        yield from leaves(one) if isinstance(one, BaseExceptionGroup) else [one]


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
