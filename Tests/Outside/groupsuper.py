"""Super groups, and groups of over a hundred members: they report their members by numbers only."""

import os
import sqlite3
import time
from contextlib import closing

from groupendpoints import BASE, Back
from grouplists import listed as listed_groups
from grouplists import query, totals
from groups import code, fence, heard, listed, refusal, view
from harness import eventually
from persistence import database

FAST = ("--limits-flood-messages", "0", "--limits-calls-per-second", "0", "--groups-created-per-minute", "0",
        "--groups-invites-per-minute", "0")


async def super_group(ctx, server, count=2, **params):
    """The URL of a super group, its creator, and so many other members, all of them connected."""
    creator, *others = await ctx.users(server, count + 1)
    params.setdefault("channel_url", ctx.name("hall"))
    made = (await creator.call(
        "group.create", user_ids=[other.user_id for other in others], is_super=True, **params))["channel"]
    assert made["is_super"] is True and "members" not in made, made
    assert (made["member_count"], made["seq"]) == (count + 1, 0), made
    return made["channel_url"], creator, *others


def counts(client, url):
    return [(e["params"]["member_count"], e["params"]["joined_member_count"])
            for e in client.told("group.member_count", channel_url=url)]


def of_members(client, url):
    """The events about members, with their numbers."""
    return [(e["method"], e["params"].get("seq")) for e in client.events
            if e["method"] in ("group.joined", "group.left", "group.declined", "group.invited", "group.lost")
            and e["params"]["channel_url"] == url]


def numbered(client, url):
    """The numbers of the events of a group, which must have no gap."""
    return [e["params"]["seq"] for e in client.events
            if e["params"].get("channel_url") == url and "seq" in e["params"]]


async def test_members_by_numbers(ctx):
    """Others learn the numbers only; whoever joins or leaves learns it itself; no client sees a gap in seq."""
    server = await ctx.server(*FAST)
    url, creator, member, other = await super_group(ctx, server, is_public=True)
    await creator.until(lambda: counts(creator, url)[-1:] == [(3, 3)], "the first numbers")
    stranger, guest = await ctx.users(server, 2)
    await creator.send(url, "one")
    joined = (await stranger.call("group.join", channel_url=url))["channel"]
    assert (joined["member_count"], joined["seq"]) == (4, 1) and "members" not in joined, joined
    await guest.call("user.preferences", auto_accept_invitations=False)
    invited = await creator.call("group.invite", channel_url=url, user_ids=[guest.user_id])
    assert (invited["invited"], invited["joined"]) == ([guest.user_id], []), invited
    await guest.event("group.invited")
    await creator.send(url, "two")
    await guest.call("group.accept", channel_url=url)
    await creator.send(url, "three")
    await stranger.call("group.leave", channel_url=url)
    await creator.call("group.remove", channel_url=url, user_ids=[other.user_id])
    await creator.send(url, "four")
    await fence(url, creator, member, guest)
    await member.until(lambda: counts(member, url)[-1:] == [(3, 3)], "the last numbers")
    assert numbered(member, url) == [1, 2, 3, 4, 5]
    assert numbered(guest, url) == [3, 4, 5]
    # The member itself was added at the creation.
    assert of_members(member, url) == [("group.joined", None)], of_members(member, url)
    assert of_members(guest, url) == [("group.invited", None), ("group.joined", None)]
    assert of_members(stranger, url) == [("group.joined", None), ("group.left", None), ("group.lost", None)]
    assert of_members(other, url)[1:] == [("group.left", None), ("group.lost", None)]
    assert numbered(stranger, url) == [2, 3]


async def test_pace_of_numbers(ctx):
    """Numbers are sent at most once a second, and the last one is right."""
    server = await ctx.server(*FAST)
    url, creator = (await super_group(ctx, server, 0, is_public=True))[:2]
    async with Back(server) as back:
        users = await back.users(ctx, 60)
        begun = time.monotonic()
        for user in users:
            await back.call("PUT", f"{BASE}/{url}/join", {"user_id": user})
        await creator.until(lambda: counts(creator, url)[-1:] == [(61, 61)], "the last number")
        spent = time.monotonic() - begun
    told = counts(creator, url)
    assert len(told) <= spent + 2, (told, spent)
    assert told == sorted(set(told)), told


async def test_rules(ctx):
    """A super group has a limit of its own, is never distinct, and stays super."""
    server = await ctx.fresh(*FAST, "--groups-max-members", "2", "--groups-max-super-members", "3")
    url, creator, *_ = await super_group(ctx, server, 1)
    one, two = await ctx.users(server, 2)
    assert await code(creator, "group.create", user_ids=[one.user_id, two.user_id]) == 400203
    await creator.call("group.invite", channel_url=url, user_ids=[one.user_id])
    refused = await refusal(creator, "group.invite", channel_url=url, user_ids=[two.user_id])
    assert (refused.code, refused.data["limit"]) == (400203, 3), refused.data
    assert await code(creator, "group.create", is_super=True, is_distinct=True) == 400920
    async with Back(server) as back:
        assert await back.code("PUT", f"{BASE}/{url}", {"is_super": True}) == 400111
        assert (await back.view(url))["is_super"] is True
        made = await back.call("POST", BASE, {"user_ids": [one.user_id], "is_super": True})
        assert made["is_super"] is True and "members" not in made, made
        assert await back.members(made["channel_url"]) == {one.user_id: "joined"}


