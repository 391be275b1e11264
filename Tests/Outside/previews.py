"""Link previews, fetched from a local web server."""

import asyncio
import functools
import glob
import json
import os

from harness import DEADLINE, PATIENCE, eventually, fence, scaled
from pages import Pages

FLAGS = ("--unfurl-allow-addresses", "127.0.0.0/8", "--unfurl-allow-ports", "1-65535",
         "--limits-flood-messages", "0", "--limits-throttle-messages", "0")


def with_pages(test):
    @functools.wraps(test)
    async def wrapped(ctx):
        pages = await Pages.start()
        try:
            await test(ctx, pages)
        finally:
            pages.close()
    return wrapped


async def marker(pages, ctx, channel, sender, owner, *viewers):
    """Every preview that was asked for before has been dealt with when this returns."""
    path = "/" + ctx.name("marker")
    pages.add(path, "marker")
    sent = (await sender.send(channel, pages.url(path)))["message"]
    for client in (sender, *viewers):
        await client.until(
            lambda: any(e["params"]["message"]["message_id"] == sent["message_id"]
                        for e in client.told("message.updated")), "the marker's preview")


def updates_of(client, message):
    return [e["params"] for e in client.told("message.updated")
            if e["params"]["message"]["message_id"] == message["message_id"]]


async def preview_of(client, message):
    await client.until(lambda: updates_of(client, message), "a preview")
    return updates_of(client, message)[0]["message"]


@with_pages
async def test_uncached_then_cached(ctx, pages):
    """Uncached: at once without, then an update to all; cached: at once, and no update."""
    server = await ctx.server(*FLAGS)
    channel, owner, sender, viewer = await ctx.room(server, 2)
    second = await ctx.user(server, sender.user_id)
    await second.enter(channel)
    pages.add("/a", "Title", og__description="Words", og__url=pages.url("/a"),
              og__image=pages.url("/i.png"), og__image__width="1200", og__image__height="630",
              og__image__type="image/png", og__image__alt="A picture")
    sent = (await sender.send(channel, f"see {pages.url('/a')} now"))["message"]
    assert sent["og_tag"] is None
    for client in (sender, second, viewer, owner):
        updated = await preview_of(client, sent)
        tag = updated["og_tag"]
        assert tag["og:title"] == "Title" and tag["og:description"] == "Words", tag
        assert tag["og:url"] == pages.url("/a"), tag
        image = tag["og:image"]
        assert image["url"] == pages.url("/i.png") and image["type"] == "image/png", image
        assert image["width"] == 1200 and image["height"] == 630 and image["alt"] == "A picture"
        assert {"url", "secure_url", "type", "width", "height", "alt"} <= set(image)
        assert updated["updated_at"] == 0
        assert {**updated, "og_tag": None, "og_pending": True} == sent
    got = await viewer.call(
        "message.get", channel_url=channel, message_id=sent["message_id"])
    assert got["message"] == updated
    again = (await sender.send(channel, f"again {pages.url('/a')}"))["message"]
    assert again["og_tag"] == tag
    await fence(channel, owner, viewer)
    received = [m for m in viewer.messages(channel) if m["message_id"] == again["message_id"]]
    assert received == [again]
    await marker(pages, ctx, channel, sender, owner, viewer)
    assert not updates_of(viewer, again) and not updates_of(sender, again)
    assert pages.count("/a") == 1


@with_pages
async def test_many_messages_one_fetch(ctx, pages):
    """Twenty messages with one URL, in two channels, cause one fetch; all are updated."""
    server = await ctx.server(*FLAGS)
    first, owner, sender, viewer = await ctx.room(server, 2)
    second, _, other, watcher = await ctx.room(server, 2)
    pages.add("/many", "Many")
    gate = pages.hold("/many")
    sent = []
    for n in range(10):
        sent.append((await sender.send(first, f"{n} {pages.url('/many')}"))["message"])
        sent.append((await other.send(second, f"{n} {pages.url('/many')}"))["message"])
    await pages.asked_for("/many")
    gate.set()
    for n, message in enumerate(sent):
        updated = await preview_of(viewer if n % 2 == 0 else watcher, message)
        assert updated["og_tag"]["og:title"] == "Many"
    assert pages.count("/many") == 1


@with_pages
async def test_the_first_link_counts(ctx, pages):
    """Of several links the first is looked up; a message without a link asks for nothing."""
    server = await ctx.server(*FLAGS)
    channel, owner, sender = await ctx.room(server, 1)
    pages.add("/one", "One")
    pages.add("/two", "Two")
    await sender.send(channel, "no link here")
    sent = (await sender.send(
        channel, f"({pages.url('/one')}), then {pages.url('/two')}"))["message"]
    assert (await preview_of(sender, sent))["og_tag"]["og:title"] == "One"
    await marker(pages, ctx, channel, sender, owner)
    assert pages.count("/two") == 0


