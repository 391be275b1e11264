"""Unread mentions of groups: what counts, what changes them, and what clients hear of it."""

import random

from groupblocks import block
from groupendpoints import BASE, Back
from grouplists import Counter, client_of, mentions, mine, numbers_of, query
from groups import FREE, fence, group


async def counted(url, *clients):
    """The unread messages and mentions of users."""
    return [numbers_of(await mine(client, url))[1:] for client in clients]


async def test_what_counts(ctx):
    """Messages of others that name the member or mention all; silent messages and the author's own do not count."""
    server = await ctx.fresh(*FREE)
    async with Back(server) as back:
        ann, ben, cat = [await client_of(ctx, server, back) for _ in range(3)]
        url = await back.group(ann.user_id, ben.user_id, cat.user_id)
        stranger = await back.user(ctx)
        named = [ann.user_id, ben.user_id, stranger]
        sent = (await ann.send(url, "one", mentioned_user_ids=named))["message"]
        assert [user["user_id"] for user in sent["mentioned_users"]] == named[:2], sent
        await ann.send(url, "two", mention_type="channel")
        admin = {"message_type": "ADMM", "message": "three", "mention_type": "channel"}
        await back.call("POST", f"{BASE}/{url}/messages", admin)
        await back.call("POST", f"{BASE}/{url}/messages", {
            "message_type": "MESG", "user_id": cat.user_id, "message": "silent", "is_silent": True,
            "mention_type": "channel"})
        assert await counted(url, ann, ben, cat) == [(1, 1), (3, 3), (3, 2)]
        keys = "group_channel_unread_message_count,group_channel_unread_mention_count"
        assert await back.call("GET", f"/users/{cat.user_id}/unread_item_count", item_keys=keys) == {
            "group_channel_unread_message_count": 3, "group_channel_unread_mention_count": 2}
        assert (await back.view(url, user_id=cat.user_id))["unread_mention_count"] == 2
        for preference, numbers in (
                ("unread_message_count_only", (3, 0)), ("unread_mention_count_only", (0, 3)), ("off", (0, 0)),
                ("all", (3, 3))):
            answer = await ben.call("group.set_preference", channel_url=url, count_preference=preference)
            assert numbers_of(answer["my"])[1:] == numbers, answer
            total = await query(ben, "group.unread")
            assert (total["unread_message_count"], total["unread_mention_count"]) == numbers, total
        answer = await ben.call("group.mark_read", channel_url=url, message_id=sent["message_id"])
        assert numbers_of(answer["my"]) == (1, 2, 2), answer
        answer = await ben.call("group.mark_unread", channel_url=url, message_id=sent["message_id"])
        assert numbers_of(answer["my"]) == (0, 3, 3), answer
        # The history begins again, and so does that of a member who returns.
        await ben.call("group.reset_history", channel_url=url)
        await cat.call("group.leave", channel_url=url)
        await ann.call("group.invite", channel_url=url, user_ids=[cat.user_id])
        assert await counted(url, ben, cat) == [(0, 0), (0, 0)]


async def test_blocked_authors(ctx):
    """Mentions by a blocked user do not count for the blocker, whose connections hear its numbers after each event."""
    server = await ctx.fresh(*FREE)
    url, ann, ben, cat = await group(ctx, server, 2)
    phone = await ctx.user(server, ben.user_id)
    await block(ben, cat)
    counters = [(client, Counter(ben.user_id)) for client in (ben, phone)]
    for client, counter in counters:
        counter.mine(await mine(client, url))

    async def check(*numbers):
        await fence(url, ann, ben, phone, cat)
        for client, counter in counters:
            # It comes when the group has been read, which later events need not wait for.
            await client.event("group.unread", channel_url=url)
            for event in client.events:
                if event["params"].get("channel_url") == url:
                    counter.event(event)
            client.events.clear()
            assert counter.numbers == numbers_of(await mine(client, url)) == numbers, counter.numbers
    sent = (await cat.send(url, "hi", mentioned_user_ids=[ann.user_id, ben.user_id]))["message"]["message_id"]
    await check(0, 1, 0)
    assert await counted(url, ann) == [(1, 1)]
    await cat.call("message.update", channel_url=url, message_id=sent, mention_type="channel")
    await check(0, 1, 0)
    await cat.call("message.delete", channel_url=url, message_id=sent)
    await check(0, 0, 0)
    # An operator who edits the message of another user receives no event, but its number.
    own = (await ben.send(url, "mine"))["message"]["message_id"]
    await ann.call("group.mark_unread", channel_url=url, message_id=own)
    ann.events.clear()
    await ann.call("message.update", channel_url=url, message_id=own, mentioned_user_ids=[ann.user_id])
    assert numbers_of((await ann.event("group.unread", channel_url=url))["my"])[1:] == (1, 1)


async def test_rapid_edits(ctx):
    """No change of mentions is left out, however quickly a message is changed and deleted."""
    server = await ctx.fresh(*FREE)
    url, ann, ben, cat = await group(ctx, server, 2)
    choice = random.Random(5)
    counter = Counter(ben.user_id)
    counter.mine(await mine(ben, url))
    for _ in range(6):
        message = (await ann.send(url, "text"))["message"]["message_id"]
        answers = []
        for step in range(12):
            change = mentions(choice, ben, cat) or {"message": f"text {step}"}
            answers.append(await ann.ask("message.update", channel_url=url, message_id=message, **change))
        if choice.random() < 0.5:
            answers.append(await ann.ask("message.delete", channel_url=url, message_id=message))
        for answer in answers:
            await ann.result(answer)
        await fence(url, ann, ben)
        for event in ben.events:
            if event["params"].get("channel_url") == url:
                counter.event(event)
        ben.events.clear()
        assert counter.numbers == numbers_of(await mine(ben, url))
