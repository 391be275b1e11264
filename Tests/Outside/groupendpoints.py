"""Groups over the Platform API: creation, members, messages, and the kinds of channels in paths."""

from urllib.parse import quote

from calls import Caller, Form
from files import FLAGS

BASE = "/group_channels"


class Back(Caller):
    """A back end that works with groups."""

    async def user(self, ctx, auto_accept=True):
        name = ctx.name("user")
        await self.call("POST", "/users", {"user_id": name, "nickname": f"Nick {name}", "metadata": {"a": "b"}})
        if not auto_accept:
            answer = await self.call("PUT", f"/users/{name}/channel_invitation_preference", {"auto_accept": False})
            assert answer == {"auto_accept": False}, answer
        return name

    async def users(self, ctx, count):
        return [await self.user(ctx) for _ in range(count)]

    async def group(self, *users, **members):
        """The URL of a new group of users."""
        return (await self.call("POST", BASE, {"user_ids": [*users], **members}))["channel_url"]

    async def view(self, url, **query):
        return await self.call("GET", f"{BASE}/{url}", **query)

    async def members(self, url, **query):
        """The ids of members and their states."""
        page = await self.call("GET", f"{BASE}/{url}/members", **{"limit": 100, **query})
        return {member["user_id"]: member["state"] for member in page["members"]}

    async def code(self, method, path, body=None):
        answer = await self.send(method, "/v3" + path, body)
        assert answer.status in (200, 400, 404), answer
        return answer.code


def stated(users, state="joined"):
    return dict.fromkeys(users, state)


async def test_create(ctx):
    """Members are named as objects or as ids; the inviter is the creator, the first member and the operator."""
    async with Back(await ctx.server(*FLAGS)) as back:
        ann, ben, cat = await back.users(ctx, 3)
        url = ctx.name("group")
        made = await back.call("POST", BASE, {
            "users": [{"user_id": ben, "nickname": "ignored"}], "user_ids": [cat, ben], "inviter_id": ann,
            "channel_url": url, "name": "Trip", "cover_url": "https://a.example/c", "custom_type": "t",
            "data": "d", "is_public": True, "access_code": "sesame", "invitation_status": {}, "hidden_status": {}})
        expected = {
            "channel_url": url, "name": "Trip", "cover_url": "https://a.example/c", "custom_type": "t", "data": "d",
            "is_distinct": False, "is_public": True, "is_super": False, "is_ephemeral": False,
            "is_access_code_required": True, "freeze": False, "member_count": 3, "joined_member_count": 3,
            "metadata": {}}
        assert expected.items() <= made.items(), made
        assert made["created_by"]["user_id"] == ann and [o["user_id"] for o in made["operators"]] == [ann]
        assert 0 < made["created_at"] < 10**11 and "last_message" not in made and "access_code" not in made
        assert {m["user_id"]: m["state"] for m in made["members"]} == stated([ann, ben, cat])
        first = made["members"][0]
        assert first == {
            "user_id": ann, "nickname": f"Nick {ann}", "profile_url": "", "metadata": {"a": "b"}, "state": "joined",
            "role": "operator", "is_muted": False, "is_online": False, "last_seen_at": 0}, first
        seen = await back.view(url)
        assert seen == {name: value for name, value in made.items() if name != "members"}, seen

        alone = await back.call("POST", BASE, {"user_ids": [ann], "operator_ids": [ann]})
        assert "created_by" not in alone and alone["channel_url"].startswith("parley_group_channel_"), alone
        assert [o["user_id"] for o in alone["operators"]] == [ann]
        assert (await back.call("POST", BASE, {"user_ids": [ann]}))["operators"] == []
        assert await back.code("POST", BASE, {"user_ids": [ann], "channel_url": url}) == 400202
        room = ctx.name("room")
        await back.call("POST", "/open_channels", {"channel_url": room})
        assert await back.code("POST", BASE, {"user_ids": [ann], "channel_url": room}) == 400202


