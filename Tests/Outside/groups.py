"""Groups: members, who may do what, and what strangers see."""

import asyncio
import secrets
import sqlite3
from contextlib import closing

from calls import Caller, World, calls
from harness import Refused, eventually, refused
from observers import ticket
from persistence import database
from schemas import operations
from webhooks import Receiver, flags

FREE = ("--limits-flood-messages", "0", "--limits-calls-per-second", "0")


async def group(ctx, server, count=2, **params):
    """The URL of a group, its creator, and so many other members, all of them connected."""
    creator, *others = await ctx.users(server, count + 1)
    params.setdefault("channel_url", ctx.name("group"))
    made = await creator.call("group.create", user_ids=[other.user_id for other in others], **params)
    return made["channel"]["channel_url"], creator, *others


async def fence(url, member, *viewers):
    """All events of the group so far have come to the viewers when this returns; the member may update it."""
    mark = secrets.token_hex(6)
    await member.call("group.update", channel_url=url, data=mark)
    for viewer in viewers:
        await viewer.until(
            lambda: any(e["params"]["channel"]["data"] == mark
                        for e in viewer.told("channel.changed", channel_url=url)),
            "the fence")


async def view(client, url, **params):
    return (await client.call("group.get", channel_url=url, **params))["channel"]


async def listed(client, url, **params):
    """The ids of a page of members, and the token of the next."""
    page = await client.call("group.members", channel_url=url, **params)
    return [member["user_id"] for member in page["members"]], page["next"]


def heard(client, url):
    """The names of the events of a group, in order."""
    return [e["method"] for e in client.events if e["params"].get("channel_url") == url]


def of_groups(client):
    """The events that only a session with groups receives."""
    return [e for e in client.events if e["method"].startswith("group.")]



async def refusal(client, method, **params):
    """The refusal of a call, `None` if it is accepted."""
    try:
        await client.call(method, **params)
    except Refused as error:
        return error
    return None


async def code(client, method, **params):
    error = await refusal(client, method, **params)
    return error and error.code


async def test_a_new_group(ctx):
    """The answer shows the group with its members and the caller's own membership; all hear who has joined."""
    server = await ctx.server(*FREE)
    creator, *others = await ctx.users(server, 3)
    for client in others:
        await client.call("user.update", nickname=f"Nick {client.user_id}")
    url = ctx.name("group")
    answer = await creator.call(
        "group.create", user_ids=[other.user_id for other in others] * 2, channel_url=url, name="Trip",
        cover_url="https://a.example/c", data="d", custom_type="t")
    assert answer["created"] is True
    channel = answer["channel"]
    everybody = {client.user_id for client in (creator, *others)}
    expected = {
        "channel_url": url, "channel_type": "group_channels", "name": "Trip", "data": "d",
        "cover_url": "https://a.example/c", "custom_type": "t", "freeze": False, "is_distinct": False,
        "is_public": False, "is_super": False, "is_ephemeral": False, "is_access_code_required": False,
        "member_count": 3, "joined_member_count": 3, "last_message": None, "last_ordinal": 0, "seq": 2}
    assert expected.items() <= channel.items(), channel
    assert [o["user_id"] for o in channel["operators"]] == [creator.user_id]
    assert channel["created_by"]["user_id"] == creator.user_id and channel["epoch"]
    assert "access_code" not in channel and "participant_count" not in channel
    mine = channel["my"]
    assert (mine["state"], mine["role"], mine["inviter"]) == ("joined", "operator", None), mine
    assert mine["invited_at"] == 0 and mine["joined_at"] > 0 and mine["visible_from"] == 0
    assert mine["is_muted"] is False and mine["muted_until"] == 0
    assert channel["members"][0]["user_id"] == creator.user_id and channel["members"][0]["role"] == "operator"
    assert {m["user_id"] for m in channel["members"]} == everybody
    assert {m["state"] for m in channel["members"]} == {"joined"}
    for client in (creator, *others):
        await client.until(lambda: len(client.told("group.joined", channel_url=url)) == 2)
        told = [e["params"] for e in client.told("group.joined", channel_url=url)]
        assert {e["user"]["user_id"] for e in told} == everybody - {creator.user_id}
        assert [(e["seq"], e["member_count"], e["joined_member_count"]) for e in told] == [(1, 2, 2), (2, 3, 3)]
    got = await view(others[0], url)
    assert got["my"]["inviter"]["user_id"] == creator.user_id and got["my"]["role"] == "none"
    assert got["my"]["invited_at"] > 0
    assert {**got, "my": None} == {**channel, "my": None}, (got, channel)


async def test_who_is_online(ctx):
    """A member is online while it has a session, heard or not; afterwards it was last seen."""
    server = await ctx.fresh(*FREE)
    url, creator, member = await group(ctx, server, 1)
    deaf = await ctx.user(server, groups=False)
    await creator.call("group.invite", channel_url=url, user_ids=[deaf.user_id])

    async def presences():
        """The presence of each member, by all lists of members that there are."""
        seen = (await view(creator, url))["members"]
        page = (await creator.call("group.members", channel_url=url))["members"]
        listed = (await creator.call("group.list", members_limit=100))["channels"][0]["members"]
        _, platform = await server.api("GET", f"/group_channels/{url}/members")
        every = [{m["user_id"]: (m["is_online"], m["last_seen_at"]) for m in members}
                 for members in (seen, page, listed, platform["members"])]
        assert all(one == every[0] for one in every), every
        return every[0]

    assert await presences() == {client.user_id: (True, 0) for client in (creator, member, deaf)}
    second = await ctx.user(server, member.user_id)
    before = (await creator.call("session.ping"))["time"]
    await deaf.leave()
    await member.leave()
    await eventually(lambda: _is_seen(creator, url, deaf.user_id), "the time of the last session")
    found = await presences()
    assert found[member.user_id] == (True, 0), found
    assert found[deaf.user_id][0] is False and abs(found[deaf.user_id][1] - before) < 120_000, found
    await second.leave()
    await eventually(lambda: _is_seen(creator, url, member.user_id), "the time of the last session")


