"""Blocks: what they keep from the blocker, and that the blocked user cannot find out about them."""

from groupendpoints import Back as Caller
from groupreading import Counter, sent, told, unread
from groups import FREE, fence, group, listed, view
from harness import refused


async def block(blocker, blocked, ends=False):
    return await blocker.call("user.unblock" if ends else "user.block", user_id=blocked.user_id)


async def invited(inviter, url, *others):
    answer = await inviter.call("group.invite", channel_url=url, user_ids=[other.user_id for other in others])
    return {name: answer[name] for name in ("invited", "joined", "skipped")}


async def numbers(client):
    return (await client.call("group.unread"))["invitation_count"]


async def urls(client, **params):
    return [channel["channel_url"] for channel in (await client.call("group.list", **params))["channels"]]


def without_times(value):
    """An answer without what differs between any two groups, or users."""
    if isinstance(value, dict):
        varying = {"channel_url", "created_at", "invited_at", "joined_at", "epoch", "message_id", "updated_at", "ts",
                   "read_at", "previous_from", "next_from"}
        return {key: without_times(item) for key, item in value.items() if key not in varying}
    return [without_times(item) for item in value] if isinstance(value, list) else value


async def test_calls(ctx):
    """Both calls may be repeated; oneself and unknown users are refused; the list has pages."""
    server = await ctx.fresh(*FREE)
    ann, *others = await ctx.users(server, 6)
    for _ in range(2):
        assert await block(ann, others[0]) == {}
    for other in others[1:]:
        await block(ann, other)
    blocked = sorted(other.user_id for other in others)
    page, found = await ann.call("user.blocked", limit=2), []
    while True:
        found += [user["user_id"] for user in page["users"]]
        if not page["next"]:
            break
        page = await ann.call("user.blocked", limit=2, token=page["next"])
    assert found == blocked, found
    for _ in range(2):
        assert await block(ann, others[0], ends=True) == {}
    found = (await ann.call("user.blocked"))["users"]
    assert [user["user_id"] for user in found] == [name for name in blocked if name != others[0].user_id]
    assert set(found[0]) == {"user_id", "nickname", "profile_url", "metadata"}, found[0]
    assert (await others[1].call("user.blocked")) == {"users": [], "next": ""}
    for method in ("user.block", "user.unblock"):
        async with refused(400111):
            await ann.call(method, user_id=ann.user_id)
    async with refused(400201):
        await ann.call("user.block", user_id=ctx.name("ghost"))
    assert await ann.call("user.unblock", user_id=ctx.name("ghost")) == {}
    async with refused(400109):
        await ann.call("user.blocked", token="x")
    await server.kill()
    server = await ctx.fresh(*FREE, data=server.data)
    again = await ctx.user(server, ann.user_id)
    assert len((await again.call("user.blocked"))["users"]) == 4


async def test_limit(ctx):
    """A user blocks a thousand others at most."""
    server = await ctx.server(*FREE)
    ann, ben = await ctx.users(server, 2)
    caller = Caller(server)
    names = [ctx.name(f"many{number}") for number in range(1000)]
    for name in names:
        await caller.call("POST", "/users", {"user_id": name, "nickname": "", "profile_url": ""})
    for start in range(0, 1000, 100):
        await caller.call("POST", f"/users/{ann.user_id}/block", {"user_ids": names[start:start + 100]})
    async with refused(400203):
        await block(ann, ben)
    await ann.call("user.block", user_id=names[7])
    await ann.call("user.unblock", user_id=names[7])
    assert await block(ann, ben) == {}