async def test_create_with_unknown_users(ctx):
    """Unknown users are left out unless the call is strict; somebody must be left, and the inviter must exist."""
    async with Back(await ctx.server(*FLAGS)) as back:
        ann, ghost, idle = await back.user(ctx), ctx.name("ghost"), await back.user(ctx)
        await back.call("PUT", f"/users/{idle}", {"is_active": False})
        assert await back.members(await back.group(ghost, ann)) == stated([ann])
        for body, code in (
                ({"user_ids": [ann, ghost], "strict": True}, 400201), ({"user_ids": [ghost]}, 400201),
                ({"user_ids": [ann], "inviter_id": ghost}, 400201), ({"user_ids": [ann, idle]}, 400300),
                ({}, 400105), ({"users": []}, 400105),
                ({"user_ids": [ann, ghost], "operator_ids": [ghost]}, 400111)):
            assert await back.code("POST", BASE, body) == code, body


async def test_members_without_a_meaning_here(ctx):
    """What asks for what there is not is refused by name."""
    async with Back(await ctx.server(*FLAGS)) as back:
        ann = await back.user(ctx)
        url = await back.group(ann)
        cases = [
            ("POST", BASE, {"user_ids": [ann]}, {
                "invitation_status": {ann: "joined"}, "hidden_status": {ann: "hidden"},
                "block_sdk_user_channel_join": True}),
            ("PUT", f"{BASE}/{url}", {"name": "n"}, {"is_distinct": True, "is_super": True}),
            ("POST", f"{BASE}/{url}/invite", {"user_ids": [ann]}, {
                "invitation_status": {ann: "joined"}, "hidden_status": {ann: "hidden"}}),
            ("POST", f"{BASE}/{url}/messages", {"message_type": "ADMM", "message": "x"}, {"poll_id": 7})]
        for method, path, body, asking in cases:
            for name, value in asking.items():
                answer = await back.send(method, "/v3" + path, {**body, name: value})
                assert answer.code == 400111 and f"'{name}'" in answer.value["message"], (name, answer)
                empty = {} if isinstance(value, dict) else False
                assert await back.code(method, path, {**body, name: empty}) is None, (method, path, name)
        for name in ("nickname_startswith", "muted_member_filter", "order"):
            answer = await back.send("GET", f"/v3{BASE}/{url}/members?{name}=a")
            assert answer.code == 400111 and f"'{name}'" in answer.value["message"], answer


async def test_deactivated_members(ctx):
    """Members are shown by whether their users are activated; the numbers count all of them."""
    async with Back(await ctx.server(*FLAGS)) as back:
        users = await back.users(ctx, 4)
        url = await back.group(*users)
        idle = users[1:3]
        for user in idle:
            await back.call("PUT", f"/users/{user}", {"is_active": False})
        active = [user for user in users if user not in idle]
        for mode, expected in (
                ("all", users), ("activated_only", active), ("deactivated_only", idle), ("activated", active),
                ("deactivated", idle)):
            assert set(await back.members(url, member_active_mode_filter=mode)) == set(expected), mode
            shown = await back.view(url, show_member="true", member_active_mode=mode)
            assert {member["user_id"] for member in shown["members"]} == set(expected), (mode, shown)
            assert shown["member_count"] == 4, shown
        assert set(await back.members(url)) == set(users)
        seen = await back.view(url, show_member="true", member_active_mode="activated_only", user_id=idle[0])
        assert len(seen["members"]) == 2 and seen["member_state"] == "joined", seen
        first = await back.call(
            "GET", f"{BASE}/{url}/members", limit=1, member_active_mode_filter="activated_only")
        second = await back.call(
            "GET", f"{BASE}/{url}/members", limit=1, member_active_mode_filter="activated_only", token=first["next"])
        assert {page["members"][0]["user_id"] for page in (first, second)} == set(active), (first, second)
        for path, name in ((url, "member_active_mode"), (f"{url}/members", "member_active_mode_filter")):
            answer = await back.send("GET", f"/v3{BASE}/{path}?{name}=active")
            assert answer.code == 400111 and f"'{name}'" in answer.value["message"], answer


