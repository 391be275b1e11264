"""Lists of groups, numbers of unread messages, and groups that members hide."""

import random

from calls import Caller
from groupendpoints import BASE, Back
from groups import FREE, code, fence, group, heard, refusal, view
from harness import Refused, eventually, refused

ORDERS = ("latest_last_message", "chronological", "channel_name_alphabetical")
RATED = 500910


async def query(client, method, **params):
    """A call that has a rate of its own; it is repeated until the rate admits it."""
    async def admitted():
        try:
            return [await client.call(method, **params)]
        except Refused as error:
            if error.code != RATED:
                raise
        return None
    return (await eventually(admitted, f"{method} within the rate"))[0]


async def listed(client, **params):
    """The URLs of all pages of a list, in order."""
    urls, token = [], ""
    while True:
        page = await query(client, "group.list", **{"limit": 100, **params}, token=token)
        urls += [channel["channel_url"] for channel in page["channels"]]
        token = page["next"]
        if not token:
            return urls


async def mine(client, url):
    return (await view(client, url, members_limit=0))["my"]


async def totals(client, **params):
    """Unread messages, groups with such messages, and invitations."""
    found = await query(client, "group.unread", **params)
    return found["unread_message_count"], found["unread_channel_count"], found["invitation_count"]


async def client_of(ctx, server, back, auto_accept=True):
    """A connected user that the back end knows."""
    return await ctx.user(server, await back.user(ctx, auto_accept))


def numbers_of(my):
    return my["read_ordinal"], my["unread_message_count"], my["unread_mention_count"]


class Counter:
    """The numbers of a group as a client counts them, by the steps of the page about groups."""

    def __init__(self, user_id):
        self.user_id = user_id
        self.last = self.read = self.unread = self.mentions = -1
        # By ordinal, whether the message mentions the user.
        self.later = {}

    @property
    def numbers(self):
        return self.read, self.unread, self.mentions

    def mine(self, my):
        if my["last_ordinal"] < self.last:
            return
        self.last = my["last_ordinal"]
        self.read, self.unread, self.mentions = numbers_of(my)

    def sent(self, ordinal):
        if ordinal > self.last:
            self.last = self.read = ordinal
            self.unread = self.mentions = 0
        elif ordinal > self.read:
            after = [is_mention for n, is_mention in self.later.items() if n > ordinal]
            self.read, self.unread, self.mentions = ordinal, len(after), sum(after)

    def is_mentioned(self, message):
        users = message.get("mentioned_user_ids") or [user["user_id"] for user in message.get("mentioned_users") or []]
        return message.get("mention_type") == "channel" or self.user_id in users

    def event(self, event):
        params = event["params"]
        match event["method"]:
            case "message.received":
                message = params["message"]
                author = (message.get("user") or {}).get("user_id")
                if author == self.user_id:
                    self.sent(message["ordinal"])
                elif message["ordinal"] > self.last:
                    self.last = message["ordinal"]
                    self.unread += 1
                    self.later[self.last] = self.is_mentioned(message)
                    self.mentions += self.later[self.last]
            case "message.updated" if "former_mentions" in params:
                message = params["message"]
                author = (message.get("user") or {}).get("user_id")
                if self.read < message["ordinal"] <= self.last and author != self.user_id:
                    self.later[message["ordinal"]] = self.is_mentioned(message)
                    self.mentions += self.later[message["ordinal"]] - self.is_mentioned(params["former_mentions"])
            case "message.deleted":
                self.later.pop(params["ordinal"], None)
                if params["ordinal"] > self.read and params.get("sender_id") != self.user_id:
                    self.unread -= 1
                    self.mentions -= self.is_mentioned(params)
            case "group.unread" | "group.hidden" | "group.unhidden":
                self.mine(params["my"])


async def test_orders(ctx):
    """By the last message, by age, and by name without regard to case; a group without messages counts from its creation."""
    server = await ctx.server(*FREE)
    async with Back(server) as back:
        ann, ben = await client_of(ctx, server, back), await client_of(ctx, server, back)
        made = {}
        for name in ("delta", "Alpha", "beta", "Charlie"):
            made[name] = await back.group(ann.user_id, ben.user_id, name=name)
            # The next one is created later, by the server's clock.
            before = (await ann.call("session.ping"))["time"]
            await eventually(lambda before=before: _is_past(ann, before), "a later millisecond")
        await ben.send(made["Alpha"], "first")
        before = (await ann.call("session.ping"))["time"]
        await eventually(lambda: _is_past(ann, before), "a later millisecond")
        await ben.send(made["delta"], "second")
        expected = dict(zip(ORDERS, (
            ("delta", "Alpha", "Charlie", "beta"), ("Charlie", "beta", "Alpha", "delta"),
            ("Alpha", "beta", "Charlie", "delta"))))
        for order, names in expected.items():
            assert await listed(ann, order=order) == [made[name] for name in names], order
            assert await listed(ann, order=order, limit=1) == [made[name] for name in names], order
            page = await back.call("GET", f"/users/{ann.user_id}/my_group_channels", order=order)
            assert [one["channel_url"] for one in page["channels"]] == [made[name] for name in names], order
        assert await listed(ann) == await listed(ann, order=ORDERS[0])
        # A changed name and a deleted last message move a group.
        await back.call("PUT", f"{BASE}/{made['Alpha']}", {"name": "zulu"})
        assert (await listed(ann, order=ORDERS[2]))[-1] == made["Alpha"]