async def _is_seen(viewer, url, user_id):
    """Whether a member is offline, and the time of its last session is known, which is written a little later."""
    seen = {m["user_id"]: m for m in (await view(viewer, url))["members"]}[user_id]
    return not seen["is_online"] and seen["last_seen_at"] > 0


async def test_added_members_hear_it_at_once(ctx):
    """A user who is added later receives its own group.joined, and then what follows, without a call."""
    server = await ctx.server(*FREE)
    url, creator, member = await group(ctx, server, 1)
    late = await ctx.user(server)
    second = await ctx.user(server, late.user_id)
    answer = await member.call(
        "group.invite", channel_url=url, user_ids=[late.user_id, member.user_id, creator.user_id])
    assert (answer["invited"], answer["joined"]) == ([], [late.user_id]), answer
    assert set(answer["skipped"]) == {member.user_id, creator.user_id}
    assert answer["channel"]["member_count"] == 3 and answer["channel"]["my"]["role"] == "none"
    for client in (creator, member, late, second):
        event = await client.event("group.joined", channel_url=url, member_count=3)
        assert event["user"]["user_id"] == late.user_id and event["joined_member_count"] == 3
    sent = await creator.send(url, "welcome")
    for client in (late, second):
        assert (await client.event("message.received", channel_url=url))["message"] == sent["message"]
    again = await member.call("group.invite", channel_url=url, user_ids=[late.user_id])
    assert (again["joined"], again["skipped"]) == ([], [late.user_id])
    await fence(url, creator, member)
    assert len(member.told("group.joined", channel_url=url)) == 2


async def test_unusable_users_are_not_added(ctx):
    """With an unknown, deactivated or banned user nobody is added, and no group is created."""
    server = await ctx.fresh(*FREE)
    url, creator, banned = await group(ctx, server, 1)
    good, idle = await ctx.users(server, 2)
    await creator.call("channel.ban", channel_url=url, user_id=banned.user_id)
    async with Caller(server) as caller:
        await caller.call("PUT", f"/users/{idle.user_id}", {"is_active": False})
    for other, wanted in ((ctx.name("nobody"), 400201), (idle.user_id, 400300), (banned.user_id, 400750)):
        assert await code(
            creator, "group.invite", channel_url=url, user_ids=[good.user_id, other]) == wanted
        if wanted != 400750:
            free = ctx.name("free")
            assert await code(creator, "group.create", channel_url=free, user_ids=[good.user_id, other]) == wanted
            assert await code(creator, "group.get", channel_url=free) == 400201
    assert (await view(creator, url))["member_count"] == 1
    await fence(url, creator, creator)
    assert not [e for e in creator.told("group.joined") if e["params"]["user"]["user_id"] == good.user_id]
    assert not of_groups(good)[1:], good.events


# Calls about a channel or a message, and what they need beside the URL.
def every_call(member, message):
    one = {"message_id": message}
    return [
        ("group.get", {}), ("group.update", {"name": "n"}), ("group.delete", {}),
        ("group.invite", {"user_ids": [member]}), ("group.accept", {}), ("group.decline", {}),
        ("group.join", {}), ("group.join", {"access_code": "x"}), ("group.leave", {}),
        ("group.remove", {"user_ids": [member]}), ("group.members", {}),
        ("group.mark_read", {}), ("group.mark_read", one), ("group.mark_unread", one), ("group.hide", {}),
        ("group.hide", {"hide_previous_messages": True, "allow_auto_unhide": False}), ("group.unhide", {}),
        ("group.reset_history", {}), ("group.set_preference", {"count_preference": "off"}),
        ("group.set_preference", {"push_trigger_option": "off"}),
        ("group.typing", {"is_typing": True}), ("group.typing", {"is_typing": False}), ("group.receipts", {}),
        ("channel.get", {}), ("channel.update", {"name": "n"}), ("channel.delete", {}),
        ("channel.enter", {}), ("channel.enter", {"recover": {"epoch": "e", "seq": 0}}), ("channel.exit", {}),
        ("channel.participants", {}), ("channel.freeze", {}), ("channel.unfreeze", {}),
        ("channel.mute", {"user_id": member}), ("channel.unmute", {"user_id": member}),
        ("channel.ban", {"user_id": member}), ("channel.unban", {"user_id": member}),
        ("channel.add_operators", {"user_ids": [member]}),
        ("channel.remove_operators", {"user_ids": [member]}),
        ("message.send", {"message": "x"}), ("message.send", {"message": "x", "mentioned_user_ids": [member]}),
        ("message.send", {"message_type": "FILE", "url": "https://a.example/f"}),
        ("message.send_files", {"files": [{"url": "https://a.example/f"}]}),
        ("message.update", {**one, "message": "y"}), ("message.delete", one), ("message.get", one),
        ("message.list", {}), ("message.list", one), ("message.translate", {**one, "target_langs": ["es"]}),
        ("message.create_metaarray_keys", {**one, "keys": ["k"]}),
        ("message.delete_metaarray_keys", {**one, "keys": ["k"]}),
        ("message.add_metaarray_values", {**one, "values": {"k": ["v"]}}),
        ("message.remove_metaarray_values", {**one, "values": {"k": ["v"]}}),
    ]


async def outcome(client, method, url, params):
    """What a call came to, without the URL of the channel."""
    try:
        result = await client.call(method, channel_url=url, **params)
    except Refused as error:
        return "refused", error.code, error.message.replace(url, "URL"), error.data
    return "answered", str(result).replace(url, "URL")


