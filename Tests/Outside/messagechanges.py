"""Changes of messages: what a client learns of the messages that it has when it comes back."""

import time

from groups import FREE, code, fence, group, refusal


def now():
    return int(time.time() * 1000)


async def changes(client, url, limit=100, **start):
    """The changed messages by id, the ids of deleted ones, and the next token."""
    updated, deleted = {}, set()
    while True:
        page = await client.call("message.changes", channel_url=url, limit=limit, **start)
        for message in page["updated"]:
            updated[message["message_id"]] = message
        deleted.update(page["deleted_ids"])
        start = {"token": page["token"]}
        if not page["has_more"]:
            return updated, deleted, page["token"]


async def test_each_kind_of_change(ctx):
    """Edits, extra data and deletions are listed in channels of both kinds; sending is no change."""
    server = await ctx.server(*FREE)
    creator = await ctx.user(server)
    room = ctx.name("room")
    await creator.call("channel.create", channel_url=room)
    url, author, _ = await group(ctx, server, 1)
    for client, channel in ((creator, room), (author, url)):
        if channel == room:
            await client.enter(channel)
        sent = [(await client.send(channel, f"text {n}"))["message"]["message_id"] for n in range(5)]
        updated, deleted, token = await changes(client, channel, since=now() - 60_000)
        assert updated == {} and deleted == set()
        await client.call("message.update", channel_url=channel, message_id=sent[0], message="edited")
        await client.call("message.create_metaarray_keys", channel_url=channel, message_id=sent[1], keys=["votes"])
        await client.call("message.delete", channel_url=channel, message_id=sent[2])
        await client.call("message.update", channel_url=channel, message_id=sent[3], data="d")
        await client.call("message.delete", channel_url=channel, message_id=sent[3])
        updated, deleted, later = await changes(client, channel, limit=1, token=token)
        assert set(updated) == {sent[0], sent[1]} and deleted == {sent[2], sent[3]}, (updated, deleted)
        for message_id, message in updated.items():
            now_there = await client.call("message.get", channel_url=channel, message_id=message_id)
            assert message == now_there["message"]
        assert (await changes(client, channel, token=later))[:2] == ({}, set())
        assert set((await changes(client, channel, since=now() - 60_000))[0]) == {sent[0], sent[1]}


async def test_refusals(ctx):
    """Tokens of others and of other channels are void; strangers learn nothing; parameters are checked."""
    server = await ctx.server(*FREE)
    url, creator, member = await group(ctx, server, 1)
    other = (await group(ctx, server, 0))[0]
    stranger = await ctx.user(server)
    token = (await changes(member, url, since=now()))[2]
    assert await code(creator, "message.changes", channel_url=url, token=token) == 400109
    room = ctx.name("room")
    await member.call("channel.create", channel_url=room)
    assert await code(member, "message.changes", channel_url=room, token=token) == 400109
    for channel, number in ((other, 400201), (ctx.name("none"), 400201)):
        assert await code(member, "message.changes", channel_url=channel, since=now()) == number
    assert await code(stranger, "message.changes", channel_url=url, since=now()) == 400201
    quiet, owner = await group(ctx, server, 0, is_ephemeral=True)
    assert await code(owner, "message.changes", channel_url=quiet, since=now()) == 400201
    for params, number, field in (
            ({}, 400105, "token"), ({"since": now() - 31 * 86_400_000}, 400111, "since"), ({"since": -1}, 400106, "since"),
            ({"token": "x"}, 400109, None), ({"token": token, "since": now()}, 400920, "since"),
            ({"since": now(), "limit": 0}, 400113, "limit")):
        error = await refusal(member, "message.changes", channel_url=url, **params)
        assert error and error.code == number and field in (None, error.data.get("field")), (params, error)


async def test_a_member_sees_its_own_history_only(ctx):
    """Changes of messages from before joining are not told."""
    server = await ctx.server(*FREE)
    url, creator, early = await group(ctx, server, 1)
    old = (await creator.send(url, "secret"))["message"]["message_id"]
    gone = (await creator.send(url, "gone"))["message"]["message_id"]
    late = await ctx.user(server)
    await creator.call("group.invite", channel_url=url, user_ids=[late.user_id])
    new = (await creator.send(url, "shown"))["message"]["message_id"]
    await creator.call("message.update", channel_url=url, message_id=old, message="changed")
    await creator.call("message.update", channel_url=url, message_id=new, message="new")
    await creator.call("message.delete", channel_url=url, message_id=gone)
    updated, deleted, _ = await changes(late, url, since=now() - 60_000)
    assert set(updated) == {new} and deleted == set()
    updated, deleted, _ = await changes(early, url, since=now() - 60_000)
    assert set(updated) == {old, new} and deleted == {gone}


async def test_nothing_is_missed_over_kill_9(ctx):
    """Tokens and changes outlive the server; with events, they are all that happened."""
    server = await ctx.fresh(*FREE)
    url, creator, away = await group(ctx, server, 1)
    sent = [(await creator.send(url, str(n)))["message"]["message_id"] for n in range(6)]
    token = (await changes(away, url, since=now() - 60_000))[2]
    await creator.call("message.update", channel_url=url, message_id=sent[0], message="before")
    await creator.call("message.delete", channel_url=url, message_id=sent[1])
    await server.kill()
    server = await ctx.fresh(*FREE, data=server.data)
    creator = await ctx.user(server, creator.user_id)
    back = await ctx.user(server, away.user_id)
    await back.event("group.ready")
    await creator.call("message.update", channel_url=url, message_id=sent[2], message="after")
    updated, deleted, token = await changes(back, url, token=token)
    assert {i: m["message"] for i, m in updated.items()} == {sent[0]: "before", sent[2]: "after"}
    assert deleted == {sent[1]}
    await creator.call("message.update", channel_url=url, message_id=sent[3], message="live")
    await fence(url, creator, back)
    assert back.told("message.updated", channel_url=url)[-1]["params"]["message"]["message"] == "live"
    assert set((await changes(back, url, token=token))[0]) == {sent[3]}