@with_pages
async def test_pages_without_a_preview(ctx, pages):
    """Errors, other types, empty pages, refused connections and loops send nothing at all."""
    server = await ctx.server(*FLAGS)
    channel, owner, sender, viewer = await ctx.room(server, 2)
    html = {"Content-Type": "text/html"}
    titled = b"<title>not to be shown</title>"
    pages.answer("/404", "404 Not Found", html, titled)
    pages.answer("/500", "500 Internal Server Error", html, titled)
    pages.answer("/plain", "200 OK", {"Content-Type": "text/plain"}, titled)
    pages.answer("/image", "200 OK", {"Content-Type": "image/png"}, b"\x89PNG" + bytes(50))
    pages.answer("/empty", "200 OK", html)
    pages.answer("/bare", "200 OK", html, b"<p>no metadata</p>")
    pages.answer("/loop", "302 Found", {"Location": "/loop"})
    pages.answer("/scheme", "302 Found", {"Location": "file:///etc/passwd"})
    sent = []
    for path in ("/404", "/500", "/plain", "/image", "/empty", "/bare", "/loop", "/scheme"):
        sent.append((await sender.send(channel, pages.url(path)))["message"])
        await pages.asked_for(path)
    sent.append((await sender.send(channel, "http://127.0.0.1:1/refused"))["message"])
    await marker(pages, ctx, channel, sender, owner, viewer)
    for message in sent:
        assert not updates_of(viewer, message) and not updates_of(sender, message), message
        got = await viewer.call(
            "message.get", channel_url=channel, message_id=message["message_id"])
        assert got["message"]["og_tag"] is None


@with_pages
async def test_a_failure_is_remembered(ctx, pages):
    """A page without a preview is not asked for again within unfurl.negative_ttl_seconds."""
    server = await ctx.server(*FLAGS)
    channel, owner, sender = await ctx.room(server, 1)
    for _ in range(3):
        await sender.send(channel, pages.url("/missing"))
        await pages.asked_for("/missing")
        await marker(pages, ctx, channel, sender, owner)
    assert pages.count("/missing") == 1


@with_pages
async def test_a_time_out_changes_nothing(ctx, pages):
    """A page that does not answer within unfurl.timeout_ms changes nothing and holds no one."""
    server = await ctx.server(*FLAGS, "--unfurl-timeout-ms", scaled(300))
    channel, owner, sender = await ctx.room(server, 1)
    pages.hold("/slow")
    sent = (await sender.send(channel, pages.url("/slow")))["message"]
    await pages.asked_for("/slow")
    await sender.send(channel, "not held back")
    await asyncio.sleep(0.6 * PATIENCE)
    await marker(pages, ctx, channel, sender, owner)
    assert not updates_of(sender, sent)


@with_pages
async def test_redirects_are_followed(ctx, pages):
    """A redirect to a page is followed, up to unfurl.max_redirects."""
    server = await ctx.server(*FLAGS)
    channel, _, sender = await ctx.room(server, 1)
    pages.answer("/r1", "301 Moved Permanently", {"Location": "/r2"})
    pages.answer("/r2", "302 Found", {"Location": pages.url("/end")})
    pages.add("/end", "End")
    sent = (await sender.send(channel, pages.url("/r1")))["message"]
    assert (await preview_of(sender, sent))["og_tag"]["og:title"] == "End"


@with_pages
async def test_deleted_while_fetching(ctx, pages):
    """A message deleted while its page is fetched gets no update."""
    server = await ctx.server(*FLAGS)
    channel, owner, sender, viewer = await ctx.room(server, 2)
    pages.add("/late", "Late")
    gate = pages.hold("/late")
    sent = (await sender.send(channel, pages.url("/late")))["message"]
    kept = (await sender.send(channel, pages.url("/late")))["message"]
    await pages.asked_for("/late")
    await sender.call("message.delete", channel_url=channel, message_id=sent["message_id"])
    gate.set()
    await preview_of(viewer, kept)
    await marker(pages, ctx, channel, sender, owner, viewer)
    assert not updates_of(viewer, sent) and not updates_of(sender, sent)


