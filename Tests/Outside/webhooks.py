"""Webhooks: what is posted, how it is signed, and what a receiver may do to it."""

import asyncio
import contextlib
import hashlib
import hmac
import json
import os
import re
import sys

from harness import DEADLINE, eventually, http, process_environment

SECRET = "a secret of the outside tests"
PAGE = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..", "Sources", "Gateway", "Gateway.docc",
    "Webhooks.md")


class Receiver:
    """A webhook that keeps what it is posted and answers as it is told to."""

    def __init__(self):
        self.requests, self.events = [], []
        self.statuses = []
        self.fields = ""
        self.silent = False
        self.news = asyncio.Event()

    async def __aenter__(self):
        self.server = await asyncio.start_server(self.answer, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_):
        self.server.close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/hook"

    async def answer(self, reader, writer):
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                fields = {
                    name.lower(): value for name, value in re.findall(r"^([\w-]+): (.*)\r$", head, re.M)}
                body = await reader.readexactly(int(fields["content-length"]))
                await self.take(head, fields, body, writer)
        writer.close()

    async def take(self, head, fields, body, writer):
        self.requests.append((head.split("\r\n")[0], fields, body))
        if not self.silent:
            status = self.statuses.pop(0) if self.statuses else 200
            if status == 200:
                self.events += json.loads(body)["events"]
            writer.write(
                f"HTTP/1.1 {status} x\r\nContent-Length: 0\r\n{self.fields}\r\n".encode())
        self.news.set()
        self.news = asyncio.Event()

    async def until(self, condition):
        async with asyncio.timeout(DEADLINE):
            while not (found := condition()):
                await self.news.wait()
        return found

    def of(self, channel):
        return [event for event in self.events if event.get("channel_url") == channel]

    def texts(self, channel):
        return [
            event["message"]["message"] for event in self.of(channel)
            if event["event"] == "message.received"]


def flags(*receivers, **settings):
    urls = ",".join(receiver.url for receiver in receivers)
    more = [f"--webhooks-{name.replace('_', '-')}={value}" for name, value in settings.items()]
    return [f"--webhooks-urls={urls}", f"--webhooks-secret={SECRET}",
            "--limits-flood-messages=0", *more]


async def test_the_request(ctx):
    """Events come as documented: POST, JSON, signed over the body's bytes, with a delivery id."""
    async with Receiver() as receiver:
        server = await ctx.fresh(*flags(receiver))
        channel, owner = await ctx.room(server, 0)
        await owner.send(channel, "grüße \u2028 \"x\"")
        await receiver.until(lambda: receiver.texts(channel))
        for line, fields, body in receiver.requests:
            assert line == "POST /hook HTTP/1.1", line
            assert fields["content-type"] == "application/json", fields
            assert re.fullmatch(r"parley/\S+", fields["user-agent"]), fields
            code = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
            assert fields["parley-signature"] == f"sha256={code}", fields
            posted = json.loads(body)
            assert posted["id"] == fields["parley-delivery"], fields
            assert len({event["channel_url"] for event in posted["events"]}) == 1
        assert receiver.texts(channel) == ["grüße \u2028 \"x\""]


async def test_every_kind(ctx):
    """Every kind of event is posted, with the params that the socket shows."""
    async with Receiver() as receiver:
        server = await ctx.fresh(*flags(receiver))
        channel, owner = await ctx.room(server, 0)
        other = await ctx.user(server)
        await other.call("channel.enter", channel_url=channel)
        sent = await other.send(channel, "first")
        number = sent["message"]["message_id"]
        await other.call("message.update", channel_url=channel, message_id=number, message="new")
        await owner.call("message.delete", channel_url=channel, message_id=number)
        await owner.call("channel.update", channel_url=channel, name="Another")
        await owner.call("channel.freeze", channel_url=channel)
        await owner.call("channel.unfreeze", channel_url=channel)
        who = {"channel_url": channel, "user_id": other.user_id}
        await owner.call("channel.add_operators", channel_url=channel, user_ids=[other.user_id])
        for method in ("mute", "unmute", "ban", "unban"):
            await owner.call(f"channel.{method}", **who)
        await owner.call("channel.delete", channel_url=channel)
        await receiver.until(
            lambda: [e for e in receiver.of(channel) if e["event"] == "channel.deleted"])
        events = receiver.of(channel)
        assert [event["event"] for event in events] == [
            "channel.created", "message.received", "message.updated", "message.deleted",
            "channel.changed", "channel.frozen", "channel.unfrozen",
            "channel.operators_changed", "channel.user_muted", "channel.user_unmuted",
            "channel.user_banned", "channel.user_unbanned", "channel.deleted"], events
        assert [event["seq"] for event in events] == list(range(13)), events
        told = {
            event["method"]: event["params"] for event in owner.events
            if event["params"].get("channel_url") == channel}
        for event in events:
            if event["event"] not in told:
                continue
            # The socket tells an update's time when it is told, a moment after it was stored.
            left_out = {"event", "ts"} if event["event"] == "message.updated" else {"event"}
            posted = {name: value for name, value in event.items() if name not in left_out}
            shown = {
                name: value for name, value in told[event["event"]].items()
                if name not in left_out}
            assert posted == shown, (posted, shown)


