"""Groups on three servers: the contract holds as it does on one."""

import asyncio

from cluster import FREE
from groups import fence, heard, view
from harness import eventually, refused

CALM = (*FREE, "--groups-created-per-minute", "0", "--groups-invites-per-minute", "0")


async def member(ctx, server, user_id=None, **params):
    """A client that is ready: everything in its groups comes to it from here on."""
    client = await ctx.user(server, *([user_id] if user_id else []), **params)
    await client.until(lambda: client.told("group.ready"), "group.ready")
    return client


async def team(ctx, cluster, **params):
    """The URL of a group with a member on each server, the first of whom made it."""
    members = [await member(ctx, server) for server in cluster.servers]
    url = ctx.name("group")
    await members[0].call(
        "group.create", channel_url=url, user_ids=[m.user_id for m in members[1:]], **params)
    return url, *members


async def group_at(ctx, cluster, server, creator, user_ids, **params):
    """A group whose home is a certain server."""
    for _ in range(1000):
        url = ctx.name("group")
        if await cluster.home(url) is server:
            await creator.call("group.create", channel_url=url, user_ids=user_ids, **params)
            return url
    raise AssertionError(f"no group falls to {server.name}")


def texts(client, url):
    return [m["message"] for m in client.messages(url)]


async def test_messages_reach_members_on_all_servers(ctx):
    """Members on three servers receive everything in order, once, wherever the group and the sender are."""
    cluster = await ctx.cluster(3, *CALM)
    members = [await member(ctx, server) for server in cluster.servers for _ in range(2)]
    ids = [m.user_id for m in members[1:]]
    for home in cluster.servers:
        url = await group_at(ctx, cluster, home, members[0], ids)

        async def sends(client, count):
            return [(await client.send(url, f"{client.user_id} {n}"))["seq"] for n in range(count)]
        own = dict(zip(members, await asyncio.gather(*(sends(m, 20) for m in members))))
        await fence(url, *members)
        for client in members:
            seqs = [e["params"]["seq"] for e in client.told("message.received", channel_url=url)]
            assert seqs == sorted(set(seqs)), client.user_id
            assert len({*seqs, *own[client]}) == 120 and not {*seqs} & {*own[client]}, client.user_id


async def test_joining_and_leaving_on_any_server(ctx):
    """A user who joins hears the event and what follows on its server, though no other member was there; one who is
    removed is put out on all its connections."""
    cluster = await ctx.cluster(3, *CALM)
    ada, ben, cleo = [await member(ctx, server) for server in cluster.servers]
    cleo_too = await member(ctx, cluster.servers[0], cleo.user_id)
    url = ctx.name("group")
    await ada.call("group.create", channel_url=url, user_ids=[ben.user_id])
    await ada.call("group.invite", channel_url=url, user_ids=[cleo.user_id])
    await ben.send(url, "welcome")
    for client in (cleo, cleo_too):
        await client.until(lambda: texts(client, url) == ["welcome"], "the message")
        assert heard(client, url)[0] == "group.joined"
    await ada.call("group.remove", channel_url=url, user_ids=[cleo.user_id])
    await ben.send(url, "gone")
    await ada.until(lambda: "gone" in texts(ada, url), "the message")
    for client in (cleo, cleo_too):
        await client.until(lambda: client.told("group.lost", channel_url=url), "group.lost")
        await client.call("group.unread")
        assert heard(client, url)[-1] == "group.lost" and texts(client, url) == ["welcome"]
    async with refused(400201):
        await cleo.call("group.get", channel_url=url)


async def test_a_session_that_opens_later(ctx):
    """A session on a server without members receives everything from its group.ready on, also in a group
    that has been at rest."""
    cluster = await ctx.cluster(3, *CALM)
    url, ada, ben, cleo = await team(ctx, cluster)
    await ada.send(url, "before")
    for server in cluster.servers:
        late = await member(ctx, server, cleo.user_id)
        await ada.send(url, f"to {server.name}")
        await late.until(lambda: texts(late, url) == [f"to {server.name}"], "the message")
        await late.socket.close()


