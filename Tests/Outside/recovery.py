"""Entering with recover after having been away."""

import asyncio

from harness import fence
from throttling import ids, shown

FREE = ("--limits-flood-messages", "0")
ALL = (*FREE, "--limits-throttle-messages", "0")


async def sends(client, channel, count, stem="m"):
    waiting = [await client.ask("message.send", channel_url=channel, message=f"{stem}{n}")
               for n in range(count)]
    return [await client.result(part) for part in waiting]


async def away(ctx, flags=ALL):
    """A channel with its operator, a sender, and the state at which a third one left."""
    server = await ctx.server(*flags)
    channel, owner, sender, viewer = await ctx.room(server, 2)
    await sends(sender, channel, 2, "before")
    state = await viewer.enter(channel)
    await viewer.leave()
    await owner.event("channel.user_exited", channel_url=channel)
    return server, channel, owner, sender, await ctx.user(server, viewer.user_id), {
        "epoch": state["epoch"], "seq": state["seq"]}


async def test_nothing_missed(ctx):
    """With nothing missed recovered is true and events is empty."""
    _, channel, _, _, viewer, state = await away(ctx)
    answer = await viewer.enter(channel, recover=state)
    assert answer["recovered"] is True and answer["events"] == []
    assert answer["seq"] == state["seq"] and answer["epoch"] == state["epoch"]


async def test_what_was_missed_comes_whole(ctx):
    """What was missed comes as whole notifications in order, then live events follow on."""
    _, channel, owner, sender, viewer, state = await away(ctx)
    sent = await sends(sender, channel, 7)
    await owner.call("channel.update", channel_url=channel, name="Renamed")
    answer = await viewer.enter(channel, recover=state)
    assert answer["recovered"] is True
    events = answer["events"]
    assert [e["method"] for e in events] == ["message.received"] * 7 + ["channel.changed"]
    assert all(e["jsonrpc"] == "2.0" and e["params"]["channel_url"] == channel for e in events)
    assert [e["params"]["seq"] for e in events] == list(
        range(state["seq"] + 1, state["seq"] + 9))
    assert [e["params"]["message"] for e in events[:7]] == [a["message"] for a in sent]
    assert events[7]["params"]["channel"]["name"] == "Renamed"
    assert answer["seq"] == state["seq"] + 8
    later = (await sends(sender, channel, 1))[0]
    event = await viewer.event("message.received", channel_url=channel)
    assert event["seq"] == later["seq"] == answer["seq"] + 1


async def test_recovered_events_equal_the_live_ones(ctx):
    """A recovered notification has the same members as the live one had."""
    server = await ctx.server(*ALL)
    channel, owner, sender, witness, viewer = await ctx.room(server, 3)
    state = await viewer.enter(channel)
    await viewer.call("channel.exit", channel_url=channel)
    sent = (await sends(sender, channel, 1))[0]
    await owner.call("channel.freeze", channel_url=channel)
    await owner.call("channel.unfreeze", channel_url=channel)
    await owner.call("channel.mute", channel_url=channel, user_id=witness.user_id, seconds=60,
                     description="why")
    await owner.call("channel.unmute", channel_url=channel, user_id=witness.user_id)
    await owner.call("channel.add_operators", channel_url=channel, user_ids=[witness.user_id])
    await fence(channel, owner, witness)
    live = [e for e in witness.events if e["params"].get("channel_url") == channel
            and e["params"].get("seq", 0) > state["seq"]]
    answer = await viewer.enter(
        channel, recover={"epoch": state["epoch"], "seq": state["seq"]})
    names = [e["method"] for e in answer["events"]]
    assert names == [e["method"] for e in live], (names, [e["method"] for e in live])
    for recovered, told in zip(answer["events"], live):
        assert set(recovered["params"]) == set(told["params"]), (recovered, told)
        assert recovered["params"]["seq"] == told["params"]["seq"]
        assert recovered["params"]["ts"] == told["params"]["ts"], (recovered, told)
    assert answer["events"][0]["params"]["message"] == sent["message"]


async def test_own_messages_are_recovered(ctx):
    """Messages that the user sent over another connection meanwhile are recovered too."""
    server, channel, owner, sender, viewer, state = await away(ctx)
    second = await ctx.user(server, viewer.user_id)
    await second.enter(channel)
    sent = (await sends(second, channel, 2))
    answer = await viewer.enter(channel, recover=state)
    received = [e["params"]["message"]["message_id"] for e in answer["events"]
                if e["method"] == "message.received"]
    assert received == [a["message"]["message_id"] for a in sent]


