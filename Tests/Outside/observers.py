"""Observers: sessions that a ticket opens, which hear channels and are seen by nobody."""

import asyncio
import base64
import os

from calls import Caller
from harness import eventually, fence, refused
from schemas import description

FLAGS = ("--limits-flood-messages", "0")
WRITES = {"session.open", "session.refresh", "session.ping", "session.close", "channel.enter",
          "channel.exit"}


async def ticket(server, token=None):
    async with Caller(server) as caller:
        answer = await caller.send(
            "POST", "/v3/parley/tickets", None, token and {"Api-Token": token})
        assert answer.status == 200, answer
        return answer.value["ticket"]


async def observer(ctx, server, channel=None, token=None):
    client = await ctx.connect(server)
    client.session = await client.call("session.open", ticket=await ticket(server, token))
    if channel:
        await client.call("channel.enter", channel_url=channel)
    return client


async def test_an_observer_hears_everything(ctx):
    """It is shown each message, in order, and from how many participants each was withheld."""
    server = await ctx.fresh(*FLAGS, "--limits-throttle-messages", "2")
    channel, owner, *others = await ctx.room(server, 4)
    watcher = await observer(ctx, server, channel)
    sender = others[0]
    for number in range(10):
        await sender.send(channel, f"text {number}")
    await fence(channel, owner, watcher, *others)
    heard = watcher.messages(channel)
    assert [message["message"] for message in heard] == [f"text {n}" for n in range(10)], heard
    held = {event["params"]["message_id"]: event["params"]["participants"]
            for event in watcher.told("message.withheld", channel_url=channel)}
    # What the three others were not shown, counted by themselves.
    missed = {message["message_id"]: 0 for message in heard}
    for other in others[1:]:
        shown = {message["message_id"] for message in other.messages(channel)}
        for message in missed:
            missed[message] += message not in shown
    assert held == {message: count for message, count in missed.items() if count}, (held, missed)
    assert sum(held.values()) > 0
    order = [event["method"] for event in watcher.events
             if event["params"].get("message_id") or "message" in event["params"]]
    assert order.index("message.withheld") == order.index("message.received") + 3, order
    assert not any(other.told("message.withheld") for other in [owner, *others])


async def test_nobody_sees_an_observer(ctx):
    """Participants, sessions, numbers and events are as without it, coming and going."""
    server = await ctx.fresh()
    channel, owner = await ctx.room(server, 0)
    async with Caller(server) as caller:
        async def numbers():
            counts = await caller.call("GET", "/parley/metrics")
            samples = {
                (s["name"], *s["labels"].values()): s["value"] for s in counts["samples"]}
            return {
                "participants": (await caller.call("GET", f"/open_channels/{channel}/participants")),
                "channel": await caller.call("GET", f"/open_channels/{channel}"),
                "sessions": await caller.call("GET", "/parley/sessions"),
                "connected": (await caller.call("GET", "/parley/connections"))["sessions"],
                "users": await caller.call("GET", "/users"),
                "servers": [s.get("sessions") for s in counts["cluster"]["servers"]],
                **{name: samples[name,] for name in (
                    "parley_sessions", "parley_participants", "parley_subscriptions",
                    "parley_sessions_opened_total", "parley_deliveries_total")}}
        before = await numbers()
        watcher = await observer(ctx, server, channel)
        assert watcher.session["is_observer"] is True and "user" not in watcher.session
        await fence(channel, owner, watcher)
        during = await numbers()
        await watcher.call("channel.exit", channel_url=channel)
        await watcher.call("channel.enter", channel_url=channel)
        await watcher.socket.close()
        await owner.call("session.ping")
    for state in (before, during):
        state["channel"].pop("data", None)
        # The fences' own.
        state.pop("parley_deliveries_total")
    assert during == before, (before, during)
    told = {event["method"] for event in owner.events}
    assert told <= {"channel.changed", "group.ready"}, told


