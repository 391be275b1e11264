"""How long previews are remembered, and what becomes of them."""

import glob
import os
import time

from harness import eventually, fence
from remembered import (
    FLAGS, entry_of, look_up, preview_of, remembered, updates_of, with_pages)

SHORT = ("--unfurl-cache-min-ttl-seconds", "0", "--unfurl-stale-ttl-seconds", "0")


async def expired(server, url):
    """Waits until the remembered preview is past its time."""
    async def past():
        entry = await entry_of(server, url)
        return entry is None or entry["expires_at"] < time.time() * 1000
    await eventually(past, f"the end of {url}'s time")


@with_pages
async def test_an_entry_tells_its_times(ctx, pages):
    """A remembered preview names when it was fetched, when it expires and when it goes."""
    server = await ctx.server(
        *FLAGS, "--unfurl-cache-ttl-seconds", "1000", "--unfurl-stale-ttl-seconds", "500",
        "--unfurl-cache-min-ttl-seconds", "100", "--unfurl-negative-ttl-seconds", "50")
    channel, owner, sender = await ctx.room(server, 1)
    lifetimes = {
        "/plain": ({}, 1000), "/less": ({"cache_control": "max-age=300"}, 300),
        "/least": ({"cache_control": "max-age=0"}, 100),
        "/private": ({"cache_control": "no-cache, max-age=400"}, 100),
        "/more": ({"cache_control": "public, max-age=99999"}, 1000),
        "/garbage": ({"cache_control": "max-age=soon"}, 100),
        "/expires": ({"date": "Sun, 06 Nov 1994 08:00:00 GMT",
                      "expires": "Sun, 06 Nov 1994 08:05:00 GMT"}, 300),
        "/past": ({"expires": "0"}, 100),
    }
    for path, (fields, seconds) in lifetimes.items():
        pages.add_html(path, "<title>T</title>", **fields)
        before = time.time() * 1000
        await look_up(server, channel, owner, sender, pages.url(path))
        entry = await entry_of(server, pages.url(path))
        assert before - 50 <= entry["fetched_at"] <= time.time() * 1000 + 50, (path, entry)
        lasting = entry["expires_at"] - entry["fetched_at"]
        assert abs(lasting - seconds * 1000) <= 1000, (path, lasting, seconds)
        assert entry["stale_until"] - entry["expires_at"] == 500_000, (path, entry)
    await look_up(server, channel, owner, sender, pages.url("/missing"))
    entry = await entry_of(server, pages.url("/missing"))
    assert entry["expires_at"] - entry["fetched_at"] == 50_000, entry
    assert "og_tag" not in entry and "404" in entry["problem"], entry


@with_pages
async def test_a_page_may_ask_not_to_be_remembered(ctx, pages):
    """With unfurl.cache_min_ttl_seconds 0 a page with max-age=0 is fetched for each message."""
    server = await ctx.server(*FLAGS, *SHORT)
    channel, _, sender = await ctx.room(server, 1)
    pages.add_html("/now", "<title>Now</title>", cache_control="max-age=0")
    for times in (1, 2, 3):
        sent = (await sender.send(channel, pages.url("/now")))["message"]
        assert sent["og_tag"] is None
        await preview_of(sender, sent)
        assert pages.count("/now") == times


@with_pages
async def test_the_least_time_holds_against_a_page(ctx, pages):
    """unfurl.cache_min_ttl_seconds remembers a page that asks for less."""
    server = await ctx.server(*FLAGS, "--unfurl-cache-min-ttl-seconds", "60")
    channel, owner, sender = await ctx.room(server, 1)
    pages.add_html("/now", "<title>Now</title>", cache_control="max-age=0, must-revalidate")
    await look_up(server, channel, owner, sender, pages.url("/now"))
    again = (await sender.send(channel, pages.url("/now")))["message"]
    assert again["og_tag"]["og:title"] == "Now" and pages.count("/now") == 1


@with_pages
async def test_stale_previews_are_shown_while_refreshed(ctx, pages):
    """An expired preview is shown at once while one refresh runs, and brings no update."""
    server = await ctx.server(
        *FLAGS, "--unfurl-cache-ttl-seconds", "1", "--unfurl-cache-min-ttl-seconds", "0",
        "--unfurl-stale-ttl-seconds", "600")
    channel, owner, sender, viewer = await ctx.room(server, 2)
    url = pages.url("/aging")
    pages.add("/aging", "Old")
    await look_up(server, channel, owner, sender, url)
    await expired(server, url)
    pages.add("/aging", "New")
    gate = pages.hold("/aging")
    stale = []
    for _ in range(5):
        stale.append((await sender.send(channel, url))["message"])
        assert stale[-1]["og_tag"]["og:title"] == "Old", stale[-1]
    await pages.asked_for("/aging", 2)
    assert pages.count("/aging") == 2
    del pages.gates["/aging"]
    gate.set()
    await remembered(server, url, lambda entry: entry["og_tag"]["og:title"] == "New")
    fresh = (await sender.send(channel, url))["message"]
    assert fresh["og_tag"]["og:title"] == "New"
    await fence(channel, owner, sender, viewer)
    for message in (*stale, fresh):
        assert not updates_of(viewer, message) and not updates_of(sender, message), message
    got = await viewer.call(
        "message.get", channel_url=channel, message_id=stale[0]["message_id"])
    assert got["message"]["og_tag"]["og:title"] == "Old", "a message keeps what it was given"


