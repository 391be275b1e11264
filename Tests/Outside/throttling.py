"""Smart throttling, against a naive model computed from created_at."""

import asyncio
import random

from harness import PATIENCE, fence

FREE = ("--limits-flood-messages", "0")


def shown(messages, viewer, count=5, window=1000):
    """Which messages a participant is shown, by the letter of the rule."""
    times, result = [], []
    for message in messages:
        now = message["created_at"]
        own = message["user"]["user_id"] == viewer
        recent = sum(1 for t in times if now - window < t <= now)
        if own or recent < count:
            times.append(now)
            result.append(message)
    return result


def ids(messages):
    return [message["message_id"] for message in messages]


async def everything(owner, channel):
    found, position = [], None
    while True:
        where = {"message_id": position, "include": False} if position else {}
        page = (await owner.call(
            "message.list", channel_url=channel, prev_limit=200, **where))["messages"]
        if not page:
            return found
        found, position = page + found, page[0]["message_id"]


def check_withheld(viewer, channel, stored, seen):
    """channel.throttled covers exactly what was withheld, in order, and in time."""
    missing = [m for m in stored if m["message_id"] not in seen]
    notices = viewer.told("channel.throttled", channel_url=channel)
    told = 0
    for notice in (n["params"] for n in notices):
        part = missing[told:told + notice["withheld"]]
        assert len(part) == notice["withheld"] > 0, (notice, len(missing))
        assert notice["first_message_id"] == part[0]["message_id"], (notice, ids(part))
        assert notice["last_message_id"] == part[-1]["message_id"], (notice, ids(part))
        assert "seq" not in notice
        late = notice["ts"] - part[0]["created_at"]
        assert late <= 1000 + 500 * PATIENCE, f"told {late} ms after the first withheld"
        told += notice["withheld"]
    assert told == len(missing), f"{told} told of {len(missing)} withheld"
    stamps = [n["params"]["ts"] for n in notices]
    gaps = [b - a for a, b in zip(stamps, stamps[1:])]
    assert all(gap >= 1000 for gap in gaps), gaps


async def told_of_all(viewer, channel, stored, seen):
    missing = len(stored) - len(seen)
    await viewer.until(lambda: sum(
        n["params"]["withheld"] for n in viewer.told("channel.throttled", channel_url=channel)
    ) >= missing, f"notice of {missing} withheld")


async def test_a_burst(ctx):
    """Of twenty at once a participant is shown five, an operator all; the rest is counted."""
    server = await ctx.server(*FREE)
    channel, owner, sender, viewer = await ctx.room(server, 2)
    waiting = [await sender.ask("message.send", channel_url=channel, message=str(n))
               for n in range(20)]
    sent = [(await sender.result(part))["message"] for part in waiting]
    await fence(channel, owner, viewer)
    expected = shown(sent, viewer.user_id)
    assert ids(viewer.messages(channel)) == ids(expected)
    assert ids(owner.messages(channel)) == ids(sent)
    await told_of_all(viewer, channel, sent, ids(expected))
    check_withheld(viewer, channel, sent, set(ids(expected)))
    listed = await viewer.call("message.list", channel_url=channel, prev_limit=200)
    assert ids(listed["messages"]) == ids(sent)
    assert not owner.told("channel.throttled") and not sender.told("channel.throttled")


async def test_against_the_model(ctx):
    """Three senders at random, for seconds: each participant is shown just what the rule says."""
    server = await ctx.server(*FREE)
    channel, owner, *people = await ctx.room(server, 5)
    senders, viewers = people[:3], people
    seed = random.randrange(1 << 30)
    dice = random.Random(seed)
    pauses = [[dice.choice((0, 0, 0.01, 0.05, 0.2, 0.6)) for _ in range(25)] for _ in senders]

    async def chatter(client, rests):
        for rest in rests:
            await client.send(channel, "x")
            await asyncio.sleep(rest)
    await asyncio.gather(*(chatter(c, rests) for c, rests in zip(senders, pauses)))
    await fence(channel, owner, *viewers)
    stored = await everything(owner, channel)
    assert len(stored) == 75
    assert ids(owner.messages(channel)) == ids(stored)
    for viewer in viewers:
        expected = ids(shown(stored, viewer.user_id))
        others = [m["message_id"] for m in stored
                  if m["message_id"] in expected and m["user"]["user_id"] != viewer.user_id]
        assert ids(viewer.messages(channel)) == others, f"seed {seed}"
        await told_of_all(viewer, channel, stored, expected)
        check_withheld(viewer, channel, stored, set(expected))


