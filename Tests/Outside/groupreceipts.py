"""Read receipts: how far the members of a group have read."""

import random

from groupendpoints import BASE, Back
from groupreading import sent
from groups import FREE, code, fence, group, heard, view
from harness import refused

LIMITED = (*FREE, "--groups-receipts-members", "3")


def reads(client, url):
    """All reads that the client was told, in order."""
    return [read for event in client.told("group.read", channel_url=url) for read in event["params"]["reads"]]


def known(client, url):
    """The highest position of each member that the client was told."""
    times = {}
    for read in reads(client, url):
        times[read["user_id"]] = max(times.get(read["user_id"], 0), read["read_at"])
    return times


async def receipts(client, url):
    answer = await client.call("group.receipts", channel_url=url)
    assert set(answer) == {"read", "delivered"} and answer["delivered"] == {}, answer
    return answer["read"]


async def test_others_are_told(ctx):
    """A read is told to all members with its message and time; a second device of the reader hears it too."""
    server = await ctx.server(*FREE)
    url, creator, one, two = await group(ctx, server)
    phone = await ctx.user(server, one.user_id)
    first, second = await sent(creator, url), await sent(creator, url)
    assert await receipts(two, url) == {
        creator.user_id: second["created_at"], one.user_id: 0, two.user_id: 0}
    await one.call("group.mark_read", channel_url=url, message_id=first["message_id"])
    expected = {"user_id": one.user_id, "read_at": first["created_at"], "message_id": first["message_id"]}
    for client in (creator, one, phone, two):
        await client.until(lambda: client.told("group.read", channel_url=url), "group.read")
        event = client.told("group.read", channel_url=url)[0]["params"]
        assert event["reads"] == [expected] and set(event) == {"channel_url", "ts", "reads"}, event
    assert await receipts(one, url) == {
        creator.user_id: second["created_at"], one.user_id: first["created_at"], two.user_id: 0}
    # Without a message none is named.
    await two.call("group.mark_read", channel_url=url)
    await creator.until(lambda: known(creator, url).get(two.user_id) == second["created_at"])
    assert reads(creator, url)[-1] == {"user_id": two.user_id, "read_at": second["created_at"]}
    # Neither repetitions, nor messages, nor positions that are put back are told.
    count = len(reads(creator, url))
    await two.call("group.mark_read", channel_url=url)
    await two.call("group.mark_unread", channel_url=url, message_id=first["message_id"])
    third = await sent(two, url)
    await fence(url, creator, creator)
    assert len(reads(creator, url)) == count
    assert (await receipts(creator, url))[two.user_id] == third["created_at"]


async def test_it_is_heard_in_order(ctx):
    """A read comes after the message that it is about, and before what is sent after it."""
    server = await ctx.server(*FREE)
    url, creator, one = await group(ctx, server, 1)
    message = await sent(creator, url)
    await one.call("group.mark_read", channel_url=url, message_id=message["message_id"])
    await sent(one, url)
    await fence(url, creator, creator, one)
    names = [name for name in heard(creator, url) if name in ("message.received", "group.read")]
    assert names == ["group.read", "message.received"], names


async def test_moves_are_gathered(ctx):
    """Many reads cause at most one event a second, and all know the same in the end."""
    server = await ctx.server(*FREE)
    url, creator, *others = await group(ctx, server, 5)
    choose, messages = random.Random(3), []
    for _ in range(80):
        messages.append(await sent(creator, url))
        for one in choose.sample(others, 3):
            named = choose.choice(messages[-10:])["message_id"]
            await one.call("group.mark_read", channel_url=url, message_id=named)
    wanted = {user: time for user, time in (await receipts(creator, url)).items() if user != creator.user_id}
    for client in (creator, others[0]):
        await client.until(lambda: known(client, url) == wanted, "all reads")
        events = client.told("group.read", channel_url=url)
        times = [e["params"]["ts"] for e in events]
        assert all(after - before >= 990 for before, after in zip(times, times[1:])), times
        for event in events:
            users = [read["user_id"] for read in event["params"]["reads"]]
            assert len(set(users)) == len(users), event


async def test_members_show_their_positions(ctx):
    """Members in answers have read_at once they have joined, over the socket and the Platform API."""
    server = await ctx.server(*FREE)
    url, creator, one = await group(ctx, server, 1)
    invited = await ctx.user(server)
    await invited.call("user.preferences", auto_accept_invitations=False)
    await creator.call("group.invite", channel_url=url, user_ids=[invited.user_id])
    message = await sent(creator, url)
    wanted = {creator.user_id: message["created_at"], one.user_id: 0, invited.user_id: None}

    def times(members, name="read_at"):
        return {member["user_id"]: member.get(name) for member in members}

    assert times((await view(one, url))["members"]) == wanted
    assert times((await one.call("group.members", channel_url=url))["members"]) == wanted
    (listed,) = (await one.call("group.list", channel_urls=[url], members_limit=100))["channels"]
    assert times(listed["members"]) == wanted
    async with Back(server) as back:
        shown = await back.view(url, show_member="true", show_read_receipt="True")
        assert times(shown["members"], "read_ts") == wanted
        assert shown["read_receipt"] == {creator.user_id: message["created_at"], one.user_id: 0}, shown
        page = await back.call("GET", f"{BASE}/{url}/members", show_read_receipt="true")
        assert times(page["members"], "read_ts") == wanted
        plain = await back.view(url, show_member="true")
        assert "read_receipt" not in plain and "read_ts" not in plain["members"][0], plain
        await back.call("PUT", f"{BASE}/{url}/messages/mark_as_read", {"user_id": one.user_id})
    await creator.until(lambda: known(creator, url) == {one.user_id: message["created_at"]})
    assert await code(invited, "group.receipts", channel_url=url) == 400108


