"""Missed events of groups: `group.recover`."""

import asyncio
import json
import random

from groups import FREE, fence, group, refusal, view
from parleyjs import Proxy


async def position(client, url):
    """The last event of a group, as `group.recover` takes it."""
    channel = await view(client, url, members_limit=0)
    return {"channel_url": url, "epoch": channel["epoch"], "seq": channel["seq"]}


async def recover(client, *positions):
    return (await client.call("group.recover", channels=list(positions)))["results"]


def shown(result):
    """The events of a result: their names and numbers, with the texts of messages."""
    return [(e["method"], e["params"]["seq"], e["params"].get("message", {}).get("message")) for e in result["events"]]


async def back(ctx, server, user_id):
    """Another connection of a user, which receives the events of its groups from here on."""
    client = await ctx.user(server, user_id)
    await client.event("group.ready")
    return client


async def test_missed_events(ctx):
    """Messages, edits, deletions and members come as they were; what is there is not told again."""
    server = await ctx.server(*FREE)
    url, creator, away = await group(ctx, server, 1)
    first = await creator.send(url, "first")
    doomed = await creator.send(url, "doomed")
    await fence(url, creator, away)
    known = await position(away, url)
    (result,) = await recover(away, known)
    assert result == {**known, "recovered": True, "events": []}, result
    await away.leave()
    second = await creator.send(url, "second")
    await creator.call("message.update", channel_url=url, message_id=first["message"]["message_id"], message="edited")
    await creator.call("message.delete", channel_url=url, message_id=doomed["message"]["message_id"])
    other = await ctx.user(server)
    await creator.call("group.invite", channel_url=url, user_ids=[other.user_id])
    client = await back(ctx, server, away.user_id)
    (result,) = await recover(client, known)
    seq = known["seq"]
    assert result["recovered"] is True and result["seq"] == seq + 4, result
    assert shown(result) == [
        ("message.received", seq + 1, "second"), ("message.updated", seq + 2, "edited"),
        ("message.deleted", seq + 3, None), ("group.joined", seq + 4, None)], shown(result)
    live = await creator.event("message.deleted", channel_url=url)
    assert result["events"][2]["params"] == live and live["ordinal"] == 2 and live["sender_id"] == creator.user_id
    await creator.call("message.delete", channel_url=url, message_id=second["message"]["message_id"])
    (result,) = await recover(client, known)
    deleted = [e["params"] for e in result["events"] if e["method"] == "message.deleted"][1]
    assert deleted["seq"] == seq + 5 and "ordinal" not in deleted, deleted
    await creator.send(url, "live")
    live = await client.event("message.received", channel_url=url)
    assert live["seq"] == seq + 6 and live["message"]["message"] == "live"
    assert [e for e in client.told("message.received", channel_url=url)] == [client.told("message.received")[0]]


async def test_what_cannot_be_recovered(ctx):
    """Other positions, strangers, former members and channels of the other kind have an answer of their own."""
    server = await ctx.server(*FREE)
    url, creator, member = await group(ctx, server, 1)
    lost, _, gone = (await group(ctx, server, 1))[:3]
    stranger = await ctx.user(server)
    room = ctx.name("room")
    await creator.call("channel.create", channel_url=room)
    known = await position(member, url)
    for change in ({"epoch": "other"}, {"seq": known["seq"] + 1}):
        (result,) = await recover(member, {**known, **change})
        assert result == {**known, "recovered": False, "events": []}, result
    private = {"channel_url": lost, "epoch": known["epoch"], "seq": 0}
    missing = {**private, "channel_url": ctx.name("none")}
    results = await recover(member, private, known, missing, {**private, "channel_url": room})
    assert [r.get("error", {}).get("code") for r in results] == [400201, None, 400201, 400920], results
    assert results[0]["error"]["message"].replace(lost, "") == results[2]["error"]["message"].replace(
        missing["channel_url"], "")
    await creator.call("group.remove", channel_url=url, user_ids=[member.user_id])
    (result,) = await recover(member, known)
    assert result["error"]["code"] == 400201 and "events" not in result
    public, _, invited = await group(ctx, server, 1, is_public=True)
    open_to_all = await position(stranger, public)
    (result,) = await recover(stranger, open_to_all)
    assert result["error"]["code"] == 400108, result
    ephemeral, owner = await group(ctx, server, 0, is_ephemeral=True)
    (result,) = await recover(owner, await position(owner, ephemeral))
    assert result["recovered"] is False and "reason" not in result
    for params, number, field in (
            ({}, 400105, "channels"), ({"channels": []}, 400111, "channels"), ({"channels": [known, known]}, 400111, "channels"),
            ({"channels": "x"}, None, "channels"), ({"channels": [7]}, None, "channels"),
            ({"channels": [{"channel_url": url, "epoch": "e"}]}, 400105, "seq"),
            ({"channels": [{**known, "seq": 2 ** 53}]}, None, "seq"),
            ({"channels": [{**known, "channel_url": f"group-{n}"} for n in range(101)]}, 400203, "channels")):
        error = await refusal(member, "group.recover", **params)
        assert error and number in (None, error.code) and error.data.get("field") == field, (params, error)


async def test_a_member_recovers_only_its_own_history(ctx):
    """Nothing from before joining, or from before a cleared history."""
    server = await ctx.server(*FREE)
    url, creator, early = await group(ctx, server, 1)
    secret = await creator.send(url, "secret")
    start = {**await position(creator, url), "seq": 0}
    late = await ctx.user(server)
    await creator.call("group.invite", channel_url=url, user_ids=[late.user_id])
    await creator.call("message.update", channel_url=url, message_id=secret["message"]["message_id"], message="changed")
    await creator.send(url, "shown")
    (result,) = await recover(late, start)
    assert [(name, text) for name, _, text in shown(result)] == [("group.joined", None), ("message.received", "shown")]
    assert result["events"][0]["params"]["user"]["user_id"] == late.user_id
    await early.call("group.reset_history", channel_url=url)
    await creator.send(url, "after")
    (result,) = await recover(early, start)
    assert [text for name, _, text in shown(result) if name.startswith("message.")] == ["after"], shown(result)


