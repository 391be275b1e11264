"""What one user may cost a channel: windows of changes, bytes, paced events, mentions."""

import asyncio
import random
import time

from harness import Refused, eventually, fence, refused
from recovery import sends

FREE = ("--limits-flood-messages", "0", "--limits-throttle-messages", "0")
WIDE = ("--limits-flood-messages", "3", "--limits-flood-window-ms", "3600000")


async def outcome(client, method, **params):
    """None, or the error that answered."""
    try:
        await client.call(method, **params)
    except Refused as refusal:
        return refusal
    return None


async def count(server, name):
    _, _, body = await server.get("/metrics")
    for line in body.decode().splitlines():
        if line.startswith(name + " "):
            return float(line.split()[1])
    raise AssertionError(f"no metric {name}")


async def test_changes_have_a_window_of_their_own(ctx):
    """Changes of every kind share a window that sends do not, as wide as theirs."""
    server = await ctx.fresh(*WIDE)
    channel, owner, author, voter = await ctx.room(server, 2)
    sent = [(await author.send(channel, f"m{n}"))["message"]["message_id"] for n in range(3)]
    async with refused(900200, scope="user_channel", limit=3, window_ms=3600000):
        await author.send(channel, "one too many")
    address = {"channel_url": channel, "message_id": sent[0]}
    await author.call("message.update", **address, message="edited")
    await author.call("message.create_metaarray_keys", **address, keys=["poll"])
    await author.call("message.add_metaarray_values", **address, values={"poll": ["yes"]})
    for method, params in (
            ("message.update", {"message": "again"}),
            ("message.create_metaarray_keys", {"keys": ["other"]}),
            ("message.delete_metaarray_keys", {"keys": ["poll"]}),
            ("message.add_metaarray_values", {"values": {"poll": ["no"]}}),
            ("message.remove_metaarray_values", {"values": {"poll": ["yes"]}})):
        refusal = await outcome(author, method, **address, **params)
        assert refusal and refusal.code == 900200, (method, refusal)
        assert refusal.data["scope"] == "user_channel", refusal.data
        assert 0 < refusal.data["retry_after_ms"] <= 3600000, refusal.data
    await voter.call("message.add_metaarray_values", **address, values={"poll": ["no"]})
    await author.call("message.delete", **address)
    assert await outcome(owner, "channel.freeze", channel_url=channel) is None
    assert await outcome(owner, "channel.unfreeze", channel_url=channel) is None
    assert await outcome(
        owner, "channel.mute", channel_url=channel, user_id=voter.user_id) is None
    for method, params in (
            ("channel.update", {"name": "N"}), ("channel.freeze", {}),
            ("channel.ban", {"user_id": voter.user_id}),
            ("channel.unmute", {"user_id": voter.user_id}),
            ("channel.add_operators", {"user_ids": [voter.user_id]})):
        refusal = await outcome(owner, method, channel_url=channel, **params)
        assert refusal and refusal.code == 900200, (method, refusal)
    status, _ = await server.api("PUT", f"/open_channels/{channel}/freeze")
    assert status == 200, "the Platform API is in no window"
    status, explained = await server.api(
        "GET", "/parley/limits/explain", user_id=author.user_id, channel_url=channel)
    assert (status, explained["changes"]["used"]) == (200, 3), explained
    assert explained["changes"]["retry_after_ms"] > 0, explained


async def test_refused_and_empty_changes_take_no_place(ctx):
    """A change that is refused or changes nothing leaves the window as it was."""
    server = await ctx.fresh(*WIDE)
    channel, owner, author, voter = await ctx.room(server, 2)
    sent = (await author.send(channel, "x", metaarray=[{"key": "k", "value": ["v"]}]))["message"]
    address = {"channel_url": channel, "message_id": sent["message_id"]}
    for _ in range(5):
        assert (await outcome(voter, "message.update", **address, message="y")).code == 400108
        assert (await outcome(
            author, "message.update", channel_url=channel, message_id=1, message="y")
        ).code == 400201
        assert await outcome(
            author, "message.create_metaarray_keys", **address, keys=["k"]) is None
        assert await outcome(owner, "channel.unfreeze", channel_url=channel) is None
        assert await outcome(
            owner, "channel.unban", channel_url=channel, user_id=voter.user_id) is None
        assert (await outcome(
            owner, "channel.ban", channel_url=channel, user_id="nobody-at-all")).code == 400201
    for n in range(3):
        await author.call("message.update", **address, message=str(n))
        await owner.call("channel.update", channel_url=channel, name=str(n))
    assert (await outcome(author, "message.update", **address, message="z")).code == 900200


