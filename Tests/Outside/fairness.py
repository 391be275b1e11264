"""One user at its limits with each method on a large store, another beside it."""

import asyncio
import contextlib
import itertools
import json
import os
import statistics
import sys
import time
from collections import Counter
from urllib.parse import urlsplit

import heaviest
import previewpictures
from budgets import MIB, described, figure
from harness import PATIENCE
from largestore import fill
from previewmetrics import metrics
from previews import with_pages
from thumbnails import jpeg, png
from wire import Memory, Wire, compressed, frame, mib

MESSAGES = int(os.environ.get("PARLEY_TEST_MESSAGES", "150000"))
SECONDS = float(os.environ.get("PARLEY_TEST_SECONDS", "0.7"))
LARGE, DOOMED, FAIR, HISTORY = "large-channel", "doomed-channel", "fair-channel", "history"


class Bench:
    """A server with a large store, a probe beside it, and the user who misbehaves."""

    @classmethod
    async def make(cls, ctx, *flags):
        bench = cls()
        bench.ctx = ctx
        first = await ctx.fresh()
        hog = await ctx.user(first, "hog")
        await ctx.user(first, "copied")
        for channel in (LARGE, DOOMED, FAIR, HISTORY, "copied"):
            await hog.call("channel.create", channel_url=channel, name=channel)
            await hog.enter(channel)
            await hog.send(channel, "a message like many others")
        data = first.data
        await hog.leave()
        await first.end()
        await asyncio.to_thread(
            fill, data, channels=[LARGE], messages=MESSAGES, users=5000, others=20_000)
        await asyncio.to_thread(fill, data, channels=[DOOMED], messages=MESSAGES // 5)
        await asyncio.to_thread(fill, data, channels=[HISTORY], messages=500)
        bench.server = await ctx.fresh(*flags, data=data)
        bench.rounds = []
        bench.process = await asyncio.create_subprocess_exec(
            sys.executable, os.path.join(os.path.dirname(__file__), "probe.py"),
            str(bench.server.port), FAIR, HISTORY, stdout=asyncio.subprocess.PIPE)
        bench.reading = asyncio.create_task(bench._read())
        bench.wires = [await bench.hog() for _ in range(10)]
        for room in (LARGE, DOOMED):
            await bench.wires[0].call("channel.enter", channel_url=room)
        return bench

    async def hog(self, **options):
        wire = await Wire.open(self.server, "hog", **options)
        self.ctx.clients.append(wire)
        return wire

    async def _read(self):
        while line := await self.process.stdout.readline():
            self.rounds.append(json.loads(line))

    async def next_round(self):
        """Waits until one more round is done, however long it takes the server."""
        count = len(self.rounds)
        ends = time.monotonic() + 20 * PATIENCE
        while len(self.rounds) <= count and time.monotonic() < ends:
            await asyncio.sleep(0.02)

    async def during(self, doing):
        """The probe's rounds while something is done."""
        await self.next_round()
        start = len(self.rounds)
        await doing
        await self.next_round()
        return self.rounds[start:]

    async def settle(self):
        """What was asked for has been answered, or its connections have been opened anew."""
        ends = time.monotonic() + 3 * PATIENCE
        while time.monotonic() < ends and any(
                wire.is_open and wire.sent > wire.answered for wire in self.wires):
            await asyncio.sleep(0.02)
        for n, wire in enumerate(self.wires):
            if not wire.is_open or wire.sent > wire.answered:
                await wire.close()
                with contextlib.suppress(ConnectionError):
                    self.wires[n] = await self.hog()

    async def pound(self, frames, seconds=SECONDS, rate=110, depth=16):
        """Ten connections write requests at a rate each, up to so many unanswered.

        When the probe is slow they go on until it has done some rounds.
        """
        frames, began, written = iter(frames), time.monotonic(), 0
        enough = len(self.rounds) + 6
        while (passed := time.monotonic() - began) < seconds or (
                len(self.rounds) < enough and passed < 3 * seconds):
            # What may be asked for at once after a pause, and then by the second.
            due = (300 + passed * rate) * len(self.wires)
            for wire in self.wires:
                while (wire.is_open and written < due and wire.sent - wire.answered < depth):
                    wire.write(next(frames))
                    wire.sent += 1
                    written += 1
            await asyncio.sleep(0.01)
        return written

    async def end(self):
        self.process.kill()
        await self.process.wait()
        await self.reading


def endless(*calls):
    """Frames of calls in turn; a call is (method, params), or a function of a number to one."""
    prepared = [
        call if callable(call) else frame(
            {"jsonrpc": "2.0", "id": 0, "method": call[0], "params": call[1]})
        for call in calls]
    for n in itertools.count():
        for call in prepared:
            if callable(call):
                method, params = call(n)
                yield frame({"jsonrpc": "2.0", "id": 0, "method": method, "params": params})
            else:
                yield call


COPIES = [f"copy-{n}" for n in range(1, 101)]
UNKNOWN = "0" * 32
FILE = {"message_type": "FILE", "url": "https://a.example/f", "data": "\u0001" * 1000}
TEXT = {"message": "\u0001" * 5000, "data": "\u0001" * 16_384}


def costly(message_id):
    """For each method the calls that cost the server most."""
    here, message = {"channel_url": LARGE}, {"channel_url": LARGE, "message_id": message_id}
    room, group = {"channel_url": "hogs-room"}, {"channel_url": "hogs-group"}
    none = {"prev_limit": 200, "next_limit": 200}
    return {
        "session.open": [("session.open", {"user_id": "hog"})],
        "session.ping": [("session.ping", {})],
        "session.refresh": [("session.refresh", {"access_token": "x" * 8000})],
        "session.close": [("session.close", {})],
        "session.background": [("session.background", {"on": True}), ("session.background", {"on": False})],
        "push.register": [lambda n: ("push.register", {"type": "huawei", "token": f"{n}" * 400})],
        "push.unregister": [("push.unregister", {"all": True})],
        "push.tokens": [("push.tokens", {})],
        "push.preferences": [lambda n: ("push.preferences", {"push_sound": f"{n}", "timezone": f"Nowhere/N{n}"})],
        "user.get": [("user.get", {"user_id": "hog"}), ("user.get", {"user_id": "nobody"})],
        "user.update": [lambda n: ("user.update", {
            "nickname": f"{n}", "metadata": heaviest.pairs("\u0001", 2)})],
        "channel.create": [lambda n: ("channel.create", {
            "operator_ids": COPIES[:99], "data": "\u0001" * 2000})],
        "channel.get": [("channel.get", room)],
        "channel.list": [
            ("channel.list", {"name_contains": "in none of them", "limit": 100}),
            ("channel.list", {"url_contains": "in-none-of-them", "limit": 100}),
            ("channel.list", {"custom_types": ["none"], "limit": 100}),
            ("channel.list", {"limit": 100})],
        "channel.update": [lambda n: ("channel.update", {
            **room, "name": f"{n}", "data": "\u0001" * 8000})],
        "channel.delete": [
            lambda n: ("channel.create", {"channel_url": f"brief-{n}"}),
            lambda n: ("channel.delete", {"channel_url": f"brief-{n}"}),
            ("channel.delete", {"channel_url": DOOMED})],
        "channel.enter": [
            ("channel.enter", room),
            ("channel.enter", {**here, "recover": {"epoch": "e", "seq": MESSAGES - 290}})],
        "channel.exit": [("channel.exit", room), ("channel.enter", room)],
        "channel.participants": [("channel.participants", {**room, "limit": 100})],
        "channel.freeze": [("channel.freeze", room), ("channel.unfreeze", room)],
        "channel.unfreeze": [("channel.unfreeze", room)],
        "channel.mute": [lambda n: ("channel.mute", {
            **room, "user_id": f"copy-{n % 5000 + 1}", "description": "d" * 2000})],
        "channel.unmute": [lambda n: ("channel.unmute", {
            **room, "user_id": f"copy-{n % 5000 + 1}"})],
        "channel.ban": [lambda n: ("channel.ban", {**room, "user_id": f"copy-{n % 5000 + 1}"})],
        "channel.unban": [lambda n: ("channel.unban", {**room, "user_id": f"copy-{n % 5000 + 1}"})],
        "channel.add_operators": [
            ("channel.add_operators", {**room, "user_ids": COPIES[:99]}),
            ("channel.remove_operators", {**room, "user_ids": COPIES[:99]})],
        "channel.remove_operators": [
            ("channel.remove_operators", {**room, "user_ids": COPIES[:99]})],
        "group.create": [
            lambda n: ("group.create", {"user_ids": COPIES[:99], "data": "\u0001" * 2000}),
            lambda n: ("group.create", {"user_ids": COPIES[n % 90:][:9], "is_distinct": True})],
        "group.get": [("group.get", group)],
        "group.update": [lambda n: ("group.update", {
            **group, "name": f"{n}", "data": "\u0001" * 8000})],
        "group.delete": [
            lambda n: ("group.create", {"channel_url": f"brief-group-{n}"}),
            lambda n: ("group.delete", {"channel_url": f"brief-group-{n}"})],
        "group.invite": [
            ("group.invite", {**group, "user_ids": COPIES[:90]}),
            ("group.remove", {**group, "user_ids": COPIES[:90]})],
        "group.accept": [("group.accept", group)],
        "group.decline": [("group.decline", group)],
        "group.join": [
            ("group.join", {**group, "access_code": "wrong"}), ("group.join", group), ("group.leave", group)],
        "group.leave": [("group.leave", group), ("group.join", group)],
        "group.remove": [("group.remove", {**group, "user_ids": COPIES[:100]})],
        "group.members": [("group.members", {**group, "limit": 100})],
        "message.send": [("message.send", {**room, **TEXT}), ("message.send", {**here, **TEXT})],
        "message.send_files": [
            ("message.send_files", {**room, "files": [FILE] * 20}),
            ("message.send_files", {**here, "files": [{"file_id": UNKNOWN}] * 20})],
        "file.create": [
            ("file.create", {"size": 1, "name": "n" * 255}),
            ("file.create", {"size": 1, "message": {**room, **TEXT}})],
        "file.get": [("file.get", {"file_id": UNKNOWN})],
        "file.list": [("file.list", {"limit": 100})],
        "file.cancel": [("file.cancel", {"file_id": UNKNOWN})],
        "message.update": [("message.update", {**message, "data": "\u0001" * 8000})],
        "message.delete": [
            ("message.delete", message), ("message.delete", {**here, "message_id": 5})],
        "message.get": [("message.get", message), ("message.get", {**here, "message_id": 5})],
        "message.list": [
            ("message.list", {**here, **none, "sender_ids": ["nobody"]}),
            ("message.list", {**here, **none, "custom_types": ["none"]}),
            ("message.list", {**here, **none, "message_type": "FILE"}),
            ("message.list", {**here, "message_ts": 0, "next_limit": 200,
                              "sender_ids": ["nobody"]}),
            ("message.list", {**here, **none})],
        "message.create_metaarray_keys": [lambda n: (
            "message.create_metaarray_keys", {**message, "keys": [f"key {n % 10}"]})],
        "message.delete_metaarray_keys": [lambda n: (
            "message.delete_metaarray_keys", {**message, "keys": [f"key {n % 10}"]})],
        "message.add_metaarray_values": [lambda n: ("message.add_metaarray_values", {
            **message, "values": {"key": [f"{n % 100}" * 50]}})],
        "message.remove_metaarray_values": [lambda n: ("message.remove_metaarray_values", {
            **message, "values": {"key": [f"{n % 100}" * 50]}})],
        "preview.fetch": [
            lambda n: ("preview.fetch", {"url": f"http://127.0.0.1:9/{n}"}),
            lambda n: ("preview.fetch", {
                "url": f"https://nowhere.invalid/{n}", "fetch_id": f"{n % 50}"})],
        "preview.cancel": [lambda n: ("preview.cancel", {"fetch_id": f"{n % 50}"})],
        "message.translate": [("message.translate", {**message, "target_langs": ["ko"] * 50})],
    }


def batch(calls):
    """One batch of a hundred calls."""
    parts = [calls[n % len(calls)] for n in range(100)]
    text = frame([
        {"jsonrpc": "2.0", "id": n, "method": method, "params": params}
        for n, (method, params) in enumerate(parts)])
    return itertools.repeat(text)


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


NAMES = ("session.open", "message.send", "message.get", "message.list")


class Verdict:
    """What the other user waited for, against how long it waits when nobody misbehaves."""

    def __init__(self, quiet):
        self.quiet = {name: [r[name] for r in quiet if name in r] for name in NAMES}
        self.problems, self.lines = [], []
        assert not self.failures(quiet), self.failures(quiet)
        self.line("quiet", quiet)

    @staticmethod
    def failures(rounds):
        return [r["failure"] for r in rounds if "failure" in r]

    def line(self, what, rounds):
        parts = []
        for name in NAMES:
            if took := [r[name] for r in rounds if name in r]:
                parts.append(f"{name} {statistics.median(took):.0f}/{quantile(took, 0.9):.0f}")
        figure(f"{what}: {len(rounds)} rounds, median/90 % in ms: {', '.join(parts)}")

    def judge(self, what, rounds):
        self.line(what, rounds)
        if failed := self.failures(rounds):
            self.problems.append(f"{what}: {failed[:3]}")
        if not rounds:
            self.problems.append(f"{what}: not a round was answered")
        for name in NAMES:
            took = [r[name] for r in rounds if name in r]
            # Of a few rounds a tail says nothing.
            for share, slack in ((0.5, 250), (0.9, 500))[:1 if len(took) < 12 else 2]:
                if not took:
                    continue
                bound = max(10 * quantile(self.quiet[name], share), slack * PATIENCE)
                if quantile(took, share) > bound:
                    self.problems.append(
                        f"{what}: {share:.0%} of {name} took up to {quantile(took, share):.0f} ms, "
                        f"quiet {quantile(self.quiet[name], share):.0f}")


async def compare(ctx, methods):
    """One user calls each of these methods as fast as it may; judges how long another one waits."""
    async with bench_of(ctx) as bench:
        await _compare(bench, methods)


async def _compare(bench, methods):
    verdict = Verdict(await bench.during(asyncio.sleep(max(1.5, SECONDS))))
    owner = bench.wires[0]
    await owner.call("channel.create", channel_url="hogs-room")
    await owner.call("channel.enter", channel_url="hogs-room")
    await owner.call("group.create", channel_url="hogs-group", is_public=True)
    sent = await owner.call("message.send", channel_url=LARGE, message="a poll",
                            metaarray=[{"key": "key", "value": []}])
    calls = costly(sent["message"]["message_id"])
    for method in methods:
        frames = (
            batch(calls["message.list"] + calls["channel.list"]) if method == "batch"
            else endless(*calls[method]))
        if method in ("session.close",):
            rounds = await bench.during(churn(bench))
        else:
            rounds = await bench.during(bench.pound(frames))
        verdict.judge(method, rounds)
        await bench.settle()
    assert not verdict.problems, verdict.problems


async def churn(bench, seconds=SECONDS):
    """Connections are opened, and closed by session.close, as fast as ten can."""
    ends = time.monotonic() + seconds

    async def one():
        while time.monotonic() < ends:
            with contextlib.suppress(ConnectionError):
                wire = await Wire.open(bench.server, "hog")
                wire.fire("session.close")
                await wire.ended
    await asyncio.gather(*(one() for _ in range(10)))


READING = {
    "session.ping", "channel.get", "channel.list", "channel.participants", "channel.enter",
    "group.get", "group.members", "message.get", "message.list", "batch"}


async def test_every_method_is_pounded(ctx):
    """What AsyncAPI names is called here."""
    assert set(costly(1)) | {"batch"} == described("receive"), (
        (set(costly(1)) | {"batch"}) ^ described("receive"))


async def test_reading(ctx):
    """Lists, pages and look-ups of one user leave another's sessions, sends and history alone."""
    await compare(ctx, sorted(READING))


async def test_writing_messages(ctx):
    """So do its messages and the changes of them, accepted and refused."""
    await compare(ctx, sorted(
        m for m in described("receive") - READING if m.startswith("message.")))


async def test_writing_channels(ctx):
    """So do its channels, restrictions, profiles and sessions."""
    await compare(ctx, sorted(
        m for m in described("receive") - READING if not m.startswith(("message.", "group."))))


async def test_writing_groups(ctx):
    """So do its groups and the changes of their members, accepted and refused."""
    await compare(ctx, sorted(
        m for m in described("receive") - READING if m.startswith("group.")))


@contextlib.asynccontextmanager
async def bench_of(ctx, *flags):
    bench = await Bench.make(ctx, *flags)
    try:
        yield bench
    finally:
        await bench.end()


async def test_refusals(ctx):
    """Refused calls, as many as ten connections get written, cost others nothing either."""
    async with bench_of(ctx) as bench:
        verdict = Verdict(await bench.during(asyncio.sleep(1.5)))
        await bench.wires[0].call("channel.create", channel_url="hogs-room")
        await bench.wires[0].call("channel.enter", channel_url="hogs-room")
        for what, call in (
                ("sends over the limit", ("message.send", {
                    "channel_url": "hogs-room", "message": "x"})),
                ("sends with a req_id", ("message.send", {
                    "channel_url": "hogs-room", "message": "x", "req_id": "r"})),
                ("sends to a channel that is not entered", ("message.send", {
                    "channel_url": HISTORY, "message": "x"})),
                ("sends to no channel", ("message.send", {
                    "channel_url": "nowhere", "message": "x"})),
                ("sends without a text", ("message.send", {"channel_url": "hogs-room"})),
                ("look-ups of nothing", ("message.get", {
                    "channel_url": "nowhere", "message_id": 1})),
                ("unknown methods", ("no.such", {}))):
            for wire in bench.wires:
                wire.errors, wire.answered, wire.sent = Counter(), 0, 0
            once = frame({"jsonrpc": "2.0", "id": 0, "method": call[0], "params": call[1]})
            began = time.monotonic()
            rounds = await bench.during(flood(bench, once))
            refused = sum((wire.errors for wire in bench.wires), start=Counter())
            answered = sum(wire.answered for wire in bench.wires)
            figure(f"{what}: {answered} answers, {dict(refused)}")
            verdict.judge(what, rounds)
            # What is refused or repeated counts as a call: 300 at once, 100 in a second, and
            # those that were under way when that was used up.
            most = len(bench.wires) * (460 + 110 * (time.monotonic() - began))
            if (worked := answered - refused[500910]) > most:
                verdict.problems.append(f"{what}: {worked} were looked into, not {most:.0f}")
            await bench.settle()
        assert not verdict.problems, verdict.problems


async def flood(bench, once, seconds=1.5, depth=600, together=100):
    """The same request from all connections, as fast as it is answered."""
    many, ends = once * together, time.monotonic() + seconds
    while time.monotonic() < ends:
        for n, wire in enumerate(bench.wires):
            if not wire.is_open:
                with contextlib.suppress(ConnectionError):
                    bench.wires[n] = await bench.hog()
            elif wire.sent - wire.answered < depth:
                wire.write(many)
                wire.sent += together
        await asyncio.sleep(0.001)


@with_pages
async def test_pictures_of_previews(ctx, pages):
    """Who loads pictures of previews as fast as ten connections can, forged, kept or dropped and
    made anew, costs others nothing, and leaves them their own previews."""
    original = await asyncio.to_thread(jpeg, 640, 480)
    async with bench_of(ctx, *previewpictures.FLAGS, "--unfurl-images-disk-bytes", "40000") as bench:
        verdict = Verdict(await bench.during(asyncio.sleep(1.5)))
        hog, other = bench.wires[0], await ctx.user(bench.server, "other")
        names = []
        for number in range(12):
            pages.add(f"/{number}", "A page", og__image=previewpictures.add(
                pages, f"/{number}.jpg", original, "image/jpeg"))
            answer = await hog.call("preview.fetch", url=pages.url(f"/{number}"))
            assert answer["og_tag"]["og:image"], "no picture: is parley-thumbnail beside parleyd?"
            copy = urlsplit(answer["og_tag"]["og:image"]["url"])
            names.append(f"{copy.path.removeprefix('/below')}?{copy.query}")
        assert 0 < (await metrics(bench.server))["parley_preview_picture_bytes"] <= 40_000
        forged = [f"/previews/{n:032x}.jpg?url={pages.url(f'/{n}.jpg')}" for n in range(100)]
        for what, addresses, expected in (
                ("forged addresses", forged, {404}), ("kept pictures", names[-1:], {200}),
                ("dropped pictures", names, {200, 404})):
            statuses, stop = Counter(), asyncio.Event()
            loading = [
                asyncio.create_task(load(bench.server.port, addresses[n % len(addresses):]
                                         + addresses[:n % len(addresses)], statuses, stop))
                for n in range(10)]
            rounds = await bench.during(asyncio.sleep(max(2, SECONDS)))
            # Another user's link is looked up beside it, with its picture.
            path = "/" + what.replace(" ", "/")
            began = time.monotonic()
            image = await previewpictures.shown(other, pages, path, previewpictures.add(
                pages, f"{path}.png", png(20, 10), "image/png"))
            took = time.monotonic() - began
            stop.set()
            await asyncio.gather(*loading)
            figure(f"{what}: {dict(statuses)}, another's preview in {took * 1000:.0f} ms")
            verdict.judge(what, rounds)
            assert set(statuses) <= expected and image["url"], (what, statuses, image)
            assert took < 5 * PATIENCE, f"{what}: another's preview took {took:.1f} s"
        # They were fetched for their pages, and again.
        assert sum(pages.count(f"/{number}.jpg") for number in range(12)) > 24
        assert not verdict.problems, verdict.problems


@with_pages
async def test_pictures_that_never_come(ctx, pages):
    """Slow pictures of one user's links leave others their places."""
    server = await ctx.fresh(*previewpictures.FLAGS)
    hog, other = await ctx.user(server, "hog"), await ctx.user(server, "other")
    for number in range(30):
        pages.hold(f"/slow/{number}.png")
        previewpictures.add(pages, f"/slow/{number}.png", png(9, 9), "image/png")
        pages.add(f"/{number}", "A page", og__image=pages.url(f"/slow/{number}.png"))
    fetching = [
        asyncio.create_task(hog.call("preview.fetch", url=pages.url(f"/{number}")))
        for number in range(30)]
    try:
        await pages.asked_for("/slow/0.png")
        began = time.monotonic()
        image = await previewpictures.shown(
            other, pages, "/quick", previewpictures.add(
                pages, "/quick.png", png(20, 10), "image/png"))
        took = time.monotonic() - began
        figure(f"a picture beside 30 that do not come: {took * 1000:.0f} ms")
        assert image["url"] and took < 5 * PATIENCE, took
        assert sum(pages.count(f"/slow/{number}.png") for number in range(30)) <= 3
    finally:
        for task in fetching:
            task.cancel()


async def load(port, addresses, statuses, stop):
    """One connection asks for addresses in turn, and counts the answers by their status."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for address in itertools.cycle(addresses):
            if stop.is_set():
                return
            writer.write(f"GET {address} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            await reader.readexactly(int(head.split("content-length: ")[1].split("\r\n")[0]))
            statuses[int(head.split(" ")[1])] += 1
    finally:
        writer.close()


async def test_small_messages_that_grow(ctx):
    """Calls that are large only when inflated are no cheaper way to keep the server busy."""
    async with bench_of(ctx) as bench:
        verdict = Verdict(await bench.during(asyncio.sleep(1.5)))
        for n, wire in enumerate(bench.wires):
            await wire.close()
            bench.wires[n] = await bench.hog(deflate=True)
        for what, filler in (("spaces", " " * 250_000), ("controls", "\u0001" * 40_000),
                             ("numbers", list(range(19_000)))):
            once = compressed({"jsonrpc": "2.0", "id": 0, "method": "session.ping",
                               "params": {"filler": filler}})
            rounds = await bench.during(flood(bench, once, depth=200, together=20))
            answers = sum(wire.answered for wire in bench.wires)
            figure(f"{what}: {len(once)} bytes each, {answers} answers")
            verdict.judge(what, rounds)
            await bench.settle()
        assert not verdict.problems, verdict.problems


async def test_participants_of_a_large_channel(ctx):
    """A page of the participants costs what it holds, not what the channel holds."""
    count = int(os.environ.get("PARLEY_TEST_PARTICIPANTS", "2500"))
    async with bench_of(ctx, "--limits-open-timeout-ms", "60000") as bench:
        room = {"channel_url": "crowded"}
        await bench.wires[0].call("channel.create", **room)
        for _ in range(count // 250):
            names = [bench.ctx.name() for _ in range(250)]
            wires = await heaviest.crowd(bench.server, names)
            bench.ctx.clients.extend(wires)
            await asyncio.gather(*(wire.call("channel.enter", **room) for wire in wires))
        await asyncio.sleep(1)
        verdict = Verdict(await bench.during(asyncio.sleep(1.5)))
        middle = await bench.wires[0].call("channel.participants", **room, limit=100)
        rounds = await bench.during(bench.pound(endless(
            ("channel.participants", {**room, "limit": 100}),
            ("channel.participants", {**room, "limit": 100, "token": middle["next"]}),
            ("channel.participants", {**room, "limit": 1})), seconds=3))
        verdict.judge("channel.participants", rounds)
        assert not verdict.problems, verdict.problems


async def test_requests_that_wait(ctx):
    """Requests behind a slow one are counted in bytes, not by number alone."""
    async with bench_of(ctx) as bench:
        for room in ("a-room", "b-room"):
            await bench.wires[0].call("channel.create", channel_url=room)
            await bench.wires[0].call("channel.enter", channel_url=room)
        slow = frame({"jsonrpc": "2.0", "id": 0, "method": "message.list", "params": {
            "channel_url": LARGE, "prev_limit": 200, "sender_ids": ["nobody"]}})
        big = frame({"jsonrpc": "2.0", "id": 0, "method": "message.send", "params": {
            "channel_url": "a-room", "message": "x",
            "metaarray": [{"key": "k", "value": ["f" * 190 for _ in range(100)]}],
            "filler": "f" * 230_000}})
        memory = Memory(bench.server)
        began = time.monotonic()
        for wire in bench.wires:
            wire.write(slow * 4 + big * 120)
        while time.monotonic() - began < 6 and memory.growth < 400 * MIB:
            await asyncio.sleep(0.05)
        figure(f"10 connections of 30 MB each: grew {mib(memory.growth)}")
        assert memory.growth < 10 * 3 * MIB, f"10 connections: grew by {mib(memory.growth)}"

