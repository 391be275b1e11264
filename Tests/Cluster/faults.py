"""What is done to a cluster: kinds of faults, and plans of them that a seed decides."""

import asyncio
import random
import signal
from dataclasses import dataclass

KINDS = {}


@dataclass(frozen=True)
class Kind:
    """A kind of fault, and what clients may notice of it."""

    inflict: object
    weight: int
    # Clients of a server may be closed by it; otherwise none is, and no server ends.
    closes: bool
    bus: str | None

    @property
    def sentence(self):
        return " ".join(self.inflict.__doc__.split())


@dataclass(frozen=True)
class Fault:
    """One fault: `choice` says which server, of those that are whole by then."""

    kind: str
    choice: int
    seconds: float
    # Until the next one of the round begins.
    pause: float

    def __str__(self):
        return f"{self.kind} {self.seconds:.1f} s"


def kind(weight=2, closes=True, bus=None):
    def made(inflict):
        KINDS[inflict.__name__.replace("_", "-")] = Kind(inflict, weight, closes, bus)
        return inflict
    return made


def plan(seed, count, bus, only=()):
    """Rounds of faults: one, or two or three that overlap."""
    dice = random.Random(seed)
    names = [name for name, made in KINDS.items()
             if made.bus in (None, bus) and (name in only if only else made.weight)]
    weights = [KINDS[name].weight or 1 for name in names]
    rounds = []
    while count > 0:
        size = min(count, dice.choices((1, 2, 3), (5, 3, 2))[0])
        rounds.append([Fault(dice.choices(names, weights)[0], dice.randrange(1 << 16),
                             dice.uniform(0.2, 1) ** 2 * 8, dice.uniform(0, 2))
                       for _ in range(size)])
        count -= size
    return rounds


# Each is called with the site and with a fault, and returns when the damage is mended; a server that ends is
# replaced by the site.

@kind(weight=4)
async def kill(site, fault):
    """A server is killed (SIGKILL); another is started later."""
    async with site.damaged(fault) as server:
        site.may_end(server, -signal.SIGKILL)
        await server.kill()
        await asyncio.sleep(fault.seconds / 2)


@kind(weight=3)
async def halt(site, fault):
    """A server hangs (SIGSTOP) and goes on, shorter or longer than others wait for it."""
    async with site.damaged(fault) as server:
        server.halt()
        await asyncio.sleep(fault.seconds)
        server.go_on()


@kind(weight=3)
async def crawl(site, fault):
    """A server is slow: it runs for 10 of every 100 ms."""
    async with site.damaged(fault) as server:
        end = site.time() + fault.seconds
        while site.time() < end and server.process.returncode is None:
            server.halt()
            await asyncio.sleep(0.09)
            server.go_on()
            await asyncio.sleep(0.01)


@kind(weight=3)
async def drain(site, fault):
    """A server drains (SIGTERM) and another is started."""
    async with site.damaged(fault) as server:
        site.may_end(server, 0)
        await server.end(signal.SIGTERM)


@kind(weight=1)
async def join(site, fault):
    """One more server joins, and leaves after a while."""
    server = await site.join()
    await asyncio.sleep(fault.seconds)
    site.may_end(server, 0)
    await server.end(signal.SIGTERM)


@kind(closes=False)
async def crowd_hangs_up(site, fault):
    """Every second client loses its connection at once."""
    for person in site.crowd.people[fault.choice % 2::2]:
        person.hang_up()
    await asyncio.sleep(0.2)


async def wire(site, fault, name, *damage):
    async with site.damaged(fault) as server:
        getattr(getattr(server, name), damage[0])(*damage[1:])
        await asyncio.sleep(fault.seconds)
        getattr(server, name).restore()


@kind(bus="redis")
async def bus_cut(site, fault):
    """A server loses the bus: connections are reset, new ones too."""
    await wire(site, fault, "bus_wire", "cut")


@kind(bus="redis")
async def bus_deaf(site, fault):
    """Nothing comes to a server from the bus, though what it sends arrives."""
    await wire(site, fault, "bus_wire", "silence", "back")


@kind(bus="redis")
async def bus_dumb(site, fault):
    """Nothing comes from a server to the bus, though it hears the others."""
    await wire(site, fault, "bus_wire", "silence", "there")


@kind(bus="redis")
async def bus_silent(site, fault):
    """The bus is silent for a server, with its connections open."""
    await wire(site, fault, "bus_wire", "silence")


@kind(bus="redis", closes=False)
async def bus_slow(site, fault):
    """The bus takes up to 400 ms longer for a server."""
    await wire(site, fault, "bus_wire", "slow", fault.choice % 400 / 1000)


@kind(bus="redis", closes=False)
async def bus_reset(site, fault):
    """A server's connections to the bus are reset, and made again."""
    async with site.damaged(fault) as server:
        server.bus_wire.reset()


@kind(bus="redis", closes=False)
async def subscribers_cut(site, fault):
    """Redis closes the connections of all that listen, three times."""
    for _ in range(3):
        await site.ctx.redis.cut_subscribers()
        await asyncio.sleep(0.3)


@kind(bus="redis", closes=False)
async def bus_restart(site, fault):
    """Redis crashes and is started again."""
    async with site.alone("redis"):
        await site.ctx.redis.crash()
        await asyncio.sleep(fault.seconds)
        await site.ctx.redis.up()


@kind(bus="redis", closes=False)
async def bus_hangs(site, fault):
    """Redis hangs (SIGSTOP) and goes on."""
    async with site.alone("redis"):
        site.ctx.redis.halt()
        await asyncio.sleep(fault.seconds)
        site.ctx.redis.go_on()


@kind(bus="postgresql", closes=False)
async def listeners_cut(site, fault):
    """PostgreSQL ends the sessions that listen, three times."""
    for _ in range(3):
        await site.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                         "WHERE query ILIKE 'LISTEN%'")
        await asyncio.sleep(0.3)


@kind()
async def store_cut(site, fault):
    """A server loses PostgreSQL: connections are reset, new ones too."""
    await wire(site, fault, "store_wire", "cut")


@kind()
async def store_silent(site, fault):
    """PostgreSQL is silent for a server, with its connections open."""
    await wire(site, fault, "store_wire", "silence")


@kind()
async def store_deaf(site, fault):
    """Statements of a server reach PostgreSQL, but no answer comes."""
    await wire(site, fault, "store_wire", "silence", "back")


@kind(closes=False)
async def store_slow(site, fault):
    """Each round trip of a server to PostgreSQL takes up to 200 ms longer."""
    await wire(site, fault, "store_wire", "slow", fault.choice % 100 / 1000)


@kind(closes=False)
async def store_reset(site, fault):
    """A server's connections to PostgreSQL are reset, and made again."""
    async with site.damaged(fault) as server:
        server.store_wire.reset()


@kind(closes=False)
async def sessions_end(site, fault):
    """PostgreSQL ends every session of all servers."""
    await site.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                     "WHERE datname = current_database() AND pid <> pg_backend_pid()")


@kind(weight=3, closes=False)
async def store_crash(site, fault):
    """PostgreSQL crashes and recovers."""
    async with site.alone("postgresql"):
        await site.ctx.postgresql.crash()
        await asyncio.sleep(fault.seconds / 4)
        await site.ctx.postgresql.up()


@kind(closes=False)
async def store_restart(site, fault):
    """PostgreSQL is restarted."""
    async with site.alone("postgresql"):
        await site.ctx.postgresql.stop()
        await asyncio.sleep(fault.seconds / 4)
        await site.ctx.postgresql.up()