async def test_deleted_ones_are_left_out(ctx):
    """Messages deleted since are left out; those from before that were deleted are told of."""
    _, channel, owner, sender, viewer, state = await away(ctx)
    sent = await sends(sender, channel, 3)
    gone = sent[1]["message"]["message_id"]
    await sender.call("message.delete", channel_url=channel, message_id=gone)
    before = (await owner.call("message.list", channel_url=channel))["messages"][0]["message_id"]
    await sender.call("message.delete", channel_url=channel, message_id=before)
    answer = await viewer.enter(channel, recover=state)
    assert answer["recovered"] is True
    received = [e["params"]["message"]["message_id"] for e in answer["events"]
                if e["method"] == "message.received"]
    assert received == [sent[0]["message"]["message_id"], sent[2]["message"]["message_id"]]
    deleted = [e["params"]["message_id"] for e in answer["events"]
               if e["method"] == "message.deleted"]
    assert before in deleted
    order = [e["params"]["seq"] for e in answer["events"]]
    assert order == sorted(order) and answer["seq"] == state["seq"] + 5


async def test_edited_ones_come_as_they_are_now(ctx):
    """A message edited meanwhile comes as it is now."""
    _, channel, owner, sender, viewer, state = await away(ctx)
    sent = (await sends(sender, channel, 1))[0]["message"]
    await sender.call("message.update", channel_url=channel, message="now",
                      message_id=sent["message_id"])
    answer = await viewer.enter(channel, recover=state)
    received = [e["params"]["message"] for e in answer["events"]
                if e["method"] == "message.received"]
    assert [m["message"] for m in received] == ["now"]
    assert received[0]["updated_at"] > 0


async def test_an_edit_of_an_older_message(ctx):
    """An edit, made meanwhile, of a message from before is recovered as message.updated."""
    _, channel, owner, sender, viewer, state = await away(ctx)
    old = (await owner.call("message.list", channel_url=channel))["messages"][0]
    await sender.call("message.update", channel_url=channel, message="now",
                      message_id=old["message_id"])
    answer = await viewer.enter(channel, recover=state)
    assert [e["method"] for e in answer["events"]] == ["message.updated"]
    assert answer["events"][0]["params"]["message"]["message"] == "now"


async def test_300_missed_are_recovered_and_301_are_not(ctx):
    """300 missed events are recovered, 301 are not."""
    _, channel, _, sender, viewer, state = await away(ctx)
    await sends(sender, channel, 300)
    answer = await viewer.enter(channel, recover=state)
    assert answer["recovered"] is True and len(answer["events"]) == 300
    await viewer.call("channel.exit", channel_url=channel)
    await sends(sender, channel, 1)
    answer = await viewer.enter(channel, recover=state)
    assert answer["recovered"] is False and answer["events"] == []
    assert answer["seq"] == state["seq"] + 301
    later = (await sends(sender, channel, 1))[0]
    assert (await viewer.event("message.received"))["seq"] == later["seq"]


async def test_another_epoch(ctx):
    """Another epoch, or a seq that is yet to come, is not recovered."""
    _, channel, _, sender, viewer, state = await away(ctx)
    await sends(sender, channel, 1)
    for recover in (
            {"epoch": "other", "seq": state["seq"]},
            {"epoch": state["epoch"], "seq": state["seq"] + 100}):
        answer = await viewer.enter(channel, recover=recover)
        assert answer["recovered"] is False and answer["events"] == [], recover


async def test_from_the_beginning(ctx):
    """seq 0 recovers everything of a short channel."""
    _, channel, _, sender, viewer, state = await away(ctx)
    answer = await viewer.enter(channel, recover={"epoch": state["epoch"], "seq": 0})
    assert answer["recovered"] is True and len(answer["events"]) == answer["seq"] > 0


async def test_values(ctx):
    """recover with members missing or of a wrong type is refused and enters nothing."""
    server, channel, owner, sender, viewer, state = await away(ctx)
    for recover in ("x", [], 5, {"epoch": state["epoch"]}, {"seq": 1},
                    {"epoch": 5, "seq": 1}, {"epoch": state["epoch"], "seq": "1"},
                    {"epoch": state["epoch"], "seq": -1}):
        try:
            await viewer.enter(channel, recover=recover)
        except Exception as refusal:
            assert 400100 <= getattr(refusal, "code", 0) <= 400151, (recover, refusal)
        else:
            raise AssertionError(f"recover {recover} was accepted")


async def test_throttled_recovery(ctx):
    """What is recovered is throttled as if the window had started empty at the first missed."""
    _, channel, owner, sender, viewer, state = await away(ctx, FREE)
    sent = [a["message"] for a in await sends(sender, channel, 30)]
    answer = await viewer.enter(channel, recover=state)
    assert answer["recovered"] is True
    received = [e["params"]["message"]["message_id"] for e in answer["events"]
                if e["method"] == "message.received"]
    assert received == ids(shown(sent, viewer.user_id)), len(received)
    assert answer["seq"] == state["seq"] + 30