async def test_one_user_on_two_servers(ctx):
    """What a user reads, hides and types on one server is known to its connection on another."""
    cluster = await ctx.cluster(3, *CALM)
    url, ada, ben, cleo = await team(ctx, cluster)
    there = await member(ctx, cluster.servers[0], ben.user_id)
    await ada.send(url, "one")
    await ben.until(lambda: texts(ben, url) == ["one"], "the message")
    await ben.call("group.mark_read", channel_url=url)
    await there.until(lambda: there.told("group.unread", channel_url=url), "group.unread")
    assert there.told("group.unread", channel_url=url)[-1]["params"]["my"]["unread_message_count"] == 0
    assert not ben.told("group.unread", channel_url=url)
    for client in (ada, cleo, ben, there):
        await client.until(lambda: client.told("group.read", channel_url=url), "group.read")
    await ben.call("group.typing", channel_url=url, is_typing=True)
    for client in (ada, cleo):
        await client.until(lambda: client.told("group.typing", channel_url=url), "group.typing")
        assert client.told("group.typing", channel_url=url)[-1]["params"]["user_ids"] == [ben.user_id]
    await there.call("group.hide", channel_url=url)
    await ben.until(lambda: ben.told("group.hidden", channel_url=url), "group.hidden")
    await ada.send(url, "two")
    for client in (ben, there):
        await client.until(lambda: client.told("group.unhidden", channel_url=url), "group.unhidden")


async def test_invitations(ctx):
    """An invited user learns of the invitation on every server, accepts on one, and hears on all."""
    cluster = await ctx.cluster(3, *CALM)
    ada = await member(ctx, cluster.servers[0])
    ben = await member(ctx, cluster.servers[1])
    too = await member(ctx, cluster.servers[2], ben.user_id)
    await ben.call("user.preferences", auto_accept_invitations=False)
    url = ctx.name("group")
    await ada.call("group.create", channel_url=url, user_ids=[ben.user_id])
    for client in (ben, too):
        await client.until(lambda: client.told("group.invited", channel_url=url), "group.invited")
    await too.call("group.accept", channel_url=url)
    await ada.send(url, "welcome")
    for client in (ben, too):
        await client.until(lambda: texts(client, url) == ["welcome"], "the message")
    await ben.call("group.leave", channel_url=url)
    for client in (ben, too):
        await client.until(lambda: client.told("group.lost", channel_url=url), "group.lost")
    await ada.call("group.invite", channel_url=url, user_ids=[ben.user_id])
    await too.call("group.decline", channel_url=url)
    assert (await view(ada, url))["member_count"] == 1


async def test_one_distinct_group(ctx):
    """Fifty creations for the same users on three servers at once make one group."""
    cluster = await ctx.cluster(3, *CALM)
    members = [await member(ctx, server) for server in cluster.servers]
    ids = [m.user_id for m in members]
    answers = await asyncio.gather(*(
        members[n % 3].call("group.create", user_ids=ids, is_distinct=True) for n in range(50)))
    assert len({answer["channel"]["channel_url"] for answer in answers}) == 1
    assert sum(answer["created"] for answer in answers) == 1