async def test_distinct(ctx):
    """The same users get the same distinct group, in any order, over both interfaces."""
    server = await ctx.server(*FLAGS)
    async with Back(server) as back:
        ann, ben = await ctx.users(server, 2)
        first = await back.group(ann.user_id, ben.user_id, is_distinct=True, name="One")
        again = await back.call("POST", BASE, {
            "users": [{"user_id": ben.user_id}], "inviter_id": ann.user_id, "is_distinct": True, "name": "Two"})
        assert (again["channel_url"], again["name"], again["is_distinct"]) == (first, "One", True), again
        assert again["operators"] == [] and len(again["members"]) == 2, again
        found = await ann.call("group.create", user_ids=[ben.user_id], is_distinct=True)
        assert (found["created"], found["channel"]["channel_url"]) == (False, first)
        await back.call("PUT", f"{BASE}/{first}/leave", {"user_ids": [ben.user_id]})
        assert (await back.view(first))["is_distinct"] is False
        assert await back.group(ann.user_id, ben.user_id, is_distinct=True) != first


async def test_cover(ctx):
    """A form gives a group its cover, new or changed."""
    async with Back(await ctx.server(*FLAGS)) as back:
        ann, ben = await back.users(ctx, 2)
        url = ctx.name("group")
        for path, method, fields in (
                (BASE, "POST", {"channel_url": url, "user_ids": f"{ann},{ben}", "is_public": "true", "name": "G"}),
                (f"{BASE}/{url}", "PUT", {"name": "H"})):
            answer = await back.send(method, "/v3" + path, Form("cover_file", **fields))
            assert answer.status == 200 and "/files/" in answer.value["cover_url"], answer
        seen = await back.view(url)
        assert (seen["name"], seen["is_public"], seen["member_count"]) == ("H", True, 2), seen
        sent = await back.send("POST", f"/v3{BASE}/{url}/messages", Form("file", message_type="FILE", user_id=ann))
        assert sent.status == 200 and sent.value["channel_type"] == "group_channels", sent


async def test_update_and_delete(ctx):
    """Members hear the changes of a back end; operators are members; a deleted group is gone."""
    server = await ctx.server(*FLAGS)
    async with Back(server) as back:
        ann, ben = await ctx.users(server, 2)
        url = await back.group(ann.user_id, ben.user_id)
        changed = await back.call("PUT", f"{BASE}/{url}", {
            "name": "New", "operator_ids": [ben.user_id], "is_public": True, "access_code": "x"})
        assert (changed["name"], changed["is_public"], changed["is_access_code_required"]) == ("New", True, True)
        assert (await ann.event("channel.changed", channel_url=url))["channel"]["name"] == "New"
        assert await back.code("POST", f"{BASE}/{url}/operators", {"operator_ids": [await back.user(ctx)]}) == 400111
        await back.call("POST", f"{BASE}/{url}/operators", {"operator_ids": [ann.user_id]})
        listed = await back.call("GET", f"{BASE}/{url}/operators")
        assert [o["user_id"] for o in listed["operators"]] == [ben.user_id, ann.user_id]
        await back.call("DELETE", f"{BASE}/{url}/operators", operator_ids=ben.user_id)
        frozen = await back.call("PUT", f"{BASE}/{url}/freeze", {"freeze": True})
        assert frozen["freeze"] is True and frozen["member_count"] == 2, frozen
        await ann.event("channel.frozen", channel_url=url)
        assert await back.call("DELETE", f"{BASE}/{url}") == {}
        await ben.event("channel.deleted", channel_url=url)
        assert await back.code("GET", f"{BASE}/{url}") == 400201