async def test_an_observer_changes_nothing(ctx):
    """All methods but entering, leaving, pings and the end are 400108, whatever they ask."""
    server = await ctx.fresh()
    channel, owner = await ctx.room(server, 0)
    watcher = await observer(ctx, server, channel)
    operations = description("asyncapi.json")["operations"]
    methods = {name for name, operation in operations.items() if operation["action"] == "receive"}
    assert len(methods) > 25
    for method in sorted(methods - WRITES - {"batch"}):
        async with refused(400108):
            await watcher.call(method, channel_url=channel, message="x", user_id="x")
    async with refused(400108):
        await watcher.call("session.refresh", access_token="x")
    async with refused(-32600):
        await watcher.call("session.open", user_id="x")
    async with refused(-32601):
        await watcher.call("nothing")
    assert "time" in await watcher.call("session.ping")
    async with refused(900020):
        await watcher.call("channel.exit", channel_url="elsewhere")
    async with refused(400201):
        await watcher.call("channel.enter", channel_url="elsewhere")
    await fence(channel, owner, watcher)
    assert owner.messages(channel) == []


async def test_a_ticket_opens_one_session(ctx):
    """A used, made up or empty ticket is 400302 and closes; beside a user it is 400920."""
    server = await ctx.server()
    used = await ticket(server)
    first = await ctx.connect(server)
    await first.call("session.open", ticket=used)
    for wrong in (used, "x", "", used[:-1], "é" * 100):
        client = await ctx.connect(server)
        async with refused(400302):
            await client.call("session.open", ticket=wrong)
        assert await client.ended() == 4002
    client = await ctx.connect(server)
    async with refused(400920):
        await client.call("session.open", ticket=used, user_id="ada")
    async with refused(400110):
        await client.call("session.open", ticket="x" * 8193)
    # Of many that come at once with one ticket, one is let in.
    one = await ticket(server)
    clients = [await ctx.connect(server) for _ in range(8)]
    answers = await asyncio.gather(
        *(client.call("session.open", ticket=one) for client in clients), return_exceptions=True)
    assert sum(isinstance(answer, dict) for answer in answers) == 1, answers


async def test_a_ticket_is_good_for_thirty_seconds(ctx):
    """A ticket tells its end, and is refused after it."""
    server = await ctx.server()
    async with Caller(server) as caller:
        clock = await ctx.user(server)
        before = (await clock.call("session.ping"))["time"]
        early, late = [await caller.call("POST", "/parley/tickets") for _ in range(2)]
        now = (await clock.call("session.ping"))["time"]
        assert before + 30_000 <= early["expires_at"] <= now + 30_000, (before, early, now)
        # A slow machine has some seconds for the connection.
        await asyncio.sleep(22)
        client = await ctx.connect(server)
        await client.call("session.open", ticket=early["ticket"])
        now = (await clock.call("session.ping"))["time"]
        await asyncio.sleep(max(0, late["expires_at"] - now) / 1000 + 0.5)
        client = await ctx.connect(server)
        async with refused(400302):
            await client.call("session.open", ticket=late["ticket"])


async def test_a_viewer_may_observe(ctx):
    """A token of the role viewer gets tickets, and its observers end when it is revoked."""
    server = await ctx.fresh()
    channel, _ = await ctx.room(server, 0)
    async with Caller(server) as caller:
        viewer = await caller.call(
            "POST", "/parley/api_tokens", {"name": "board", "role": "viewer"})
        watcher = await observer(ctx, server, channel, viewer["token"])
        other = await observer(ctx, server, channel)
        unused = await ticket(server, viewer["token"])
        await caller.call("DELETE", f"/parley/api_tokens/{viewer['id']}")
        await caller.call("POST", f"/open_channels/{channel}/messages", {
            "message_type": "ADMM", "message": "after the end"})
    assert await watcher.ended() == 4002
    assert not any("after the end" in text for text in watcher.raw), watcher.raw
    client = await ctx.connect(server)
    async with refused(400302):
        await client.call("session.open", ticket=unused)
    assert "time" in await other.call("session.ping")


async def test_numbers_of_tickets_and_observers(ctx):
    """100 unused tickets of a token, 20 channels of an observer, 100 observers of a channel."""
    server = await ctx.fresh("--limits-calls-per-second", "0")
    channel, owner = await ctx.room(server, 0)
    async with Caller(server) as caller:
        for _ in range(100):
            await caller.call("POST", "/parley/tickets")
        answer = await caller.send("POST", "/v3/parley/tickets")
        assert answer.code == 400203, answer
        other = await caller.call("POST", "/parley/api_tokens", {"name": "other"})
        watcher = await observer(ctx, server, token=other["token"])
        for number in range(21):
            await caller.call("POST", "/open_channels", {"channel_url": f"room-{number}"})
        for number in range(20):
            await watcher.call("channel.enter", channel_url=f"room-{number}")
        async with refused(400203):
            await watcher.call("channel.enter", channel_url="room-20")
        await watcher.call("channel.exit", channel_url="room-0")
        await watcher.call("channel.enter", channel_url="room-20")
        watchers = [await observer(ctx, server, channel, other["token"]) for _ in range(100)]
        one_more = await observer(ctx, server, token=other["token"])
        async with refused(400203):
            await one_more.call("channel.enter", channel_url=channel)
        await watchers[0].socket.close()

        async def enters():
            try:
                return await one_more.call("channel.enter", channel_url=channel)
            except Exception:
                return None
        await eventually(enters, "a place of one that has left")
    await fence(channel, owner, *watchers[1:], one_more)


