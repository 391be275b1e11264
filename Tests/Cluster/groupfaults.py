"""Groups while servers fail: members miss nothing, see nothing twice, and learn when they have to look."""

import asyncio
import signal

from failures import BUSY, DRAIN, HANG, KILL, redis_alone
from groupsound import CALM, group_at, member, texts
from harness import Refused, eventually


class Talk:
    """A member that sends messages, each until it is acknowledged."""

    def __init__(self, client, url):
        self.client, self.url = client, url
        self.acknowledged, self.pauses = [], []
        self.goes_on = True
        self.running = asyncio.ensure_future(self._run())

    async def _run(self):
        number = 0
        while self.goes_on:
            number += 1
            text = f"message {number}"
            started = asyncio.get_running_loop().time()
            while True:
                try:
                    await self.client.send(self.url, text, req_id=text)
                    break
                except Refused as refusal:
                    assert refusal.code == 500901, refusal
                    await asyncio.sleep(0.05)
            self.pauses.append(asyncio.get_running_loop().time() - started)
            self.acknowledged.append(text)
            await asyncio.sleep(0.02)

    async def flow(self, count=30):
        """Waits for further acknowledged messages."""
        wanted = len(self.acknowledged) + count

        async def enough():
            assert not self.running.done(), self.running.exception()
            return len(self.acknowledged) >= wanted
        await eventually(enough, f"{count} acknowledged messages")

    def mark(self):
        """Forgets the pauses before a fault."""
        self.pauses = []

    def requires_pauses(self, bound):
        assert max(self.pauses) <= bound * BUSY, max(self.pauses)

    async def end(self):
        self.goes_on = False
        await self.running


async def receives(client, url, talk):
    """Every acknowledged message has come to the client, in order, once."""
    await client.until(lambda: set(talk.acknowledged) <= set(texts(client, url)), "all messages")
    assert texts(client, url) == talk.acknowledged


def readiness(client):
    return len(client.told("group.ready"))


async def test_the_home_of_a_group_is_killed(ctx):
    """The group pauses two seconds at most; members on other servers miss nothing; positions are kept; typing
    members are forgotten; sessions become ready once more."""
    cluster = await ctx.cluster(3, *CALM)
    ada, ben, cleo = [await member(ctx, server) for server in cluster.servers]
    url = await group_at(ctx, cluster, cluster.servers[2], ada, [ben.user_id, cleo.user_id])
    talk = Talk(ada, url)
    await talk.flow()
    await ben.call("group.mark_read", channel_url=url)
    position = (await ben.call("group.get", channel_url=url))["channel"]["my"]["read_ordinal"]
    await cleo.call("group.typing", channel_url=url, is_typing=True)
    await ben.until(lambda: ben.told("group.typing", channel_url=url), "group.typing")
    talk.mark()
    await cluster.servers[2].kill()
    await talk.flow()
    await talk.end()
    talk.requires_pauses(KILL)
    await receives(ben, url, talk)
    for client in (ada, ben):
        await client.until(lambda: readiness(client) == 2, "group.ready once more")
    view = (await ben.call("group.get", channel_url=url))["channel"]
    assert view["my"]["read_ordinal"] == position and view["last_ordinal"] == len(talk.acknowledged)
    assert view["my"]["unread_message_count"] == len(talk.acknowledged) - position


async def test_a_server_with_members_is_killed(ctx):
    """A client reconnects elsewhere: what group.changes and the list say, and the events from group.ready on,
    are all messages, each once."""
    cluster = await ctx.cluster(3, *CALM)
    ada, ben = [await member(ctx, server) for server in cluster.servers[:2]]
    url = await group_at(ctx, cluster, cluster.servers[2], ada, [ben.user_id])
    token = ben.told("group.ready")[0]["params"]["token"]
    talk = Talk(ada, url)
    await talk.flow()
    await cluster.servers[1].kill()
    await talk.flow(10)
    ben = await member(ctx, cluster.servers[0], ben.user_id)
    changes = await ben.call("group.changes", token=token)
    assert [channel["channel_url"] for channel in changes["updated"]] == [url]
    await talk.flow()
    await talk.end()
    listed = (await ben.call(
        "message.list", channel_url=url, message_ts=0, next_limit=100, prev_limit=0))["messages"]
    known = changes["updated"][0]["last_ordinal"]
    before = [m["message"] for m in listed if m["ordinal"] <= known]
    await ben.until(lambda: talk.acknowledged[-1] in texts(ben, url), "the last message")
    heard = [m["message"] for m in ben.messages(url) if m["ordinal"] > known]
    assert before + heard == talk.acknowledged, (known, before[-3:], heard[:3], len(talk.acknowledged))


async def test_the_bus_restarts_under_groups(ctx):
    """Members miss nothing and are not closed; they become ready once more."""
    redis_alone(ctx)
    cluster = await ctx.cluster(3, *CALM)
    ada, ben, cleo = [await member(ctx, server) for server in cluster.servers]
    url = await group_at(ctx, cluster, cluster.servers[2], ada, [ben.user_id, cleo.user_id])
    talk = Talk(ada, url)
    await talk.flow()
    await ctx.redis.crash()
    await ctx.redis.up()
    await talk.flow()
    await talk.end()
    for client in (ben, cleo):
        await receives(client, url, talk)