async def test_invitations(ctx):
    """Who does not join at once is invited, hears it on its connections, and accepts or declines."""
    server = await ctx.server(*FLAGS)
    async with Back(server) as back:
        ann, shy = await ctx.users(server, 2)
        path = f"/users/{shy.user_id}/channel_invitation_preference"
        assert await back.call("GET", path) == {"auto_accept": True}
        assert await back.call("PUT", path, {"auto_accept": False}) == {"auto_accept": False}
        assert await back.code("PUT", path, {}) == 400105
        assert await back.code("GET", f"/users/{ctx.name('ghost')}/channel_invitation_preference") == 400201
        url = await back.group(ann.user_id)
        # Whoever invites need not be a member.
        host, guest = await back.users(ctx, 2)
        answer = await back.call("POST", f"{BASE}/{url}/invite", {
            "user_ids": [shy.user_id, guest, ann.user_id], "inviter_id": host})
        assert (answer["member_count"], answer["joined_member_count"]) == (3, 2), answer
        assert {m["user_id"]: m["state"] for m in answer["members"]} == {
            **stated([ann.user_id, guest]), shy.user_id: "invited"}
        heard = await shy.event("group.invited", channel_url=url)
        assert heard["inviter"]["user_id"] == host and heard["channel"]["channel_url"] == url, heard
        own = await back.view(url, user_id=shy.user_id)
        assert (own["member_state"], own["my_role"], own["is_muted"]) == ("invited", "", False), own
        assert own["inviter"]["user_id"] == host and own["invited_at"] > 10**12
        assert "joined_ts" not in own and "ts_message_offset" not in own and "members" not in own
        accepted = await back.call("PUT", f"{BASE}/{url}/accept", {"user_id": shy.user_id})
        assert accepted["joined_member_count"] == 3
        await shy.event("group.joined", channel_url=url)
        own = await back.view(url, user_id=shy.user_id, show_member="True")
        assert own["member_state"] == "joined" and 0 < own["joined_ts"] < 10**11, own
        assert own["ts_message_offset"] > 10**12 and len(own["members"]) == 3, own
        assert await back.code("PUT", f"{BASE}/{url}/decline", {"user_id": shy.user_id}) == 400920
        other = await back.group(ann.user_id, shy.user_id)
        assert await back.call("PUT", f"{BASE}/{other}/decline", {"user_id": shy.user_id}) == {}
        assert await back.members(other) == stated([ann.user_id])
        stranger = await back.user(ctx)
        assert await back.code("PUT", f"{BASE}/{other}/accept", {"user_id": stranger}) == 400920
        assert await back.code("PUT", f"{BASE}/{other}/accept", {"user_id": ctx.name("ghost")}) == 400201
        assert await back.code("POST", f"{BASE}/{other}/invite", {
            "user_ids": [stranger, ctx.name("ghost")]}) == 400201
        assert await back.code("POST", f"{BASE}/{other}/invite", {
            "user_ids": [stranger], "inviter_id": ctx.name("ghost")}) == 400201
        assert (await back.view(other, user_id=stranger))["member_state"] == "none"


async def test_join(ctx):
    """A public group is joined with its code; a private one, and by a banned user, is not."""
    async with Back(await ctx.server(*FLAGS)) as back:
        ann, ben, cat = await back.users(ctx, 3)
        public = await back.group(ann, is_public=True, access_code="sesame")
        private = await back.group(ann)
        assert await back.code("PUT", f"{BASE}/{public}/join", {"user_id": ben, "access_code": "guess"}) == 400111
        assert await back.code("PUT", f"{BASE}/{public}/join", {"user_id": ben}) == 400111
        joined = await back.call("PUT", f"{BASE}/{public}/join", {"user_id": ben, "access_code": "sesame"})
        assert {m["user_id"] for m in joined["members"]} == {ann, ben}, joined
        again = await back.call("PUT", f"{BASE}/{public}/join", {"user_id": ben, "access_code": "sesame"})
        assert again["joined_member_count"] == 2
        assert await back.code("PUT", f"{BASE}/{private}/join", {"user_id": ben}) == 400201
        await back.call("POST", f"{BASE}/{public}/ban", {"user_id": cat, "seconds": 60})
        assert await back.code("PUT", f"{BASE}/{public}/join", {"user_id": cat, "access_code": "sesame"}) == 400750


