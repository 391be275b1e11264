"""Lists of changes: what a client learns of its groups when it comes back."""

import asyncio
import random
import time
from urllib.parse import quote

from groupendpoints import Back
from grouplists import query
from groups import FREE, code, fence, group, refusal, view


def now():
    return int(time.time() * 1000)


async def ready(ctx, server, *user_id):
    """A connection, and the token with which it began to receive events."""
    client = await ctx.user(server, *user_id)
    return client, (await client.event("group.ready"))["token"]


async def changes(client, token, limit=100):
    """The changes after a token by URL, the URLs of lost groups, and the next token."""
    updated, deleted = {}, set()
    while True:
        page = await query(client, "group.changes", token=token, limit=limit)
        for channel in page["updated"]:
            updated[channel["channel_url"]] = channel
        deleted.update(page["deleted"])
        token = page["token"]
        if not page["has_more"]:
            return updated, deleted, token


async def test_what_happened_while_away(ctx):
    """Messages, names, members, reading elsewhere, invitations and losses are told; the rest is not."""
    server = await ctx.server(*FREE)
    creator = await ctx.user(server)
    away, token = await ready(ctx, server)
    await away.call("user.preferences", auto_accept_invitations=False)
    urls = {}
    for name in ("message", "name", "read", "member", "left", "gone", "quiet"):
        url = ctx.name(name)
        await creator.call("group.create", channel_url=url, user_ids=[away.user_id])
        await away.call("group.accept", channel_url=url)
        urls[name] = url
    await creator.send(urls["read"], "unread")
    updated, deleted, token = await changes(away, token, limit=2)
    assert set(updated) == set(urls.values()) and not deleted
    assert updated[urls["read"]] == await view(away, urls["read"], members_limit=0)
    assert (await changes(away, token))[:2] == ({}, set())
    # The token is of the user, not of the connection.
    await away.leave()
    other = await ctx.user(server)
    tablet = await ctx.user(server, away.user_id)
    await creator.send(urls["message"], "hello")
    await creator.call("group.update", channel_url=urls["name"], name="New")
    await tablet.call("group.mark_read", channel_url=urls["read"])
    await creator.call("group.invite", channel_url=urls["member"], user_ids=[other.user_id])
    await creator.call("group.remove", channel_url=urls["left"], user_ids=[away.user_id])
    await creator.send(urls["left"], "after")
    await creator.call("group.delete", channel_url=urls["gone"])
    invited = ctx.name("invited")
    await creator.call("group.create", channel_url=invited, user_ids=[away.user_id])
    back, later = await ready(ctx, server, away.user_id)
    updated, deleted, token = await changes(back, token, limit=3)
    assert set(updated) == {urls["message"], urls["name"], urls["read"], urls["member"], invited}, updated
    assert deleted == {urls["left"], urls["gone"]}
    assert updated[urls["message"]]["last_message"]["message"] == "hello"
    assert updated[urls["message"]]["my"]["unread_message_count"] == 1
    assert updated[urls["name"]]["name"] == "New"
    assert updated[urls["read"]]["my"]["unread_message_count"] == 0
    assert updated[urls["member"]]["joined_member_count"] == 3
    assert updated[invited]["my"]["state"] == "invited" and updated[invited]["last_message"] is None
    for given in (token, later):
        assert (await changes(back, given))[:2] == ({}, set())
    await creator.call("group.invite", channel_url=urls["left"], user_ids=[away.user_id])
    assert (await changes(back, token))[1] == set() and set((await changes(back, token))[0]) == {urls["left"]}


async def test_lists_begin_at_a_time_too(ctx):
    """Without a token, changes are listed since a time; the answer of a list of groups is no token."""
    server = await ctx.server(*FREE)
    url, creator, member = await group(ctx, server, 1)
    page = await query(member, "group.changes", since=now() - 60_000)
    assert [channel["channel_url"] for channel in page["updated"]] == [url] and page["deleted"] == []
    assert (await query(member, "group.changes", since=now() + 600_000))["updated"] == []
    await creator.send(url, "x")
    assert set((await changes(member, page["token"]))[0]) == {url}
    for params, number, field in (
            ({}, 400105, "token"), ({"token": ""}, 400105, "token"), ({"since": now() - 31 * 86_400_000}, 400111, "since"),
            ({"since": -1}, 400106, "since"), ({"since": "x"}, None, "since"), ({"token": 7}, None, "token"),
            ({"token": "x"}, 400109, None), ({"token": page["token"], "since": now()}, 400920, "since"),
            ({"since": now(), "limit": 0}, 400113, "limit"), ({"since": now(), "limit": 101}, 400113, "limit")):
        error = await refusal(member, "group.changes", **params)
        assert error and number in (None, error.code) and field in (None, error.data.get("field")), (params, error)
    assert await code(creator, "group.changes", token=page["token"]) == 400109
    listing = await query(member, "group.list", limit=1)
    assert await code(member, "group.changes", token=listing["next"] or "x") == 400109