async def test_two_connections_of_one_user(ctx):
    """The window is the user's: its connections are shown the same, whenever the second came."""
    server = await ctx.server(*FREE)
    channel, owner, sender, viewer = await ctx.room(server, 2)
    for n in range(3):
        await sender.send(channel, f"a{n}")
    second = await ctx.user(server, viewer.user_id)
    await second.enter(channel)
    waiting = [await sender.ask("message.send", channel_url=channel, message=f"b{n}")
               for n in range(10)]
    for part in waiting:
        await sender.result(part)
    await fence(channel, owner, viewer, second)
    stored = await everything(owner, channel)
    expected = ids(shown(stored, viewer.user_id))
    assert ids(viewer.messages(channel)) == expected
    assert ids(second.messages(channel)) == [
        m["message_id"] for m in stored[3:] if m["message_id"] in expected]
    await told_of_all(viewer, channel, stored, expected)
    await told_of_all(second, channel, stored, expected)
    check_withheld(viewer, channel, stored, set(expected))


async def test_a_sender_with_two_connections(ctx):
    """A user's own messages are always shown to its other connection, and use up its window."""
    server = await ctx.server(*FREE)
    channel, owner, sender, other = await ctx.room(server, 2)
    second = await ctx.user(server, sender.user_id)
    await second.enter(channel)
    waiting = [await sender.ask("message.send", channel_url=channel, message=f"own{n}")
               for n in range(8)]
    for part in waiting:
        await sender.result(part)
    await other.send(channel, "other")
    await fence(channel, owner, sender, second)
    stored = await everything(owner, channel)
    expected = ids(shown(stored, sender.user_id))
    assert ids(second.messages(channel)) == expected
    assert len(expected) >= 8


async def test_entering_anew_empties_the_window(ctx):
    """A participant that left and came back is shown five again at once."""
    server = await ctx.server(*FREE)
    channel, owner, sender, viewer = await ctx.room(server, 2)
    first = [await sender.send(channel, f"a{n}") for n in range(6)]
    await viewer.call("channel.exit", channel_url=channel)
    seen = len(viewer.messages(channel))
    await viewer.enter(channel)
    rest = [(await sender.send(channel, f"b{n}"))["message"] for n in range(5)]
    await fence(channel, owner, viewer)
    assert ids(viewer.messages(channel)[seen:]) == ids(rest) and len(first) == 6


async def test_updates_of_withheld_messages_are_withheld(ctx):
    """message.updated of a withheld message goes to those who were shown it alone."""
    server = await ctx.server(*FREE)
    channel, owner, sender, viewer = await ctx.room(server, 2)
    waiting = [await sender.ask("message.send", channel_url=channel, message=str(n))
               for n in range(8)]
    sent = [(await sender.result(part))["message"] for part in waiting]
    expected = set(ids(shown(sent, viewer.user_id)))
    for message in sent:
        await sender.call("message.update", channel_url=channel, message="edited",
                          message_id=message["message_id"])
    await fence(channel, owner, viewer)
    updated = {e["params"]["message"]["message_id"] for e in viewer.told("message.updated")}
    assert updated == expected and len(expected) < 8
    assert len(owner.told("message.updated")) == 8


async def test_deletions_go_to_everyone(ctx):
    """message.deleted of a withheld message goes to everyone."""
    server = await ctx.server(*FREE)
    channel, owner, sender, viewer = await ctx.room(server, 2)
    waiting = [await sender.ask("message.send", channel_url=channel, message=str(n))
               for n in range(8)]
    sent = [(await sender.result(part))["message"] for part in waiting]
    for message in sent:
        await sender.call("message.delete", channel_url=channel,
                          message_id=message["message_id"])
    await fence(channel, owner, viewer)
    assert [e["params"]["message_id"] for e in viewer.told("message.deleted")] == ids(sent)