async def _is_past(client, moment):
    return (await client.call("session.ping"))["time"] > moment


async def test_conditions(ctx):
    """Each condition of a list keeps the groups that meet it, and all conditions hold together."""
    server = await ctx.server(*FREE)
    async with Back(server) as back:
        ann, ben, cat = [await client_of(ctx, server, back) for _ in range(3)]
        dan = await back.user(ctx)
        await back.call("PUT", f"/users/{dan}", {"nickname": "Straße 7"})
        a, b, c, d = ann.user_id, ben.user_id, cat.user_id, dan
        plain = await back.group(a, b, name="Trip to Rome", custom_type="trip-1")
        public = await back.group(a, c, name="Public", is_public=True, custom_type="trip-2")
        distinct = await back.group(a, b, c, name="Three", is_distinct=True, custom_type="other")
        frozen = await back.group(a, d, name="Frozen")
        await back.call("PUT", f"{BASE}/{frozen}/freeze", {"freeze": True})
        await ben.send(plain, "hello")
        every = {plain, public, distinct, frozen}
        for params, expected in (
                ({}, every),
                ({"member_state": "joined"}, every), ({"member_state": "invited"}, set()),
                ({"public_mode": "public"}, {public}), ({"public_mode": "private"}, every - {public}),
                ({"distinct_mode": "distinct"}, {distinct}), ({"distinct_mode": "nondistinct"}, every - {distinct}),
                ({"super_mode": "super"}, set()), ({"super_mode": "nonsuper"}, every),
                ({"custom_types": ["trip-1", "other"]}, {plain, distinct}), ({"custom_types": []}, every),
                ({"custom_type_startswith": "trip-"}, {plain, public}),
                ({"name_contains": "RIP TO"}, {plain}), ({"nickname_contains": "STRASSE"}, {frozen}),
                ({"members_include": {"user_ids": [b, c]}}, {distinct}),
                ({"members_include": {"user_ids": [b, c], "mode": "or"}}, {plain, public, distinct}),
                ({"members_exactly": [b, a]}, {plain}), ({"members_exactly": [a]}, set()),
                ({"channel_urls": [plain, frozen, "nothing"]}, {plain, frozen}),
                ({"show_empty": False}, {plain}), ({"show_frozen": False}, every - {frozen}),
                ({"unread_only": True}, {plain}),
                ({"custom_type_startswith": "trip-", "public_mode": "public", "name_contains": "public"}, {public}),
                ({"custom_type_startswith": "trip-", "distinct_mode": "distinct"}, set())):
            found = await listed(ann, **params)
            assert set(found) == expected and len(found) == len(expected), (params, found)
        page = await query(ann, "group.list", channel_urls=[distinct], members_limit=2)
        shown, = page["channels"]
        assert len(shown["members"]) == 2 and shown["my"]["state"] == "joined", shown
        assert shown == await view(ann, distinct, members_limit=2)
        # The list shows what the group itself does, and what the user has not read.
        page = await query(ann, "group.list", channel_urls=[plain])
        assert page["channels"] == [await view(ann, plain, members_limit=0)]
        assert page["channels"][0]["my"]["unread_message_count"] == 1


async def test_invitations_in_lists(ctx):
    """An invited user finds the group without messages; with members, it is counted as an invitation."""
    server = await ctx.server(*FREE)
    async with Back(server) as back:
        ann, ben = await client_of(ctx, server, back), await client_of(ctx, server, back, auto_accept=False)
        url = await back.group(ann.user_id, ben.user_id)
        await ann.send(url, "before")
        page = await query(ben, "group.list", member_state="invited")
        shown, = page["channels"]
        assert (shown["channel_url"], shown["last_message"], shown["my"]["state"]) == (url, None, "invited"), shown
        assert await listed(ben, member_state="joined") == [] == await listed(ben, unread_only=True)
        assert await totals(ben) == (0, 0, 1)
        for method in ("group.mark_read", "group.hide", "group.unhide", "group.reset_history"):
            assert await code(ben, method, channel_url=url) == 900020, method
        await ben.call("group.accept", channel_url=url)
        assert await totals(ben) == (0, 0, 0), "messages before the history are not unread"
        await ann.send(url, "after")
        assert await totals(ben) == (1, 1, 0) and await listed(ben, unread_only=True) == [url]


