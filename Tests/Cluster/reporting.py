"""Reports and word filters on several servers."""

from cluster import FREE
from shared import HEALED, within


async def room(ctx, cluster):
    owner = await ctx.user(cluster.servers[0])
    channel = ctx.name("room")
    await owner.call("channel.create", channel_url=channel)
    return channel, await ctx.spread(cluster, 3, channel)


async def test_reports_of_clients_of_all_servers(ctx):
    """Clients of each server report a message once; moderators see the same queue on each."""
    cluster = await ctx.cluster(3, *FREE)
    channel, clients = await room(ctx, cluster)
    sent = (await clients[0].send(channel, "buy now"))["message"]["message_id"]
    for client in clients * 2:
        assert await client.call("message.report", channel_url=channel, message_id=sent, category="spam") == {}
    lists = [(await server.api("GET", "/report"))[1]["report_logs"] for server in cluster.servers]
    assert lists[0] == lists[1] == lists[2] and len(lists[0]) == 3, lists
    assert {report["reporting_user"]["user_id"] for report in lists[0]} == {client.user_id for client in clients}
    assert all(report["reported_message"]["message"] == "buy now" for report in lists[0])
    number = lists[0][0]["id"]
    status, _ = await cluster.servers[1].api("PUT", f"/parley/reports/{number}", {"state": "resolved"})
    assert status == 200
    assert (await cluster.servers[2].api("GET", f"/parley/reports/{number}"))[1]["state"] == "resolved"


async def test_a_word_filter_holds_on_all_servers(ctx):
    """A filter that is set on one server holds on all within a second, wherever a channel is at home."""
    cluster = await ctx.cluster(3, *FREE)
    rooms = [await room(ctx, cluster) for _ in range(6)]
    for kind, shown in ((1, "***"), (0, "bad")):
        status, _ = await cluster.servers[1].api(
            "PUT", "/applications/settings_global", {"profanity_filter": {"keywords": ["bad"], "type": kind}})
        assert status == 200

        async def holds():
            sent = [await clients[0].send(channel, "bad") for channel, clients in rooms]
            return {answer["message"]["message"] for answer in sent} == {shown}
        await within(HEALED, holds, f"the filter of type {kind}")
