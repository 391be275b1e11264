"""Quotas of a day on several servers."""

from cluster import FREE
from harness import Refused
from shared import HEALED, within


async def test_a_quota_holds_on_all_servers(ctx):
    """What a user sends through one server counts on the others, within about a second."""
    cluster = await ctx.cluster(3, *FREE, "--limits-user-messages-per-day", "6")
    first = await ctx.user(cluster.servers[0])
    url = ctx.name("room")
    await first.call("channel.create", channel_url=url)
    clients = [first, *[await ctx.user(server, first.user_id) for server in cluster.servers[1:]]]
    for client in clients:
        await client.enter(url)

    async def refused(client):
        try:
            await client.send(url, "x")
        except Refused as refusal:
            assert refusal.code == 500910, refusal
            return True
        return False
    for client in clients * 2:
        assert not await refused(client)
    for client in clients:
        async def is_refused(client=client):
            return await refused(client)
        await within(HEALED, is_refused, "the quota on each server")