async def test_pages_while_groups_move(ctx):
    """40 groups in pages of 7 while messages arrive: no group twice, and those that do not move are all there."""
    server = await ctx.server(*FREE)
    async with Back(server) as back:
        ann, ben = await client_of(ctx, server, back), await client_of(ctx, server, back)
        urls = [await back.group(ann.user_id, ben.user_id, name=f"group {n % 13}") for n in range(40)]
        for url in urls:
            await ben.send(url, "hello")
        choice = random.Random(7)
        for order in ORDERS:
            seen, moved, token = [], set(), ""
            while True:
                page = await query(ann, "group.list", order=order, limit=7, token=token)
                seen += [channel["channel_url"] for channel in page["channels"]]
                for url in choice.sample(urls, 4):
                    await ben.send(url, "moves")
                    moved.add(url)
                token = page["next"]
                if not token:
                    break
            assert len(seen) == len(set(seen)), order
            missing = set(urls) - set(seen)
            assert missing <= (moved if order == ORDERS[0] else set()), (order, missing)


async def test_hidden_groups(ctx):
    """A hidden group is in no list and no total until the next message, an archived one until it is unhidden."""
    server = await ctx.server(*FREE)
    url, ann, ben = await group(ctx, server, 1)
    other = await ctx.user(server, ben.user_id)
    quiet, *_ = (await ann.call("group.create", user_ids=[ben.user_id], channel_url=ctx.name("quiet")),)
    quiet = quiet["channel"]["channel_url"]
    first = await ann.send(url, "before")
    answer = await ben.call("group.hide", channel_url=url)
    assert answer["my"]["hidden_state"] == "hidden_allow_auto_unhide"
    assert (await other.event("group.hidden", channel_url=url))["my"] == answer["my"]
    answer = await ben.call("group.hide", channel_url=quiet, allow_auto_unhide=False)
    assert answer["my"]["hidden_state"] == "hidden_prevent_auto_unhide"
    for mode, expected in (
            ("unhidden_only", set()), ("hidden_only", {url, quiet}), ("hidden_allow_auto_unhide", {url}),
            ("hidden_prevent_auto_unhide", {quiet}), ("all", {url, quiet})):
        assert set(await listed(ben, hidden_mode=mode)) == expected, mode
    assert await listed(ben) == [] and set(await listed(ann)) == {url, quiet}
    assert await totals(ben) == (0, 0, 0)
    for place in (url, quiet):
        await ann.send(place, "wakes")
    assert await listed(ben) == [url] and await totals(ben) == (2, 1, 0)
    for client in (ben, other):
        assert (await client.event("group.unhidden", channel_url=url))["my"]["unread_message_count"] == 2
        assert heard(client, url)[-2:] == ["message.received", "group.unhidden"], heard(client, url)
    assert (await mine(ben, url))["hidden_state"] == "unhidden"
    assert (await mine(ben, quiet))["hidden_state"] == "hidden_prevent_auto_unhide"
    answer = await ben.call("group.unhide", channel_url=quiet)
    assert (await other.event("group.unhidden", channel_url=quiet))["my"] == answer["my"]
    assert await totals(ben) == (3, 2, 0)
    # With the messages of before, and again without a change.
    await ben.call("group.hide", channel_url=url, hide_previous_messages=True)
    again = await ben.call("group.unhide", channel_url=url)
    assert await ben.call("group.unhide", channel_url=url) == again
    assert again["my"]["unread_message_count"] == 0 and again["my"]["visible_from"] > first["message"]["created_at"]
    assert (await view(ben, url))["last_message"] is None
    assert await code(ben, "message.get", channel_url=url, message_id=first["message"]["message_id"]) == 400201
    assert (await view(ann, url))["last_message"]["message"] == "wakes"
    await fence(url, ann, other)
    told = [name for name in heard(other, url) if "hidden" in name]
    assert told == ["group.hidden", "group.unhidden"] * 2, told
    assert not [name for name in heard(ann, url) if name in ("group.hidden", "group.unhidden")]


async def test_public_groups(ctx):
    """Strangers find public groups without members, messages and a part of their own; members have all of them."""
    server = await ctx.server(*FREE)
    async with Back(server) as back:
        ann, eve = await client_of(ctx, server, back), await client_of(ctx, server, back)
        kind = ctx.name("kind")
        public = [await back.group(ann.user_id, is_public=True, custom_type=kind, name=f"p{n}") for n in range(5)]
        await back.group(ann.user_id, custom_type=kind)
        await ann.send(public[0], "for members")
        for client in (ann, eve):
            found = await listed(client, public_only=True, custom_types=[kind], limit=2)
            assert sorted(found) == sorted(public), found
        page = await query(eve, "group.list", public_only=True, custom_types=[kind], members_limit=5)
        for shown in page["channels"]:
            assert "my" not in shown and "members" not in shown and shown["last_message"] is None, shown
            assert shown["member_count"] == 1
        page = await query(ann, "group.list", public_only=True, channel_urls=[public[0]], members_limit=5)
        shown, = page["channels"]
        assert shown["my"]["state"] == "joined" and shown["last_message"]["message"] == "for members"
        assert await listed(eve) == []
        for params, field in (
                ({"order": "latest_last_message"}, "order"), ({"order": "channel_name_alphabetical"}, "order"),
                ({"unread_only": True}, "public_only"), ({"member_state": "joined"}, "public_only"),
                ({"hidden_mode": "all"}, "public_only")):
            error = await refusal(eve, "group.list", public_only=True, **params)
            assert error and error.code in (400111, 400920) and error.data["field"] == field, (params, error)


