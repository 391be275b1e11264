"""Pushes of three servers: each message once to each device, whoever judges, delivers, and fails."""

import collections
import contextlib
import signal

from groupsound import CALM, group_at, member
from harness import eventually
from pushing import bodies, gone, register
from pushpeers import Peer, flags


@contextlib.asynccontextmanager
async def pushing(ctx, *more):
    """A push service, and a cluster that pushes to it."""
    async with Peer(ctx.directory()) as peer:
        yield peer, await ctx.cluster(3, *CALM, *flags(peer.settings("apns")), *more)


async def device_of(client):
    return client.user_id, await register(client)


async def report(server):
    status, answer = await server.api("GET", "/parley/push")
    assert status == 200, answer
    return answer


async def absent(server, user, message):
    """A server would push a message to a user: none of the user's sessions are known to it."""
    async def pushed():
        status, answer = await server.api("GET", "/parley/push/explain", user_id=user, message_id=message)
        assert status == 200, answer
        return answer["pushed"]
    await eventually(pushed, f"{user} without a session")


async def settled(ctx, cluster):
    """No message waits to be pushed: what the servers report is up to a second old."""
    async def empty():
        return await ctx.postgresql.query(cluster.database, "SELECT count(*) FROM push_jobs") == [["0"]]
    await eventually(empty, "no messages to push")


async def test_each_message_is_pushed_once(ctx):
    """A user without a session gets each message once, wherever its group is; one who is attentive on any server gets
    none, and one who is in the background on another than the group's does."""
    async with pushing(ctx) as (peer, cluster):
        ada = await member(ctx, cluster.servers[0])
        attentive = [await member(ctx, server) for server in cluster.servers]
        hidden = [await member(ctx, server) for server in cluster.servers]
        leaving = [await member(ctx, server) for server in cluster.servers]
        present, told = [await device_of(client) for client in attentive], []
        for client in hidden + leaving:
            told.append(await device_of(client))
        urls = [await group_at(ctx, cluster, server, ada, [c.user_id for c in attentive + hidden + leaving])
                for server in cluster.servers]
        for client in hidden:
            await client.call("session.background", on=True)
        for client in leaving:
            await client.leave()
        for server in cluster.servers:
            await gone(server, *(client.user_id for client in leaving))
        for number in range(5):
            for url in urls:
                await ada.send(url, f"{url} {number}")
        expected = {f"{url} {number}" for url in urls for number in range(5)}

        def all_came():
            return all(len(peer.apns(token)) >= len(expected) for _, token in told)
        await peer.until(all_came, "all messages on each device")
        await settled(ctx, cluster)
        for _, token in told:
            got = bodies(peer.apns(token))
            assert len(got) == len(expected) and set(got) == expected, got
            for url in urls:
                assert [text for text in got if text.startswith(url)] == [f"{url} {n}" for n in range(5)]
        assert not [request for _, token in present for request in peer.apns(token)]


async def test_the_deliverer_is_killed(ctx):
    """A push whose server is killed between the acknowledgement of the message and the answer of the service is sent by
    another server, once, with the same ids."""
    async with pushing(ctx) as (peer, cluster):
        ada, ben = [await member(ctx, server) for server in cluster.servers[:2]]
        user, token = await device_of(ben)
        url = await group_at(ctx, cluster, cluster.servers[0], ada, [user])
        await ben.leave()
        for server in cluster.servers:
            await gone(server, user)
        await ada.send(url, "first")
        await peer.until(lambda: peer.apns(token), "the first push")
        await settled(ctx, cluster)
        path = f"/3/device/{token}"
        peer.held.add(path)
        await ada.send(url, "kept")
        held = (await peer.until(lambda: peer.apns(token)[1:], "the push under way"))[0]
        found = []

        async def delivering():
            found[:] = [server for server in cluster.living if (await report(server))["backlog"]]
            return len(found) == 1
        await eventually(delivering, "the server that delivers")
        await found[0].kill()
        peer.held.discard(path)
        again = (await peer.until(lambda: peer.apns(token)[2:], "the push again"))[0]
        assert again.fields["apns-id"] == held.fields["apns-id"]
        assert again.fields["apns-collapse-id"] == held.fields["apns-collapse-id"]
        await settled(ctx, cluster)
        assert bodies(peer.apns(token)) == ["first", "kept", "kept"], peer.apns(token)


async def test_users_of_a_killed_server(ctx):
    """What attentive users have not read when their server is killed is pushed, once, also to those who were at home
    there; not to those who read it, have another session, or come back. A server that ends in order causes none."""
    # The message is not older than the last sign of the server, however slow the machine is.
    signs = ("--cluster-beat-ms", "200", "--cluster-server-timeout-ms", "60000")
    async with pushing(ctx, *signs) as (peer, cluster):
        first, second, third = cluster.servers
        ada = await member(ctx, first)
        drained = [await member(ctx, third) for _ in range(6)]
        # With a dozen users some are at home on the server that is killed, and some elsewhere.
        lost, readers, elsewhere = [[await member(ctx, second) for _ in range(12)] for _ in range(3)]
        again = [await member(ctx, first, client.user_id) for client in elsewhere]
        everybody = drained + lost + readers + elsewhere
        tokens = {user: token for user, token in [await device_of(client) for client in everybody]}
        url = await group_at(ctx, cluster, first, ada, [client.user_id for client in everybody])
        unread = (await ada.send(url, "unread"))["message"]["message_id"]
        for client in everybody + again:
            await client.until(lambda: client.messages(url), "the message")
        for client in readers:
            await client.call("group.mark_read", channel_url=url)
        await settled(ctx, cluster)

        def alerts():
            return [request for request in peer.requests if "alert" in request.json["aps"]]
        assert not alerts()
        third.signal(signal.SIGTERM)
        await third.process.wait()
        # The homes of these users know it at once, and tell the other servers a moment later.
        for client in drained:
            await absent(first, client.user_id, unread)
        await second.kill()
        wanted = [tokens[client.user_id] for client in lost]
        await peer.until(lambda: all(peer.apns(token) for token in wanted), "the missed messages")
        await settled(ctx, cluster)
        kinds = {"drained": drained, "lost": lost, "reader": readers, "elsewhere": elsewhere}
        kind_of = {f"/3/device/{tokens[client.user_id]}": kind for kind, some in kinds.items() for client in some}
        got = collections.Counter(kind_of[request.path] for request in alerts())
        assert got == {"lost": len(lost)} and len({request.path for request in alerts()}) == len(lost), got
        assert set(bodies(peer.requests)) == {"unread"}
