"""A wrong clock, and one that is set, while the server runs and between two runs: a server under faketime."""

import asyncio
import os
import time

from harness import PATIENCE, Server, as_variables, eventually, faketime, refused
from previewmetrics import metrics
from tokens import FLAGS, token

HOUR, DAY = 3_600, 86_400


class Clock:
    """The wall clock of servers; their steady clock stays right."""

    def __init__(self, ctx, ahead=0):
        self.path = os.path.join(ctx.directory(), "clock")
        self.variables = {
            **faketime(), "FAKETIME_TIMESTAMP_FILE": self.path, "FAKETIME_NO_CACHE": "1"}
        self.set(ahead)

    def set(self, ahead):
        """Sets the clock to so many seconds ahead of the right time."""
        with open(self.path + ".new", "w", encoding="ascii") as file:
            file.write(f"{ahead:+d}\n")
        os.replace(self.path + ".new", self.path)

    async def server(self, ctx, *flags, data=None):
        """A server with this clock."""
        data = data or ctx.directory()
        settings = as_variables("--listen", "127.0.0.1:0", "--data-dir", data, *ctx.always, *flags)
        server = await Server.start(ctx.parleyd, data, (), {**self.variables, **settings})
        ctx.running.append(server)
        return server


async def step(server, clock, ahead, direction):
    """Sets the clock, and waits until the server has noticed."""
    name = f'parley_clock_steps_total{{direction="{direction}"}}'
    before = (await metrics(server))[name]
    clock.set(ahead)

    async def noticed():
        return (await metrics(server))[name] == before + 1
    await eventually(noticed, "the step of the clock")


def logged(server, text):
    return [line for line in server.lines if text in line]


async def test_a_clock_that_was_ahead_in_the_last_run(ctx):
    """Messages from a clock two hours ahead stop neither the throttle's nor the flood windows of the next run."""
    clock = Clock(ctx, 2 * HOUR)
    server = await clock.server(ctx)
    channel, owner = await ctx.room(server, 0)
    epoch = (await owner.enter(channel))["epoch"]
    first = (await owner.send(channel, "ahead"))["message"]
    assert first["created_at"] > (time.time() + HOUR) * 1000
    await server.end()
    clock.set(0)
    server = await clock.server(ctx, data=server.data)
    assert logged(server, "the clock is behind the newest message")
    assert HOUR < (await metrics(server))["parley_clock_behind_seconds"] < 3 * HOUR
    sender, reader = await ctx.users(server, 2)
    for client in (sender, reader):
        await client.enter(channel)
    sent = []
    for number in range(9):
        # Five a second are shown; these are three.
        await asyncio.sleep(0.35)
        sent.append((await sender.send(channel, str(number)))["message"])
    await reader.until(lambda: len(reader.messages(channel)) == len(sent), "all messages")
    assert reader.messages(channel) == sent
    assert not reader.told("channel.throttled")
    times = [message["created_at"] for message in (first, *sent)]
    assert times == sorted(times) and times[-1] - times[1] > 2_000, times
    late = await ctx.user(server)
    entered = await late.enter(channel, recover={"epoch": epoch, "seq": 1})
    assert [e["params"]["message"]["message_id"] for e in entered["events"]] == [
        message["message_id"] for message in sent]
    # Other channels have the right time.
    other, owner = await ctx.room(server, 0)
    await owner.enter(other)
    message = (await owner.send(other, "now"))["message"]
    assert abs(message["created_at"] / 1000 - time.time()) < HOUR / 2


async def test_a_step_forward_and_back(ctx):
    """Tokens are judged by the clock as it is set, at once in both directions, and each step is logged."""
    clock = Clock(ctx)
    server = await clock.server(ctx, *FLAGS)
    name, expiry = ctx.name(), int(time.time()) + 1_200
    owner = await ctx.user(server, name, token=token(name))
    await step(server, clock, HOUR, "forward")
    client = await ctx.connect(server)
    async with refused(400302):
        await client.call("session.open", user_id=name, access_token=token(name, exp=expiry))
    clock.set(0)
    await ctx.user(server, name, token=token(name, exp=expiry))

    async def noticed():
        return (await metrics(server))['parley_clock_steps_total{direction="back"}'] == 1
    await eventually(noticed, "the step back")
    assert -HOUR - 60 < (await metrics(server))["parley_clock_last_step_seconds"] < -HOUR + 60
    forward, = logged(server, "the clock was set forward")
    back, = logged(server, "the clock was set back")
    assert "3600" in forward or "3599" in forward, forward
    assert "-3600" in back or "-3599" in back, back
    channel = await owner.call("channel.create", channel_url=ctx.name("channel"))
    url = channel["channel"]["channel_url"]
    await owner.enter(url)
    message = (await owner.send(url, "now"))["message"]
    assert abs(message["created_at"] / 1000 - time.time()) < HOUR / 2


async def test_a_step_forward_ends_sessions(ctx):
    """Sessions whose tokens have ended by the new time are closed with 4002; others stay."""
    clock = Clock(ctx)
    server = await clock.server(ctx, *FLAGS)
    now = int(time.time())
    ended = [await ctx.user(server, name, token=token(name, exp=now + seconds))
             for name, seconds in ((ctx.name(), 1_000), (ctx.name(), 2_000))]
    name = ctx.name()
    kept = await ctx.user(server, name, token=token(name, exp=now + 2 * HOUR))
    await step(server, clock, HOUR, "forward")
    for client in ended:
        assert await client.ended() == 4002
    await kept.call("session.ping")


async def test_a_step_back_keeps_sessions(ctx):
    """A session whose token was about to end by a wrong clock stays when the clock is set back."""
    clock = Clock(ctx)
    server = await clock.server(ctx, *FLAGS)
    name, now, rest = ctx.name(), int(time.time()), int(15 * PATIENCE)
    client = await ctx.user(server, name, token=token(name, exp=now + HOUR + rest))
    await step(server, clock, HOUR, "forward")
    await client.event("session.expiring")
    await step(server, clock, 0, "back")
    # Longer than the token would have lasted.
    await asyncio.sleep(rest + 1)
    await client.call("session.ping")


async def test_nothing_is_deleted_by_a_clock_that_is_ahead(ctx):
    """A start, or a step, 31 days ahead removes nothing past 30 days before a day is over."""
    clock = Clock(ctx)
    flags = ("--store-retention-days", "30")
    server = await clock.server(ctx, *flags)
    channel, owner = await ctx.room(server, 0)
    await owner.enter(channel)
    for number in range(5):
        await owner.send(channel, str(number))
    assert 0 < (await metrics(server))["parley_deletion_hold_seconds"] <= HOUR
    await step(server, clock, 31 * DAY, "forward")
    assert HOUR < (await metrics(server))["parley_deletion_hold_seconds"] <= DAY
    await server.end()
    server = await clock.server(ctx, *flags, data=server.data)
    assert logged(server, "more than a day after the newest message")
    assert HOUR < (await metrics(server))["parley_deletion_hold_seconds"] <= DAY
    await server.end()
    clock.set(0)
    server = await clock.server(ctx, *flags, data=server.data)
    reader = await ctx.user(server)
    listed = await reader.call("message.list", channel_url=channel, prev_limit=100)
    assert [m["message"] for m in listed["messages"]] == [str(n) for n in range(5)]