async def test_a_private_group_is_not_there_for_strangers(ctx):
    """Every call of a stranger has the outcome that it has with a URL of no channel, to the letter."""
    server = await ctx.server(*FREE)
    url, creator, member = await group(ctx, server, 1, access_code="secret")
    message = (await creator.send(url, "x", metaarray=[{"key": "k", "value": ["v"]}]))["message"]["message_id"]
    stranger, former = await ctx.users(server, 2)
    await creator.call("group.invite", channel_url=url, user_ids=[former.user_id])
    await former.call("group.leave", channel_url=url)
    before, wrong = await view(creator, url), []
    for client in (stranger, former):
        nowhere = ctx.name("group")
        for method, params in every_call(member.user_id, message):
            there = await outcome(client, method, url, params)
            elsewhere = await outcome(client, method, nowhere, params)
            if there != elsewhere:
                wrong.append((method, params, there, elsewhere))
            # These look at the connection, at the features of the server, or at each file by itself.
            if there[1] != 400201 and method not in ("channel.exit", "message.translate", "message.send_files"):
                wrong.append((method, params, there))
    assert not wrong, wrong
    assert await view(creator, url) == before
    await fence(url, creator, creator, member)
    assert heard(stranger, url) == [], stranger.events
    pages = (await stranger.call("channel.list", url_contains=url))["channels"]
    assert pages == [], pages
    # Its URL is taken all the same.
    for method in ("channel.create", "group.create"):
        async with refused(400202, field="channel_url"):
            await stranger.call(method, channel_url=url)


async def test_strangers_of_a_public_group(ctx):
    """They see the group without members and messages, and may do nothing but join."""
    server = await ctx.server(*FREE)
    url, creator, member = await group(ctx, server, 1, is_public=True, name="Open house")
    message = (await creator.send(url, "x"))["message"]["message_id"]
    stranger = await ctx.user(server)
    seen = await view(stranger, url)
    assert seen["name"] == "Open house" and seen["member_count"] == 2 and seen["last_message"] is None
    assert "my" not in seen and "members" not in seen
    expected = {
        "group.update": 400108, "group.delete": 400108, "group.invite": 900020, "group.accept": 400920,
        "group.decline": 400920, "group.leave": 900020, "group.remove": 400108, "group.members": 400108,
        "group.mark_read": 900020, "group.mark_unread": 900020, "group.hide": 900020, "group.unhide": 900020,
        "group.reset_history": 900020, "group.set_preference": 900020, "group.typing": 900020,
        "group.receipts": 400108,
        "channel.get": 400920, "channel.update": 400920, "channel.delete": 400920, "channel.enter": 400920,
        "channel.exit": 900020, "channel.participants": 400920, "message.send": 900020,
        "message.update": 900020, "message.delete": 400108, "message.get": 400108, "message.list": 400108,
        "message.create_metaarray_keys": 900020, "message.delete_metaarray_keys": 900020,
        "message.add_metaarray_values": 900020, "message.remove_metaarray_values": 900020,
    }
    wrong = []
    for method, params in every_call(member.user_id, message):
        if method.startswith("channel.") and method not in expected:
            wanted = 400108
        elif method in expected:
            wanted = expected[method]
        else:
            continue
        came = await code(stranger, method, channel_url=url, **params)
        if came != wanted:
            wrong.append((method, came, wanted))
    assert not wrong, wrong
    joined = (await stranger.call("group.join", channel_url=url))["channel"]
    assert joined["my"]["state"] == "joined" and joined["my"]["inviter"] is None
    assert joined["my"]["invited_at"] == 0 and joined["member_count"] == 3
    for client in (creator, member):
        event = await client.event("group.joined", channel_url=url, member_count=3)
        assert event["user"]["user_id"] == stranger.user_id
    # Joining again changes nothing; a public group that becomes private keeps its members.
    await stranger.call("group.join", channel_url=url)
    await creator.call("group.update", channel_url=url, is_public=False)
    assert (await view(stranger, url))["is_public"] is False
    await fence(url, creator, creator)
    assert len(creator.told("group.joined", channel_url=url)) == 2


async def test_an_access_code(ctx):
    """A wrong code is 400111, after five of them every code is 500910; with the right one others join."""
    server = await ctx.server(*FREE)
    url, creator, member = await group(ctx, server, 1, is_public=True, access_code="open sesame")
    guesser, guest, other = await ctx.users(server, 3)
    seen = await view(guest, url)
    assert seen["is_access_code_required"] is True and "access_code" not in seen
    for n in range(5):
        async with refused(400111, field="access_code"):
            await guesser.call("group.join", channel_url=url, **({"access_code": f"guess {n}"} if n else {}))
    for n in range(3):
        async with refused(500910, scope="user_channel", limit=5, window_ms=60_000):
            await guesser.call("group.join", channel_url=url, access_code=f"more {n}")
    # Or else one could go on guessing: the right code is refused like the others.
    async with refused(500910, scope="user_channel"):
        await guesser.call("group.join", channel_url=url, access_code="open sesame")
    assert (await view(creator, url))["member_count"] == 2
    # Others are not held responsible for the guesses.
    answer = await guest.call("group.join", channel_url=url, access_code="open sesame")
    assert answer["channel"]["my"]["state"] == "joined" and "open sesame" not in str(answer)
    await member.event("group.joined", channel_url=url, member_count=3)
    # With a code, only operators invite.
    async with refused(400108):
        await guest.call("group.invite", channel_url=url, user_ids=[other.user_id])
    await creator.call("group.invite", channel_url=url, user_ids=[other.user_id])
    assert "open sesame" not in " ".join(creator.raw + guest.raw), "the code was shown"
    await creator.call("group.update", channel_url=url, access_code="")
    assert (await view(other, url))["is_access_code_required"] is False


async def test_leaving(ctx):
    """Others receive group.left, the leaver's connections also group.lost, and nothing after it."""
    server = await ctx.server(*FREE)
    url, creator, leaver, member = await group(ctx, server)
    second = await ctx.user(server, leaver.user_id)
    assert await leaver.call("group.leave", channel_url=url) == {}
    for client in (creator, member, leaver, second):
        event = await client.event("group.left", channel_url=url)
        assert event["user"]["user_id"] == leaver.user_id and event["reason"] == "left"
        assert (event["member_count"], event["joined_member_count"]) == (2, 2) and event["seq"] == 3
    for client in (leaver, second):
        assert (await client.event("group.lost", channel_url=url))["reason"] == "left"
    await creator.send(url, "without you")
    await fence(url, creator, member)
    for client in (leaver, second):
        await client.call("session.ping")
        assert heard(client, url)[-1] == "group.lost", heard(client, url)
        assert not client.messages(url)
    assert not creator.told("group.lost") and not member.told("group.lost")
    for method in ("group.leave", "group.get"):
        assert await code(leaver, method, channel_url=url) == 400201
    assert {m["user_id"] for m in (await view(creator, url))["members"]} == {creator.user_id, member.user_id}
    # The last to leave leaves a group that nobody sees.
    for client in (creator, member):
        await client.call("group.leave", channel_url=url)
        assert await code(client, "group.get", channel_url=url) == 400201


