"""Settings for groups: what each of them does, and that they change while the server runs."""

import sqlite3
from contextlib import closing

from files import FLAGS as FILES
from groupendpoints import BASE, Back
from groups import FREE, code, group, listed, refusal, view
from grouplists import client_of
from harness import eventually
from persistence import database
from reloading import Settings, in_force

FAST = {"groups__created_per_minute": 0, "groups__invites_per_minute": 0, "limits__flood__messages": 0,
        "limits__calls_per_second": 0}


async def reload(file, server, **settings):
    file.write(**{**FAST, **settings})
    await file.reload(server, "reloaded the settings")


async def test_numbers_of_members(ctx):
    """groups.max_members and max_super_members are announced and change with a reload; a group keeps its members."""
    file = Settings(ctx, **FAST, groups__max_members=3, groups__max_super_members=7)
    server = await ctx.fresh("--config", file.path)
    client = await ctx.connect(server)
    opened = await client.call("session.open", user_id=ctx.name("user"))
    announced = {"max_members": 3, "max_super_members": 7}
    assert announced.items() <= opened["features"]["groups"].items(), opened["features"]
    url, creator, *members = await group(ctx, server, 2)
    stranger, spare = await ctx.users(server, 2)
    refused = await refusal(creator, "group.invite", channel_url=url, user_ids=[stranger.user_id])
    assert (refused.code, refused.data["limit"]) == (400203, 3), refused.data
    ids = [client.user_id for client in (*members, stranger)]
    assert await code(creator, "group.create", user_ids=ids) == 400203
    await reload(file, server, groups__max_members=4, groups__max_super_members=7)
    await creator.call("group.invite", channel_url=url, user_ids=[stranger.user_id])
    await creator.call("group.create", user_ids=ids)
    await reload(file, server, groups__max_members=2, groups__max_super_members=2)
    assert len((await listed(creator, url))[0]) == 4
    assert await code(creator, "group.invite", channel_url=url, user_ids=[spare.user_id]) == 400203
    again = await ctx.connect(server)
    opened = await again.call("session.open", user_id=ctx.name("user"))
    announced = {"max_members": 2, "max_super_members": 2}
    assert announced.items() <= opened["features"]["groups"].items(), opened["features"]
    # An impossible pair changes nothing.
    file.write(**FAST, groups__max_members=5, groups__max_super_members=4)
    await file.reload(server, "cannot be reloaded")
    assert await in_force(server, "groups.max_members") == "2"


async def test_groups_of_a_user(ctx):
    """A user joins groups.max_joined groups and is invited to groups.max_invited; then it is skipped."""
    file = Settings(ctx, **FAST, groups__max_joined=2, groups__max_invited=1)
    server = await ctx.fresh("--config", file.path)
    creator, busy = await ctx.users(server, 2)
    makers = await ctx.users(server, 3)
    for maker in makers[:2]:
        made = (await maker.call("group.create", user_ids=[busy.user_id], is_public=True))["channel"]
        assert made["joined_member_count"] == 2
    third = (await makers[2].call("group.create", user_ids=[busy.user_id]))["channel"]
    assert (third["member_count"], third["joined_member_count"]) == (2, 1)
    url = (await creator.call("group.create", is_public=True))["channel"]["channel_url"]
    answer = await creator.call("group.invite", channel_url=url, user_ids=[busy.user_id, makers[0].user_id])
    assert (answer["invited"], answer["joined"], answer["skipped"]) == (
        [], [makers[0].user_id], [busy.user_id]), answer
    for method, at in (("group.join", url), ("group.accept", third["channel_url"])):
        refused = await refusal(busy, method, channel_url=at)
        assert (refused.code, refused.data["limit"], refused.data["scope"]) == (400203, 2, "user"), refused.data
    assert await code(busy, "group.create") == 400203
    assert await code(creator, "group.create", user_ids=[busy.user_id], is_distinct=True) == 400203
    await reload(file, server, groups__max_joined=4, groups__max_invited=1)
    await busy.call("group.accept", channel_url=third["channel_url"])
    await busy.call("group.join", channel_url=url)
    assert await code(busy, "group.create") == 400203


async def test_rates(ctx):
    """groups.created_per_minute and invites_per_minute bound a user, and change with a reload."""
    file = Settings(ctx, groups__created_per_minute=2, groups__invites_per_minute=3)
    server = await ctx.fresh("--config", file.path)
    creator, *others = await ctx.users(server, 5)
    ids = [other.user_id for other in others]
    url = (await creator.call("group.create", user_ids=ids[:2]))["channel"]["channel_url"]
    refused = await refusal(creator, "group.invite", channel_url=url, user_ids=ids[2:])
    assert (refused.code, refused.data["limit"], refused.data["window_ms"]) == (500910, 3, 60_000), refused.data
    await creator.call("group.create")
    assert await code(creator, "group.create") == 500910
    await reload(file, server)
    await creator.call("group.invite", channel_url=url, user_ids=ids[2:])
    for _ in range(3):
        await creator.call("group.create")