@with_pages
async def test_edited_while_fetching(ctx, pages):
    """A text edited while its page is fetched gets the new text's preview, not the old one's."""
    server = await ctx.server(*FLAGS)
    channel, owner, sender, viewer = await ctx.room(server, 2)
    pages.add("/old", "Old")
    pages.add("/new", "New")
    gate = pages.hold("/old")
    sent = (await sender.send(channel, pages.url("/old")))["message"]
    await pages.asked_for("/old")
    edited = (await sender.call(
        "message.update", channel_url=channel, message_id=sent["message_id"],
        message=f"rather {pages.url('/new')}"))["message"]
    assert edited["og_tag"] is None
    gate.set()
    await viewer.until(lambda: any(
        u["message"]["og_tag"] for u in updates_of(viewer, sent)), "the new preview")
    await marker(pages, ctx, channel, sender, owner, viewer)
    titles = [u["message"]["og_tag"]["og:title"] for u in updates_of(viewer, sent)
              if u["message"]["og_tag"]]
    assert titles == ["New"], titles
    last = updates_of(viewer, sent)[-1]["message"]
    assert last["message"].startswith("rather") and last["updated_at"] == edited["updated_at"] > 0


@with_pages
async def test_edits_recompute_the_preview(ctx, pages):
    """An edit to a cached link carries it at once, an edit to no link takes it away."""
    server = await ctx.server(*FLAGS)
    channel, owner, sender, viewer = await ctx.room(server, 2)
    pages.add("/x", "X")
    pages.add("/y", "Y")
    first = (await sender.send(channel, pages.url("/x")))["message"]
    second = (await sender.send(channel, pages.url("/y")))["message"]
    for message in (first, second):
        await preview_of(sender, message)
    address = {"channel_url": channel, "message_id": first["message_id"]}
    changed = (await sender.call("message.update", **address, message=pages.url("/y")))["message"]
    assert changed["og_tag"]["og:title"] == "Y"
    kept = (await sender.call("message.update", **address, data="only data"))["message"]
    assert kept["og_tag"]["og:title"] == "Y", "an edit of data alone lost the preview"
    bare = (await sender.call("message.update", **address, message="no link"))["message"]
    assert bare["og_tag"] is None
    got = await viewer.call("message.get", **address)
    assert got["message"]["og_tag"] is None


@with_pages
async def test_withheld_messages_get_no_preview_update(ctx, pages):
    """The preview of a message that was withheld is not sent to that participant."""
    server = await ctx.server(*FLAGS[:-2])
    channel, owner, sender, viewer = await ctx.room(server, 2)
    pages.add("/w", "W")
    gate = pages.hold("/w")
    waiting = [await sender.ask("message.send", channel_url=channel,
                                message=f"{n} {pages.url('/w')}") for n in range(9)]
    sent = [(await sender.result(part))["message"] for part in waiting]
    await fence(channel, owner, viewer)
    seen = {m["message_id"] for m in viewer.messages(channel)}
    assert len(seen) < 9
    gate.set()
    for message in sent:
        await preview_of(sender, message)
        await preview_of(owner, message)
    await fence(channel, owner, viewer)
    assert {e["params"]["message"]["message_id"] for e in viewer.told("message.updated")} == seen


@with_pages
async def test_ephemeral_messages_get_previews(ctx, pages):
    """In an ephemeral channel a preview still arrives for a message just sent."""
    server = await ctx.server(*FLAGS)
    channel, _, sender, viewer = await ctx.room(server, 2, is_ephemeral=True)
    pages.add("/e", "E")
    sent = (await sender.send(channel, pages.url("/e")))["message"]
    for client in (sender, viewer):
        assert (await preview_of(client, sent))["og_tag"]["og:title"] == "E"


@with_pages
async def test_the_cache_survives_a_restart(ctx, pages):
    """After kill -9 and a restart a known page's preview is there at once, without a fetch."""
    server = await ctx.fresh(*FLAGS)
    channel, _, sender = await ctx.room(server, 1)
    pages.add("/keep", "Keep")
    sent = (await sender.send(channel, pages.url("/keep")))["message"]
    tag = (await preview_of(sender, sent))["og_tag"]

    async def written():
        files = glob.glob(os.path.join(server.data, "previews.sqlite*"))
        return any(pages.url("/keep").encode() in open(path, "rb").read() for path in files)
    await eventually(written, "the preview in a file")
    await server.kill()
    server = await ctx.fresh(*FLAGS, data=server.data)
    sender = await ctx.user(server, sender.user_id)
    await sender.enter(channel)
    again = (await sender.send(channel, pages.url("/keep")))["message"]
    assert again["og_tag"] == tag and pages.count("/keep") == 1