async def test_a_byte_budget(ctx):
    """Large messages are held to 64 KiB a second after a burst; the largest passes on its own."""
    server = await ctx.fresh("--limits-throttle-messages", "0")
    channel, owner, sender = await ctx.room(server, 1)
    began = time.monotonic()
    accepted, size = 0, len("\N{GRINNING FACE}".encode()) * 5000
    await owner.send(channel, "\N{GRINNING FACE}" * 5000, data="d" * 16384)
    for _ in range(40):
        refusal = await outcome(
            sender, "message.send", channel_url=channel, message="\N{GRINNING FACE}" * 5000,
            data="d" * 16384)
        if refusal is None:
            accepted += size + 16384
        else:
            assert refusal.code == 900200 and refusal.data["scope"] == "user_channel"
            assert refusal.data["retry_after_ms"] > 0
            await asyncio.sleep(min(refusal.data["retry_after_ms"] / 1000, 0.2))
    most = 131072 + 65536 * (time.monotonic() - began)
    assert 0 < accepted <= most, f"{accepted} of {most} bytes"
    message = await owner.event("message.received", channel_url=channel)
    assert len(message["message"]["data"]) == 16384


async def test_changes_of_a_large_message_use_up_the_budget(ctx):
    """A small change of a large message costs the whole event."""
    server = await ctx.fresh("--limits-flood-messages", "50")
    channel, owner, author = await ctx.room(server, 1)
    sent = (await author.send(
        channel, "\N{GRINNING FACE}" * 5000, data="d" * 16384))["message"]
    refusals = [await outcome(
        author, "message.update", channel_url=channel, message_id=sent["message_id"],
        custom_type=str(n)) for n in range(12)]
    codes = [refusal and refusal.code for refusal in refusals]
    assert 900200 in codes, codes
    limit = next(r for r in refusals if r).data["limit"]
    assert limit == 65536, limit


async def test_updates_are_paced(ctx):
    """A message's updates are told at most five times a second, and end with the newest state."""
    server = await ctx.server(*FREE)
    channel, owner, author, other = await ctx.room(server, 2)
    sent = (await author.send(channel, "poll", metaarray=[{"key": "n", "value": []}]))["message"]
    address = {"channel_url": channel, "message_id": sent["message_id"]}
    came = []

    def looked():
        came.extend([time.monotonic()] * (len(owner.told("message.updated")) - len(came)))
        return len(came)
    watching = asyncio.create_task(owner.until(
        lambda: looked() and owner.told("message.updated")[-1]["params"]["message"]["message"]
        == "last", "the last update"))
    began = time.monotonic()
    for n in range(60):
        await author.call("message.update", **address, message=str(n))
    last = await author.call("message.update", **address, message="last")
    took = time.monotonic() - began
    await watching
    events = owner.told("message.updated", channel_url=channel)
    assert len(events) <= 5 * took + 3, f"{len(events)} in {took:.2f} s"
    assert events[-1]["params"]["message"] == last["message"]
    seqs = [event["params"]["seq"] for event in events]
    assert seqs == sorted(seqs)
    state = await owner.enter(channel)
    assert seqs[-1] == state["seq"]
    assert not author.told("message.updated")
    assert other.told("message.updated")


async def test_the_newest_author_is_left_out(ctx):
    """The author of the newest state learns of it by its answer; those of older ones are told."""
    server = await ctx.server(*FREE)
    channel, owner, author = await ctx.room(server, 1)
    sent = (await author.send(channel, "x"))["message"]
    address = {"channel_url": channel, "message_id": sent["message_id"]}
    await author.call("message.update", **address, message="first")
    await owner.call("message.update", **address, message="second")
    newest = (await author.call("message.update", **address, message="third"))["message"]
    await owner.until(
        lambda: owner.told("message.updated")
        and owner.told("message.updated")[-1]["params"]["message"] == newest, "the newest")
    await fence(channel, owner, owner, author)
    texts = [e["params"]["message"]["message"] for e in author.told("message.updated")]
    assert "third" not in texts, texts