async def test_messages_from_before_are_updated(ctx):
    """An update of a message from before one entered goes to it, withheld from others or not."""
    server = await ctx.server(*FREE)
    channel, owner, sender, viewer = await ctx.room(server, 2)
    waiting = [await sender.ask("message.send", channel_url=channel, message=str(n))
               for n in range(8)]
    sent = [(await sender.result(part))["message"] for part in waiting]
    late = await ctx.user(server)
    await late.enter(channel)
    await sender.call("message.update", channel_url=channel, message="edited",
                      message_id=sent[-1]["message_id"])
    await fence(channel, owner, viewer, late)
    assert late.told("message.updated") and not viewer.told("message.updated")


async def test_a_new_operator_is_shown_everything(ctx):
    """One who becomes an operator is shown everything from then on, one who ceases is not."""
    server = await ctx.server(*FREE)
    channel, owner, sender, viewer = await ctx.room(server, 2)

    async def burst():
        start = len(viewer.messages(channel))
        waiting = [await sender.ask("message.send", channel_url=channel, message=str(n))
                   for n in range(30)]
        for part in waiting:
            await sender.result(part)
        await fence(channel, owner, viewer)
        return len(viewer.messages(channel)) - start
    assert await burst() < 30
    await owner.call("channel.add_operators", channel_url=channel, user_ids=[viewer.user_id])
    assert await burst() == 30
    await owner.call("channel.remove_operators", channel_url=channel, user_ids=[viewer.user_id])
    assert await burst() < 30


async def test_the_same_notice_for_all(ctx):
    """Participants who missed the same messages get the same bytes."""
    server = await ctx.server(*FREE)
    channel, owner, sender, *viewers = await ctx.room(server, 6)
    waiting = [await sender.ask("message.send", channel_url=channel, message=str(n))
               for n in range(12)]
    for part in waiting:
        await sender.result(part)
    texts = set()
    for viewer in viewers:
        await viewer.event("channel.throttled", channel_url=channel)
        texts.add(next(t for t in viewer.raw if '"channel.throttled"' in t))
    assert len(texts) == 1, texts


async def test_other_settings(ctx):
    """With two in 400 ms the model holds as well; with 0 all are shown."""
    server = await ctx.server(
        *FREE, "--limits-throttle-messages", "2", "--limits-throttle-window-ms", "400")
    channel, owner, sender, viewer = await ctx.room(server, 2)
    for n in range(25):
        await sender.send(channel, str(n))
        await asyncio.sleep(0.03)
    await fence(channel, owner, viewer)
    stored = await everything(owner, channel)
    assert ids(viewer.messages(channel)) == ids(shown(stored, viewer.user_id, 2, 400))
    server = await ctx.server(*FREE, "--limits-throttle-messages", "0")
    channel, owner, sender, viewer = await ctx.room(server, 2)
    for n in range(25):
        await sender.send(channel, str(n))
    await fence(channel, owner, viewer)
    assert len(viewer.messages(channel)) == 25 and not viewer.told("channel.throttled")


async def test_channels_have_windows_of_their_own(ctx):
    """What one is shown of one channel uses up nothing of another."""
    server = await ctx.server(*FREE)
    first, owner, sender, viewer = await ctx.room(server, 2)
    second = ctx.name("room")
    await owner.call("channel.create", channel_url=second)
    for client in (owner, sender, viewer):
        await client.enter(second)
    for n in range(5):
        for channel in (first, second):
            await sender.send(channel, str(n))
    for channel in (first, second):
        await fence(channel, owner, viewer)
        assert len(viewer.messages(channel)) == 5


async def test_one_that_leaves_is_told_no_more(ctx):
    """One that left before the notice was due gets none for the channel, and no one else's."""
    server = await ctx.server(*FREE)
    channel, owner, sender, viewer, stays = await ctx.room(server, 3)
    waiting = [await sender.ask("message.send", channel_url=channel, message=str(n))
               for n in range(9)]
    for part in waiting:
        await sender.result(part)
    await viewer.call("channel.exit", channel_url=channel)
    at_exit = len(viewer.told("channel.throttled"))
    await stays.event("channel.throttled", channel_url=channel)
    await viewer.call("session.ping")
    assert len(viewer.told("channel.throttled")) == at_exit