async def test_leave(ctx):
    """Several leave together or all do, and stay operators unless the call says otherwise."""
    server = await ctx.server(*FLAGS)
    async with Back(server) as back:
        clients = await ctx.users(server, 3)
        ann, ben, cat = (client.user_id for client in clients)
        url = await back.group(ann, ben, cat, operator_ids=[ann, ben])
        assert await back.call("PUT", f"{BASE}/{url}/leave", {
            "user_ids": [ann, cat, ctx.name("ghost")], "reason": "moved"}) == {}
        for leaver in (ann, cat):
            event = await clients[1].event("group.left", channel_url=url, reason="left")
            assert event["user"]["user_id"] in (ann, cat), (leaver, event)
        assert await back.members(url) == stated([ben])
        operators = (await back.view(url))["operators"]
        assert {o["user_id"] for o in operators} == {ann, ben}
        await back.call("PUT", f"{BASE}/{url}/leave", {
            "user_ids": [ben], "should_remove_operator_status": True})
        seen = await back.view(url)
        assert (seen["member_count"], [o["user_id"] for o in seen["operators"]]) == (0, [ann]), seen
        other = await back.group(ann, ben, cat)
        assert await back.call("PUT", f"{BASE}/{other}/leave", {"should_leave_all": True}) == {}
        assert await back.members(other) == {}
        assert await back.code("PUT", f"{BASE}/{other}/leave", {"user_ids": []}) == 400105


async def test_members(ctx):
    """Members are listed by pages, states and roles, and looked up one by one."""
    async with Back(await ctx.server(*FLAGS)) as back:
        users = await back.users(ctx, 4)
        shy = await back.user(ctx, auto_accept=False)
        url = await back.group(*users, shy, operator_ids=[users[2], shy])
        await back.call("POST", f"{BASE}/{url}/mute", {"user_id": users[1], "seconds": 60})
        everybody = {**stated(users), shy: "invited"}
        assert await back.members(url) == everybody
        found, token = {}, ""
        while True:
            page = await back.call("GET", f"{BASE}/{url}/members", limit=2, token=token)
            found |= {member["user_id"]: member for member in page["members"]}
            assert len(page["members"]) <= 2
            if not (token := page["next"]):
                break
        assert found.keys() == everybody.keys()
        assert {name for name, member in found.items() if member["is_muted"]} == {users[1]}
        assert {name for name, member in found.items() if member["role"] == "operator"} == {users[2], shy}
        for filters, expected in (
                ({"member_state_filter": "invited_only"}, {shy}), ({"member_state_filter": "joined_only"}, set(users)),
                ({"member_state_filter": "all", "operator_filter": "all"}, set(everybody)),
                ({"operator_filter": "operator"}, {users[2], shy}),
                ({"operator_filter": "nonoperator"}, {users[0], users[1], users[3]}),
                ({"operator_filter": "operator", "member_state_filter": "joined_only"}, {users[2]}),
                ({"show_member_is_muted": "True", "show_read_receipt": "False"}, set(everybody))):
            assert set(await back.members(url, **filters)) == expected, filters
        for user, state in ((users[0], "joined"), (shy, "invited"), (await back.user(ctx), "none")):
            answer = await back.call("GET", f"{BASE}/{url}/members/{user}")
            assert answer == {"is_member": state != "none", "state": state}, answer
        muted = await back.view(url, user_id=users[1])
        assert muted["is_muted"] is True and muted["my_role"] == ""