async def test_the_same_from_each_server(ctx):
    """Lists, members, totals, receipts and changes are the same wherever they are asked for."""
    cluster = await ctx.cluster(3, *CALM)
    url, ada, ben, cleo = await team(ctx, cluster)
    others = [await member(ctx, server, ada.user_id) for server in cluster.servers[1:]]
    tokens = [c.told("group.ready")[0]["params"]["token"] for c in (ada, *others)]
    await ben.send(url, "one")
    await cleo.call("group.mark_read", channel_url=url)
    await fence(url, ada, ben, *others)

    async def all_online():
        # The home of the group lists its members; each server lists groups with the users that it knows as online.
        for client in (ada, *others):
            members = (await client.call("group.members", channel_url=url))["members"]
            for channel in (await client.call("group.list", members_limit=10))["channels"]:
                members += channel["members"]
            if [m["is_online"] for m in members] != [True] * 6:
                return False
        return True
    await eventually(all_online, "all members online, in the group and in the lists of each server")
    answers = []
    for client, token in zip((ada, *others), tokens):
        members = (await client.call("group.members", channel_url=url))["members"]
        answers.append({
            "group.list": (await client.call("group.list", members_limit=10))["channels"],
            "group.members": sorted(members, key=lambda m: m["user_id"]),
            "group.unread": await client.call("group.unread"),
            "group.receipts": await client.call("group.receipts", channel_url=url),
            "group.changes": (await client.call("group.changes", token=token))["updated"],
            "group.get": await view(client, url)})
    for server, answer in zip(cluster.servers[1:], answers[1:]):
        for method, found in answer.items():
            assert found == answers[0][method], \
                f"{method}: server 1 answers {answers[0][method]}, {server.name} answers {found}"
    for server in cluster.servers:
        status, page = await server.api("GET", f"/group_channels/{url}/members")
        online = [m["is_online"] for m in page.get("members", [])]
        assert status == 200 and online == [True] * 3, f"three members online expected from {server.name}: {page}"
        status, page = await server.api("GET", f"/users/{ada.user_id}/my_group_channels")
        urls = [c["channel_url"] for c in page.get("channels", [])]
        assert status == 200 and urls == [url], f"{url} alone expected from {server.name}: {page}"


async def test_deliveries_on_any_server(ctx):
    """A message is marked as delivered wherever the client is connected, and all servers know it; a home that stops hands
    the positions to the next one."""
    cluster = await ctx.cluster(3, *CALM, "--groups-delivery-receipts", "true")
    ada, ben, cleo = [await member(ctx, server) for server in cluster.servers]
    home, *others = cluster.servers
    url = await group_at(ctx, cluster, home, ada, [ben.user_id, cleo.user_id])
    message = (await ada.send(url, "one"))["message"]
    mark = {"channel_url": url, "message_id": message["message_id"]}
    for client in (ben, cleo):
        await client.until(lambda: texts(client, url) == ["one"], "the message")
        assert await client.call("group.mark_delivered", channels=[mark]) == {}

    def known(client):
        events = client.told("group.delivered", channel_url=url)
        return {move["user_id"]: move["read_at"] for e in events for move in e["params"]["reads"]}
    at = message["created_at"]
    for client in (ada, ben, cleo):
        await client.until(lambda: known(client) == {ben.user_id: at, cleo.user_id: at}, "both positions")
        answer = await client.call("group.receipts", channel_url=url)
        assert answer["delivered"] == {ada.user_id: at, ben.user_id: at, cleo.user_id: at}, answer
    second = (await ben.send(url, "two"))["message"]
    await cleo.call("group.mark_delivered", channels=[{"channel_url": url, "message_id": second["message_id"]}])
    assert await home.end() == 0
    there = await member(ctx, others[0], cleo.user_id)
    answer = await there.call("group.receipts", channel_url=url)
    assert answer["delivered"][cleo.user_id] == second["created_at"], answer