async def test_operators_remove_members(ctx):
    """Others are 400108; the removed hear that they have lost the group; who is no member is passed over."""
    server = await ctx.server(*FREE)
    url, creator, one, two = await group(ctx, server)
    async with refused(400108):
        await one.call("group.remove", channel_url=url, user_ids=[two.user_id])
    await creator.call("channel.add_operators", channel_url=url, user_ids=[one.user_id])
    answer = await creator.call(
        "group.remove", channel_url=url, user_ids=[one.user_id, two.user_id, ctx.name("nobody")])
    assert answer["channel"]["member_count"] == 1
    assert [o["user_id"] for o in answer["channel"]["operators"]] == [creator.user_id]
    for client in (one, two):
        assert (await client.event("group.lost", channel_url=url))["reason"] == "removed"
        async with refused(400201):
            await client.send(url, "x")
    await fence(url, creator, creator)
    left = [e["params"] for e in creator.told("group.left", channel_url=url)]
    assert [(e["user"]["user_id"], e["reason"], e["member_count"]) for e in left] == [
        (one.user_id, "removed", 2), (two.user_id, "removed", 1)], left
    # They are not banned.
    answer = await creator.call("group.invite", channel_url=url, user_ids=[one.user_id])
    assert answer["joined"] == [one.user_id] and answer["channel"]["members"][0]["user_id"] == creator.user_id
    await creator.call("group.remove", channel_url=url, user_ids=[two.user_id])
    await fence(url, creator, creator)
    assert len(creator.told("group.left", channel_url=url)) == 2


async def test_a_ban_ends_membership(ctx):
    """All receive the ban first, then others that the user has left, and the user that it has lost the group."""
    server = await ctx.server(*FREE)
    url, creator, bad, member = await group(ctx, server, is_public=True)
    second = await ctx.user(server, bad.user_id)
    await creator.call("channel.ban", channel_url=url, user_id=bad.user_id, description="spam")
    for client in (creator, member):
        event = await client.event("group.left", channel_url=url)
        assert (event["user"]["user_id"], event["reason"]) == (bad.user_id, "banned")
        names = heard(client, url)
        assert names.index("channel.user_banned") < names.index("group.left"), names
    for client in (bad, second):
        assert (await client.event("group.lost", channel_url=url))["reason"] == "banned"
        assert heard(client, url)[-2:] == ["channel.user_banned", "group.lost"], heard(client, url)
    await creator.send(url, "good riddance")
    async with refused(400750):
        await bad.call("group.join", channel_url=url)
    async with refused(400750):
        await creator.call("group.invite", channel_url=url, user_ids=[bad.user_id])
    async with refused(400750):
        await bad.send(url, "x")
    assert "my" not in await view(bad, url)
    await fence(url, creator, member)
    assert not bad.messages(url)
    await creator.call("channel.unban", channel_url=url, user_id=bad.user_id)
    # The end of a ban is not the beginning of a membership.
    assert "my" not in await view(bad, url)
    await bad.call("group.join", channel_url=url)
    await creator.send(url, "welcome back")
    await bad.event("message.received", channel_url=url)


async def test_operators(ctx):
    """Operators are members; a group without any is changed by each joined member, and deleted by none."""
    server = await ctx.server(*FREE)
    url, creator, one, two = await group(ctx, server)
    stranger = await ctx.user(server)
    async with refused(400108):
        await one.call("group.update", channel_url=url, name="mine")
    async with refused(400111, field="operator_ids"):
        await creator.call("group.update", channel_url=url, operator_ids=[one.user_id, stranger.user_id])
    async with refused(400111):
        await creator.call("channel.add_operators", channel_url=url, user_ids=[stranger.user_id])
    made = await creator.call("channel.add_operators", channel_url=url, user_ids=[one.user_id])
    assert made["channel"]["channel_type"] == "group_channels"
    event = await two.event("channel.operators_changed", channel_url=url)
    assert {o["user_id"] for o in event["operators"]} == {creator.user_id, one.user_id}
    changed = (await one.call("group.update", channel_url=url, name="ours", custom_type="c"))["channel"]
    assert changed["name"] == "ours" and changed["my"]["role"] == "operator" and len(changed["members"]) == 3
    event = await two.event("channel.changed", channel_url=url)
    assert event["channel"]["name"] == "ours" and event["channel"]["member_count"] == 3
    assert not {"my", "members", "last_message"} & set(event["channel"])
    await creator.call("channel.remove_operators", channel_url=url, user_ids=[creator.user_id, one.user_id])
    for client in (creator, one, two):
        await client.call("group.update", channel_url=url, name=f"by {client.user_id}")
    for method, params in (
            ("group.delete", {}), ("channel.freeze", {}), ("group.remove", {"user_ids": [one.user_id]}),
            ("channel.add_operators", {"user_ids": [two.user_id]})):
        assert await code(two, method, channel_url=url, **params) == 400108, method
    # Those that were named, and not the creator.
    _, creator, member = await group(ctx, server, 1)
    named = ctx.name("named")
    made = await creator.call(
        "group.create", channel_url=named, user_ids=[member.user_id], operator_ids=[member.user_id])
    assert [o["user_id"] for o in made["channel"]["operators"]] == [member.user_id]
    assert made["channel"]["my"]["role"] == "none"
    async with refused(400108):
        await creator.call("group.update", channel_url=named, name="x")