async def test_messages(ctx):
    """A back end sends for joined members and for itself, whatever is frozen or muted; members hear it."""
    server = await ctx.server(*FLAGS)
    async with Back(server) as back:
        ann, = await ctx.users(server, 1)
        shy, stranger, banned = await back.user(ctx, auto_accept=False), *await back.users(ctx, 2)
        url = await back.group(ann.user_id, shy, banned, channel_url=ctx.name("group"))
        path = f"{BASE}/{url}/messages"
        await back.call("PUT", f"{BASE}/{url}/freeze", {"freeze": True})
        await back.call("POST", f"{BASE}/{url}/mute", {"user_id": ann.user_id, "seconds": 60})
        text = {"message_type": "MESG", "message": "hello"}
        bodies = [{**text, "user_id": ann.user_id, "send_push": True, "mark_as_read": True},
                  {"message_type": "FILE", "url": "https://a.example/f", "user_id": ann.user_id},
                  {"message_type": "ADMM", "message": "notice"}]
        sent = [await back.call("POST", path, body) for body in bodies]
        for message in sent:
            assert (message["channel_type"], message["silent"], message["channel_url"]) == (
                "group_channels", False, url), message
            await ann.until(lambda: len(ann.messages(url)) == len(sent))
        for told, message in zip(ann.messages(url), sent):
            assert told["message_id"] == message["message_id"], told
            assert told["channel_type"] == "group_channels" and told["silent"] is False
        for user, code in ((shy, 900020), (stranger, 900020), (ctx.name("ghost"), 400201)):
            for body in ({**text, "user_id": user}, {**bodies[1], "user_id": user}):
                assert await back.code("POST", path, body) == code, (user, body)
        await back.call("POST", f"{BASE}/{url}/ban", {"user_id": banned, "seconds": 60})
        assert await back.code("POST", path, {**text, "user_id": banned}) == 400750
        page = await back.call("GET", path, message_ts=0, next_limit=10)
        assert [m["message_id"] for m in page["messages"]] == [m["message_id"] for m in sent], page
        assert await back.call("GET", f"{path}/total_count") == {"total": 3}
        last = (await back.view(url))["last_message"]
        assert last["message_id"] == sent[-1]["message_id"] and "user" not in last
        number = sent[0]["message_id"]
        changed = await back.call("PUT", f"{path}/{number}", {"message": "bye"})
        assert changed["message"] == "bye" and changed["channel_type"] == "group_channels"
        assert (await ann.event("message.updated", channel_url=url))["message"]["message"] == "bye"
        assert (await back.call("GET", f"{path}/{number}"))["message"] == "bye"
        array = await back.call("POST", f"{path}/{number}/sorted_metaarray", {
            "sorted_metaarray": [{"key": "k", "value": ["v"]}]})
        assert array == {"sorted_metaarray": [{"key": "k", "value": ["v"]}]}
        await back.call("DELETE", f"{path}/{number}")
        await ann.event("message.deleted", channel_url=url)
        old = {**text, "created_at": 1_546_300_800_000, "dedup_id": "old"}
        empty = f"{BASE}/{await back.group(ann.user_id)}/messages"
        assert (await back.call("POST", empty, {**old, "user_id": ann.user_id}))["created_at"] == old["created_at"]
        assert await back.code("POST", empty, {**old, "user_id": stranger}) == 900020