async def test_accepting(ctx):
    """Without groups.auto_accept users are invited, unless they have chosen to join at once."""
    file = Settings(ctx, **FAST, groups__auto_accept=False)
    server = await ctx.fresh("--config", file.path)
    async with Back(server) as back:
        creator, undecided, eager = [await client_of(ctx, server, back) for _ in range(3)]
        path = f"/users/{undecided.user_id}/channel_invitation_preference"
        assert await back.call("GET", path) == {"auto_accept": False}
        assert await undecided.call("user.preferences") == {
            "auto_accept_invitations": False, "send_read_receipts": True}
        await eager.call("user.preferences", auto_accept_invitations=True)
        made = (await creator.call("group.create", user_ids=[undecided.user_id, eager.user_id]))["channel"]
        states = await back.members(made["channel_url"])
        assert states == {creator.user_id: "joined", undecided.user_id: "invited", eager.user_id: "joined"}, states
        await reload(file, server, groups__auto_accept=True)
        assert await back.call("GET", path) == {"auto_accept": True}
        made = (await creator.call("group.create", user_ids=[undecided.user_id]))["channel"]
        assert made["joined_member_count"] == 2
        # A choice outlives the setting.
        await undecided.call("user.preferences", auto_accept_invitations=False)
        made = (await creator.call("group.create", user_ids=[undecided.user_id]))["channel"]
        assert made["joined_member_count"] == 1


async def test_inviting(ctx):
    """With groups.invite_by operators, other members invite nobody."""
    file = Settings(ctx, **FAST, groups__invite_by="operators")
    server = await ctx.fresh("--config", file.path)
    url, creator, member, *_ = await group(ctx, server, 2)
    stranger, other = await ctx.users(server, 2)
    assert await code(member, "group.invite", channel_url=url, user_ids=[stranger.user_id]) == 400108
    await creator.call("group.invite", channel_url=url, user_ids=[stranger.user_id])
    await reload(file, server)
    await member.call("group.invite", channel_url=url, user_ids=[other.user_id])


async def test_past_messages(ctx):
    """With groups.display_past_message, who joins later reads all messages, and has none of them unread."""
    file = Settings(ctx, **FAST)
    server = await ctx.fresh("--config", file.path)
    url, creator, *_ = await group(ctx, server, 1, is_public=True)
    first = (await creator.send(url, "one"))["message"]["message_id"]
    await creator.send(url, "two")
    late, later, last = await ctx.users(server, 3)
    await late.call("group.join", channel_url=url)
    await reload(file, server, groups__display_past_message=True)
    await later.call("group.join", channel_url=url)
    await creator.call("group.invite", channel_url=url, user_ids=[last.user_id])
    for client, texts in ((late, []), (later, ["one", "two"]), (last, ["one", "two"])):
        found = await client.call("message.list", channel_url=url)
        assert [message["message"] for message in found["messages"]] == texts, found
        mine = (await view(client, url))["my"]
        assert mine["unread_message_count"] == 0, mine
        assert (mine["visible_from"] == 0) == bool(texts), mine
    mine = (await later.call("group.mark_unread", channel_url=url, message_id=first))["my"]
    assert mine["unread_message_count"] == 2, mine


async def test_empty_groups(ctx):
    """groups.delete_empty_after_days deletes groups that have had no members for that time, and no others."""
    server = await ctx.fresh(*FREE)
    old, creator, *_ = await group(ctx, server, 0)
    young, *_ = await group(ctx, server, 0)
    kept, *_ = await group(ctx, server, 0)
    async with Back(server) as back:
        for url in (old, young):
            await back.call("PUT", f"{BASE}/{url}/leave", {"should_leave_all": True})
    await server.end()
    with closing(sqlite3.connect(database(server.data))) as connection, connection:
        changed = connection.execute(
            "UPDATE groups SET empty_since = empty_since - 3 * 86400000 WHERE channel_id ="
            " (SELECT channel_id FROM channels WHERE url = ?)", (old,)).rowcount
        assert changed == 1
    server = await ctx.fresh(
        *FILES, "--groups-delete-empty-after-days", "2", "--store-deletion-hold-seconds", "0", data=server.data)
    async with Back(server) as back:
        async def gone():
            return await back.code("GET", f"{BASE}/{old}") == 400201
        await eventually(gone, "the deletion of the empty group")
        assert (await back.view(young))["member_count"] == 0
        assert (await back.view(kept))["member_count"] == 1

    async def logged():
        return any("groups.delete_empty_after_days" in line and "groups=1" in line for line in server.lines)
    await eventually(logged, "the line about it")