async def test_failures_and_order(ctx):
    """Failures are posted again under the same id, and a channel's order holds."""
    async with Receiver() as receiver:
        receiver.statuses = [500, 302, 404]
        server = await ctx.fresh(*flags(receiver, events="message.received"))
        channel, owner = await ctx.room(server, 0)
        sent = [f"number {number}" for number in range(30)]
        for text in sent:
            await owner.send(channel, text)
        await receiver.until(lambda: len(receiver.texts(channel)) >= 30)
        assert receiver.texts(channel) == sent
        names = [fields["parley-delivery"] for _, fields, _ in receiver.requests[:4]]
        assert len(set(names)) == 1, names
        bodies = [body for _, _, body in receiver.requests[:4]]
        assert len(set(bodies)) == 1
        _, _, text = await server.get("/metrics")
        assert b'parley_webhook_requests_total{outcome="failed"} 3' in text


async def test_silent_receiver(ctx):
    """A receiver that never answers holds up neither messages nor another receiver."""
    async with Receiver() as silent, Receiver() as receiver:
        silent.silent = True
        server = await ctx.fresh(*flags(silent, receiver, timeout_ms=60000))
        channel, owner = await ctx.room(server, 0)
        for number in range(50):
            await owner.send(channel, f"{number}")
        await receiver.until(lambda: len(receiver.texts(channel)) == 50)
        assert len(silent.requests) == 1
        _, answer = await server.api("GET", "/parley/webhooks")
        first, second = answer["webhooks"]
        assert first["backlog"] == 51 and first["last_success_at"] == 0, answer
        assert second["last_success_at"] > 0 and second["last_failure"] == "", answer


async def test_killed(ctx):
    """What was acknowledged before the process was killed is posted after its next start."""
    async with Receiver() as receiver:
        receiver.silent = True
        wanted = flags(receiver, events="message.received")
        server = await ctx.fresh(*wanted)
        channel, owner = await ctx.room(server, 0)
        sent = [f"number {number}" for number in range(20)]
        for text in sent:
            await owner.send(channel, text)
        await server.kill()
        receiver.silent = False
        await ctx.fresh(*wanted, data=server.data)
        await receiver.until(lambda: len(set(receiver.texts(channel))) == 20)
        assert list(dict.fromkeys(receiver.texts(channel))) == sent


async def test_ephemeral(ctx):
    """Events of an ephemeral channel are posted with the numbers that the socket shows."""
    async with Receiver() as receiver:
        server = await ctx.fresh(*flags(receiver))
        owner = await ctx.user(server)
        created = await owner.call("channel.create", is_ephemeral=True)
        channel = created["channel"]["channel_url"]
        await owner.call("channel.enter", channel_url=channel)
        first = await owner.send(channel, "gone soon")
        await owner.call("channel.freeze", channel_url=channel)
        await receiver.until(lambda: len(receiver.of(channel)) == 3)
        assert [(e["event"], e["seq"]) for e in receiver.of(channel)] == [
            ("channel.created", 0), ("message.received", first["seq"]),
            ("channel.frozen", first["seq"] + 1)]