async def test_the_platform_api_on_any_server(ctx):
    """Groups are made, changed and deleted by calls to each server."""
    cluster = await ctx.cluster(3, *CALM)
    members = [await member(ctx, server) for server in cluster.servers]
    ids = [m.user_id for m in members]
    for server in cluster.servers:
        status, made = await server.api("POST", "/group_channels", {"user_ids": ids, "name": "Trip"})
        assert status == 200, made
        url = made["channel_url"]
        for other in cluster.servers:
            status, sent = await other.api(
                "POST", f"/group_channels/{url}/messages",
                {"message_type": "MESG", "user_id": ids[0], "message": other.name})
            assert status == 200, sent
        names = [other.name for other in cluster.servers]
        for client in members:
            await client.until(lambda: texts(client, url) == names, "the messages")
        status, answer = await cluster.servers[1].api(
            "PUT", f"/group_channels/{url}/leave", {"user_ids": [ids[2]]})
        assert status == 200, answer
        await members[2].until(lambda: members[2].told("group.lost", channel_url=url), "group.lost")
        status, answer = await cluster.servers[2].api("DELETE", f"/group_channels/{url}")
        assert status == 200, answer
        for client in members[:2]:
            await client.until(lambda: client.told("group.lost", channel_url=url), "group.lost")


async def test_blocks(ctx):
    """A block of a user on one server holds in a group of two at home on another."""
    cluster = await ctx.cluster(3, *CALM)
    ada, ben = [await member(ctx, server) for server in cluster.servers[:2]]
    url = await group_at(ctx, cluster, cluster.servers[2], ada, [ben.user_id])
    await ada.call("user.block", user_id=ben.user_id)
    await ben.send(url, "unheard")
    await ada.until(lambda: texts(ada, url) == ["unheard"], "the message")
    assert (await view(ada, url))["my"]["unread_message_count"] == 0
    await ada.call("user.unblock", user_id=ben.user_id)
    await ben.send(url, "heard")
    await ada.until(lambda: len(texts(ada, url)) == 2, "the message")
    assert (await view(ada, url))["my"]["unread_message_count"] == 1


async def test_sessions_without_groups(ctx):
    """A session with groups: false on any server receives no event of a group, and makes all calls."""
    cluster = await ctx.cluster(3, *CALM)
    url, ada, ben, cleo = await team(ctx, cluster)
    quiet = [await ctx.user(server, ben.user_id, groups=False) for server in cluster.servers]
    await ada.send(url, "one")
    await ben.until(lambda: texts(ben, url) == ["one"], "the message")
    await ben.call("group.mark_read", channel_url=url)
    await ada.call("group.invite", channel_url=url, user_ids=[(await ctx.user(cluster.servers[1])).user_id])
    await fence(url, ada, ben)
    for client in quiet:
        assert (await view(client, url))["my"]["unread_message_count"] == 0
        assert not client.events, client.events


async def test_large_groups(ctx):
    """In a super group users join and leave without numbered events, on every server."""
    cluster = await ctx.cluster(3, *CALM)
    url, ada, ben, cleo = await team(ctx, cluster, is_super=True)
    dan = await member(ctx, cluster.servers[1])
    await ada.call("group.invite", channel_url=url, user_ids=[dan.user_id])
    await dan.until(lambda: dan.told("group.joined", channel_url=url), "group.joined")
    for client in (ada, ben, cleo, dan):
        await client.until(
            lambda: any(e["params"]["member_count"] == 4
                        for e in client.told("group.member_count", channel_url=url)), "the count")
    await cleo.send(url, "welcome")
    await dan.until(lambda: texts(dan, url) == ["welcome"], "the message")
    await ada.call("group.remove", channel_url=url, user_ids=[dan.user_id])
    await dan.until(lambda: dan.told("group.lost", channel_url=url), "group.lost")
    await cleo.send(url, "gone")
    await ben.until(lambda: "gone" in texts(ben, url), "the message")
    assert heard(dan, url)[-1] == "group.lost"


async def test_ephemeral_groups(ctx):
    """The first message of an ephemeral group reaches all servers, though it is in no log."""
    cluster = await ctx.cluster(3, *CALM)
    url, ada, ben, cleo = await team(ctx, cluster, is_ephemeral=True)
    late = await member(ctx, cluster.servers[1], cleo.user_id)
    await ada.send(url, "one")
    for client in (ben, cleo, late):
        await client.until(lambda: texts(client, url) == ["one"], "the message")
