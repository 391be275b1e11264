"""Messages of another system, imported through several servers at once."""

import asyncio

from cluster import FREE
from shared import HEALED, within

PAST = 1_546_300_800_000


async def migrate(server, url, messages, **members):
    status, answer = await server.api("POST", f"/migration/{url}", {"messages": messages, **members})
    assert (status, answer) == (200, {}), answer


async def test_imports_through_all_servers(ctx):
    """Each server imports into channels at home elsewhere; what is repeated is imported once; unread totals stay."""
    cluster = await ctx.cluster(3, *FREE)
    ann, bob = [await ctx.user(server) for server in cluster.servers[:2]]
    rooms, group = [ctx.name("room") for _ in range(6)], ctx.name("group")
    for url in rooms:
        await ann.call("channel.create", channel_url=url)
        await ann.enter(url)
    await ann.call("group.create", channel_url=group, user_ids=[bob.user_id])
    sent = (await ann.send(group, "live"))["message"]
    # The same times in all channels, from all servers at once: ids must differ.
    history = [{"message_type": "MESG", "user_id": ann.user_id, "message": f"old {n}", "timestamp": PAST + n // 9,
                "dedup_id": str(n)} for n in range(90)]
    await asyncio.gather(*(
        migrate(server, url, history) for server in cluster.servers for url in (*rooms, group)))
    ids = set()
    for server in cluster.servers:
        for kind, url in (*(("open_channels", url) for url in rooms), ("group_channels", group)):
            path = f"/{kind}/{url}/messages"
            _, page = await server.api("GET", f"{path}?message_ts=0&next_limit=200")
            texts = [message["message"] for message in page["messages"]]
            assert texts[:90] == [f"old {n}" for n in range(90)], texts
            assert len(texts) == (91 if url == group else 90), texts
            ids |= {message["message_id"] for message in page["messages"]}
            _, count = await server.api("GET", f"{path}/total_count")
            assert count["total"] == len(texts), count
    assert len(ids) == 7 * 90 + 1
    assert (await bob.call("group.unread"))["unread_message_count"] == 1
    for server in cluster.servers:
        await migrate(server, group, [{**history[0], "timestamp": sent["created_at"], "dedup_id": "new"}],
                      update_read_ts=True)
    assert (await bob.call("group.unread"))["unread_message_count"] == 0
    for url in rooms:
        answer = await ann.send(url, "now")
        assert answer["message"]["message_id"] > max(ids)

    async def are_found():
        found = []
        for server in cluster.servers:
            _, page = await server.api("GET", f"/search/messages?query=old&channel_url={rooms[0]}&limit=99")
            found.append([message["message"] for message in page["results"]])
        return all(texts == [f"old {n}" for n in reversed(range(90))] for texts in found)
    await within(HEALED, are_found, "the messages in order in searches")