async def test_moderation(ctx):
    """A ban ends membership, a mute and a freeze do in a group what they do elsewhere."""
    server = await ctx.server(*FLAGS)
    async with Back(server) as back:
        ann, ben = await ctx.users(server, 2)
        url = await back.group(ann.user_id, ben.user_id, name="Hall")
        muted = await back.call("POST", f"{BASE}/{url}/mute", {"user_id": ann.user_id, "seconds": 60})
        assert (muted["name"], muted["is_super"]) == ("Hall", False), muted
        assert (await back.call("GET", f"{BASE}/{url}/mute/{ann.user_id}"))["is_muted"] is True
        await back.call("DELETE", f"{BASE}/{url}/mute/{ann.user_id}")
        ban = await back.call("POST", f"{BASE}/{url}/ban", {"user_id": ben.user_id, "seconds": 60})
        assert ban["user"]["user_id"] == ben.user_id
        await ann.event("channel.user_banned", channel_url=url)
        assert (await ann.event("group.left", channel_url=url))["reason"] == "banned"
        listed = await back.call("GET", f"{BASE}/{url}/ban")
        assert [b["user"]["user_id"] for b in listed["banned_list"]] == [ben.user_id]
        assert await back.code("POST", f"{BASE}/{url}/invite", {"user_ids": [ben.user_id]}) == 400750
        await back.call("DELETE", f"{BASE}/{url}/ban/{ben.user_id}")
        await back.call("POST", f"{BASE}/{url}/invite", {"user_ids": [ben.user_id]})
        assert await back.members(url) == stated([ann.user_id, ben.user_id])


async def test_items(ctx):
    """Metadata and counters of groups, as those of open channels."""
    async with Back(await ctx.server(*FLAGS)) as back:
        url = await back.group(await back.user(ctx))
        path = f"{BASE}/{url}"
        assert await back.call("POST", f"{path}/metadata", {"metadata": {"a": "1", "b": "2"}}) == {"a": "1", "b": "2"}
        assert await back.call("PUT", f"{path}/metadata/a", {"value": "3"}) == {"a": "3"}
        await back.call("DELETE", f"{path}/metadata/b")
        assert await back.call("GET", f"{path}/metadata") == {"a": "3"} == (await back.view(url))["metadata"]
        assert await back.call("POST", f"{path}/metacounter", {"metacounter": {"n": 1}}) == {"n": 1}
        assert await back.call("PUT", f"{path}/metacounter/n", {"value": 2, "mode": "increase"}) == {"n": 3}
        assert await back.call("GET", f"{path}/metacounter", key="n") == {"n": 3}


async def test_the_wrong_kind(ctx):
    """A path of one kind of channel does not find a channel of the other, and nothing changes."""
    async with Back(await ctx.server(*FLAGS)) as back:
        user = await back.user(ctx)
        group, room = await back.group(user, name="Group"), ctx.name("room")
        await back.call("POST", "/open_channels", {"channel_url": room, "name": "Room"})
        for base, url in (("/open_channels", group), (BASE, room)):
            channel = f"{base}/{url}"
            listed = [
                ("GET", "", None), ("PUT", "", {"name": "x"}), ("DELETE", "", None),
                ("PUT", "/freeze", {"freeze": True}), ("GET", "/operators", None),
                ("POST", "/operators", {"operator_ids": [user]}), ("DELETE", "/operators?delete_all=true", None),
                ("GET", "/ban", None), ("POST", "/ban", {"user_id": user}), ("POST", "/mute", {"user_id": user}),
                ("GET", f"/mute/{user}", None),
                ("POST", "/messages", {"message_type": "ADMM", "message": "x"}),
                ("POST", "/messages", {"message_type": "MESG", "message": "x", "user_id": user}),
                ("GET", "/messages?message_ts=0", None), ("GET", "/messages/total_count", None),
                ("GET", "/messages/1", None), ("DELETE", "/messages/1", None),
                ("POST", "/metadata", {"metadata": {"a": "b"}}), ("GET", "/metadata", None),
                ("PUT", "/metadata", {"metadata": {"a": "b"}, "upsert": True}), ("DELETE", "/metadata", None),
                ("PUT", "/metadata/a", {"value": "b", "upsert": True}), ("GET", "/metadata/a", None),
                ("POST", "/metacounter", {"metacounter": {"a": 1}}), ("GET", "/metacounter", None),
                ("PUT", "/metacounter/a", {"value": 1, "upsert": True}), ("DELETE", "/metacounter", None)]
            own = [("GET", "/participants", None)] if base != BASE else [
                ("POST", "/invite", {"user_ids": [user]}), ("PUT", "/accept", {"user_id": user}),
                ("PUT", "/decline", {"user_id": user}), ("PUT", "/join", {"user_id": user}),
                ("PUT", "/leave", {"user_ids": [user]}), ("GET", "/members", None), ("GET", f"/members/{user}", None)]
            for method, path, body in listed + own:
                assert await back.code(method, channel + path, body) == 400201, (method, channel + path)
            form = Form("file", message_type="ADMM", message="x")
            assert (await back.send("POST", f"/v3{channel}/messages", form)).code in (400111, 400201)
        assert (await back.view(group))["name"] == "Group"
        assert (await back.call("GET", f"/open_channels/{room}"))["name"] == "Room"
        # The limits of channels are below a path for both.
        for url in (group, room):
            await back.call("GET", f"/parley/limits/channels/{quote(url)}")