async def test_large_groups_have_none(ctx):
    """Beyond the limit the call is refused, nothing is told and members have no positions; unread counts go on."""
    server = await ctx.fresh(*LIMITED)
    url, creator, one, two, extra = await group(ctx, server, 3)
    assert creator.session["features"]["groups"]["receipts"] == 3
    await sent(creator, url)
    assert (await one.call("group.mark_read", channel_url=url))["my"]["unread_message_count"] == 0
    assert await code(one, "group.receipts", channel_url=url) == 400920
    assert all("read_at" not in member for member in (await view(one, url))["members"])
    async with Back(server) as back:
        shown = await back.view(url, show_member="true", show_read_receipt="true")
        assert "read_receipt" not in shown and "read_ts" not in shown["members"][0], shown
    await extra.call("group.leave", channel_url=url)
    assert set(await receipts(one, url)) == {creator.user_id, one.user_id, two.user_id}
    await two.call("group.mark_read", channel_url=url)
    await creator.until(lambda: known(creator, url).keys() == {two.user_id}, "the first read")
    ephemeral, owner, _ = await group(ctx, server, 1, is_ephemeral=True)
    assert await code(owner, "group.receipts", channel_url=ephemeral) == 400201
    stranger = await ctx.user(server)
    assert await code(stranger, "group.receipts", channel_url=url) == 400201


async def test_positions_survive_a_restart(ctx):
    """After the server was killed, the receipts are those that were answered."""
    server = await ctx.fresh(*FREE)
    url, creator, one = await group(ctx, server, 1)
    message = await sent(creator, url)
    await one.call("group.mark_read", channel_url=url)
    before = await receipts(creator, url)
    data = server.data
    await server.kill()
    again = await ctx.fresh(*FREE, data=data)
    back = await ctx.user(again, creator.user_id)
    assert await receipts(back, url) == before == {
        creator.user_id: message["created_at"], one.user_id: message["created_at"]}


async def test_private_reads(ctx):
    """groups.private_reads lets a member keep its reads to itself; it sees none, and counts as before."""
    server = await ctx.fresh(*FREE, "--groups-private-reads", "true")
    url, ann, ben, cat = await group(ctx, server, 2)
    both = {"auto_accept_invitations": True, "send_read_receipts": True}
    assert await ben.call("user.preferences") == both
    assert await ben.call("user.preferences", send_read_receipts=False) == {**both, "send_read_receipts": False}
    sent = (await ann.send(url, "hello"))["message"]
    for client in (ben, cat):
        await client.call("group.mark_read", channel_url=url, message_id=sent["message_id"])
    await ann.until(lambda: reads(ann, url), "the read of cat")
    assert [read["user_id"] for read in reads(ann, url)] == [cat.user_id]
    assert (await view(ben, url))["my"]["unread_message_count"] == 0
    seen = (await ann.call("group.receipts", channel_url=url))["read"]
    assert seen == {ann.user_id: sent["created_at"], ben.user_id: 0, cat.user_id: sent["created_at"]}
    assert set((await ben.call("group.receipts", channel_url=url))["read"].values()) == {0}
    for client, shown in ((ann, {ann.user_id, cat.user_id}), (ben, set())):
        for members in ((await view(client, url))["members"], (await client.call("group.members", channel_url=url))["members"],
                        (await client.call("group.list", members_limit=10))["channels"][0]["members"]):
            assert {member["user_id"] for member in members if "read_at" in member} == shown, members
    await server.kill()
    server = await ctx.fresh(*FREE, "--groups-private-reads", "true", data=server.data)
    ann, ben = [await ctx.user(server, client.user_id) for client in (ann, ben)]
    assert (await ann.call("group.receipts", channel_url=url))["read"] == seen
    await ben.call("user.preferences", send_read_receipts=True)
    assert (await ann.call("group.receipts", channel_url=url))["read"][ben.user_id] == sent["created_at"]
    assert not reads(ben, url)
    await server.kill()
    server = await ctx.fresh(*FREE, data=server.data)
    ben = await ctx.user(server, ben.user_id)
    async with refused(400111):
        await ben.call("user.preferences", send_read_receipts=False)
    assert await ben.call("user.preferences") == both