async def test_nothing_is_missed_beside_a_busy_sender(ctx):
    """What a client hears and what it lists are together all that happened, whenever it comes and goes."""
    server = await ctx.server(*FREE)
    creator = await ctx.user(server)
    away, token = await ready(ctx, server)
    urls = [ctx.name("busy") for _ in range(6)]
    for url in urls:
        await creator.call("group.create", channel_url=url, user_ids=[away.user_id])
    updated, _, token = await changes(away, token)
    known = {url: channel["seq"] for url, channel in updated.items()}
    assert set(known) == set(urls)
    stopped = False

    async def send():
        while not stopped:
            await creator.send(random.choice(urls), "x")

    sender = asyncio.create_task(send())
    try:
        for _ in range(6):
            await away.leave()
            away, _ = await ready(ctx, server, away.user_id)
            updated, _, token = await changes(away, token)
            for url, channel in updated.items():
                known[url] = max(known[url], channel["seq"])
            await asyncio.sleep(0.05)
            await fence(urls[0], creator, away)
            for event in away.events:
                url, seq = event["params"].get("channel_url"), event["params"].get("seq")
                if seq and seq > known[url]:
                    assert seq == known[url] + 1, (url, known[url], event)
                    known[url] = seq
    finally:
        stopped = True
        await sender


async def test_changes_survive_kill_9(ctx):
    """Tokens and changes outlive the server."""
    server = await ctx.fresh(*FREE)
    creator = await ctx.user(server)
    away, token = await ready(ctx, server)
    first, second = ctx.name("first"), ctx.name("second")
    for url in (first, second):
        await creator.call("group.create", channel_url=url, user_ids=[away.user_id])
    updated, _, token = await changes(away, token)
    assert set(updated) == {first, second}
    await creator.send(first, "before")
    await creator.call("group.delete", channel_url=second)
    await server.kill()
    server = await ctx.fresh(*FREE, data=server.data)
    back = await ctx.user(server, away.user_id)
    updated, deleted, token = await changes(back, token)
    assert updated[first]["last_message"]["message"] == "before" and deleted == {second}
    again = await ctx.user(server, creator.user_id)
    await again.send(first, "after")
    updated, deleted, token = await changes(back, token)
    assert updated[first]["last_message"]["message"] == "after" and deleted == set()


async def test_the_platform_api_lists_changes(ctx):
    """`changelogs` has the same changes with the names of the documented API."""
    server = await ctx.server(*FREE)
    async with Back(server) as back:
        ann, ben = await back.users(ctx, 2)
        begun = now()
        first, second = await back.group(ann, ben), await back.group(ann, ben)
        path = f"/users/{quote(ann)}/my_group_channels/changelogs"
        page = await back.call("GET", path, change_ts=begun - 1000)
        assert [channel["channel_url"] for channel in page["updated"]] == [first, second], page
        assert page["deleted"] == [] and page["has_more"] is False
        assert page["updated"][0]["member_state"] == "joined"
        await back.call("PUT", f"/group_channels/{second}/leave", {"user_ids": [ann]})
        await back.call("PUT", f"/group_channels/{first}", {"name": "New"})
        page = await back.call("GET", path, token=page["next"], limit=1)
        assert page["deleted"] == [second] and page["updated"] == [] and page["has_more"] is True, page
        page = await back.call("GET", path, token=page["next"])
        assert [channel["name"] for channel in page["updated"]] == ["New"] and page["has_more"] is False
        for query_string, number in (("", 400105), ("?token=x", 400109), ("?change_ts=1", 400111),
                                     (f"?change_ts={begun}&token=x", 400920)):
            assert await back.code("GET", path + query_string) == number, query_string
        assert await back.code("GET", f"/users/{ctx.name('ghost')}/my_group_channels/changelogs?change_ts={begun}") in (
            400201, 400301)