async def test_a_distinct_group(ctx):
    """The same set of users, by any of them and in any order, is one group; another set is another."""
    server = await ctx.server(*FREE)
    one, two, three, four = clients = await ctx.users(server, 4)
    ids = [client.user_id for client in clients]
    made = await one.call("group.create", user_ids=ids[1:3], is_distinct=True, name="Three")
    url = made["channel"]["channel_url"]
    assert made["created"] is True and made["channel"]["is_distinct"] is True
    assert made["channel"]["operators"] == []
    for client, named in ((one, [ids[2], ids[1]]), (two, ids[:3]), (three, [ids[1], ids[0], ids[0]])):
        again = await client.call("group.create", user_ids=named, is_distinct=True, name="Other", data="d")
        assert (again["created"], again["channel"]["channel_url"]) == (False, url)
        assert again["channel"]["name"] == "Three" and again["channel"]["my"]["state"] == "joined"
    for client, named in ((one, ids[1:2]), (one, []), (one, ids[1:]), (two, ids[2:3])):
        other = await client.call("group.create", user_ids=named, is_distinct=True)
        assert other["created"] is True and other["channel"]["channel_url"] != url
    alone = await one.call("group.create", user_ids=[ids[0]], is_distinct=True)
    assert alone["created"] is False and alone["channel"]["member_count"] == 1
    plain = await one.call("group.create", user_ids=ids[1:3])
    assert plain["created"] is True and plain["channel"]["is_distinct"] is False
    async with refused(400920, field="is_distinct"):
        await one.call("group.create", user_ids=ids[1:3], is_distinct=True, is_public=True)
    # Any member may change what has no operators.
    await two.call("group.update", channel_url=url, name="Renamed")
    assert (await three.event("channel.changed", channel_url=url))["channel"]["is_distinct"] is True


async def test_the_end_of_being_distinct(ctx):
    """A group is no longer distinct when a user is added, leaves or is deleted, and its set is free."""
    server = await ctx.server(*FREE)

    async def distinct(client, *others):
        return await client.call(
            "group.create", user_ids=[other.user_id for other in others], is_distinct=True)

    for ending in ("invitation", "leaving", "deletion"):
        one, two, three = await ctx.users(server, 3)
        first = (await distinct(one, two))["channel"]["channel_url"]
        if ending == "invitation":
            answer = await two.call("group.invite", channel_url=first, user_ids=[three.user_id])
            assert answer["channel"]["is_distinct"] is False
        elif ending == "leaving":
            await two.call("group.leave", channel_url=first)
        else:
            async with Caller(server) as caller:
                await caller.call("DELETE", f"/users/{two.user_id}")
            two = await ctx.user(server, two.user_id)
        assert (await view(one, first))["is_distinct"] is False, ending
        second = await distinct(two, one)
        assert second["created"] is True and second["channel"]["channel_url"] != first, ending
        # That of the larger set is not this one either.
        third = await distinct(one, two, three)
        assert third["created"] is True, ending


async def test_a_race_for_a_distinct_group(ctx):
    """Twenty creations of one set at once, by all of its users, make one group."""
    server = await ctx.server(*FREE)
    clients = await ctx.users(server, 4)
    ids = [client.user_id for client in clients]
    waiting = [
        await client.ask("group.create", user_ids=ids[n % 4:] + ids[:n % 4], is_distinct=True)
        for n in range(5) for client in clients]
    answers = [await clients[0].result(part) for part in waiting]
    assert len({a["channel"]["channel_url"] for a in answers}) == 1
    assert [a["created"] for a in answers].count(True) == 1
    url = answers[0]["channel"]["channel_url"]
    assert all(a["channel"]["member_count"] == 4 and len(a["channel"]["members"]) == 4 for a in answers)
    await fence(url, clients[1], *clients)
    for client in clients:
        assert len(client.told("group.joined", channel_url=url)) == 3
        assert len(client.told("group.ready")) == 1


async def test_a_race_for_a_url(ctx):
    """Of many who create a group with one URL, one is answered with it, and the others with 400202."""
    server = await ctx.server(*FREE)
    url, clients = ctx.name("group"), await ctx.users(server, 8)
    answers = await asyncio.gather(*(
        code(client, "group.create" if n % 2 else "channel.create", channel_url=url)
        for n, client in enumerate(clients)))
    assert sorted(answers, key=str) == [400202] * 7 + [None], answers


async def test_a_hundred_members(ctx):
    """A group takes a hundred members and no more; they are listed in pages, in the order of joining."""
    server = await ctx.server(*FREE)
    creator, other, stranger = await ctx.users(server, 3)
    names = [ctx.name(f"member-{n:03}") for n in range(99)]
    async with Caller(server) as caller:
        for name in names:
            await caller.call("POST", "/users", {"user_id": name, "nickname": name})
    async with refused(400203, field="user_ids", limit=100):
        await other.call("group.create", user_ids=[*names, other.user_id, stranger.user_id])
    async with refused(400203, scope="channel", limit=100):
        await other.call("group.create", user_ids=[*names, stranger.user_id])
    url = ctx.name("group")
    made = (await creator.call("group.create", channel_url=url, user_ids=names))["channel"]
    assert made["member_count"] == 100 and len(made["members"]) == 100
    async with refused(400203, scope="channel"):
        await creator.call("group.invite", channel_url=url, user_ids=[stranger.user_id])
    assert (await view(creator, url))["member_count"] == 100
    for limit in (0, 3):
        assert len((await view(creator, url, members_limit=limit))["members"]) == limit
    async with refused(400113, field="members_limit"):
        await view(creator, url, members_limit=101)
    everybody, token = await listed(creator, url, limit=100)
    assert set(everybody) == {creator.user_id, *names} and token == ""
    pages, token = [], ""
    while True:
        page, token = await listed(creator, url, limit=30, token=token)
        pages.append(page)
        if not token:
            break
    assert [len(page) for page in pages] == [30, 30, 30, 10] and sum(pages, []) == everybody
    first, token = await listed(creator, url)
    assert len(first) == 20 and (await listed(creator, url, token=token))[0] == everybody[20:40]
    assert (await listed(creator, url, member_state="invited")) == ([], "")
    async with refused(400109):
        await listed(creator, url, member_state="joined", token=token)
    for wrong, expected in (({"limit": 0}, 400113), ({"limit": 101}, 400113), ({"member_state": "gone"}, 400111),
                            ({"token": "x"}, 400109)):
        assert await code(creator, "group.members", channel_url=url, **wrong) == expected, wrong


