"""Pages and their servers that mean harm, through a whole gateway; its memory stays bounded."""

import glob
import gzip
import os
import socket
import struct
import zlib

from harness import eventually, fence
from remembered import FLAGS, explain, look_up, preview_of, with_pages

HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
MEGABYTE = 1 << 20


def resident(server):
    """The bytes of memory that the server's process has in use."""
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
        line = next(line for line in file if line.startswith("VmRSS:"))
    return int(line.split()[1]) * 1024


def zeros(size, kind=31):
    """So many zero bytes, packed."""
    packer = zlib.compressobj(9, zlib.DEFLATED, kind)
    pieces = [packer.compress(bytes(MEGABYTE)) for _ in range(size // MEGABYTE)]
    return b"".join(pieces) + packer.flush()


HOSTILE_PAGES = {
    "nested": b"<div>" * 40_000, "nested lists": b"<ul><li>" * 25_000,
    "nested tables": b"<table><tr><td>" * 14_000, "formatting": b"<b><i><a><p>" * 17_000,
    "attributes": b"<a " + b"b=c " * 60_000 + b">", "long attribute": b'<a b="' + b"x" * 400_000,
    "metas": b"<meta property=og:image content=/i.png>" * 10_000,
    "image parts": b"<meta property=og:image:alt content=x>" * 10_000,
    "angles": b"<" * MEGABYTE, "comments": b"<!--" * 250_000, "references": b"&" * MEGABYTE,
    "long reference": b"&" + b"a" * 400_000, "numbers": b"&#" + b"9" * 400_000 + b";",
    "titles": b"<title>" * 60_000, "scripts": b"<script>" * 60_000,
    "escapes": b"<script><!--<script>" * 20_000, "templates": b"<template>" * 40_000,
    "bases": b"<base href=/a/>" * 30_000, "doctype": b"<!doctype " + b"x" * 400_000,
    "cdata": b"<svg><![CDATA[" * 30_000, "nulls": b"<title>T" + bytes(400_000),
    "not utf-8": b"<title>" + b"\xff\xfe" * 200_000, "linked data":
        b'<script type="application/ld+json">' + b'{"a":[' * 80_000,
    "linked numbers":
        b'<script type="application/ld+json">[' + b"1e999999," * 50_000 + b"1]</script>",
}


@with_pages
async def test_hostile_markup(ctx, pages):
    """Markup made to cost time or memory costs neither; the next page is read as ever."""
    server = await ctx.server(*FLAGS)
    channel, owner, sender = await ctx.room(server, 1)
    pages.add("/first", "First")
    await look_up(server, channel, owner, sender, pages.url("/first"))
    before = resident(server)
    for number, (name, page) in enumerate(HOSTILE_PAGES.items()):
        pages.add_html(f"/{number}", page)
        pages.add_html(f"/{number}t", b"<title>T</title>" + page)
        await explain(server, pages.url(f"/{number}"))
        answer = await explain(server, pages.url(f"/{number}t"))
        # What is mostly control characters counts as binary.
        assert name == "nulls" or answer["og_tag"]["og:title"], (name, answer)
    pages.add("/last", "Last")
    shown = await look_up(server, channel, owner, sender, pages.url("/last"))
    assert shown["og_tag"]["og:title"] == "Last"
    assert resident(server) - before < 64 * MEGABYTE, (before, resident(server))


@with_pages
async def test_many_hostile_pages_at_once(ctx, pages):
    """Hundreds of such pages asked for at once hold neither memory nor messages."""
    server = await ctx.server(*FLAGS, "--unfurl-timeout-ms", "30000")
    channel, owner, sender, viewer = await ctx.room(server, 2)
    before = resident(server)
    names = list(HOSTILE_PAGES)
    for number in range(120):
        pages.add_html(f"/{number}", HOSTILE_PAGES[names[number % len(names)]])
        await sender.ask("message.send", channel_url=channel, message=pages.url(f"/{number}"))
    pages.add("/fine", "Fine")
    sent = (await sender.send(channel, pages.url("/fine")))["message"]
    await fence(channel, owner, sender, viewer)
    assert len(viewer.messages(channel)) == 121
    assert (await preview_of(viewer, sent))["og_tag"]["og:title"] == "Fine"
    await pages.until(
        lambda: len(pages.asked) == 121 and pages.underway == 0, "the last page's end")
    assert resident(server) - before < 96 * MEGABYTE, (before, resident(server))


@with_pages
async def test_bombs(ctx, pages):
    """Bodies that unfold to hundreds of megabytes are given up at unfurl.max_bytes."""
    server = await ctx.server(*FLAGS)
    before = resident(server)
    bomb, nested = zeros(256 * MEGABYTE), gzip.compress(zeros(64 * MEGABYTE))
    title = gzip.compress(b"<title>Bomb</title>" + b"<p>x</p>" * 4_000_000)
    pages.add_html("/gzip", bomb, content_encoding="gzip")
    pages.add_html("/deflate", zeros(64 * MEGABYTE, 15), content_encoding="deflate")
    pages.add_html("/nested", nested, content_encoding="gzip, gzip")
    pages.add_html("/many", bomb, content_encoding=", ".join(["gzip"] * 50))
    pages.add_html("/title", title, content_encoding="gzip")
    pages.add_html("/members", gzip.compress(b"<p>x") * 200_000, content_encoding="gzip")
    for path in ("/gzip", "/deflate", "/nested", "/many", "/members"):
        answer = await explain(server, pages.url(path))
        assert "og_tag" not in answer, (path, answer)
    assert (await explain(server, pages.url("/title")))["og_tag"]["og:title"] == "Bomb"
    assert resident(server) - before < 64 * MEGABYTE, (before, resident(server))


def reset(writer):
    """Closes so that the other side sees the connection reset."""
    plain = writer.get_extra_info("socket")
    plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


@with_pages
async def test_hostile_servers(ctx, pages):
    """Answers that break HTTP in any way end with a preview or none, and harm nothing."""
    server = await ctx.server(*FLAGS, "--unfurl-timeout-ms", "2000")
    before = resident(server)
    title = b"<title>T</title>"
    raw = {
        "nothing": b"", "noise": os.urandom(5_000), "zero nine": title * 100,
        "line": b"HTTP/1.1\r\n",
        "status": b"HTTP/1.1 999 X\r\n\r\n", "no status": b"HTTP/1.1 abc\r\n\r\n",
        "version": b"HTTP/7.3 200 OK\r\n\r\n" + title,
        "negative": HTML + b"Content-Length: -1\r\n\r\n" + title,
        "huge length": HTML + b"Content-Length: 99999999999999999999\r\n\r\n" + title,
        "too long": HTML + b"Content-Length: 5000\r\n\r\n" + title,
        "too short": HTML + b"Content-Length: 3\r\n\r\n" + title,
        "two lengths": HTML + b"Content-Length: 16\r\nContent-Length: 17\r\n\r\n" + title,
        "chunk": HTML + b"Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\n" + title,
        "chunks cut": HTML + b"Transfer-Encoding: chunked\r\n\r\n10\r\n" + title + b"\r\n10",
        "no type": b"HTTP/1.1 200 OK\r\n\r\n" + title,
        "two types": HTML + b"Content-Type: image/png\r\n\r\n" + title,
        "odd type": b"HTTP/1.1 200 OK\r\nContent-Type: ;;;,\xff\x00\r\n\r\n" + title,
        "long type":
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html;" + b"a=b;" * 20_000 + b"\r\n\r\n",
        "no colon": b"HTTP/1.1 200 OK\r\nnonsense\r\nContent-Type: text/html\r\n\r\n" + title,
        "nul": b"HTTP/1.1 200 OK\r\nX: \x00\r\nContent-Type: text/html\r\n\r\n" + title,
        "cookies": HTML + b"Set-Cookie: a=b\r\n" * 2_000 + b"\r\n" + title,
        "location": b"HTTP/1.1 302 Found\r\nLocation: /" + b"x" * 60_000 + b"\r\n\r\n",
        "locations": b"HTTP/1.1 302 Found\r\n" + b"Location: /a\r\n" * 1_000 + b"\r\n",
        "bad location": b"HTTP/1.1 302 Found\r\nLocation: http://[::1\r\n\r\n",
        "split": b"HTTP/1.1 302 Found\r\nLocation: /a%0d%0aX: y\r\n\r\n",
        "hints": b"HTTP/1.1 100 Continue\r\n\r\n" * 5_000 + HTML + b"\r\n" + title,
        "switch": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n" + title,
        "no content": b"HTTP/1.1 204 No Content\r\nContent-Type: text/html\r\n\r\n" + title,
        "partial": b"HTTP/1.1 206 Partial\r\nContent-Type: text/html\r\n\r\n" + title,
        "encoding": HTML + b"Content-Encoding: nonsense\r\n\r\n" + title,
        "http2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    }

    def writing(data, end):
        async def answering(_, writer):
            writer.write(data)
            await writer.drain()
            end(writer)
        return answering
    for number, data in enumerate(raw.values()):
        pages.script(f"/{number}", writing(data, lambda writer: writer.close()))
        pages.script(f"/{number}r", writing(data, reset))
    for number, name in enumerate(raw):
        for ending in ("", "r"):
            answer = await explain(server, pages.url(f"/{number}{ending}"))
            assert "og_tag" in answer or answer["problem"], (name, answer)
    pages.add("/fine", "Fine")
    assert (await explain(server, pages.url("/fine")))["og_tag"]["og:title"] == "Fine"
    assert (await server.get("/healthz"))[0] == 200
    assert resident(server) - before < 64 * MEGABYTE, (before, resident(server))


@with_pages
async def test_hostile_links(ctx, pages):
    """Links that are spelt to deceive are looked up nowhere but at their own address."""
    server = await ctx.server(*FLAGS[2:], "--unfurl-timeout-ms", "1500")
    channel, owner, sender = await ctx.room(server, 1)
    port = pages.port
    pages.add("/x", "X")
    for link in (
            f"http://127.0.0.1:{port}\\@example.com/x", f"http://0177.0.0.1:{port}/x",
            f"http://127.0.0.1.:{port}/x", f"http://127.1:{port}/x", f"http://[::]:{port}/x",
            f"http://[::ffff:7f00:1]:{port}/x", f"http://[64:ff9b::7f00:1]:{port}/x",
            f"http://[2002:7f00:1::]:{port}/x", f"http://[::127.0.0.1]:{port}/x",
            f"http://１２７.０.０.１:{port}/x", f"http://①②⑦.0.0.1:{port}/x",
            f"http://localhost.:{port}/x", f"http://LOCALHOST:{port}/x", f"http://0:{port}/x",
            f"http://127.0.0.1%2f@{port}/x", f"http://example.com@127.0.0.1:{port}/x",
            f"http://127.0.0.1:{port}%0d%0aX-Injected:%20y/x", f"http://[fe80::1%25lo]:{port}/x",
            f"http://a.localhost:{port}/x", f"http://0x7f000001:{port}/x",
            f"http://127。0。0。1:{port}/x"):
        await sender.send(channel, link)
        await server.api("GET", "/parley/previews/explain", url=link)
    await fence(channel, owner, sender)
    assert pages.connections == 0, [request.fields for request in pages.requests]


@with_pages
async def test_the_cache_is_bounded(ctx, pages):
    """Thousands of long previews stay within unfurl.cache_memory_bytes and cache_disk_bytes."""
    bound = 2 * MEGABYTE
    server = await ctx.fresh(
        *FLAGS, "--unfurl-cache-memory-bytes", str(bound), "--unfurl-cache-disk-bytes", str(bound),
        "--unfurl-max-concurrent-per-host", "16")
    channel, owner, sender = await ctx.room(server, 1)
    words = "\U0001f469" * 4_000
    for number in range(1_000):
        pages.add(f"/{number}", f"Number {number}", og__description=words)
    await look_up(server, channel, owner, sender, pages.url("/0"))
    before = resident(server)
    for start in range(0, 1_000, 100):
        sent = [(await sender.send(channel, pages.url(f"/{number}")))["message"]
                for number in range(max(start, 1), start + 100)]
        for message in sent:
            await preview_of(sender, message)
    growth = resident(server) - before
    assert growth < 48 * MEGABYTE, growth

    def size():
        return sum(os.path.getsize(path) for path in glob.glob(
            os.path.join(server.data, "previews.sqlite*")))

    async def small():
        return size() < 3 * bound
    await eventually(small, "a file within its bound")
    last = (await sender.send(channel, pages.url("/999")))["message"]
    assert last["og_tag"]["og:title"] == "Number 999"
    assert await server.end() == 0
    assert size() <= bound + MEGABYTE, size()