async def test_a_zombie_with_groups(ctx):
    """The home of a group is halted for ten seconds: others go on after four at most, hear everything once, and
    become ready once more; what the zombie does later changes nothing."""
    cluster = await ctx.cluster(3, *CALM)
    ada, ben = [await member(ctx, server) for server in cluster.servers[:2]]
    zombie = cluster.servers[2]
    url = await group_at(ctx, cluster, zombie, ada, [ben.user_id])
    before = await zombie.identity()
    talk = Talk(ada, url)
    await talk.flow()
    talk.mark()
    zombie.halt()
    await talk.flow()
    zombie.go_on()
    await zombie.joins_again(before)
    await talk.flow(10)
    await talk.end()
    talk.requires_pauses(HANG)
    await receives(ben, url, talk)
    assert readiness(ben) > 1
    late = await member(ctx, zombie, ben.user_id)
    await ada.send(url, "hello again")
    for client in (ben, late):
        await client.until(lambda: texts(client, url)[-1:] == ["hello again"], "the message")


async def test_a_drain_with_groups(ctx):
    """The server of a group's home is drained: the group pauses a second at most, and members miss nothing."""
    cluster = await ctx.cluster(3, *CALM)
    ada, ben = [await member(ctx, server) for server in cluster.servers[:2]]
    url = await group_at(ctx, cluster, cluster.servers[2], ada, [ben.user_id])
    talk = Talk(ada, url)
    await talk.flow()
    talk.mark()
    ending = asyncio.ensure_future(cluster.servers[2].end(signal.SIGTERM))
    await talk.flow()
    await talk.end()
    assert await ending == 0
    talk.requires_pauses(DRAIN)
    await receives(ben, url, talk)


async def test_a_member_is_removed_behind_a_cut(ctx):
    """A member is removed while its server is cut off: its connections are put out when that is back, in a super group
    too, and hear nothing that was sent after the removal."""
    redis_alone(ctx)
    cluster = await ctx.cluster(3, *CALM)
    ada, ben, cleo = [await member(ctx, server) for server in cluster.servers]
    urls = [
        await group_at(ctx, cluster, cluster.servers[0], ada, [ben.user_id, cleo.user_id], is_super=is_super)
        for is_super in (False, True)]
    for url in urls:
        await ada.send(url, "before")
        await cleo.until(lambda: texts(cleo, url) == ["before"], "the message")
    cluster.servers[2].bus_wire.cut()
    for url in urls:
        await ada.call("group.remove", channel_url=url, user_ids=[cleo.user_id])
        await ada.send(url, "after")
        await ben.until(lambda: "after" in texts(ben, url), "the message")
    cluster.servers[2].bus_wire.restore()
    for url in urls:
        await cleo.until(lambda: cleo.told("group.lost", channel_url=url), "group.lost")
        assert texts(cleo, url) == ["before"]


async def test_memberships_while_homes_move(ctx):
    """Users join and leave while the home of their group dies: in the end all servers and all connections agree on
    the members, and only members hear."""
    cluster = await ctx.cluster(3, *CALM)
    ada, *others = [await member(ctx, cluster.servers[n % 2]) for n in range(5)]
    url = await group_at(ctx, cluster, cluster.servers[2], ada, [])
    joined = set()

    async def moves(client):
        for _ in range(6):
            for method in ("group.invite", "group.remove"):
                with_ids = {"channel_url": url, "user_ids": [client.user_id]}
                while True:
                    try:
                        await ada.call(method, **with_ids)
                        break
                    except Refused as refusal:
                        # The change may have been made; the opposite follows all the same.
                        assert refusal.code in (500901, 400201), refusal
                        if refusal.code == 400201 or method == "group.remove":
                            break
                        await asyncio.sleep(0.05)
        await ada.call("group.invite", channel_url=url, user_ids=[client.user_id])
        joined.add(client.user_id)
    running = asyncio.gather(*(moves(client) for client in others))
    await asyncio.sleep(0.2)
    await cluster.servers[2].kill()
    await running
    for server in cluster.living:
        status, page = await server.api("GET", f"/group_channels/{url}/members", limit=100)
        assert status == 200 and {m["user_id"] for m in page["members"]} == {ada.user_id, *joined}, page
    await ada.send(url, "the end")
    for client in others:
        await client.until(lambda: texts(client, url)[-1:] == ["the end"], "the last message")
    status, _ = await cluster.living[0].api(
        "PUT", f"/group_channels/{url}/leave", {"user_ids": [others[0].user_id]})
    assert status == 200
    await others[0].until(lambda: others[0].told("group.lost", channel_url=url), "group.lost")
    await ada.send(url, "after the end")
    await others[1].until(lambda: texts(others[1], url)[-1:] == ["after the end"], "the message")
    assert "after the end" not in texts(others[0], url)