async def test_answers_share_a_budget(ctx):
    """What does not fit beside other groups has a reason, and comes with the next call; nothing is missed."""
    server = await ctx.server(*FREE)
    creator, away = await ctx.users(server, 2)
    urls = [ctx.name("large") for _ in range(4)]
    text = "x" * 5000
    known = {}
    for url in urls:
        await creator.call("group.create", channel_url=url, user_ids=[away.user_id])
        known[url] = await position(creator, url)
        for _ in range(40):
            await creator.send(url, text)
    found, calls = {}, 0
    while len(found) < len(urls):
        results = await recover(away, *(known[url] for url in urls if url not in found))
        calls += 1
        assert results[0]["recovered"] is True
        for result in results:
            if result["recovered"]:
                found[result["channel_url"]] = len(result["events"])
            else:
                assert result["reason"] == "budget" and result["events"] == []
    assert set(found.values()) == {40} and 1 < calls < 4, (found, calls)


async def test_too_many_groups_for_the_rate(ctx):
    """Each group is a call of the budget; a call that is too much costs itself only, and is possible later."""
    server = await ctx.server("--limits-flood-messages", "0", "--limits-calls-burst", "30",
                              "--limits-calls-per-second", "5")
    url, creator = await group(ctx, server, 0)
    known = await position(creator, url)
    channels = [known] + [{**known, "channel_url": f"none-{n}"} for n in range(24)]
    assert len(await recover(creator, *channels)) == 25
    error = await refusal(creator, "group.recover", channels=channels)
    assert error.code == 500910 and error.data["retry_after_ms"] > 0, error
    assert (await recover(creator, known))[0]["recovered"] is True


async def test_nothing_is_missed_or_told_twice_over_cuts(ctx):
    """Events of several groups under load, over connections that are cut at random: each once, in order."""
    server = await ctx.server(*FREE)
    creator = await ctx.user(server)
    client = await ctx.user(server)
    await client.event("group.ready")
    urls = [ctx.name("busy") for _ in range(5)]
    last = {}
    for url in urls:
        await creator.call("group.create", channel_url=url, user_ids=[client.user_id])
        last[url] = await position(creator, url)
    texts = {url: [] for url in urls}
    sent = {url: [] for url in urls}
    stopped = False

    async def send():
        number = 0
        while not stopped:
            url = random.choice(urls)
            await creator.send(url, str(number))
            sent[url].append(str(number))
            number += 1

    def take(event):
        known = last[event["params"]["channel_url"]]
        seq = event["params"].get("seq")
        if seq is None or seq <= known["seq"]:
            return
        known["seq"] = seq
        if event["method"] == "message.received":
            texts[known["channel_url"]].append(event["params"]["message"]["message"])

    sender = asyncio.create_task(send())
    try:
        for _ in range(8):
            await client.leave()
            client = await back(ctx, server, client.user_id)
            results = await recover(client, *last.values())
            # Later events may have come before the answer: those of the answer are first.
            for result in results:
                assert result["recovered"] is True, result
                for event in result["events"]:
                    take(event)
            await asyncio.sleep(random.random() / 10)
            for url in urls:
                await fence(url, creator, client)
            for event in client.events:
                if event["params"].get("channel_url") in last:
                    take(event)
    finally:
        stopped = True
        await sender
    for url in urls:
        await fence(url, creator, client)
    for event in client.events:
        if event["params"].get("channel_url") in last:
            take(event)
    assert texts == sent


async def test_the_swift_library_over_cuts(ctx):
    """`parley watch` prints each message of a group once and in order, and each edit, whatever its connection does."""
    server = await ctx.server(*FREE)
    url, creator, member = await group(ctx, server, 1)
    first = await creator.send(url, "first")
    proxy = await Proxy.start(server.port)
    process = await asyncio.create_subprocess_exec(
        ctx.parley, "watch", "--group", url, "--user", member.user_id, "--json", "--server", f"http://127.0.0.1:{proxy.port}",
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL)
    texts, edits, losses = [], [], []

    async def read():
        while line := await process.stdout.readline():
            event = json.loads(line)
            if event.get("event") == "events_lost":
                losses.append(event)
            text = event.get("params", {}).get("message", {}).get("message")
            if event.get("method") == "message.received":
                texts.append(text)
            elif event.get("method") == "message.updated":
                edits.append(text)

    reading = asyncio.create_task(read())
    try:
        # It is in the group when a message arrives; those before are not printed.
        while not texts:
            await creator.send(url, "begin")
            await asyncio.sleep(0.1)
        begun = len(texts)
        sent = []
        for cut in range(4):
            for number in range(15):
                sent.append(f"{cut} {number}")
                await creator.send(url, sent[-1])
                if number == 5:
                    proxy.cut()
            await creator.call(
                "message.update", channel_url=url, message_id=first["message"]["message_id"], message=f"edit {cut}")
            async with asyncio.timeout(60):
                while sent[-1] not in texts or f"edit {cut}" not in edits:
                    await asyncio.sleep(0.05)
        assert [text for text in texts[begun:] if text != "begin"] == sent and not losses, (texts, losses)
        # An update may come twice; it has the newest state.
        assert list(dict.fromkeys(edits)) == [f"edit {cut}" for cut in range(4)], edits
    finally:
        process.kill()
        await reading
        proxy.close()