async def test_a_deletion_drops_what_waits(ctx):
    """After message.deleted no update of the message follows."""
    server = await ctx.server(*FREE)
    channel, owner, author = await ctx.room(server, 1)
    for _ in range(5):
        sent = (await author.send(channel, "x"))["message"]
        address = {"channel_url": channel, "message_id": sent["message_id"]}
        for n in range(4):
            await author.call("message.update", **address, message=str(n))
        await author.call("message.delete", **address)
    sent = (await author.send(channel, "y"))["message"]
    address = {"channel_url": channel, "message_id": sent["message_id"]}
    for n in range(4):
        await author.call("message.update", **address, message=f"y{n}")
    # Its last update has waited longer than any of the others could have.
    await owner.until(
        lambda: any(e["params"]["message"]["message"] == "y3"
                    for e in owner.told("message.updated")), "the last update")
    gone = set()
    for event in owner.events:
        if event["method"] == "message.deleted":
            gone.add(event["params"]["message_id"])
        elif event["method"] == "message.updated":
            assert event["params"]["message"]["message_id"] not in gone


async def away_after(ctx, server, viewer, channel):
    """Drops the connection without ado, and gives the highest seq that it saw."""
    seen = [e["params"]["seq"] for e in viewer.events
            if e["params"].get("channel_url") == channel and "seq" in e["params"]]
    viewer.socket.transport.abort()
    await viewer.ended()
    return max(seen)


async def test_recovery_after_an_update_that_was_held_back(ctx):
    """A client that saw later events than a held-back update recovers its state all the same."""
    server = await ctx.server(*FREE)
    channel, owner, author, viewer = await ctx.room(server, 2)
    state = await viewer.enter(channel)
    for _ in range(8):
        sent = (await author.send(channel, "x"))["message"]
        address = {"channel_url": channel, "message_id": sent["message_id"]}
        for n in range(3):
            await author.call("message.update", **address, message=str(n))
        later = await author.send(channel, "later")
        await viewer.event("message.received", seq=later["seq"])
        seen = {e["params"]["message"]["message"]
                for e in viewer.told("message.updated")
                if e["params"]["message"]["message_id"] == sent["message_id"]}
        position = await away_after(ctx, server, viewer, channel)
        assert position >= later["seq"]
        viewer = await ctx.user(server, viewer.user_id)
        answer = await viewer.enter(
            channel, recover={"epoch": state["epoch"], "seq": position})
        assert answer["recovered"] is True
        updates = [e["params"] for e in answer["events"] if e["method"] == "message.updated"
                   and e["params"]["message"]["message_id"] == sent["message_id"]]
        assert len(updates) <= 1, updates
        if updates:
            assert updates[0]["message"]["message"] == "2"
        elif "2" not in seen:
            # It is still held back, and follows as an event.
            await viewer.until(
                lambda: any(e["params"]["message"]["message"] == "2"
                            for e in viewer.told("message.updated")), "the held-back update")


async def test_recovery_of_a_held_back_update_after_kill_9(ctx):
    """The same over kill -9: the state of the update that nobody was told of is recovered."""
    server = await ctx.fresh(*FREE)
    channel, owner, author, viewer = await ctx.room(server, 2)
    epoch = (await viewer.enter(channel))["epoch"]
    for turn in range(4):
        sent = (await author.send(channel, "x"))["message"]
        address = {"channel_url": channel, "message_id": sent["message_id"]}
        for n in range(3):
            await author.call("message.update", **address, message=f"{turn}-{n}")
        later = await author.send(channel, "later")
        await viewer.event("message.received", seq=later["seq"])
        await server.kill()
        seen = [e["params"] for e in viewer.told("message.updated")]
        server = await ctx.fresh(*FREE, data=server.data)
        owner, author, viewer = [
            await ctx.user(server, client.user_id) for client in (owner, author, viewer)]
        answer = await viewer.enter(channel, recover={"epoch": epoch, "seq": later["seq"]})
        assert answer["recovered"] is True
        states = [p["message"]["message"] for p in seen] + [
            e["params"]["message"]["message"] for e in answer["events"]]
        assert f"{turn}-2" in states, states
        await author.enter(channel)
        await owner.enter(channel)