async def test_rates_of_creating_and_inviting(ctx):
    """A user creates ten groups in a minute and names a hundred users; others are not affected."""
    server = await ctx.server(*FREE)
    one, two, three = await ctx.users(server, 3)
    for _ in range(10):
        await one.call("group.create")
    async with refused(500910, scope="user", limit=10):
        await one.call("group.create")
    url = (await two.call("group.create"))["channel"]["channel_url"]
    for _ in range(100):
        await two.call("group.invite", channel_url=url, user_ids=[three.user_id])
    async with refused(500910, scope="user", limit=100):
        await two.call("group.invite", channel_url=url, user_ids=[three.user_id])
    await three.call("group.invite", channel_url=url, user_ids=[one.user_id])


async def test_wrong_values(ctx):
    """Values of a wrong kind are named, and change nothing."""
    server = await ctx.server(*FREE)
    url, creator, member = await group(ctx, server, 1)
    before = await view(creator, url)
    for method, params, wanted, field in (
            ("group.create", {"is_super": True, "is_distinct": True}, 400920, "is_distinct"),
            ("group.create", {"user_ids": member.user_id}, 400102, "user_ids"),
            ("group.create", {"user_ids": [1]}, 400100, None),
            ("group.create", {"operator_ids": [member.user_id]}, 400111, "operator_ids"),
            ("group.create", {"access_code": "c" * 51}, 400110, "access_code"),
            ("group.create", {"name": "n" * 192}, 400110, "name"),
            ("group.create", {"channel_url": "a/b c"}, 400151, "channel_url"),
            ("group.create", {"channel_url": url}, 400202, "channel_url"),
            ("group.create", {"members_limit": -1}, None, "members_limit"),
            ("group.create", {"is_public": "yes"}, 400104, "is_public"),
            ("group.create", {"cover_url": "nowhere"}, 400111, "cover_url"),
            ("group.update", {"access_code": "c" * 51}, 400110, "access_code"),
            ("group.invite", {}, 400105, "user_ids"), ("group.invite", {"user_ids": []}, 400111, "user_ids"),
            ("group.remove", {"user_ids": []}, 400111, "user_ids"),
            ("group.join", {"access_code": 5}, 400100, "access_code")):
        about = {} if method == "group.create" else {"channel_url": url}
        error = await refusal(creator, method, **{**about, **params})
        assert error, (method, params)
        assert wanted in (None, error.code), (method, params, error)
        assert field in (None, (error.data or {}).get("field")), (method, params, error)
    for method in ("group.get", "group.update", "group.delete", "group.accept", "group.leave", "group.members"):
        async with refused(400105, field="channel_url"):
            await creator.call(method)
    assert await view(creator, url) == before


async def test_the_other_kind_of_channel(ctx):
    """Calls of open channels are 400920 for a group, and those of groups for an open channel."""
    server = await ctx.server(*FREE)
    url, creator, member = await group(ctx, server, 1)
    place, owner = await ctx.room(server, 0)
    before = await view(creator, url)
    for client in (creator, member):
        for method, params in (
                ("channel.get", {}), ("channel.update", {"name": "n"}), ("channel.delete", {}),
                ("channel.enter", {}), ("channel.exit", {}), ("channel.participants", {})):
            assert await code(client, method, channel_url=url, **params) == 400920, method
    assert await view(creator, url) == before
    for method, params in every_call(creator.user_id, 1):
        if method.startswith("group."):
            assert await code(owner, method, channel_url=place, **params) == 400920, method
    # An observer hears no group, whatever it may see over HTTP.
    watcher = await ctx.connect(server)
    await watcher.call("session.open", ticket=await ticket(server))
    assert await code(watcher, "channel.enter", channel_url=url) == 400920
    await creator.send(url, "not for the board")
    await fence(url, creator, member)
    await watcher.call("session.ping")
    assert heard(watcher, url) == []


async def test_a_deleted_group(ctx):
    """Members receive channel.deleted and then group.lost; the URL is free, and has another epoch."""
    server = await ctx.server(*FREE)
    url, creator, member = await group(ctx, server, 1)
    epoch = (await view(creator, url))["epoch"]
    number = (await creator.send(url, "x"))["message"]["message_id"]
    async with refused(400108):
        await member.call("group.delete", channel_url=url)
    assert await creator.call("group.delete", channel_url=url) == {}
    for client in (creator, member):
        assert (await client.event("group.lost", channel_url=url))["reason"] == "deleted"
        assert heard(client, url)[-2:] == ["channel.deleted", "group.lost"], heard(client, url)
        assert await code(client, "group.get", channel_url=url) == 400201
    again = (await member.call("group.create", channel_url=url))["channel"]
    assert again["epoch"] != epoch and again["member_count"] == 1 and again["seq"] == 0
    assert await code(member, "message.get", channel_url=url, message_id=number) == 400201
    await member.send(url, "new")
    await fence(url, member, member)
    await creator.call("session.ping")
    assert heard(creator, url)[-1] == "group.lost", heard(creator, url)


async def test_coming_and_going_at_once(ctx):
    """Many join, leave and are removed at once: events have no gap, and their counts are the members'."""
    server = await ctx.server(*FREE)
    url, creator, viewer = await group(ctx, server, 1, is_public=True)
    clients = await ctx.users(server, 6)

    async def wander(client, n):
        for turn in range(8):
            await client.call("group.join", channel_url=url)
            if (turn + n) % 3 == 0:
                await creator.call("group.remove", channel_url=url, user_ids=[client.user_id])
            else:
                await client.call("group.leave", channel_url=url)
    await asyncio.gather(*(wander(client, n) for n, client in enumerate(clients)))
    await asyncio.gather(*(client.call("group.join", channel_url=url) for client in clients[:3]))
    await fence(url, creator, viewer)
    numbered = [e["params"] for e in viewer.events if e["params"].get("channel_url") == url and "seq" in e["params"]]
    assert [e["seq"] for e in numbered] == list(range(1, len(numbered) + 1))
    here = {creator.user_id, viewer.user_id}
    for event in viewer.events:
        params = event["params"]
        if event["method"] not in ("group.joined", "group.left") or params["user"]["user_id"] == viewer.user_id:
            continue
        user = params["user"]["user_id"]
        assert (user in here) == (event["method"] == "group.left"), event
        here ^= {user}
        assert params["member_count"] == params["joined_member_count"] == len(here), event
    assert set((await listed(creator, url, limit=100))[0]) == here and len(here) == 5


