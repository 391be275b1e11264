"""Others stay connected, on a line of 10 Mbit/s, whatever one user does."""

import asyncio
import contextlib
import json
import os
import sys
import time
from collections import Counter

import heaviest
from budgets import described, figure
from calls import Caller
from harness import PATIENCE, Refused
from pages import Pages
from wire import Wire, frame

LINE = 10_000_000 / 8
SECONDS = float(os.environ.get("PARLEY_TEST_SECONDS", "4"))
NO_FLOOD = {"flood": {"messages": 0, "window_ms": 0}}


def call(method, **params):
    return frame({"jsonrpc": "2.0", "id": 0, "method": method, "params": params})


class Stage:
    """One user with many connections, its ten channels, and others on slow lines beside it."""

    @classmethod
    async def make(cls, ctx, connections, *, everywhere=False):
        stage = cls()
        stage.ctx = ctx
        stage.pages = await Pages.start()
        stage.server = await ctx.fresh(
            "--unfurl-allow-addresses", "127.0.0.0/8", "--unfurl-allow-ports",
            str(stage.pages.port))
        stage.name = ctx.name("hog")
        stage.wires = [await stage.hog() for _ in range(connections)]
        first = stage.wires[0]
        stage.heavy = await heaviest.profile(first)
        stage.rooms = [ctx.name("room") for _ in range(10)]
        # Each of ten connections is in one of the channels, so that none hears of what it does.
        for room, wire in zip(stage.rooms, stage.wires):
            await wire.call("channel.create", channel_url=room)
            await wire.call("channel.enter", channel_url=room)
        stage.crowd = [ctx.name("crowd") for _ in range(100)]
        for wire in await heaviest.crowd(stage.server, stage.crowd, stage.heavy):
            await wire.close()
        await stage._fill()
        await stage._readers(everywhere)
        # All readers are members, and hear of it without having entered.
        stage.group = ctx.name("group")
        await first.call("group.create", channel_url=stage.group, user_ids=stage.readers, is_public=True)
        return stage

    async def hog(self):
        wire = await Wire.open(self.server, self.name)
        self.ctx.clients.append(wire)
        return wire

    async def renew(self):
        """Gives the hog new connections, which owe nothing for what was tried before."""
        for n, wire in enumerate(self.wires):
            await wire.close()
            self.wires[n] = await self.hog()
            for room in self.rooms[n:n + 1]:
                await self.wires[n].call("channel.enter", channel_url=room)

    async def _fill(self):
        """Finds the largest message that is accepted, and sends one to each channel."""
        first, room = self.wires[0], self.rooms[0]
        async with Caller(self.server) as caller:
            await caller.call("PUT", f"/parley/limits/channels/{room}", NO_FLOOD)
            _, self.largest = await heaviest.message(
                first, room, members=["message", "data"])
            for other in self.rooms[1:]:
                await caller.call("PUT", f"/parley/limits/channels/{other}", NO_FLOOD)
            self.numbers = []
            for other in self.rooms:
                sent = await first.call("message.send", channel_url=other, **self.largest,
                                        metaarray=[{"key": "key", "value": []}])
                self.numbers.append(sent["message"]["message_id"])
            for other in self.rooms:
                await caller.call("DELETE", f"/parley/limits/channels/{other}")

    async def _readers(self, everywhere):
        """One in each of three channels, or in all of them, and one who is in none."""
        places = [self.rooms] * 2 if everywhere else [[room] for room in self.rooms[:3]]
        plan = [[self.ctx.name("reader"), place] for place in [*places, []]]
        self.absent = plan[-1][0]
        self.readers = [name for name, _ in plan]
        self.process = await asyncio.create_subprocess_exec(
            sys.executable, os.path.join(os.path.dirname(__file__), "slowreaders.py"),
            str(self.server.port), str(LINE), stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE)
        self.process.stdin.write(json.dumps(plan).encode() + b"\n")
        self.states = None
        self.reading = asyncio.create_task(self._read())
        ends = time.monotonic() + 20 * PATIENCE
        while self.states is None:
            assert time.monotonic() < ends, "the readers never came in"
            await asyncio.sleep(0.05)

    async def _read(self):
        while line := await self.process.stdout.readline():
            self.states = json.loads(line)

    def total(self):
        return sum(state["bytes"] for state in self.states)

    async def pound(self, makers, seconds=SECONDS, rate=110, depth=16):
        """All connections write requests at a rate each, up to so many unanswered.

        Every other one rests when it is refused for its cost, so that it stays at its limits; the
        others go on, and mostly collect refusals.
        """
        began, written = time.monotonic(), 0
        turn, refused, rests = Counter(), Counter(), Counter()
        while (passed := time.monotonic() - began) < seconds:
            due = 300 + passed * rate
            for n, wire in enumerate(self.wires):
                if not wire.is_open:
                    with contextlib.suppress(ConnectionError, Refused):
                        self.wires[n] = await self.hog()
                        for room in self.rooms[n:n + 1]:
                            self.wires[n].fire("channel.enter", channel_url=room)
                    continue
                if n % 2 and (count := wire.errors[500910]) > refused[n]:
                    refused[n], rests[n] = count, passed + 1
                while rests[n] <= passed and turn[n] < due and wire.sent - wire.answered < depth:
                    make = makers[turn[n] % len(makers)]
                    wire.write(make(turn[n] // len(makers) * 10 + n % 10))
                    wire.sent += 1
                    written += 1
                    turn[n] += 1
            await asyncio.sleep(0.01)
        return written

    async def spared(self, what, makers, **options):
        """Nobody else is closed while the calls are made and what they caused is read."""
        await self.renew()
        before, began = self.total(), time.monotonic()
        for wire in self.wires:
            wire.errors, wire.answered, wire.sent = Counter(), 0, 0
        written = await self.pound(makers, **options)
        came, seen = self.total() - before, -1
        while self.total() != seen and time.monotonic() < began + 3 * SECONDS + 4:
            seen = self.total()
            await asyncio.sleep(0.5)
        passed = time.monotonic() - began
        closed = [f"{s['name']} {s['code']} {s['events']}" for s in self.states if not s["open"]]
        answered = sum(wire.answered for wire in self.wires)
        errors = sum((wire.errors for wire in self.wires), start=Counter())
        figure(f"{what}: {written} calls, {answered} answers, errors {dict(errors)}, "
               f"{came / 1e6:.1f} MB to readers while they were made, "
               f"{(self.total() - before) / 1e6:.1f} MB in {passed:.1f} s, "
               f"closed: {len(closed)}")
        return [f"{what}: {closed}"] if closed else []

    async def end(self):
        self.pages.close()
        self.process.kill()
        await self.process.wait()
        await self.reading


def steps(*makers):
    """Functions that give a call's frame; the last digit of the number is that of the channel."""
    return makers


def ways(stage):
    """For each event the calls that bring about as much of it as one user can."""
    rooms, numbers, large = stage.rooms, stage.numbers, stage.largest
    texts = [{name: text[1:] if odd else text for name, text in large.items()} for odd in (0, 1)]

    def room(n):
        return {"channel_url": rooms[n % 10]}

    def message(n):
        return {"channel_url": rooms[n % 10], "message_id": numbers[n % 10]}

    people = stage.crowd
    profile = [call("user.update", nickname=f"{n}") for n in range(2)]
    prepared = {
        "sends": [[call("message.send", **room(n), **large)] for n in range(10)],
        "updates": [[call("message.update", **message(n), **texts[odd]) for odd in (0, 1)]
                    for n in range(10)],
    }
    tells = [call("message.send", **room(n), **large, mentioned_user_ids=[stage.absent])
             for n in range(10)]
    more = [call("message.update", **message(n), **texts[0], mentioned_user_ids=ids)
            for n in range(10) for ids in ([stage.absent], [people[0]])]
    full = {"data": "\u0001" * 5000, "name": "n" * 100}
    return {
        "message.received": steps(lambda n: prepared["sends"][n % 10][0]),
        "message.updated": steps(lambda n: prepared["updates"][n % 10][n // 10 % 2]),
        "message.updated by metaarrays": steps(
            lambda n: call("message.add_metaarray_values", **message(n), values={"key": ["1"]}),
            lambda n: call("message.remove_metaarray_values", **message(n),
                           values={"key": ["1"]}),
            lambda n: call("message.create_metaarray_keys", **message(n), keys=["other"]),
            lambda n: call("message.delete_metaarray_keys", **message(n), keys=["other"])),
        "message.updated by previews": steps(
            lambda n: call("message.send", **room(n), **{
                **large, "message": stage.pages.url(f"/{n}") + " " + large["message"][:4000]}),
            lambda n: call("message.update", **message(n), message=stage.pages.url(f"/u{n}"))),
        "message.deleted": steps(
            lambda n: call("message.send", **room(n), message="x"),
            lambda n: call("message.delete", **message(n))),
        "mention.received": steps(
            lambda n: tells[n % 10], lambda n: more[n % 10 * 2],
            lambda n: more[n % 10 * 2 + 1]),
        "channel.changed": steps(
            lambda n: call("channel.update", **room(n), **full, custom_type=f"{n}",
                           operator_ids=[stage.name, *people[:99]])),
        "channel.frozen": steps(lambda n: call("channel.freeze", **room(n)),
                                lambda n: call("channel.unfreeze", **room(n))),
        "channel.unfrozen": None,
        "channel.user_muted": steps(
            lambda n: call("channel.mute", **room(n), user_id=people[n // 10 % 100],
                           description="\u0001" * 2000, seconds=n + 100)),
        "channel.user_unmuted": steps(
            lambda n: call("channel.mute", **room(n), user_id=people[n // 10 % 100]),
            lambda n: call("channel.unmute", **room(n), user_id=people[n // 10 % 100])),
        "channel.user_banned": steps(
            lambda n: call("channel.ban", **room(n), user_id=people[n // 10 % 100],
                           description="\u0001" * 250, seconds=n + 100)),
        "channel.user_unbanned": steps(
            lambda n: call("channel.ban", **room(n), user_id=people[n // 10 % 100]),
            lambda n: call("channel.unban", **room(n), user_id=people[n // 10 % 100])),
        "channel.operators_changed": steps(
            lambda n: call("channel.add_operators", **room(n), user_ids=people[:99]),
            lambda n: call("channel.remove_operators", **room(n), user_ids=people[:99])),
        "channel.user_entered": steps(
            lambda n: call("channel.exit", **room(n)),
            lambda n: call("channel.enter", **room(n))),
        "channel.user_exited": None,
        "profile changes between events": steps(
            lambda n: profile[n // 10 % 2], lambda n: call("channel.exit", **room(n)),
            lambda n: call("channel.enter", **room(n))),
        "group.joined": steps(
            lambda n: call("group.leave", channel_url=stage.group),
            lambda n: call("group.join", channel_url=stage.group)),
        "group.left": None,
        "channel.deleted": steps(
            lambda n: call("channel.create", channel_url=f"brief-{n}"),
            lambda n: call("channel.delete", channel_url=f"brief-{n}")),
    }


# What no call of a user brings about often for others: once a second at most, to its own connections, or not by users.
RARE = {
    "channel.participant_count", "channel.throttled", "message.withheld", "session.expiring", "session.file_key",
    "server.draining", "group.invited", "group.declined", "group.lost", "group.ready", "group.read", "group.delivered", "group.typing",
    "group.member_count", "group.unread", "group.hidden", "group.unhidden"}


async def spare(ctx, chosen, connections=10, **options):
    stage = await Stage.make(ctx, connections, **options)
    try:
        problems = []
        for what, makers in ways(stage).items():
            if makers and chosen(what) and not problems:
                problems += await stage.spared(what, makers)
                for n in range(0 if problems else 10):
                    # What was deleted or frozen on the way is there again.
                    stage.wires[n].fire("channel.unfreeze", channel_url=stage.rooms[n])
        assert not problems, problems
    finally:
        await stage.end()


async def test_every_event_is_brought_about(ctx):
    """What AsyncAPI names as an event is brought about here, or is rare."""
    stage_names = {name.split(" ")[0] for name in WAYS} | RARE
    assert stage_names >= described("send"), described("send") - stage_names


WAYS = (
    "message.received", "message.updated", "message.updated by metaarrays",
    "message.updated by previews", "message.deleted", "mention.received", "channel.changed",
    "channel.frozen", "channel.unfrozen", "channel.user_muted", "channel.user_unmuted",
    "channel.user_banned", "channel.user_unbanned", "channel.operators_changed",
    "channel.user_entered", "channel.user_exited", "profile changes between events",
    "group.joined", "group.left", "channel.deleted")


async def test_sends(ctx):
    """Messages as large as may be, to ten channels over ten connections, close nobody."""
    await spare(ctx, lambda what: what == "message.received")


async def test_updates(ctx):
    """Nor do updates of messages as large as may be."""
    await spare(ctx, lambda what: what == "message.updated")


async def test_metaarrays(ctx):
    """Nor do changes of their metaarrays."""
    await spare(ctx, lambda what: what == "message.updated by metaarrays")


async def test_previews_and_deletions(ctx):
    """Nor do links, nor deletions."""
    await spare(ctx, lambda what: what in ("message.updated by previews", "message.deleted"))


async def test_mentions(ctx):
    """Nor do mentions of somebody who is in none of the sender's channels."""
    await spare(ctx, lambda what: what == "mention.received")


async def test_an_owner(ctx):
    """Nor do changes of a channel by its owner."""
    await spare(ctx, lambda what: what in (
        "channel.changed", "channel.frozen", "channel.operators_changed"))


async def test_restrictions(ctx):
    """Nor do mutes and bans, and their ends."""
    await spare(ctx, lambda what: what.startswith("channel.user_") and what.endswith("ed")
                and "enter" not in what and "exit" not in what)


async def test_coming_and_going(ctx):
    """Nor do entering and leaving."""
    await spare(ctx, lambda what: what in (
        "channel.user_entered", "profile changes between events", "channel.deleted"))


async def test_members(ctx):
    """Nor do joining and leaving a group."""
    await spare(ctx, lambda what: what == "group.joined")


async def test_thirty_connections(ctx):
    """Nor do thirty connections do what ten cannot."""
    await spare(ctx, lambda what: what in ("message.updated", "message.received"), connections=30)


async def test_readers_of_all_ten_channels(ctx):
    """Those who are in all of the ten channels stay, too."""
    await spare(ctx, lambda what: what in (
        "message.received", "message.updated", "message.updated by metaarrays"), everywhere=True)