async def test_invitations_do_not_reach(ctx):
    """The inviter sees an invitation that is not answered; the blocker sees and hears nothing of it."""
    server = await ctx.server(*FREE)
    url, ben, cleo = await group(ctx, server, 1)
    ann, shy = await ctx.users(server, 2)
    await Caller(server).call(
        "PUT", f"/users/{shy.user_id}/channel_invitation_preference", {"auto_accept": False})
    await block(ann, ben)
    answer = await invited(ben, url, ann, shy)
    assert answer == {"invited": [ann.user_id, shy.user_id], "joined": [], "skipped": []}, answer
    assert (await view(ben, url))["member_count"] == 4
    page = await ben.call("group.members", channel_url=url)
    ann_seen, shy_seen = [
        without_times({**one, "user_id": "", "nickname": ""})
        for one in page["members"] if one["user_id"] in (ann.user_id, shy.user_id)]
    assert ann_seen == shy_seen, page
    event = await cleo.event("group.invited", channel_url=url)
    assert {user["user_id"] for user in event["users"]} == {ann.user_id, shy.user_id}
    await shy.event("group.invited", channel_url=url)
    assert await numbers(ann) == 0 and await urls(ann) == [] and await urls(ann, member_state="invited") == []
    # Another member's invitation is another one only after the first has ended.
    assert (await invited(cleo, url, ann))["skipped"] == [ann.user_id]
    await ben.call("group.remove", channel_url=url, user_ids=[ann.user_id])
    assert (await invited(cleo, url, ann))["joined"] == [ann.user_id]
    await ann.event("group.joined", channel_url=url)
    assert [e["method"] for e in ann.events if e["params"].get("channel_url") == url] == ["group.joined"]


async def test_new_groups(ctx):
    """The same for groups that are created, distinct ones too; what was kept back is there after the block."""
    server = await ctx.server(*FREE)
    ann, ben, cleo = await ctx.users(server, 3)
    await block(ann, ben)
    made = [(await ben.call("group.create", user_ids=[ann.user_id], is_distinct=distinct))["channel"]
            for distinct in (False, True)]
    for channel in made:
        assert (channel["member_count"], channel["joined_member_count"]) == (2, 1), channel
        state = {one["user_id"]: one["state"] for one in channel["members"]}
        assert state == {ann.user_id: "invited", ben.user_id: "joined"}, state
    again = await ben.call("group.create", user_ids=[ann.user_id], is_distinct=True)
    assert (again["channel"]["channel_url"], again["created"]) == (made[1]["channel_url"], False)
    back = await Caller(server).call("POST", "/group_channels", {
        "user_ids": [ann.user_id, cleo.user_id], "inviter_id": ben.user_id})
    assert (back["member_count"], back["joined_member_count"]) == (3, 2), back
    plain = await Caller(server).call("POST", "/group_channels", {"user_ids": [ann.user_id, ben.user_id]})
    assert plain["joined_member_count"] == 2, plain
    assert await urls(ann) == [plain["channel_url"]] and await numbers(ann) == 0
    # The user itself may ask for the distinct group, and finds its invitation.
    own = await ann.call("group.create", user_ids=[ben.user_id], is_distinct=True)
    assert (own["created"], own["channel"]["my"]["state"]) == (False, "invited"), own
    await block(ann, ben, ends=True)
    assert set(await urls(ann, member_state="invited")) == {
        made[0]["channel_url"], made[1]["channel_url"], back["channel_url"]}
    assert await numbers(ann) == 3
    await ann.call("group.accept", channel_url=made[0]["channel_url"])


async def test_messages_of_two(ctx):
    """In a group of two the blocked user's messages are unread for neither, and clients that count agree."""
    server = await ctx.fresh(*FREE)
    url, ann, ben = await group(ctx, server, 1)
    phone = await ctx.user(server, ben.user_id)
    # The connection that sends receives answers instead of events.
    counters = [Counter(client, url, await view(client, url)) for client in (ann, phone)]

    async def agreed():
        for counter in counters:
            channel = await view(counter.client, url, members_limit=0)
            expected = (channel["last_ordinal"], channel["my"]["read_ordinal"],
                        channel["my"]["unread_message_count"])
            await counter.client.until(lambda: counter.count() == expected, f"{expected}")

    await sent(ben, url)
    assert await unread(url, ann, ben) == [1, 0]
    await block(ann, ben)
    messages = [await sent(ben, url, f"to no one {number}") for number in range(3)]
    assert [message["ordinal"] for message in messages] == [2, 3, 4]
    assert not any(message["silent"] for message in messages), messages
    assert await unread(url, ann, ben) == [1, 0]
    await agreed()
    await ben.call("message.delete", channel_url=url, message_id=messages[1]["message_id"])
    assert await unread(url, ann, ben) == [1, 0]
    await agreed()
    # The blocker reads all messages.
    page = await ann.call("message.list", channel_url=url, prev_limit=10)
    assert [message["ordinal"] for message in page["messages"]] == [1, 2, 4]
    assert len([e for e in ann.events if e["method"] == "message.received"]) == 4
    await server.kill()
    server = await ctx.fresh(*FREE, data=server.data)
    ann, ben = await ctx.user(server, ann.user_id), await ctx.user(server, ben.user_id)
    await sent(ben, url)
    assert await unread(url, ann, ben) == [1, 0]
    await block(ann, ben, ends=True)
    await sent(ben, url)
    assert await unread(url, ann, ben) == [2, 0]