async def test_tokens_of_other_lists(ctx):
    """A token is of one user, one order and one set of conditions; the sizes may change."""
    server = await ctx.server(*FREE)
    async with Back(server) as back:
        ann, ben = await client_of(ctx, server, back), await client_of(ctx, server, back)
        for _ in range(3):
            await back.group(ann.user_id, ben.user_id, is_public=True)
        token = (await query(ann, "group.list", limit=1))["next"]
        assert len((await query(ann, "group.list", limit=5, members_limit=3, token=token))["channels"]) == 2
        for params in (
                {"order": "chronological"}, {"unread_only": True}, {"hidden_mode": "all"}, {"member_state": "joined"},
                {"custom_types": ["a"]}, {"name_contains": "a"}, {"show_empty": False}, {"public_only": True},
                {"members_exactly": [ann.user_id]}, {"members_include": {"user_ids": [ann.user_id]}}):
            error = await _refused(ann, token=token, **params)
            assert error.code == 400109, params
        assert (await _refused(ben, token=token)).code == 400109
        for wrong in ("x", token[:-4], token + "AAAA"):
            assert (await _refused(ann, token=wrong)).code == 400109, wrong


async def _refused(client, method="group.list", **params):
    """The refusal of a call, which is not about its rate."""
    async def answered():
        error = await refusal(client, method, **params)
        assert error, (method, params)
        return error if error.code != RATED else None
    return await eventually(answered, "a refusal within the rate")


async def test_wrong_values(ctx):
    """Each wrong value is refused with its name, and changes nothing."""
    server = await ctx.server(*FREE)
    url, ann, ben = await group(ctx, server, 1)
    await ann.send(url, "unread")
    before = await mine(ben, url)
    many = [f"u{n}" for n in range(101)]
    for method, params, wanted, field in (
            ("group.list", {"order": "oldest"}, 400111, "order"),
            ("group.list", {"member_state": "left"}, 400111, "member_state"),
            ("group.list", {"hidden_mode": "hidden"}, 400111, "hidden_mode"),
            ("group.list", {"unread_only": "yes"}, None, "unread_only"),
            ("group.list", {"public_mode": "distinct"}, 400111, "public_mode"),
            ("group.list", {"distinct_mode": "public"}, 400111, "distinct_mode"),
            ("group.list", {"super_mode": "public"}, 400111, "super_mode"),
            ("group.list", {"custom_types": "a"}, None, "custom_types"),
            ("group.list", {"name_contains": "a" * 192}, 400110, "name_contains"),
            ("group.list", {"members_include": ["a"]}, None, "members_include"),
            ("group.list", {"members_include": {"user_ids": ["a"], "mode": "xor"}}, 400111, "mode"),
            ("group.list", {"members_include": {"user_ids": many}}, 400203, "user_ids"),
            ("group.list", {"members_exactly": many}, 400203, "members_exactly"),
            ("group.list", {"channel_urls": many}, 400203, "channel_urls"),
            ("group.list", {"members_limit": 101}, 400113, "members_limit"),
            ("group.list", {"limit": 0}, 400113, "limit"), ("group.list", {"limit": 101}, 400113, "limit"),
            ("group.unread", {"super_mode": "public"}, 400111, "super_mode"),
            ("group.unread", {"custom_types": 7}, None, "custom_types"),
            ("group.mark_read", {"channel_urls": many}, 400203, "channel_urls"),
            ("group.mark_read", {"channel_urls": [url], "message_id": 1}, 400920, "message_id"),
            ("group.mark_read", {"channel_url": url, "message_id": 0}, None, "message_id"),
            ("group.mark_unread", {"channel_url": url}, 400105, "message_id"),
            ("group.hide", {"channel_url": url, "allow_auto_unhide": 1}, None, "allow_auto_unhide"),
            ("group.set_preference", {"channel_url": url}, 400105, "count_preference"),
            ("group.set_preference", {"channel_url": url, "count_preference": "false"}, 400111, "count_preference")):
        error = await _refused(ben, method, **params)
        assert error.data["field"] == field and wanted in (None, error.code), (method, params, error)
    for message in (1, 2**53 - 1):
        for method in ("group.mark_read", "group.mark_unread"):
            async with refused(400201):
                await ben.call(method, channel_url=url, message_id=message)
    assert await mine(ben, url) == before