async def test_lists(ctx):
    """super_mode tells super groups from others, in both APIs; unread messages count in both."""
    server = await ctx.fresh(*FAST)
    url, creator, member = await super_group(ctx, server, 1)
    small = (await creator.call("group.create", user_ids=[member.user_id]))["channel"]["channel_url"]
    await creator.send(url, "one")
    await creator.send(small, "two")
    await creator.send(small, "three")
    async with Back(server) as back:
        for mode, urls, numbers in (
                ("all", {url, small}, (3, 2, 0)), ("super", {url}, (1, 1, 0)), ("nonsuper", {small}, (2, 1, 0))):
            assert set(await listed_groups(member, super_mode=mode, members_limit=10)) == urls
            assert await totals(member, super_mode=mode) == numbers
            found = await back.call("GET", BASE, super_mode=mode, show_empty=True, show_member=True)
            assert {one["channel_url"] for one in found["channels"]} == urls
            answer = await back.call("GET", f"/users/{member.user_id}/unread_message_count", super_mode=mode)
            assert answer == {"unread_count": numbers[0]}
    page = await query(member, "group.list", super_mode="super", members_limit=10)
    assert page["channels"][0]["is_super"] is True and "members" not in page["channels"][0]


async def test_messages_and_moderation(ctx):
    """Reading, marking, pages of members, mutes and bans are those of other groups."""
    server = await ctx.server(*FAST)
    url, creator, member, other = await super_group(ctx, server)
    sent = (await creator.send(url, "one"))["message"]
    await member.event("message.received", channel_url=url)
    assert (await view(member, url))["my"]["unread_message_count"] == 1
    mine = (await member.call("group.mark_read", channel_url=url, message_id=sent["message_id"]))["my"]
    assert mine["unread_message_count"] == 0
    first, token = await listed(member, url, limit=2)
    rest, end = await listed(member, url, limit=2, token=token)
    assert sorted(first + rest) == sorted(c.user_id for c in (creator, member, other)) and end == ""
    await creator.call("channel.mute", channel_url=url, user_id=other.user_id, seconds=60, description="")
    assert await code(other, "message.send", channel_url=url, message="x") == 900041
    await creator.call("channel.ban", channel_url=url, user_id=other.user_id, seconds=60, description="")
    await other.event("group.lost")
    assert heard(other, url)[-2:] == ["channel.user_banned", "group.lost"], heard(other, url)
    await fence(url, creator, member)
    assert numbered(member, url) == [1, 2, 3, 4]
    assert (await view(member, url))["member_count"] == 2


async def test_many_members(ctx):
    """A group of ten thousand is loaded, answers, and sends to those who are connected; it takes little memory."""
    server = await ctx.fresh(*FAST)
    url, creator, member = await super_group(ctx, server, 1, is_public=True)
    await server.end()
    with closing(sqlite3.connect(database(server.data))) as store, store:
        number = store.execute("SELECT channel_id FROM channels WHERE url = ?", (url,)).fetchone()[0]
        names = [f"{ctx.name('u')}-{n}" for n in range(10_000)]
        columns = [row[1] for row in store.execute("PRAGMA table_info(users)")]
        values = ", ".join("?" if column == "user_id" else column for column in columns)
        store.executemany(
            f"INSERT INTO users SELECT {values} FROM users WHERE user_id = ?",
            [(name, member.user_id) for name in names])
        columns = [row[1] for row in store.execute("PRAGMA table_info(members)")]
        values = ", ".join("?" if column == "user_id" else column for column in columns)
        store.executemany(
            f"INSERT INTO members SELECT {values} FROM members WHERE user_id = ? AND channel_id = ?",
            [(name, member.user_id, number) for name in names])
        store.execute(
            "UPDATE groups SET member_count = member_count + 10000, joined_count = joined_count + 10000"
            " WHERE channel_id = ?", (number,))
    server = await ctx.fresh(*FAST, data=server.data)
    await ctx.user(server, "warm")
    one, two = await ctx.user(server, creator.user_id), await ctx.user(server, names[5_000])
    for client in (one, two):
        await client.event("group.ready")
    before = resident(server)
    assert (await view(one, url))["member_count"] == 10_002
    grown = resident(server) - before
    assert grown < 20_000_000, grown
    sent = (await one.send(url, "hello"))["message"]
    got = await two.event("message.received", channel_url=url)
    assert got["message"]["message_id"] == sent["message_id"]
    late = await ctx.user(server, names[9_999])
    await late.event("group.ready")
    await one.send(url, "again")
    assert (await late.event("message.received", channel_url=url))["message"]["message"] == "again"
    assert (await view(late, url))["my"]["unread_message_count"] == 2
    page, token = await listed(two, url, limit=100)
    assert len(page) == 100 and token


def resident(server):
    with open(f"/proc/{server.process.pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