async def test_hidden_groups_stay_hidden(ctx):
    """A message of the blocked user does not show the group again; one of others does."""
    server = await ctx.server(*FREE)
    url, ann, ben = await group(ctx, server, 1)
    await ann.call("group.hide", channel_url=url)
    await block(ann, ben)
    for _ in range(2):
        await sent(ben, url)
        assert (await view(ann, url))["my"]["hidden_state"] == "hidden_allow_auto_unhide"
        assert await urls(ann) == []
    await fence(url, ann, ann)
    assert told(ann, url, "group.unhidden") == []
    await Caller(server).call("POST", f"/group_channels/{url}/messages", {"message_type": "ADMM", "message": "x"})
    await ann.event("group.unhidden", channel_url=url)
    assert await urls(ann) == [url]


async def test_larger_groups_are_unchanged(ctx):
    """In a group of three all is as before, but the list of members names the blocked one."""
    server = await ctx.server(*FREE)
    url, ann, ben, cleo = await group(ctx, server)
    await block(ann, ben)
    await sent(ben, url)
    assert await unread(url, ann, ben, cleo) == [1, 0, 1]
    for viewer, expected in ((ann, {ben.user_id}), (ben, set()), (cleo, set())):
        page = await viewer.call("group.members", channel_url=url)
        assert {one["user_id"] for one in page["members"] if one["is_blocked_by_me"]} == expected, page
    assert len(await listed(ann, url)) == 2
    await cleo.call("group.leave", channel_url=url)
    await sent(ben, url)
    assert await unread(url, ann, ben) == [1, 0]
    assert (await invited(ann, url, cleo))["joined"] == [cleo.user_id]
    await sent(ben, url)
    assert await unread(url, ann, ben, cleo) == [2, 0, 1]


async def test_mentions_do_not_reach(ctx):
    """A mention in an open channel reaches those who do not block its author; the message names all."""
    server = await ctx.server(*FREE)
    url, ben = await ctx.room(server, 0)
    ann, cleo = await ctx.users(server, 2)
    await block(ann, ben)
    names = [ann.user_id, cleo.user_id]
    message = (await ben.send(url, "hello", mentioned_user_ids=names))["message"]
    assert [user["user_id"] for user in message["mentioned_users"]] == names
    await cleo.event("mention.received", channel_url=url)
    back = await Caller(server).call("POST", f"/open_channels/{url}/messages", {
        "message_type": "MESG", "user_id": ben.user_id, "message": "x", "mentioned_user_ids": names})
    assert len(back["mentioned_users"]) == 2
    await cleo.until(lambda: len(cleo.told("mention.received")) == 2, "the second mention")
    await block(ann, ben, ends=True)
    await ben.send(url, "again", mentioned_user_ids=names)
    event = await ann.event("mention.received", channel_url=url)
    assert event["message"]["message"] == "again" and len(ann.told("mention.received")) == 1