async def test_recovery_tells_each_message_s_newest_state_once(ctx):
    """Many updates of a message that were missed are one event, with the last one's seq."""
    server = await ctx.server(*FREE)
    channel, owner, author, viewer = await ctx.room(server, 2)
    numbers = [a["message"]["message_id"] for a in await sends(author, channel, 3)]
    state = await viewer.enter(channel)
    await viewer.leave()
    dice = random.Random(7)
    last = {}
    for n in range(30):
        number = dice.choice(numbers)
        last[number] = (await author.call(
            "message.update", channel_url=channel, message_id=number,
            message=f"state {n}"))["message"]
    marked = await owner.call("channel.update", channel_url=channel, data="mark")
    viewer = await ctx.user(server, viewer.user_id)

    async def answered():
        answer = await viewer.enter(
            channel, recover={"epoch": state["epoch"], "seq": state["seq"]})
        updates = [e["params"] for e in answer["events"] if e["method"] == "message.updated"]
        return updates if len(updates) == len(last) else None
    updates = await eventually(answered, "all updates, none held back any more")
    assert {u["message"]["message_id"]: u["message"] for u in updates} == last and marked
    seqs = [u["seq"] for u in updates]
    assert seqs == sorted(seqs) and seqs[-1] == state["seq"] + 30


async def test_entering_and_leaving_is_paced(ctx):
    """A user that comes and goes is told at most once a second, and ends as it is."""
    server = await ctx.server()
    channel, owner = await ctx.room(server, 0)
    restless = await ctx.user(server)
    for ends_inside in (True, False):
        for _ in range(25):
            await restless.enter(channel)
            await restless.call("channel.exit", channel_url=channel)
        if ends_inside:
            await restless.enter(channel)
        wanted = "channel.user_entered" if ends_inside else "channel.user_exited"

        def settled():
            last = [e for e in owner.events if e["method"] in (
                "channel.user_entered", "channel.user_exited")]
            return last and last[-1]["method"] == wanted and last[-1]["params"][
                "participant_count"] == (2 if ends_inside else 1)
        await owner.until(settled, wanted)
    told = [e for e in owner.events if e["method"] in (
        "channel.user_entered", "channel.user_exited")]
    assert [e["method"] for e in told] == [
        ("channel.user_entered", "channel.user_exited")[n % 2] for n in range(len(told))]
    stamps = [e["params"]["ts"] for e in told]
    assert all(b - a >= 995 for a, b in zip(stamps, stamps[1:])), stamps
    assert not restless.told("channel.user_entered")


async def test_mentions_of_absent_users_are_bounded(ctx):
    """Of one sender's mentions sixty a minute are told to users elsewhere; messages go out."""
    server = await ctx.fresh("--limits-flood-messages", "0")
    channel, owner, sender = await ctx.room(server, 1)
    second = ctx.name("second")
    await owner.call("channel.create", channel_url=second)
    await sender.enter(second)
    absent = await ctx.users(server, 10)
    names = [client.user_id for client in absent]
    for n in range(8):
        await sender.send((channel, second)[n % 2], f"m{n}", mentioned_user_ids=names)

    async def dropped():
        return await count(server, "parley_mentions_dropped_total") == 20
    await eventually(dropped, "twenty mentions dropped")
    other = await ctx.user(server)
    await other.enter(channel)
    await other.send(channel, "another's", mentioned_user_ids=names)
    for client in absent:
        await client.until(lambda c=client: any(
            e["params"]["message"]["message"] == "another's"
            for e in c.told("mention.received")), "another's mention")
    told = sum(len(client.told("mention.received")) for client in absent)
    assert told == 60 + 10, told
    assert len((await owner.call(
        "message.list", channel_url=channel, prev_limit=200))["messages"]) == 5


async def test_large_messages_come_small_in_mentions(ctx):
    """mention.received of a large message comes without data, extra data and preview."""
    server = await ctx.server()
    channel, owner, sender = await ctx.room(server, 1)
    absent = await ctx.user(server)
    extra = {"data": "d" * 9000, "metaarray": [{"key": "k", "value": ["v"]}]}
    large = (await sender.send(
        channel, "large", mentioned_user_ids=[absent.user_id], **extra))["message"]
    small = (await sender.send(
        channel, "small", mentioned_user_ids=[absent.user_id], data="d"))["message"]
    await absent.until(lambda: len(absent.told("mention.received")) == 2, "both mentions")
    first, second = [e["params"]["message"] for e in absent.told("mention.received")]
    assert first == {**large, "data": "", "sorted_metaarray": [], "og_tag": None}
    assert second == small