async def test_the_rate(ctx):
    """Lists, totals and marks of several groups have one rate for each user; calls about one group have not."""
    server = await ctx.server(*FREE)
    url, ann, ben = await group(ctx, server, 1)
    waiting = [await ben.ask(method) for _ in range(15) for method in ("group.list", "group.unread", "group.mark_read")]
    codes = [answer["error"]["code"] for answer in [await one for one in waiting] if "error" in answer]
    assert set(codes) == {RATED} and 15 <= len(codes) <= 25, codes
    error = await refusal(ben, "group.list")
    assert error is None or (error.data["scope"] == "user" and error.data["retry_after_ms"] > 0)
    waiting = [await ben.ask("group.mark_read", channel_url=url) for _ in range(30)]
    assert not [answer for answer in [await one for one in waiting] if "error" in answer]
    assert await code(ann, "group.list") is None


async def test_totals(ctx):
    """Hidden, archived, ephemeral and uncounted groups, and those one has left, are in no total."""
    server = await ctx.server(*FREE)
    async with Back(server) as back:
        ann, ben = await client_of(ctx, server, back), await client_of(ctx, server, back)
        made = {}
        for name in ("plain", "typed", "hidden", "archived", "uncounted", "mentions", "left"):
            made[name] = await back.group(ann.user_id, ben.user_id, custom_type=name)
        made["ephemeral"] = await back.group(ann.user_id, ben.user_id, is_ephemeral=True)
        for url in made.values():
            await ann.send(url, "one")
            await ann.send(url, "two")
        assert await totals(ben) == (14, 7, 0) and await totals(ann) == (0, 0, 0)
        await ben.call("group.hide", channel_url=made["hidden"])
        await ben.call("group.hide", channel_url=made["archived"], allow_auto_unhide=False)
        for name, preference in (("uncounted", "off"), ("mentions", "unread_mention_count_only")):
            answer = await ben.call("group.set_preference", channel_url=made[name], count_preference=preference)
            assert (answer["my"]["count_preference"], answer["my"]["unread_message_count"]) == (preference, 0)
        await ben.call("group.leave", channel_url=made["left"])
        assert await totals(ben) == (4, 2, 0)
        assert await totals(ben, custom_types=["typed", "hidden"]) == (2, 1, 0)
        assert await totals(ben, super_mode="super") == (0, 0, 0)
        assert await totals(ben, super_mode="nonsuper") == (4, 2, 0)
        answer = await ben.call(
            "group.set_preference", channel_url=made["uncounted"], count_preference="unread_message_count_only")
        assert answer["my"]["unread_message_count"] == 2
        assert await totals(ben) == (6, 3, 0)
        for name in ("message_count", "channel_count"):
            found = await back.call("GET", f"/users/{ben.user_id}/unread_{name}")
            assert found == {"unread_count": 6 if name == "message_count" else 3}
        # In an ephemeral group there is nothing to mark, and hiding lasts until it is undone.
        url = made["ephemeral"]
        for method in ("group.mark_read", "group.reset_history"):
            assert await code(ben, method, channel_url=url) == 400201, method
        assert (await mine(ben, url))["unread_message_count"] == 0
        await ben.call("group.hide", channel_url=url)
        await ann.send(url, "three")
        assert (await mine(ben, url))["hidden_state"] == "hidden_prevent_auto_unhide"
        assert url not in await listed(ben)
        assert (await ben.call("group.unhide", channel_url=url))["my"]["hidden_state"] == "unhidden"


async def test_marks(ctx):
    """Marking rises, also over deleted messages; marking as unread lowers; other connections hear of it."""
    server = await ctx.server(*FREE)
    url, ann, ben = await group(ctx, server, 1)
    other = await ctx.user(server, ben.user_id)
    sent = [(await ann.send(url, f"text {n}"))["message"] for n in range(5)]

    async def mark(number, method="group.mark_read"):
        return (await ben.call(method, channel_url=url, message_id=sent[number]["message_id"]))["my"]
    my = await mark(1)
    assert (my["read_ordinal"], my["unread_message_count"], my["read_at"]) == (2, 3, sent[1]["created_at"]), my
    assert (await other.event("group.unread", channel_url=url))["my"] == my
    assert await mark(0) == my, "a position only rises"
    await ann.call("message.delete", channel_url=url, message_id=sent[3]["message_id"])
    assert (await mine(ben, url))["unread_message_count"] == 2
    assert (await mark(3))["unread_message_count"] == 1
    my = await mark(0, "group.mark_unread")
    assert (my["read_ordinal"], my["unread_message_count"]) == (0, 4), my
    own = (await ben.send(url, "own"))["message"]
    my = await mine(ben, url)
    assert (my["read_ordinal"], my["unread_message_count"], my["read_at"]) == (6, 0, own["created_at"]), my
    await fence(url, ann, other)
    assert heard(other, url).count("group.unread") == 3 and "group.unread" not in heard(ann, url) + heard(ben, url)