async def test_the_blocked_user_sees_no_difference(ctx):
    """All that a user can see of a group with one who blocks it is as in a group with one who does not."""
    server = await ctx.server(*FREE)
    ben, = await ctx.users(server, 1)
    phone = await ctx.user(server, ben.user_id)
    seen = []
    for blocks in (True, False):
        ann = await ctx.user(server, ctx.name("ann"))
        mark = len(phone.events)
        made = await ben.call("group.create", user_ids=[ann.user_id], is_distinct=True)
        url = made["channel"]["channel_url"]
        if blocks:
            await block(ann, ben)
        answers = [made]
        first = await ben.send(url, "one", req_id=ctx.name("r"))
        answers += [first, await ben.send(url, "two")]
        for method, params in (
                ("group.get", {}), ("group.members", {}), ("group.unread", {}),
                ("group.create", {"user_ids": [ann.user_id], "is_distinct": True}),
                ("message.list", {"prev_limit": 10}),
                ("group.mark_unread", {"message_id": first["message"]["message_id"]}), ("group.get", {}),
                ("message.delete", {"message_id": first["message"]["message_id"]}), ("group.get", {}),
                ("message.list", {"prev_limit": 10})):
            params = params if method in ("group.unread", "group.create") else {"channel_url": url, **params}
            answers.append(await ben.call(method, **params))
        await fence(url, ben, phone)
        await ben.call("group.hide", channel_url=url)
        await phone.until(lambda: phone.events[-1]["method"] == "group.hidden", "the last event")
        text = str(without_times([answers, phone.events[mark:]]))
        text = text.replace(ann.user_id, "ann")
        for value in (first["message"]["req_id"], phone.told("channel.changed")[-1]["params"]["channel"]["data"]):
            text = text.replace(value, "")
        seen.append(text)
    assert seen[0] == seen[1], seen


async def test_a_block_holds_at_once(ctx):
    """A message that is sent after the answer to the block is never counted, however fast it is."""
    server = await ctx.server(*FREE)
    url, ann, ben = await group(ctx, server, 1)
    for _ in range(30):
        await ann.call("user.block", user_id=ben.user_id)
        await sent(ben, url)
        assert await unread(url, ann) == [0]
        await ann.call("user.unblock", user_id=ben.user_id)
        await sent(ben, url)
        assert await unread(url, ann) == [1]
        await ann.call("group.mark_read", channel_url=url)


async def test_platform(ctx):
    """A back end sets, lists and ends blocks; a deleted user is in no list."""
    server = await ctx.server(*FREE)
    url, ann, ben, cleo = await group(ctx, server)
    caller = Caller(server)
    path = f"/users/{ann.user_id}/block"
    made = await caller.call("POST", path, {"target_id": ben.user_id})
    assert [user["user_id"] for user in made["users"]] == [ben.user_id] and made["next"] == "", made
    made = await caller.call("POST", path, {"user_ids": [cleo.user_id, ben.user_id]})
    assert {user["user_id"] for user in made["users"]} == {ben.user_id, cleo.user_id}, made
    assert made["users"][0]["is_active"] is True, made
    assert (await ann.call("user.blocked"))["next"] == ""
    page = await caller.call("GET", path, limit=1)
    rest = await caller.call("GET", path, limit=1, token=page["next"])
    assert [one["user_id"] for one in page["users"] + rest["users"]] == sorted([ben.user_id, cleo.user_id])
    back = await caller.call("GET", f"/users/{ben.user_id}/block", list="blocking_me")
    assert [one["user_id"] for one in back["users"]] == [ann.user_id]
    members = await caller.call("GET", f"/group_channels/{url}/members", user_id=ben.user_id)
    assert {(one["user_id"], one["is_blocked_by_me"], one["is_blocking_me"]) for one in members["members"]} == {
        (ann.user_id, False, True), (ben.user_id, False, False), (cleo.user_id, False, False)}
    plain = await caller.call("GET", f"/group_channels/{url}/members")
    assert "is_blocking_me" not in plain["members"][0], plain
    for _ in range(2):
        assert await caller.call("DELETE", f"{path}/{ben.user_id}") == {}
    for body, expected in (({}, 400105), ({"target_id": ann.user_id}, 400111),
                           ({"target_id": ctx.name("ghost")}, 400201)):
        assert await caller.code("POST", path, body) == expected, body
    assert await caller.code("GET", f"/users/{ctx.name('ghost')}/block") == 400201
    assert await caller.code("GET", f"{path}?list=all") == 400111
    await caller.call("DELETE", f"/users/{cleo.user_id}")
    assert (await caller.call("GET", path))["users"] == []
