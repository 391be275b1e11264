"""How long messages are kept: by custom type, by number and by channel, and legal holds."""

import contextlib
import os
import sqlite3

from calls import Caller
from groups import FREE, group, view
from harness import Refused, eventually, refused
from previewmetrics import metrics

DAY = 86_400_000
AT_ONCE = ("--store-deletion-hold-seconds", "0")


def make_older(server, days, ids):
    """Puts messages back in time, while the server is down."""
    path = os.path.join(server.data, "parley.sqlite")
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany(
            "UPDATE messages SET created_at = created_at - ? WHERE message_id = ?",
            [(days * DAY, number) for number in ids])


async def expired(server, count):
    async def are_gone():
        return (await metrics(server)).get('parley_messages_total{outcome="expired"}') == count
    await eventually(are_gone, f"the removal of {count} messages")


async def fill(client, url, count):
    return [(await client.send(url, str(number)))["message"]["message_id"] for number in range(count)]


async def listed(client, url):
    page = await client.call("message.list", channel_url=url, message_ts=0, prev_limit=0, next_limit=100)
    return [message["message"] for message in page["messages"]]


async def test_by_type_and_channel(ctx):
    """The custom type of a channel has its time, a channel a shorter one of its own, and a hold keeps all."""
    server = await ctx.fresh(*FREE)
    owner = await ctx.user(server)
    urls = {}
    async with Caller(server) as caller:
        for name, custom_type in [("plain", ""), ("support", "support"), ("own", "support"), ("held", "")]:
            made = await owner.call("channel.create", name=name, custom_type=custom_type)
            urls[name] = made["channel"]["channel_url"]
            await owner.enter(urls[name])
        old = [number for url in urls.values() for number in (await fill(owner, url, 3))[:2]]
        own, held = (f"/parley/channels/{urls[name]}" for name in ("own", "held"))
        assert await caller.call("GET", f"{own}/retention") == {
            "channel_url": urls["own"], "message_survival_seconds": -1, "hold": False, "retention_seconds": -1,
            "keep_messages": 0}
        answer = await caller.call("PUT", f"{own}/retention", {"message_survival_seconds": 5 * 86_400})
        assert answer["message_survival_seconds"] == answer["retention_seconds"] == 5 * 86_400, answer
        assert (await caller.call("PUT", f"{held}/hold", {"on": True}))["hold"] is True
    await server.end()
    make_older(server, 10, old)
    server = await ctx.fresh(
        *FREE, *AT_ONCE, "--store-retention", "support=365,*=7", data=server.data)
    await expired(server, 4)
    reader = await ctx.user(server)
    for name, texts in [("plain", ["2"]), ("support", ["0", "1", "2"]), ("own", ["2"]), ("held", ["0", "1", "2"])]:
        assert await listed(reader, urls[name]) == texts, name
    async with Caller(server) as caller:
        seconds = {
            name: (await caller.call("GET", f"/parley/channels/{url}/retention"))["retention_seconds"]
            for name, url in urls.items()}
        assert seconds == {"plain": 7 * 86_400, "support": 365 * 86_400, "own": 5 * 86_400, "held": -1}, seconds
        await caller.call("PUT", f"/parley/channels/{urls['held']}/hold", {"on": False})
    await server.end()
    server = await ctx.fresh(*FREE, *AT_ONCE, "--store-retention", "*=7", data=server.data)
    await expired(server, 4)
    reader = await ctx.user(server)
    for url in urls.values():
        assert await listed(reader, url) == ["2"], url


async def test_by_number(ctx):
    """The newest messages of each channel are kept, and what went is no longer unread in a group."""
    server = await ctx.fresh(*FREE)
    url, creator, member = await group(ctx, server, 1)
    await fill(creator, url, 12)
    assert (await view(member, url))["my"]["unread_message_count"] == 12
    await server.end()
    server = await ctx.fresh(*FREE, *AT_ONCE, "--store-keep-messages", "5", data=server.data)
    await expired(server, 7)
    member = await ctx.user(server, member.user_id)
    assert await listed(member, url) == ["7", "8", "9", "10", "11"]
    assert (await view(member, url))["my"]["unread_message_count"] == 5