async def test_marks_of_several_groups(ctx):
    """Several groups are marked, or all; a group of others is refused like none, and the rest is marked."""
    server = await ctx.server(*FREE)
    async with Back(server) as back:
        ann, ben, eve = [await client_of(ctx, server, back) for _ in range(3)]
        urls = [await back.group(ann.user_id, ben.user_id) for _ in range(4)]
        private = await back.group(ann.user_id, channel_url=ctx.name("own"))
        for url in [*urls, private]:
            await ann.send(url, "hello")
        assert await query(ben, "group.mark_read", channel_urls=urls[:2] * 2) == {}
        assert await totals(ben) == (2, 2, 0)
        texts = {}
        for url in (private, ctx.name("none")):
            error = await _refused(ben, "group.mark_read", channel_urls=[url, urls[2]])
            texts[url] = (error.code, error.data, str(error).replace(url, ""))
        assert len({str(text) for text in texts.values()}) == 1, texts
        assert texts[private][0] == 400201 and await totals(ben) == (1, 1, 0)
        assert await query(ben, "group.mark_read") == {} and await totals(ben) == (0, 0, 0)
        assert await query(ben, "group.mark_read", channel_urls=[]) == {}
        for url in urls:
            assert (await ben.event("group.unread", channel_url=url))["my"]["read_ordinal"] == 1
        assert await query(eve, "group.mark_read") == {}
        assert (await view(ann, private))["my"]["read_ordinal"] == 1


def mentions(choice, *clients):
    """Random parameters of a message or a change: mentions of some, of all members, or none."""
    kind = choice.choice(("users", "users", "channel", None))
    if kind is None:
        return {}
    named = [client.user_id for client in clients if choice.random() < 0.5]
    return {"mention_type": kind, "mentioned_user_ids": named}


async def test_what_a_client_counts(ctx):
    """A client that counts by the documented steps has the server's number after any order of calls."""
    server = await ctx.fresh(*FREE)
    url, ann, ben = await group(ctx, server, 1)
    other = await ctx.user(server, ben.user_id)
    for n in range(4):
        await ann.send(url, f"before {n}")
    late = await ctx.user(server)
    await ann.call("group.invite", channel_url=url, user_ids=[late.user_id])
    counters = {}
    for client in (ben, other, late):
        counters[client] = Counter(client.user_id)
        await fence(url, ann, client)
        client.events.clear()
        counters[client].mine(await mine(client, url))
    choice, sent = random.Random(11), []
    old = (await ann.call("message.list", channel_url=url, message_ts=0, next_limit=10))["messages"]
    for step in range(60):
        action = choice.choice(
            ("send", "send", "send", "own", "mark", "unmark", "delete", "reset", "all", "hide", "clear", "edit", "edit"))
        at = choice.choice(sent)["message_id"] if sent else None
        if action == "send":
            sent.append((await ann.send(url, f"text {step}", **mentions(choice, ben, late)))["message"])
        elif action == "edit" and sent:
            change = mentions(choice, ben, late)
            await ann.call(
                "message.update", channel_url=url, message_id=choice.choice(sent)["message_id"],
                **change or {"message": f"changed {step}"})
        elif action == "own":
            message = (await other.send(url, f"own {step}"))["message"]
            counters[other].sent(message["ordinal"])
        elif action == "delete" and (sent or old):
            victim = (old or sent).pop()
            await ann.call("message.delete", channel_url=url, message_id=victim["message_id"])
        elif action == "reset" and step % 3 == 0:
            for client, caller in ((ben, other), (late, late)):
                counters[caller].mine((await caller.call("group.reset_history", channel_url=url))["my"])
            old, sent = old + sent, []
        elif action in ("mark", "unmark") and at:
            method = "group.mark_read" if action == "mark" else "group.mark_unread"
            counters[other].mine((await other.call(method, channel_url=url, message_id=at))["my"])
        elif action in ("hide", "clear"):
            answer = await other.call("group.hide", channel_url=url, hide_previous_messages=action == "clear")
            counters[other].mine(answer["my"])
            old, sent = (old + sent, []) if action == "clear" else (old, sent)
        elif action == "all":
            counters[other].mine((await other.call("group.mark_read", channel_url=url))["my"])
        await fence(url, ann, ben, other, late)
        for client, counter in counters.items():
            for event in client.events:
                if event["params"].get("channel_url") == url:
                    counter.event(event)
            client.events.clear()
            my = await mine(client, url)
            assert counter.numbers == numbers_of(my), (step, action)
    before = {client.user_id: await mine(client, url) for client in (ben, late)}
    await server.kill()
    server = await ctx.fresh(*FREE, data=server.data)
    for name, my in before.items():
        assert await mine(await ctx.user(server, name), url) == my