@with_pages
async def test_stale_previews_end(ctx, pages):
    """Beyond unfurl.stale_ttl_seconds an expired preview is not shown."""
    server = await ctx.server(*FLAGS, "--unfurl-cache-ttl-seconds", "1", *SHORT)
    channel, owner, sender = await ctx.room(server, 1)
    url = pages.url("/ending")
    pages.add("/ending", "Old")
    await look_up(server, channel, owner, sender, url)
    await expired(server, url)
    pages.add("/ending", "New")
    sent = (await sender.send(channel, url))["message"]
    assert sent["og_tag"] is None
    assert (await preview_of(sender, sent))["og_tag"]["og:title"] == "New"


@with_pages
async def test_a_failure_is_forgotten_in_time(ctx, pages):
    """After unfurl.negative_ttl_seconds a page without a preview is looked up again."""
    server = await ctx.server(*FLAGS, "--unfurl-negative-ttl-seconds", "1")
    channel, owner, sender = await ctx.room(server, 1)
    url = pages.url("/appears")
    assert (await look_up(server, channel, owner, sender, url))["og_tag"] is None
    await sender.send(channel, url)
    await fence(channel, owner, sender)
    pages.add("/appears", "There")
    await expired(server, url)
    sent = (await sender.send(channel, url))["message"]
    assert (await preview_of(sender, sent))["og_tag"]["og:title"] == "There"


@with_pages
async def test_previews_and_their_absence_survive_a_restart(ctx, pages):
    """After a drain and a start, both are known without a fetch, and listed as before."""
    server = await ctx.fresh(*FLAGS)
    channel, owner, sender = await ctx.room(server, 1)
    pages.add("/keep", "Keep")
    for path in ("/keep", "/missing"):
        await look_up(server, channel, owner, sender, pages.url(path))
    before = await server.api("GET", "/parley/previews")
    assert await server.end() == 0
    server = await ctx.fresh(*FLAGS, data=server.data)
    assert await server.api("GET", "/parley/previews") == before
    sender = await ctx.user(server, sender.user_id)
    await sender.enter(channel)
    kept = (await sender.send(channel, pages.url("/keep")))["message"]
    none = (await sender.send(channel, pages.url("/missing")))["message"]
    assert kept["og_tag"]["og:title"] == "Keep" and none["og_tag"] is None
    assert pages.asked == ["/keep", "/missing"]


@with_pages
async def test_the_file_may_go_or_be_garbage(ctx, pages):
    """The file of previews may be deleted, or damaged, while the server is down."""
    server = await ctx.fresh(*FLAGS)
    channel, owner, sender = await ctx.room(server, 1)
    pages.add("/page", "Page")
    await look_up(server, channel, owner, sender, pages.url("/page"))
    for times, harm in ((2, os.remove), (3, lambda path: open(path, "wb").write(b"junk" * 9999))):
        assert await server.end() == 0
        found = glob.glob(os.path.join(server.data, "previews.sqlite*"))
        assert found
        for path in found:
            harm(path)
        server = await ctx.fresh(*FLAGS, data=server.data)
        owner, sender = [await ctx.user(server, user.user_id) for user in (owner, sender)]
        for client in (owner, sender):
            await client.enter(channel)
        message = await look_up(server, channel, owner, sender, pages.url("/page"))
        assert message["og_tag"]["og:title"] == "Page" and pages.count("/page") == times


@with_pages
async def test_a_cache_without_a_file(ctx, pages):
    """With unfurl.cache_disk_bytes 0 previews are remembered in memory only."""
    flags = (*FLAGS, "--unfurl-cache-disk-bytes", "0")
    server = await ctx.fresh(*flags)
    channel, owner, sender = await ctx.room(server, 1)
    pages.add("/page", "Page")
    await look_up(server, channel, owner, sender, pages.url("/page"))
    again = (await sender.send(channel, pages.url("/page")))["message"]
    assert again["og_tag"] and pages.count("/page") == 1
    assert await server.end() == 0
    assert not glob.glob(os.path.join(server.data, "previews.sqlite*"))


@with_pages
async def test_keeping_nothing(ctx, pages):
    """With unfurl.cache_ttl_seconds 0 every message's page is fetched anew."""
    server = await ctx.server(*FLAGS, "--unfurl-cache-ttl-seconds", "0", *SHORT)
    channel, _, sender = await ctx.room(server, 1)
    pages.add("/zero", "Zero")
    for times in (1, 2):
        sent = (await sender.send(channel, pages.url("/zero")))["message"]
        assert (await preview_of(sender, sent))["og_tag"]["og:title"] == "Zero"
        assert pages.count("/zero") == times