async def test_an_operator_recovers_everything(ctx):
    """An operator's recovery is not throttled."""
    server = await ctx.server(*FREE)
    channel, owner, sender = await ctx.room(server, 1)
    state = await owner.enter(channel)
    await owner.call("channel.exit", channel_url=channel)
    await sends(sender, channel, 20)
    answer = await owner.enter(channel, recover={"epoch": state["epoch"], "seq": state["seq"]})
    assert len(answer["events"]) == 20


async def test_recovery_after_kill_9(ctx):
    """After kill -9 and a restart the epoch is the same and everything missed is recovered."""
    server = await ctx.fresh(*ALL)
    channel, _, sender, viewer = await ctx.room(server, 2)
    state = await viewer.enter(channel)
    sent = await sends(sender, channel, 20)
    await server.kill()
    server = await ctx.fresh(*ALL, data=server.data)
    back = await ctx.user(server, viewer.user_id)
    answer = await back.enter(
        channel, recover={"epoch": state["epoch"], "seq": state["seq"]})
    assert answer["recovered"] is True and answer["epoch"] == state["epoch"]
    assert [e["params"]["message"] for e in answer["events"]] == [a["message"] for a in sent]


async def test_no_gap_and_no_double_while_others_send(ctx):
    """Leaving and recovering over and over while others send misses and doubles nothing."""
    server = await ctx.server(*ALL)
    channel, owner, sender = await ctx.room(server, 1)
    name, stop, sent = ctx.name("comes-and-goes"), False, []

    async def chatter():
        while not stop:
            sent.append((await sender.send(channel, str(len(sent))))["seq"])
    first = await ctx.user(server, name)
    state = await first.enter(channel)
    await first.leave()
    last, epoch, got = state["seq"], state["epoch"], []
    talking = asyncio.create_task(chatter())
    try:
        for _ in range(12):
            client = await ctx.user(server, name)
            answer = await client.enter(channel, recover={"epoch": epoch, "seq": last})
            if not answer["recovered"]:
                raise AssertionError("more than 300 were missed")
            got += [e["params"]["seq"] for e in answer["events"]]
            await client.until(lambda: len(client.messages(channel)) >= 2)
            await client.leave()
            got += [e["params"]["seq"] for e in client.told("message.received")]
            last = got[-1]
    finally:
        stop = True
        await talking
    assert got == list(range(state["seq"] + 1, state["seq"] + 1 + len(got)))


async def test_a_restore_begins_a_new_epoch(ctx):
    """After a restore no position from before counts, also one that the channel reaches again: who recovers loads the
    channel anew."""
    data, backups = ctx.directory(), ctx.directory()
    server = await ctx.fresh(*ALL, data=data)
    channel, owner, viewer = await ctx.room(server, 1)
    await sends(owner, channel, 5)
    status, _, errors = await ctx.run(ctx.parley, "backup", backups, "--data-dir", data)
    assert status == 0, errors
    last = (await sends(owner, channel, 6))[-1]
    position = {"epoch": (await viewer.enter(channel))["epoch"], "seq": last["seq"]}
    await server.end()
    status, output, errors = await ctx.run(
        ctx.parley, "restore", backups, "--data-dir", data, "--replace")
    assert status == 0 and b"parley.sqlite" in output, (output, errors)
    server = await ctx.fresh(*ALL, data=data)
    owner, viewer = [await ctx.user(server, client.user_id) for client in (owner, viewer)]
    await owner.enter(channel)
    await sends(owner, channel, 9)
    answer = await viewer.enter(channel, recover=position)
    assert answer["recovered"] is False and answer["epoch"] != position["epoch"], answer
    assert answer["seq"] > position["seq"]
    # A restart of the restored server is none of these.
    await server.end()
    server = await ctx.fresh(*ALL, data=data)
    viewer = await ctx.user(server, viewer.user_id)
    again = await viewer.enter(channel, recover={"epoch": answer["epoch"], "seq": answer["seq"]})
    assert again["recovered"] is True
    await server.end()
    status, output, errors = await ctx.run(ctx.parley, "store", "new-epochs", "--data-dir", data)
    assert status == 0 and b"1 channels have new epochs" in output, (output, errors)
    server = await ctx.fresh(*ALL, data=data)
    viewer = await ctx.user(server, viewer.user_id)
    assert (await viewer.enter(
        channel, recover={"epoch": again["epoch"], "seq": again["seq"]}))["recovered"] is False