async def test_a_hold_keeps_everything(ctx):
    """Under a legal hold messages are sent, but not edited or deleted, by anybody; nor is the channel."""
    server = await ctx.server(*FREE)
    channel, owner, writer = await ctx.room(server, 1)
    sent = (await writer.send(channel, "evidence"))["message"]["message_id"]
    url, creator, _ = await group(ctx, server, 1)
    access = ("--server", f"http://127.0.0.1:{server.port}", "--api-token", server.api_token)

    async def run(*arguments):
        _, output, errors = await ctx.run(ctx.parley, "retention", *arguments, *access)
        return (output + errors).decode()

    assert "on" in await run("hold", channel)
    async with Caller(server) as caller:
        await caller.call("PUT", f"/parley/channels/{url}/hold", {"on": True})
        holds = (await caller.call("GET", "/parley/holds", limit=100))["channels"]
        assert {"channel_url": channel, "channel_type": "open_channels"} in holds, holds
        assert {"channel_url": url, "channel_type": "group_channels"} in holds, holds
        message = {"channel_url": channel, "message_id": sent}
        for client in (writer, owner):
            try:
                await client.call("message.delete", **message)
            except Refused as refusal:
                assert (refusal.code, refusal.data["reason"]) == (400108, "held"), refusal
            else:
                raise AssertionError("the message was deleted")
        async with refused(400108):
            await writer.call("message.update", **message, message="nothing")
        async with refused(400108):
            await owner.call("channel.delete", channel_url=channel)
        async with refused(400108):
            await creator.call("group.delete", channel_url=url)
        for method, path, body in [
                ("DELETE", f"/v3/open_channels/{channel}/messages/{sent}", None),
                ("PUT", f"/v3/open_channels/{channel}/messages/{sent}", {"message": "nothing"}),
                ("DELETE", f"/v3/open_channels/{channel}", None), ("DELETE", f"/v3/group_channels/{url}", None)]:
            answer = await caller.send(method, path, body)
            assert (answer.status, answer.code) == (400, 400108), (path, answer)
        assert await listed(writer, channel) == ["evidence"]
        await writer.send(channel, "more")
        assert channel in await run("holds", "--all")
        assert "off" in await run("release", channel, "--yes")
        await writer.call("message.delete", **message)
        await owner.call("channel.delete", channel_url=channel)
        await caller.call("PUT", f"/parley/channels/{url}/hold", {"on": False})
        await creator.call("group.delete", channel_url=url)


