"""What /metrics tells about previews."""

import asyncio
import re

from harness import PATIENCE, eventually, fence, scaled
from remembered import FLAGS, explain, look_up, preview_of, with_pages
from remembering import expired
from unfurlers import asking, with_service


async def metrics(server):
    """Every sample of /metrics by its name and labels."""
    status, _, text = await server.get("/metrics")
    assert status == 200
    lines = (line.rsplit(" ", 1) for line in text.decode().splitlines() if not line.startswith("#"))
    return {name: float(value) for name, value in lines}


async def sample(server, name, value):
    """Waits until the sample has this value."""
    async def has():
        return (await metrics(server)).get(name) == value
    await eventually(has, f"{name} {value}, which is {(await metrics(server)).get(name)}")


@with_pages
async def test_what_is_counted(ctx, pages):
    """Messages, look-ups and fetches are counted by how they came out."""
    server = await ctx.fresh(
        *FLAGS, "--unfurl-allow-addresses", "127.0.0.0/8,::1/128",
        "--unfurl-deny-domains", "denied.localhost", "--unfurl-timeout-ms", scaled(400),
        "--unfurl-negative-ttl-seconds", "600")
    channel, owner, sender = await ctx.room(server, 1)
    pages.add("/page", "Page")
    pages.stall("/slow")
    await look_up(server, channel, owner, sender, pages.url("/page"))
    for _ in range(3):
        assert (await sender.send(channel, pages.url("/page")))["message"]["og_tag"]
    await look_up(server, channel, owner, sender, pages.url("/missing"))
    await sender.send(channel, pages.url("/missing"))
    await look_up(server, channel, owner, sender, pages.url("/slow"))
    await sender.send(channel, pages.url("/page", "denied.localhost"))
    await sender.send(channel, "no link")
    await fence(channel, owner, sender)
    for name, value in {
            'parley_previews_total{outcome="cached"}': 3,
            'parley_previews_total{outcome="updated"}': 1,
            'parley_preview_lookups_total{result="hit"}': 3,
            'parley_preview_lookups_total{result="miss"}': 3,
            'parley_preview_lookups_total{result="none"}': 1,
            'parley_preview_lookups_total{result="refused"}': 1,
            'parley_preview_lookups_total{result="stale"}': 0,
            'parley_preview_fetches_total{outcome="found"}': 1,
            'parley_preview_fetches_total{outcome="timed_out"}': 1,
            "parley_preview_fetches_in_flight": 0,
            'parley_preview_cache_entries{place="memory"}': 3,
            'parley_preview_cache_entries{place="file"}': 3}.items():
        await sample(server, name, value)
    found = await metrics(server)
    assert found["parley_preview_fetch_seconds_count"] == 3, found
    assert found["parley_preview_seconds_count"] == 3
    assert all(found[f'parley_preview_cache_bytes{{place="{place}"}}'] > 0
               for place in ("memory", "file"))
    assert sum(value for name, value in found.items()
               if re.match(r'parley_preview_fetches_total\{', name)) == 3
    await server.api("DELETE", "/parley/previews", all="true")
    for place in ("memory", "file"):
        await sample(server, f'parley_preview_cache_entries{{place="{place}"}}', 0)


@with_pages
async def test_messages_without_a_preview_are_counted(ctx, pages):
    """Each message with a link counts once, also if its link is known to have no preview."""
    server = await ctx.fresh(*FLAGS)
    channel, owner, sender = await ctx.room(server, 1)
    await look_up(server, channel, owner, sender, pages.url("/missing"))
    await sender.send(channel, pages.url("/missing"))
    await fence(channel, owner, sender)
    async with asyncio.timeout(3 * PATIENCE):
        await sample(server, 'parley_previews_total{outcome="none"}', 2)


@with_pages
async def test_refreshes_are_counted(ctx, pages):
    """A stale preview that is shown and its refresh are counted as such."""
    server = await ctx.fresh(
        *FLAGS, "--unfurl-cache-ttl-seconds", "1", "--unfurl-cache-min-ttl-seconds", "0")
    channel, owner, sender = await ctx.room(server, 1)
    pages.add("/page", "Page")
    await look_up(server, channel, owner, sender, pages.url("/page"))
    await expired(server, pages.url("/page"))
    gate = pages.hold("/page")
    for _ in range(2):
        assert (await sender.send(channel, pages.url("/page")))["message"]["og_tag"]
    await pages.asked_for("/page", 2)
    await sample(server, "parley_preview_fetches_in_flight", 1)
    gate.set()
    await sample(server, 'parley_preview_lookups_total{result="stale"}', 2)
    await sample(server, "parley_preview_refreshes_total", 1)
    await sample(server, "parley_preview_fetches_in_flight", 0)


@with_service
async def test_whether_the_service_answers(ctx, service):
    """parley_preview_service_up is 1 while the service answers, 0 while it does not."""
    server = await ctx.fresh(*asking(service))
    channel, _, sender = await ctx.room(server, 1)
    sent = (await sender.send(channel, "https://fine.example/"))["message"]
    await preview_of(sender, sent)
    await sample(server, "parley_preview_service_up", 1)
    service.broken = True
    for number in range(5):
        await explain(server, f"https://down.example/{number}")
    await sample(server, "parley_preview_service_up", 0)
    service.broken = False

    async def back():
        return "og_tag" in await explain(server, "https://back.example/")
    await eventually(back, "the service's return")
    await sample(server, "parley_preview_service_up", 1)