async def test_own_events_are_in_order(ctx):
    """What a member's other connections hear of its own part follows the messages that it counts."""
    server = await ctx.server(*FREE)
    url, ann, ben = await group(ctx, server, 1)
    other = await ctx.user(server, ben.user_id)
    counter = Counter(ben.user_id)
    counter.mine(await mine(other, url))
    for _ in range(25):
        await ben.call("group.hide", channel_url=url)
        waiting = [await ann.ask("message.send", channel_url=url, message="wakes") for _ in range(3)]
        waiting += [await ben.ask("group.mark_read", channel_url=url)]
        waiting += [await ann.ask("message.send", channel_url=url, message="more")]
        for answer in waiting:
            await ann.result(answer)
        await fence(url, ann, ben, other)
        for client in (ben, other):
            # It comes when the group has been read, which events that follow need not wait for.
            await client.event("group.unhidden", channel_url=url)
            names = heard(client, url)
            assert names.index("message.received") < names.index("group.unhidden"), names
            if client is other:
                for event in client.events:
                    if event["params"].get("channel_url") == url:
                        counter.event(event)
            client.events.clear()
        my = await mine(other, url)
        assert counter.numbers == numbers_of(my), my


async def test_lists_over_http(ctx):
    """A back end lists all groups and those of a user, with the same conditions."""
    async with Back(await ctx.fresh(*FREE)) as back:
        ann, ben, cat = await back.users(ctx, 3)
        first = await back.group(ann, ben, name="First", custom_type="a")
        second = await back.group(ann, cat, name="Second", is_public=True)
        third = await back.group(ann, ben, cat, name="Third", custom_type="ab")
        await back.call("POST", f"{BASE}/{first}/messages", {"message_type": "MESG", "user_id": ann, "message": "x"})

        async def urls(path=BASE, **query):
            page = await back.call("GET", path, **query)
            assert page["ts"] > 0
            return [channel["channel_url"] for channel in page["channels"]]
        own = f"/users/{ben}/my_group_channels"
        created = (await back.view(second))["created_at"]
        for query, expected in (
                ({}, [first]), ({"show_empty": "True"}, [third, second, first]),
                ({"show_empty": "true", "public_mode": "public"}, [second]),
                ({"show_empty": "true", "custom_type_startswith": "a"}, [third, first]),
                ({"show_empty": "true", "custom_types": "a,c"}, [first]),
                ({"show_empty": "true", "name_contains": "IR"}, [third, first]),
                ({"show_empty": "true", "members_exactly_in": f"{ann},{ben}"}, [first]),
                ({"show_empty": "true", "members_include_in": f"{ben},{cat}"}, [third]),
                ({"show_empty": "true", "members_include_in": f"{ben},{cat}", "query_type": "OR"}, [third, second, first]),
                ({"show_empty": "true", "created_after": created + 60}, []),
                ({"show_empty": "true", "created_before": created + 60}, [third, second, first])):
            assert await urls(**query) == expected, query
        assert await urls(own) == [third, first] and await urls(own, show_empty="false") == [first]
        assert await urls(own, order="latest_last_message") == [first, third]
        assert await urls(own, unread_filter="unread_message") == [first]
        assert await urls(own, member_state_filter="invited_only") == []
        page = await back.call("GET", own, limit=1, show_member="true")
        shown, = page["channels"]
        assert (shown["member_state"], shown["hidden_state"], len(shown["members"])) == ("joined", "unhidden", 3)
        assert (await back.call("GET", own, limit=1, token=page["next"]))["channels"][0]["unread_message_count"] == 1
        assert await back.code("GET", f"{BASE}?token={page['next']}") == 400109
        for path, wanted in (
                (f"{BASE}?order=latest_last_message", 400111), (f"{own}?hidden_mode=none", 400111),
                (f"{own}?created_after=1", 400111), (f"{BASE}?hidden_mode=all", 400111),
                ("/users/nobody/my_group_channels", 400201), ("/users/nobody/unread_message_count", 400201),
                ("/users/nobody/unread_channel_count", 400201),
                ("/users/nobody/unread_item_count?item_keys=group_channel_invitation_count", 400201),
                (f"/users/{ann}/unread_item_count", 400105),
                (f"/users/{ann}/unread_item_count?item_keys=group_channel_unread_mentions", 400111)):
            assert await back.code("GET", path) == wanted, path