async def test_a_deleted_user(ctx):
    """A user who is deleted leaves its groups, with the reason deleted_user, and loses its role."""
    server = await ctx.server(*FREE)
    url, creator, viewer = await group(ctx, server, 1)
    other = ctx.name("group")
    await viewer.call("group.create", channel_url=other, user_ids=[creator.user_id])
    await creator.send(url, "it stays")
    status, answer = await server.api("DELETE", f"/users/{creator.user_id}")
    assert status == 200, answer
    for place in (url, other):
        event = await viewer.event("group.left", channel_url=place)
        assert (event["user"]["user_id"], event["reason"]) == (creator.user_id, "deleted_user")
        assert (event["member_count"], event["joined_member_count"]) == (1, 1)
        seen = await view(viewer, place)
        assert [m["user_id"] for m in seen["members"]] == [viewer.user_id]
    seen = await view(viewer, url)
    assert seen["operators"] == [] and seen["created_by"] is None
    assert (await viewer.call("message.list", channel_url=url))["messages"][0]["message"] == "it stays"
    # Its name belongs to somebody else now, who is a stranger.
    again = await ctx.user(server, creator.user_id)
    assert await code(again, "group.get", channel_url=url) == 400201


async def uninvited(ctx, *names):
    """A server where users of these names accept invitations themselves, as no call lets them choose."""
    first = await ctx.fresh(*FREE)
    for name in names:
        await ctx.user(first, name)
    assert await first.end() == 0
    with closing(sqlite3.connect(database(first.data))) as store, store:
        for name in names:
            store.execute("UPDATE users SET accepts_invitations = 0 WHERE user_id = ?", (name,))
    return await ctx.fresh(*FREE, data=first.data)


async def test_an_invitation(ctx):
    """An invited user sees the group and no messages, until it accepts; declining ends it for good."""
    careful, choosy = ctx.name("careful"), ctx.name("choosy")
    server = await uninvited(ctx, careful, choosy)
    creator, member = await ctx.users(server, 2)
    careful, choosy = await ctx.user(server, careful), await ctx.user(server, choosy)
    second = await ctx.user(server, choosy.user_id)
    url = ctx.name("group")
    made = (await creator.call(
        "group.create", channel_url=url, user_ids=[careful.user_id, member.user_id], name="Trip"))["channel"]
    assert (made["member_count"], made["joined_member_count"]) == (3, 2)
    answer = await member.call("group.invite", channel_url=url, user_ids=[choosy.user_id])
    assert (answer["invited"], answer["joined"]) == ([choosy.user_id], [])
    for client, guest, inviter in (
            (careful, careful, creator), (creator, careful, creator), (choosy, choosy, member),
            (second, choosy, member), (creator, choosy, member)):
        await client.until(lambda: [
            e for e in client.told("group.invited", channel_url=url)
            if [u["user_id"] for u in e["params"]["users"]] == [guest.user_id]
            and e["params"]["inviter"]["user_id"] == inviter.user_id
            and e["params"]["channel"]["name"] == "Trip"], "an invitation")
    await creator.send(url, "before")
    seen = await view(careful, url)
    assert seen["my"]["state"] == "invited" and seen["my"]["inviter"]["user_id"] == creator.user_id
    assert seen["my"]["joined_at"] == 0 and seen["last_message"] is None and seen["last_ordinal"] == 1
    assert len((await listed(careful, url))[0]) == 4
    assert set((await listed(careful, url, member_state="invited"))[0]) == {careful.user_id, choosy.user_id}
    async with refused(400108):
        await careful.call("message.list", channel_url=url)
    async with refused(900020):
        await careful.send(url, "x")
    joined = (await careful.call("group.accept", channel_url=url))["channel"]
    assert joined["my"]["state"] == "joined" and joined["joined_member_count"] == 3
    event = await member.event("group.joined", channel_url=url, joined_member_count=3)
    assert event["user"]["user_id"] == careful.user_id and event["member_count"] == 4
    assert (await careful.call("message.list", channel_url=url))["messages"] == []
    await creator.send(url, "after")
    assert (await careful.event("message.received", channel_url=url))["message"]["message"] == "after"
    # Accepting again changes nothing.
    await careful.call("group.accept", channel_url=url)
    async with refused(400920):
        await careful.call("group.decline", channel_url=url)
    assert await choosy.call("group.decline", channel_url=url) == {}
    event = await member.event("group.declined", channel_url=url)
    assert event["user"]["user_id"] == choosy.user_id
    assert (event["member_count"], event["joined_member_count"]) == (3, 3)
    for client in (choosy, second):
        assert (await client.event("group.lost", channel_url=url))["reason"] == "declined"
        assert await code(client, "group.accept", channel_url=url) == 400201
        assert not client.messages(url)
    # An invitation is withdrawn like a membership.
    await creator.call("group.invite", channel_url=url, user_ids=[choosy.user_id])
    await creator.call("group.remove", channel_url=url, user_ids=[choosy.user_id])
    await choosy.event("group.lost", channel_url=url, reason="removed")
    await member.until(lambda: len(member.told("group.declined", channel_url=url)) == 2)


async def test_an_invited_session_without_groups(ctx):
    """A session that wants no events of groups hears neither of an invitation nor of its end."""
    name = ctx.name("careful")
    server = await uninvited(ctx, name)
    url, creator = await group(ctx, server, 0)
    deaf, listening = await ctx.user(server, name, groups=False), await ctx.user(server, name)
    await creator.call("group.invite", channel_url=url, user_ids=[name])
    await listening.event("group.invited", channel_url=url)
    await deaf.call("group.decline", channel_url=url)
    await listening.event("group.lost", channel_url=url)
    await deaf.call("session.ping")
    assert of_groups(deaf) == [], deaf.events


