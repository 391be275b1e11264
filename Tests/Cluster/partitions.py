"""Servers that are half there: heard but deaf to nobody, slow, with another list of servers, of another version."""

import asyncio

from cluster import FREE
from failures import busy, closed, redis_alone
from harness import PATIENCE

# Seconds after which a server that is cut off drains, and for the others to take its channels over.
ISOLATION = 5 + 4


async def test_an_asymmetric_partition(ctx):
    """What a server sends does not reach the bus, though it hears the others: it misses its own echo, is not
    ready, drains, and joins again when it is whole; its channels move, and nothing is lost."""
    redis_alone(ctx)
    cluster, channel, traffic = await busy(ctx)
    dumb = cluster.servers[2]
    before = await dumb.identity()
    dumb.bus_wire.silence("there")
    await traffic.flow(8)
    assert not await dumb.is_ready()
    assert await cluster.home(channel) in cluster.servers[:2]
    dumb.bus_wire.restore()
    await dumb.joins_again(before)
    await traffic.end()
    assert traffic.longest_pause <= ISOLATION * PATIENCE, traffic.longest_pause


async def test_half_a_partition_that_heals(ctx):
    """The same for a second, ten times, in either direction: gaps are filled, and nobody is closed."""
    redis_alone(ctx)
    cluster, _, traffic = await busy(ctx)
    for number in range(10):
        wire = cluster.servers[number % 3].bus_wire
        wire.silence(("there", "back")[number % 2])
        await asyncio.sleep(0.5)
        wire.restore()
        await traffic.flow(0.3)
    await traffic.end()
    assert not closed(traffic), closed(traffic)


async def test_lists_of_servers_that_differ(ctx):
    """A server that cannot read the registry for a while misses that another has joined: calls for
    channels that have moved are passed on, nobody is closed, and no channel goes to and fro."""
    cluster, channel, traffic = await busy(ctx)
    before = await loads(cluster)
    for server in list(cluster.servers):
        server.store_wire.silence()
        joining = asyncio.ensure_future(cluster.add(*FREE))
        # With PostgreSQL as the bus it is cut off altogether, and dead for the others after three.
        await asyncio.sleep(2 if ctx.bus == "redis" else 1)
        server.store_wire.restore()
        await joining
        await cluster.until_whole()
        await traffic.flow(0.5)
    await traffic.end()
    assert not closed(traffic), closed(traffic)
    # Each newcomer takes the one channel over at most once.
    assert await loads(cluster) - before <= 3


async def loads(cluster):
    return sum([await server.metric("parley_cluster_channels_loaded_total")
                for server in cluster.living])


async def test_a_slow_server(ctx):
    """The home gets a tenth of a processor for six seconds: whether the others wait for it or take its
    channels over, nothing is lost and everything goes on."""
    cluster, _, traffic = await busy(ctx, rate=30)
    slow = cluster.servers[2]
    for _ in range(60):
        slow.halt()
        await asyncio.sleep(0.09)
        slow.go_on()
        await asyncio.sleep(0.01)
    await traffic.flow(2)
    assert slow.process.returncode is None
    await traffic.end()
    assert traffic.longest_pause <= 8 * PATIENCE, traffic.longest_pause


async def test_upgrade(ctx):
    """Servers are replaced one after another, by those of an older program and back where there is one."""
    older = {"program": ctx.older} if ctx.older else {}
    cluster, channel, traffic = await busy(ctx)
    for kind in (older, {}, older):
        for server in cluster.living[:2]:
            await cluster.add(*FREE, **kind)
            await cluster.until_whole()
            assert await server.end() == 0
            await traffic.flow(1)
    for server in cluster.living:
        assert await server.metric("parley_cluster_unreadable_total") == 0
        assert await server.metric('parley_cluster_frames_dropped_total{reason="unreadable"}') == 0
    await traffic.end()