@with_pages
async def test_the_cache_expires(ctx, pages):
    """With unfurl.cache_ttl_seconds 1 a page is fetched anew once its second is over."""
    server = await ctx.fresh(
        *FLAGS, "--unfurl-cache-ttl-seconds", "1", "--unfurl-stale-ttl-seconds", "0")
    channel, _, sender = await ctx.room(server, 1)
    pages.add("/ttl", "First")
    await preview_of(sender, (await sender.send(channel, pages.url("/ttl")))["message"])
    pages.add("/ttl", "Second")
    async with asyncio.timeout(DEADLINE):
        while pages.count("/ttl") < 2:
            last = (await sender.send(channel, pages.url("/ttl")))["message"]
            await asyncio.sleep(0.1)
    assert (await preview_of(sender, last))["og_tag"]["og:title"] == "Second"


@with_pages
async def test_private_addresses_are_not_fetched(ctx, pages):
    """Without unfurl.allow_addresses no page of this machine is fetched, however it is spelt."""
    server = await ctx.server("--limits-flood-messages", "0", "--unfurl-allow-ports", "1-65535")
    channel, owner, sender = await ctx.room(server, 1)
    pages.add("/secret", "Secret")
    port = pages.port
    for host in ("127.0.0.1", "localhost", "127.1", "2130706433", "0x7f.1", "[::1]",
                 "[::ffff:127.0.0.1]", "0.0.0.0", "127.0.0.1.", "017700000001"):
        await sender.send(channel, f"http://{host}:{port}/secret")
    await sender.send(channel, f"http://user:pass@127.0.0.1:{port}/secret")
    await asyncio.sleep(0.5)
    assert pages.count("/secret") == 0
    listed = (await owner.call("message.list", channel_url=channel))["messages"]
    assert all(message["og_tag"] is None for message in listed)


@with_pages
async def test_other_ports_are_not_fetched(ctx, pages):
    """Without unfurl.allow_ports only ports 80 and 443 are fetched from."""
    server = await ctx.server(
        "--limits-flood-messages", "0", "--unfurl-allow-addresses", "127.0.0.0/8")
    channel, _, sender = await ctx.room(server, 1)
    pages.add("/odd", "Odd")
    await sender.send(channel, pages.url("/odd"))
    await asyncio.sleep(0.5)
    assert pages.count("/odd") == 0


@with_pages
async def test_off(ctx, pages):
    """With unfurl.mode off nothing is fetched."""
    server = await ctx.server(*FLAGS, "--unfurl-mode", "off")
    channel, _, sender = await ctx.room(server, 1)
    pages.add("/off", "Off")
    sent = (await sender.send(channel, pages.url("/off")))["message"]
    await asyncio.sleep(0.5)
    assert sent["og_tag"] is None and pages.count("/off") == 0


async def test_an_unfurler_as_a_service(ctx):
    """With unfurl.mode http the service is asked with url and timeout_ms, and its answer taken."""
    asked = []

    async def serve(reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(next(line.split(b":")[1] for line in head.lower().split(b"\r\n")
                          if line.startswith(b"content-length")))
        request = json.loads(await reader.readexactly(length))
        asked.append((head.split(b" ")[0], request))
        if "fails" in request["url"]:
            status, body = "502 Bad Gateway", {"error": "failed", "message": "no"}
        elif "null" in request["url"]:
            status, body = "200 OK", {"og_tag": None}
        else:
            status, body = "200 OK", {"og_tag": {
                "og:title": "By service", "og:url": None, "og:description": None,
                "og:image": None}}
        data = json.dumps(body).encode()
        writer.write(
            f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(data)}"
            "\r\nConnection: close\r\n\r\n".encode() + data)
        await writer.drain()
        writer.close()
    service = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = service.sockets[0].getsockname()[1]
    server = await ctx.fresh(
        "--unfurl-mode", "http", "--unfurl-url", f"http://127.0.0.1:{port}/unfurl",
        "--unfurl-timeout-ms", "4000")
    channel, owner, sender = await ctx.room(server, 1)
    failed = (await sender.send(channel, "https://fails.example/x"))["message"]
    empty = (await sender.send(channel, "https://null.example/x"))["message"]
    sent = (await sender.send(channel, "see https://good.example/page"))["message"]
    updated = await preview_of(sender, sent)
    assert updated["og_tag"] == {
        "og:title": "By service", "og:url": None, "og:description": None, "og:image": None}
    await owner.until(lambda: len(asked) >= 3)
    assert not updates_of(sender, failed) and not updates_of(sender, empty)
    method, request = asked[-1]
    assert method == b"POST" and 3000 < request["timeout_ms"] <= 4000
    assert {r["url"] for _, r in asked} >= {"https://good.example/page"}
    service.close()