async def test_the_end_of_a_channel(ctx):
    """An observer is told of the channel's deletion, hears no more, and may enter the next one."""
    server = await ctx.server()
    channel, owner = await ctx.room(server, 0)
    watcher = await observer(ctx, server, channel)
    await owner.call("channel.delete", channel_url=channel)
    await watcher.event("channel.deleted")
    async with refused(900020):
        await watcher.call("channel.exit", channel_url=channel)
    await owner.call("channel.create", channel_url=channel)
    await watcher.call("channel.enter", channel_url=channel)


async def test_an_observer_keeps_a_channel_loaded(ctx):
    """With nobody else in it, events of a channel still come."""
    server = await ctx.server()
    async with Caller(server) as caller:
        url = (await caller.call("POST", "/open_channels", {}))["channel_url"]
        watcher = await observer(ctx, server, url)
        for number in range(4):
            await caller.call("POST", f"/open_channels/{url}/messages", {
                "message_type": "ADMM", "message": f"{number}"})
        await watcher.until(lambda: len(watcher.messages(url)) == 4, "the messages")


async def test_numbers_as_json(ctx):
    """The numbers are those of /metrics, and tell of the stage of the server."""
    server = await ctx.fresh()
    channel, owner, other = await ctx.room(server, 1)
    await owner.send(channel, "hello")
    async with Caller(server) as caller:
        numbers = await caller.call("GET", "/parley/metrics")
    samples = {(s["name"], *s["labels"].values()): s["value"] for s in numbers["samples"]}
    assert samples["parley_messages_total", "accepted"] == 1
    assert samples["parley_sessions",] == 2 and samples["parley_store_healthy",] == 1
    durations = {d["name"]: d for d in numbers["durations"]}
    commits = durations["parley_store_commit_seconds"]
    assert 0 < commits["sum_seconds"] and commits["p50_seconds"] <= commits["p99_seconds"], commits
    assert numbers["stage"] == "serving" and numbers["is_ready"], numbers
    _, _, text = await server.get("/metrics")
    lines = [line for line in text.decode().splitlines() if line and not line.startswith("#")]
    names = {line.split("{")[0].split(" ")[0] for line in lines}
    plain = {name for name in names if not name.endswith(("_bucket", "_sum", "_count"))}
    assert plain == {name for name, *_ in samples}, plain ^ {name for name, *_ in samples}


async def test_settings_without_secrets(ctx):
    """All settings are listed with their values; secrets only tell whether there are any, and addresses are
    without their queries. Commands may hold secrets."""
    secret = "a-secret-of-many-bytes"
    keys = base64.b64encode(os.urandom(32)).decode()
    server = await ctx.fresh(
        "--webhooks-secret", secret, "--limits-flood-messages", "7",
        "--auth-jwt-secret", secret + secret,
        "--files-master-key-command", f"echo first {keys} # {secret}",
        "--webhooks-urls", f"http://127.0.0.1:1/hook?key={secret}")
    async with Caller(server) as caller:
        answer = await caller.send("GET", "/v3/parley/settings")
    assert secret not in answer.content.decode() and keys not in answer.content.decode()
    listed = {setting["name"]: setting for setting in answer.value["settings"]}
    assert listed["limits.flood.messages"]["value"] == "7"
    assert listed["limits.throttle.window_ms"]["value"] == "1000"
    assert listed["dashboard.mode"]["value"] == "operations"
    assert listed["webhooks.urls"]["value"] == "http://127.0.0.1:1/hook"
    for name in ("webhooks.secret", "auth.jwt_secret", "files.master_key_command"):
        assert listed[name]["is_secret"] and listed[name]["is_set"], listed[name]
    assert listed["auth.api_token"]["is_secret"] and not listed["auth.api_token"]["is_set"]
    assert len(listed) > 100