async def test_many_members(ctx):
    """A group has at most 100 members; at that number nobody else is added."""
    async with Back(await ctx.server(*FLAGS)) as back:
        users = await back.users(ctx, 101)
        assert await back.code("POST", BASE, {"user_ids": users[:100], "inviter_id": users[100]}) == 400203
        assert await back.code("POST", BASE, {"user_ids": users}) == 400203
        url = await back.group(*users[:100])
        assert await back.code("POST", f"{BASE}/{url}/invite", {"user_ids": [users[100]]}) == 400203
        seen = await back.view(url, show_member="true")
        assert len(seen["members"]) == seen["member_count"] == 100


async def test_silent_messages(ctx):
    """Nobody counts a silent message, and no hidden group comes back; others count unless they are one's own."""
    server = await ctx.server(*FLAGS)
    ann, ben = await ctx.users(server, 2)
    async with Back(server) as back:
        url = await back.group(ann.user_id, ben.user_id)
        await ben.call("group.hide", channel_url=url)
        path = f"{BASE}/{url}/messages"
        sent = await back.call("POST", path, {"message_type": "ADMM", "message": "x", "is_silent": True})
        assert sent["silent"] is True, sent
        await ben.until(lambda: ben.told("message.received", channel_url=url))
        message = ben.told("message.received", channel_url=url)[0]["params"]["message"]
        assert message["silent"] is True and message["ordinal"] == 0, message
        shown = (await ben.call("group.get", channel_url=url))["channel"]
        assert shown["my"]["unread_message_count"] == 0 and shown["last_ordinal"] == 0, shown
        assert shown["my"]["hidden_state"] == "hidden_allow_auto_unhide"
        user = {"message_type": "MESG", "user_id": ann.user_id, "message": "y"}
        await back.call("POST", path, user)
        await back.call("POST", path, {**user, "mark_as_read": False})
        await ben.until(lambda: ben.told("group.unhidden", channel_url=url))
        counts = await back.call("GET", f"{path}/unread_count", user_ids=f"{ann.user_id},{ben.user_id}")
        assert counts == {"unread": {ann.user_id: 0, ben.user_id: 2}}, counts
        own = (await ann.call("group.get", channel_url=url))["channel"]["my"]
        assert own["read_ordinal"] == 1, own


async def test_invitation_preference_of_both(ctx):
    """A user and its back end see and change the same choice."""
    server = await ctx.server(*FLAGS)
    ann = await ctx.user(server)
    async with Back(server) as back:
        assert await ann.call("user.preferences") == {"auto_accept_invitations": True, "send_read_receipts": True}
        assert await ann.call("user.preferences", auto_accept_invitations=False) == {
            "auto_accept_invitations": False, "send_read_receipts": True}
        path = f"/users/{ann.user_id}/channel_invitation_preference"
        assert await back.call("GET", path) == {"auto_accept": False}
        await back.call("PUT", path, {"auto_accept": True})
        assert await ann.call("user.preferences") == {"auto_accept_invitations": True, "send_read_receipts": True}