async def test_own_time_of_new_channels(ctx):
    """A channel of either kind is created with its own time, or not at all; every answer with a channel shows it."""
    server = await ctx.server(*FREE)
    user = (await ctx.user(server)).user_id
    async with Caller(server) as caller:
        for kind, members in [("open_channels", {}), ("group_channels", {"user_ids": [user]})]:
            given = [(None, -1), (-1, -1), (1, 1), (3600, 3600), (3_153_600_000, 3_153_600_000)]
            for value, expected in given:
                name = ctx.name("room")
                body = {"channel_url": name, **members, "message_survival_seconds": value}
                made = await caller.call("POST", f"/{kind}", body)
                assert made["message_survival_seconds"] == expected, made
                shown = await caller.call("GET", f"/{kind}/{name}")
                assert shown["message_survival_seconds"] == expected, shown
                page = await caller.call("GET", f"/{kind}", channel_urls=name, show_empty=True) \
                    if members else await caller.call("GET", f"/{kind}", channel_urls=name)
                assert [c["message_survival_seconds"] for c in page["channels"]] == [expected], page
                retention = await caller.call("GET", f"/parley/channels/{name}/retention")
                assert retention["message_survival_seconds"] == expected, retention
                changed = await caller.call("PUT", f"/{kind}/{name}", {"message_survival_seconds": 60})
                assert changed["message_survival_seconds"] == 60, changed
                renamed = await caller.call("PUT", f"/{kind}/{name}", {"name": "n"})
                assert renamed["message_survival_seconds"] == 60, renamed
                frozen = await caller.call("PUT", f"/{kind}/{name}/freeze", {"freeze": True})
                assert frozen["message_survival_seconds"] == 60, frozen
            for value, code in [(0, 400113), (-2, 400113), (3_153_600_001, 400113), ("1", 400101)]:
                name = ctx.name("room")
                body = {"channel_url": name, **members, "message_survival_seconds": value}
                answer = await caller.send("POST", f"/v3/{kind}", body)
                assert answer.code == code and "message_survival_seconds" in answer.value["message"], answer
                assert (await caller.send("GET", f"/v3/{kind}/{name}")).code == 400201
        own = await caller.call("GET", f"/users/{user}/my_group_channels", show_empty=True, limit=100)
        assert len(own["channels"]) == 5, own
        assert all(channel["message_survival_seconds"] == 60 for channel in own["channels"]), own
        distinct = {"user_ids": [user], "is_distinct": True}
        first = await caller.call("POST", "/group_channels", {**distinct, "message_survival_seconds": 3600})
        again = await caller.call("POST", "/group_channels", {**distinct, "message_survival_seconds": 60})
        assert first["channel_url"] == again["channel_url"] and again["message_survival_seconds"] == 3600, again
    client = await ctx.user(server)
    made = await client.call("channel.create", message_survival_seconds=60)
    assert "message_survival_seconds" not in made["channel"], made
    access = ("--server", f"http://127.0.0.1:{server.port}", "--api-token", server.api_token)
    name = ctx.name("room")
    _, output, errors = await ctx.run(
        ctx.parley, "channel", "create", name, "--message-survival", "30d", *access)
    assert b"30 days" in output, (output, errors)
    code, _, errors = await ctx.run(
        ctx.parley, "channel", "create", ctx.name("room"), "--message-survival", "10ms", *access)
    assert code != 0 and b"whole seconds" in errors, errors


async def test_own_time_is_kept_over_a_restart(ctx):
    """Old messages go by the time that a channel was created with, also after a restart."""
    server = await ctx.fresh(*FREE, *AT_ONCE)
    owner = await ctx.user(server)
    url = ctx.name("room")
    async with Caller(server) as caller:
        await caller.call("POST", "/open_channels", {"channel_url": url, "message_survival_seconds": 86_400})
    await owner.enter(url)
    old = (await fill(owner, url, 3))[:2]
    await server.end()
    make_older(server, 10, old)
    server = await ctx.fresh(*FREE, *AT_ONCE, data=server.data)
    await expired(server, 2)
    reader = await ctx.user(server)
    assert await listed(reader, url) == ["2"]


async def test_own_time_with_other_changes(ctx):
    """`message_survival_seconds` is among the changes of channels of both kinds; bad values are named."""
    server = await ctx.server(*FREE)
    channel, _ = await ctx.room(server, 0)
    url, _ = await group(ctx, server, 0)
    async with Caller(server) as caller:
        for kind, name in [("open_channels", channel), ("group_channels", url)]:
            changed = await caller.call(
                "PUT", f"/{kind}/{name}", {"name": "n", "message_survival_seconds": 3600})
            assert changed["name"] == "n" and changed["channel_url"] == name, changed
            path = f"/parley/channels/{name}/retention"
            assert (await caller.call("GET", path))["message_survival_seconds"] == 3600
            for value, code in [(0, 400113), (-2, 400113), (3_153_600_001, 400113), ("1", 400101)]:
                for where in (f"/v3/{kind}/{name}", f"/v3{path}"):
                    answer = await caller.send("PUT", where, {"message_survival_seconds": value})
                    assert answer.code == code, (where, value, answer)
                    assert "message_survival_seconds" in answer.value["message"], answer
            await caller.call("PUT", path, {"message_survival_seconds": -1})
            assert (await caller.call("GET", path))["message_survival_seconds"] == -1
    access = ("--server", f"http://127.0.0.1:{server.port}", "--api-token", server.api_token)
    _, output, errors = await ctx.run(ctx.parley, "retention", "set", channel, "30d", "--yes", *access)
    assert b"30 days" in output, (output, errors)
    _, output, errors = await ctx.run(ctx.parley, "retention", "unset", channel, *access)
    assert b"for ever" in output, (output, errors)