async def test_trying(ctx):
    """parley webhooks test posts a signed event to each URL, shows the answers, and fails with them."""
    async with Receiver() as good, Receiver() as bad:
        server = await ctx.fresh(*flags(good, bad))
        bad.statuses = [503]
        status, answer = await server.api("POST", "/parley/webhooks/test")
        assert status == 200, answer
        assert answer["webhooks"] == [
            {"url": good.url, "status": 200, "problem": ""},
            {"url": bad.url, "status": 503, "problem": "status 503"}], answer
        assert [event["event"] for event in good.events] == ["webhook.test"]
        gateway = ["--server", f"http://127.0.0.1:{server.port}", "--api-token", server.api_token]
        code, output, errors = await ctx.run(ctx.parley, "webhooks", "test", *gateway)
        assert code == 0 and good.url.encode() in output, (output, errors)
        bad.statuses = [503]
        code, output, errors = await ctx.run(ctx.parley, "webhooks", "test", *gateway)
        assert code == 1 and b"status 503" in output and errors, (output, errors)
        code, output, _ = await ctx.run(ctx.parley, "webhooks", *gateway, "--json")
        assert code == 0 and [w["url"] for w in json.loads(output)["webhooks"]] == [
            good.url, bad.url], output


async def test_retrying(ctx):
    """parley webhooks retry posts what waits at once, also what a receiver has put off for an hour."""
    async with Receiver() as receiver:
        receiver.statuses = [503]
        receiver.fields = "Retry-After: 3600\r\n"
        server = await ctx.fresh(*flags(receiver, events="message.received"))
        channel, owner = await ctx.room(server, 0)
        await owner.send(channel, "late")
        await receiver.until(lambda: receiver.requests)

        async def put_off():
            _, answer = await server.api("GET", "/parley/webhooks")
            webhook, = answer["webhooks"]
            return webhook["next_attempt_at"] > webhook["last_failure_at"] + 3_000_000
        await eventually(put_off, "the pause")
        assert receiver.texts(channel) == []
        gateway = ["--server", f"http://127.0.0.1:{server.port}", "--api-token", server.api_token]
        code, output, errors = await ctx.run(ctx.parley, "webhooks", "retry", *gateway)
        assert code == 0 and receiver.url.encode() in output, (output, errors)
        await receiver.until(lambda: receiver.texts(channel) == ["late"])


async def test_off(ctx):
    """Without a URL there are no webhooks, and a test of them is refused."""
    server = await ctx.server()
    assert await server.api("GET", "/parley/webhooks") == (200, {"webhooks": []})
    status, answer = await server.api("POST", "/parley/webhooks/test")
    assert status == 400 and answer["code"] == 400920, answer


async def test_settings(ctx):
    """A URL needs a secret of 16 bytes and no credentials; the secret is never shown."""
    cases = [
        (["--webhooks-urls=http://a/"], b"webhooks.secret"),
        (["--webhooks-urls=http://a/", "--webhooks-secret=short"], b"webhooks.secret"),
        (["--webhooks-urls=http://u:p@a/", f"--webhooks-secret={SECRET}"], b"webhooks.urls"),
        (["--webhooks-urls=ftp://a/", f"--webhooks-secret={SECRET}"], b"webhooks.urls"),
        (["--webhooks-events=message.read"], b"webhooks.events"),
    ]
    for wrong, name in cases:
        code, output, errors = await ctx.run(ctx.parleyd, "--check-config", *wrong)
        assert code != 0 and name in output + errors, (wrong, output, errors)
        assert b"short" not in (output + errors), errors


async def test_the_receiver_of_the_page(ctx):
    """The receiver that the documentation shows takes what is signed, and refuses the rest."""
    with open(PAGE, encoding="utf-8") as page:
        program = re.search(r"```python\n(.*?)```", page.read(), re.S).group(1)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, stdout=asyncio.subprocess.PIPE,
        env=process_environment({"WEBHOOK_SECRET": SECRET}))
    try:
        async with asyncio.timeout(DEADLINE):
            port = int((await process.stdout.readline()).split()[1])
            server = await ctx.fresh(
                f"--webhooks-urls=http://127.0.0.1:{port}/", f"--webhooks-secret={SECRET}")
            channel, owner = await ctx.room(server, 0)
            sent = await owner.send(channel, "hello")
            lines = [(await process.stdout.readline()).decode().split() for _ in range(2)]
        assert lines == [
            ["channel.created", channel, "0"], ["message.received", channel, str(sent["seq"])]]
        forged = b'{"events": []}'
        status, _, _ = await http(
            port, "POST", "/", {"Content-Length": str(len(forged)),
                                "Parley-Signature": "sha256=" + "0" * 64}, forged)
        assert status == 401
    finally:
        process.kill()
        await process.wait()