async def test_the_platform_api_has_no_groups(ctx):
    """Each call below an open channel's path is 400201 for a group, shows and changes nothing of it."""
    server = await ctx.fresh("--limits-platform-calls-per-second", "100000", *FREE)
    url, creator, member = await group(ctx, server, 1, name="Secret", custom_type="t")
    sent = await creator.send(url, "x", metaarray=[{"key": "k", "value": ["v"]}])
    world = World(url, member.user_id, creator.user_id, message_id=sent["message"]["message_id"], key="k")
    before, wrong, count = await view(creator, url), [], 0
    async with Caller(server) as caller:
        known = calls(world, ctx.name)
        for path, method, operation in operations():
            if not path.startswith("/v3/open_channels/{channel_url}"):
                continue
            for call in known[operation["operationId"]]:
                if call.refusal:
                    continue
                answer = await caller.send(method, world.target(path, call.query), call.body)
                count += 1
                if (answer.status, answer.code) != (400, 400201):
                    wrong.append(f"{method} {path}: {answer}")
        assert count > 30 and not wrong, wrong
        for query in ({"limit": 100}, {"channel_urls": url}, {"name_contains": "Secret"}, {"custom_types": "t"}):
            page = await caller.call("GET", "/open_channels", **query)
            assert url not in [channel["channel_url"] for channel in page["channels"]], query
        answer = await caller.send("POST", "/v3/open_channels", {"channel_url": url})
        assert answer.code == 400202, answer
    assert await view(creator, url) == before
    page = await member.call("channel.list", limit=100)
    assert url not in [channel["channel_url"] for channel in page["channels"]]
    await fence(url, creator, member)
    assert set(heard(member, url)) == {"group.joined", "message.received", "channel.changed"}


async def test_webhooks(ctx):
    """The events of a group are posted in order, beginning with its creation, as the socket shows them."""
    async with Receiver() as receiver:
        server = await ctx.fresh(*flags(receiver))
        url, creator, member = await group(ctx, server, 1, name="Trip")
        await creator.send(url, "hello")
        await member.call("group.leave", channel_url=url)
        await creator.call("group.delete", channel_url=url)
        await receiver.until(lambda: [e for e in receiver.of(url) if e["event"] == "channel.deleted"])
        events = receiver.of(url)
        assert [event["event"] for event in events] == [
            "group.created", "group.joined", "message.received", "group.left", "channel.deleted"], events
        assert [event["seq"] for event in events] == list(range(5)), events
        assert events[0]["channel"]["channel_type"] == "group_channels"
        assert (events[0]["channel"]["member_count"], events[0]["channel"]["name"]) == (2, "Trip")
        assert events[2]["message"]["channel_type"] == "group_channels" and events[2]["message"]["ordinal"] == 1
        assert events[3]["reason"] == "left"
        told = {e["method"]: e["params"] for e in creator.events if e["params"].get("channel_url") == url}
        for event in events[1:]:
            if event["event"] in told:
                assert {k: v for k, v in event.items() if k != "event"} == told[event["event"]], event


async def test_members_after_kill_9(ctx):
    """After kill -9 the members, their roles and histories, mutes, codes and numbers are as before."""
    server = await ctx.fresh(*FREE)
    url, creator, member, third = await group(ctx, server, 2, is_public=True, access_code="code")
    late = await ctx.user(server)
    await creator.send(url, "one")
    await late.call("group.join", channel_url=url, access_code="code")
    await creator.call("channel.mute", channel_url=url, user_id=third.user_id)
    await creator.call("channel.add_operators", channel_url=url, user_ids=[member.user_id])
    await member.send(url, "two")
    people = (creator, member, third, late)
    before = {client.user_id: await view(client, url) for client in people}
    order = await listed(creator, url)
    lists = [(await client.call("message.list", channel_url=url))["messages"] for client in (member, late)]
    assert [len(messages) for messages in lists] == [2, 1]
    distinct = await creator.call("group.create", user_ids=[late.user_id], is_distinct=True)
    await server.kill()
    server = await ctx.fresh(*FREE, data=server.data)
    creator, member, third, late = [await ctx.user(server, client.user_id) for client in people]
    for client in (creator, member, third, late):
        assert await view(client, url) == before[client.user_id]
    assert await listed(creator, url) == order
    assert [(await client.call("message.list", channel_url=url))["messages"] for client in (member, late)] == lists
    async with refused(900041):
        await third.send(url, "x")
    sent = await late.send(url, "three")
    assert sent["message"]["ordinal"] == 3 and sent["seq"] == before[late.user_id]["seq"] + 1
    for client in (creator, member, third):
        assert (await client.event("message.received", channel_url=url))["message"] == sent["message"]
    again = await late.call("group.create", user_ids=[creator.user_id], is_distinct=True)
    assert (again["created"], again["channel"]["channel_url"]) == (False, distinct["channel"]["channel_url"])
    stranger = await ctx.user(server)
    async with refused(400111, field="access_code"):
        await stranger.call("group.join", channel_url=url)
    await stranger.call("group.join", channel_url=url, access_code="code")
    await creator.event("group.joined", channel_url=url)


async def test_memberships_are_acknowledged_for_good(ctx):
    """kill -9 while users join and leave: what was answered is so afterwards."""
    server = await ctx.fresh(*FREE)
    url, creator = await group(ctx, server, 0, is_public=True)
    clients = await ctx.users(server, 6)
    state, unsure = {}, set()

    async def wander(client):
        while True:
            unsure.add(client.user_id)
            try:
                method = "group.leave" if state.get(client.user_id) else "group.join"
                await client.call(method, channel_url=url)
            except Exception as end:
                if isinstance(end, Refused):
                    raise
                return
            state[client.user_id] = method == "group.join"
            unsure.discard(client.user_id)
    working = [asyncio.create_task(wander(client)) for client in clients]
    await eventually(lambda: enough(creator), "some comings and goings")
    await server.kill()
    await asyncio.gather(*working)
    server = await ctx.fresh(*FREE, data=server.data)
    creator = await ctx.user(server, creator.user_id)
    here = set((await listed(creator, url, limit=100))[0])
    for client in clients:
        if client.user_id not in unsure:
            assert (client.user_id in here) == state[client.user_id], client.user_id
    assert (await view(creator, url))["member_count"] == len(here)


async def enough(client):
    return len(client.told("group.joined")) + len(client.told("group.left")) > 100
