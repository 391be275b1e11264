"""Exports on several servers: the one that works is killed, hangs and goes on beside the next, or has the only key."""

import asyncio
import gzip
import json

from cluster import FREE
from files import download
from harness import PATIENCE, eventually
from migrated import PAST, migrate
from shared import encrypting, several

COUNT = 24_000
# A lease that no server renews, and the work before and after it.
LONG = 150 * PATIENCE
# Seconds by which bytes to and from the database of the server at work are late. After each page an export rests for
# two to nine times as long as its query took, so all pages together take more than a minute, and one that needs a new
# connection does not hold the test up for as long.
SLOWNESS = 0.1


async def filled(ctx, cluster):
    """Imports messages into two channels and sends some: the texts in the order of an export."""
    ann = await ctx.user(cluster.servers[0])
    rooms = [ctx.name("room") for _ in range(2)]
    for url in rooms:
        await ann.call("channel.create", channel_url=url)
    parts = [range(first, first + 100) for first in range(0, COUNT, 100)]
    for first in range(0, len(parts), 6):
        await asyncio.gather(*(
            migrate(cluster.servers[n % len(cluster.servers)], rooms[n % 2], [
                {"message_type": "MESG", "user_id": ann.user_id, "message": f"old {number}", "timestamp": PAST + number}
                for number in part])
            for n, part in enumerate(parts[first:first + 6], first)))
    await ann.enter(rooms[0])
    for number in range(10):
        await ann.send(rooms[0], f"live {number}")
    return ann, rooms[0], [f"old {n}" for n in range(COUNT)] + [f"live {n}" for n in range(10)]


def difference(found, expected):
    """Words for lines of a file that are not the expected ones."""
    place = next((n for n, (one, other) in enumerate(zip(found, expected)) if one != other),
                 min(len(found), len(expected)))
    return (f"{len(found)} lines, {len(found) - len(set(found))} of them repeated, and {len(expected)} expected; "
            f"from line {place + 1} on: {found[place:place + 3]}, expected {expected[place:place + 3]}")


class Work:
    """An export, and the server that works at it."""

    def __init__(self, ctx, cluster):
        self.ctx, self.cluster = ctx, cluster
        self.id = None

    async def begin(self):
        status, made = await self.cluster.servers[0].api("POST", "/export/messages", {})
        assert status == 200, made
        self.id = made["request_id"]

    async def row(self):
        return (await self.ctx.postgresql.query(
            self.cluster.database, "SELECT status, position, term, worker FROM long_requests"))[0]

    async def worker(self, servers, term):
        """The server that works in a term, from now on with a slow way to the database."""
        names = {await server.identity(): server for server in servers}

        async def works():
            status, _, now, worker = await self.row()
            assert status != "done", "the export ended before the fault"
            return names[worker] if status == "processing" and int(now) == term else None
        server = await eventually(works, f"a server in term {term}", LONG)
        server.store_wire.slow(SLOWNESS)
        return server

    async def until_recorded(self, before=""):
        async def is_recorded():
            status, position, _, _ = await self.row()
            assert status == "processing", "the export ended before the fault"
            return position if position != before else None
        return await eventually(is_recorded, "a recorded part", LONG)

    async def expect_term(self, term):
        _, _, now, _ = await self.row()
        assert int(now) == term, f"the export was taken {now} times, and not {term}"

    async def expect_whole(self, servers, texts):
        # Not a call: queries of others leave an export a tenth of a reader's time, and a third otherwise.
        async def has_ended():
            status, _, _, _ = await self.row()
            return status in ("done", "failed")
        await eventually(has_ended, "the end of the export", LONG)
        status, export = await servers[0].api("GET", f"/export/messages/{self.id}")
        assert status == 200 and export["status"] == "done", f"status: done expected, got {status} {export}"
        for server in servers:
            status, _, body = await download(server, export["file"]["url"])
            assert (status, len(body)) == (200, export["file"]["size"]), \
                f"{export['file']['size']} bytes of the file expected, got status {status}, {len(body)} bytes"
            found = [json.loads(line)["message"] for line in gzip.decompress(body).decode().splitlines()]
            assert found == texts, difference(found, texts)


async def test_the_server_of_an_export_is_killed(ctx):
    """Another server takes over after the lease, where the first one was; the file has each message once."""
    several(ctx)
    cluster = await ctx.cluster(3, *FREE, *encrypting(ctx))
    _, room, texts = await filled(ctx, cluster)
    work = Work(ctx, cluster)
    await work.begin()
    first = await work.worker(cluster.servers, 1)
    await work.until_recorded()
    await first.kill()
    # What comes after the beginning is left out.
    sender = await ctx.user(cluster.living[0])
    await sender.enter(room)
    await sender.send(room, "later")
    await work.expect_whole(cluster.living, texts)
    await work.expect_term(2)


async def test_the_server_of_an_export_hangs(ctx):
    """A server that goes on while another one works in its place writes nothing more into the file, which is
    encrypted."""
    several(ctx)
    cluster = await ctx.cluster(3, *FREE, *encrypting(ctx))
    _, _, texts = await filled(ctx, cluster)
    work = Work(ctx, cluster)
    await work.begin()
    first = await work.worker(cluster.servers, 1)
    position = await work.until_recorded()
    first.halt()
    others = [server for server in cluster.servers if server is not first]
    second = await work.worker(others, 2)
    first.store_wire.restore()
    first.go_on()
    await work.until_recorded(position)
    second.store_wire.restore()
    await work.expect_whole(others, texts)
    await work.expect_term(2)


async def test_the_only_server_with_the_key_comes_back(ctx):
    """Servers that lack the key of the file leave an export to the one that has it, and are no obstacle to it."""
    several(ctx)
    cluster = await ctx.cluster(2, *FREE)
    keyless = [server for server in cluster.servers if server.logged("lacks the master keys")]
    assert len(keyless) == 1, "one server makes the key of a deployment"
    cluster.servers.sort(key=lambda server: server in keyless)
    _, _, texts = await filled(ctx, cluster)
    work = Work(ctx, cluster)
    await work.begin()
    first = await work.worker(cluster.servers, 1)
    assert first not in keyless, f"{first.name} works without the key of the file"
    await work.until_recorded()
    await first.kill()

    async def gives_up():
        return keyless[0].logged("does not have its master key")
    await eventually(gives_up, "a try without the key", LONG)
    await cluster.add(*FREE, data=first.data)
    await work.expect_whole(cluster.living[-1:], texts)