async def test_own_parts_over_http(ctx):
    """A back end marks, hides, clears and counts for members; their connections hear of it."""
    server = await ctx.server(*FREE)
    async with Back(server) as back:
        ann, ben = await client_of(ctx, server, back), await client_of(ctx, server, back)
        eve = await back.user(ctx)
        url = await back.group(ann.user_id, ben.user_id)
        path = f"{BASE}/{url}"

        async def post(text):
            return await back.call("POST", f"{path}/messages", {
                "message_type": "MESG", "user_id": ann.user_id, "message": text})

        async def seen(client):
            return await back.view(url, user_id=client.user_id)

        async def unread(*users):
            return (await back.call("GET", f"{path}/messages/unread_count", user_ids=",".join(users)))["unread"]
        sent = [await post(f"text {n}") for n in range(3)]
        await back.call("POST", f"{path}/messages", {"message_type": "ADMM", "message": "notice"})
        assert await unread(ann.user_id, ben.user_id, eve) == {ann.user_id: 1, ben.user_id: 4, eve: 0}
        mark = f"{path}/messages/mark_as_read"
        assert await back.call("PUT", mark, {"user_id": ben.user_id, "timestamp": sent[0]["created_at"] - 1}) == {}
        assert await unread(ben.user_id) == {ben.user_id: 4}
        assert await back.call("PUT", mark, {"user_id": ben.user_id, "timestamp": sent[0]["created_at"]}) == {}
        assert (await ben.event("group.unread", channel_url=url))["my"]["read_ordinal"] >= 1
        assert await back.call("PUT", mark, {"user_id": ben.user_id}) == {}
        shown = await seen(ben)
        assert shown["unread_message_count"] == 0 and shown["user_last_read"] == shown["last_message"]["created_at"]
        keys = "group_channel_invitation_count,group_channel_unread_message_count,group_channel_unread_mention_count"
        assert await back.call("GET", f"/users/{ann.user_id}/unread_item_count", item_keys=keys) == {
            "group_channel_invitation_count": 0, "group_channel_unread_message_count": 1,
            "group_channel_unread_mention_count": 0}
        assert await back.call("PUT", f"/users/{ann.user_id}/mark_as_read_all", {}) == {}
        assert await unread(ann.user_id) == {ann.user_id: 0}

        hide = f"{path}/hide"
        assert await back.call("PUT", hide, {"user_id": ben.user_id, "allow_auto_unhide": False}) == {}
        shown = await seen(ben)
        assert (shown["is_hidden"], shown["hidden_state"]) == (True, "hidden_prevent_auto_unhide")
        assert (await seen(ann))["is_hidden"] is False
        await ben.event("group.hidden", channel_url=url)
        assert await back.call("DELETE", hide, user_id=ben.user_id) == {}
        assert await back.call("PUT", hide, {"should_hide_all": True}) == {}
        assert [(await seen(client))["hidden_state"] for client in (ann, ben)] == ["hidden_allow_auto_unhide"] * 2
        assert await back.call("DELETE", hide, should_unhide_all="True") == {}
        assert [(await seen(client))["is_hidden"] for client in (ann, ben)] == [False] * 2
        await ann.event("group.unhidden", channel_url=url)

        reset = f"{path}/reset_user_history"
        answer = await back.call("PUT", reset, {"user_id": ben.user_id})
        shown = await seen(ben)
        assert shown["ts_message_offset"] == answer["ts_message_offset"] > sent[2]["created_at"]
        assert shown["last_message"] == (await seen(ann))["last_message"]
        assert (await view(ben, url))["last_message"] is None
        answer = await back.call("PUT", reset, {"reset_all": True})
        assert answer["ts_message_offset"] > 0 and (await view(ann, url))["last_message"] is None

        preference = f"/users/{ben.user_id}/count_preference/{url}"
        assert await back.call("GET", preference) == {"count_preference": "all"}
        for value in ("false", "unread_mentioned_count_only", "unread_message_count_only", "all"):
            assert await back.call("PUT", preference, {"count_preference": value}) == {"count_preference": value}
            assert (await seen(ben))["count_preference"] == value


async def test_refusals_over_http(ctx):
    """Users who do not exist or are no members, open channels, and missing members of bodies."""
    async with Back(await ctx.server(*FREE)) as back:
        ann, eve = await back.users(ctx, 2)
        url, room = await back.group(ann), ctx.name("room")
        await back.call("POST", "/open_channels", {"channel_url": room})
        calls = (("PUT", "hide"), ("PUT", "reset_user_history"), ("PUT", "messages/mark_as_read"))
        for method, name in calls:
            for place, user, wanted in (
                    (url, "nobody", 400201), (url, eve, 900020), (url, None, 400105), (room, ann, 400201),
                    ("nothing", ann, 400201)):
                answer = await back.send(method, f"/v3{BASE}/{place}/{name}", {"user_id": user})
                assert answer.code == wanted, (name, place, user, answer)
            answer = await back.send(method, f"/v3/open_channels/{room}/{name}", {"user_id": ann})
            assert answer.status == 404, answer
        for query, wanted in (("", 400105), ("?user_id=nobody", 400201), (f"?user_id={eve}", 900020)):
            assert (await back.send("DELETE", f"/v3{BASE}/{url}/hide{query}")).code == wanted, query
        assert (await back.send("GET", f"/v3{BASE}/{url}/messages/unread_count")).code == 400105
        for user, place, wanted in (("nobody", url, 400201), (eve, url, 900020), (ann, room, 400201)):
            path = f"/v3/users/{user}/count_preference/{place}"
            answer = await back.send("GET", path)
            assert answer.code == wanted, (user, place, answer)
            answer = await back.send("PUT", path, {"count_preference": "all"})
            assert answer.code == wanted, (user, place, answer)
        for user, body, wanted in (
                ("nobody", {}, 400201), (eve, {"channel_urls": [url]}, 400201), (ann, {"channel_urls": [room]}, 400920)):
            answer = await back.send("PUT", f"/v3/users/{user}/mark_as_read_all", body)
            assert answer.code == wanted, (user, body, answer)
