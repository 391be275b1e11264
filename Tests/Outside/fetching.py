"""How pages are fetched: who asks, where to, how far, how long, how many at a time."""

import asyncio
import gzip
import json
import os
import re
import signal
import ssl
import subprocess
import zlib

from harness import DEADLINE, PATIENCE, eventually, fence, scaled
from pages import Pages
from remembered import (
    FLAGS, entry_of, explain, look_up, preview_of, remembered, settled, updates_of, with_pages)

HTML_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n"
# Names that libcurl resolves to loopback by itself, without asking any name server.
LOCAL_NAMES = ("--unfurl-allow-addresses", "127.0.0.0/8,::1/128", *FLAGS[2:])


@with_pages
async def test_requests_say_who_they_are(ctx, pages):
    """Requests carry the set User-Agent and Accept-Language, and nothing about anybody else."""
    server = await ctx.server(
        *FLAGS, "--unfurl-user-agent", "Looker/1.0 (+https://example.com)",
        "--unfurl-accept-language", "de, en;q=0.5")
    channel, owner, sender = await ctx.room(server, 1)
    pages.answer("/from", "302 Found", {"Location": "/to", "Set-Cookie": "a=b; Path=/"})
    pages.add("/to", "To")
    message = await look_up(server, channel, owner, sender, pages.url("/from"))
    assert message["og_tag"]["og:title"] == "To"
    assert [request.path for request in pages.requests] == ["/from", "/to"]
    for request in pages.requests:
        assert request.method == "GET", request.method
        assert request.fields["user-agent"] == "Looker/1.0 (+https://example.com)"
        assert request.fields["accept-language"] == "de, en;q=0.5"
        assert request.fields["host"] == f"127.0.0.1:{pages.port}"
        for name in ("cookie", "referer", "authorization", "proxy-authorization",
                     "x-forwarded-for"):
            assert name not in request.fields, (name, request.fields)


@with_pages
async def test_the_standard_name(ctx, pages):
    """Unless it is set, the User-Agent names Parley."""
    server = await ctx.server(*FLAGS)
    channel, owner, sender = await ctx.room(server, 1)
    pages.add("/who", "Who")
    await look_up(server, channel, owner, sender, pages.url("/who"))
    assert "Parley/" in pages.requests[0].fields["user-agent"]


@with_pages
async def test_proxies_of_the_environment_are_not_used(ctx, pages):
    """What the environment says about proxies sends no request anywhere else."""
    trap = await Pages.start()
    proxy = trap.url("")
    server = await ctx.fresh(*FLAGS, environment={
        "http_proxy": proxy, "HTTP_PROXY": proxy, "https_proxy": proxy, "all_proxy": proxy,
        "ALL_PROXY": proxy, "no_proxy": "", "NO_PROXY": ""})
    channel, owner, sender = await ctx.room(server, 1)
    pages.add("/direct", "Direct")
    message = await look_up(server, channel, owner, sender, pages.url("/direct"))
    assert message["og_tag"]["og:title"] == "Direct" and trap.connections == 0
    trap.close()


@with_pages
async def test_a_proxy_that_is_set_is_used(ctx, pages):
    """With unfurl.proxy the requests go there."""
    url = "http://example.com/page"
    server = await ctx.fresh(
        "--unfurl-proxy", pages.url(""), "--limits-flood-messages", "0")
    channel, owner, sender = await ctx.room(server, 1)
    pages.add(url, "By proxy")
    message = await look_up(server, channel, owner, sender, url)
    assert message["og_tag"]["og:title"] == "By proxy", (message, pages.asked)


@with_pages
async def test_redirects_are_judged_like_links(ctx, pages):
    """A redirect to a refused port, address, scheme or user name is not followed."""
    other, private = await Pages.start(), await Pages.start("127.0.0.2", pages.port)
    server = await ctx.fresh(
        "--unfurl-allow-addresses", "127.0.0.1/32", "--unfurl-allow-ports", str(pages.port),
        *FLAGS[4:])
    channel, owner, sender, viewer = await ctx.room(server, 2)
    other.add("/x", "Other port")
    private.add("/x", "Private")
    pages.add("/x", "With a user name")
    targets = {
        "/port": other.url("/x"), "/private": private.url("/x"),
        "/metadata": "http://169.254.169.254/latest/", "/file": "file:///etc/passwd",
        "/ftp": f"ftp://127.0.0.1:{pages.port}/x", "/script": "javascript:alert(1)",
        "/user": f"http://user:secret@127.0.0.1:{pages.port}/x", "/nothing": "",
        "/mapped": f"http://[::ffff:127.0.0.2]:{pages.port}/x",
        "/decimal": f"http://2130706434:{pages.port}/x",
    }
    sent = {}
    for path, target in targets.items():
        pages.redirect(path, target)
        sent[path] = (await sender.send(channel, pages.url(path)))["message"]
    for path, message in sent.items():
        entry = await settled(server, pages.url(path), channel, owner, sender, viewer)
        assert "og_tag" not in entry and entry["problem"], (path, entry)
        assert not updates_of(viewer, message), path
    assert other.connections == 0 and private.connections == 0 and pages.count("/x") == 0
    for page_server in (other, private):
        page_server.close()


@with_pages
async def test_redirects_are_bounded(ctx, pages):
    """unfurl.max_redirects are followed, one more is not; a loop ends."""
    server = await ctx.server(*FLAGS, "--unfurl-max-redirects", "2")
    channel, owner, sender = await ctx.room(server, 1)
    for number in range(4):
        pages.redirect(f"/r{number}", f"/r{number + 1}")
    pages.add("/r4", "End")
    pages.redirect("/loop", pages.url("/loop"), "307 Temporary Redirect")
    pages.redirect("/a", "/b", "308 Permanent Redirect")
    pages.redirect("/b", "/a", "303 See Other")
    followed = await look_up(server, channel, owner, sender, pages.url("/r2"))
    assert followed["og_tag"]["og:title"] == "End"
    too_far = await look_up(server, channel, owner, sender, pages.url("/r1"))
    assert too_far["og_tag"] is None
    for path in ("/loop", "/a"):
        assert (await look_up(server, channel, owner, sender, pages.url(path)))["og_tag"] is None
    assert pages.count("/loop") <= 3 and pages.count("/a") + pages.count("/b") <= 3


@with_pages
async def test_the_final_address_is_the_pages_own(ctx, pages):
    """og:url and relative images go by the address after the redirects."""
    server = await ctx.server(*FLAGS)
    channel, owner, sender = await ctx.room(server, 1)
    pages.redirect("/short", "/deep/page")
    pages.add_html("/deep/page", '<title>T</title><meta property="og:image" content="i.png">')
    tag = (await look_up(server, channel, owner, sender, pages.url("/short")))["og_tag"]
    assert tag["og:url"] == pages.url("/deep/page"), tag
    assert tag["og:image"]["url"] == pages.url("/deep/i.png"), tag


@with_pages
async def test_denied_domains(ctx, pages):
    """A denied domain, and what is below it, is not fetched, by redirect neither."""
    server = await ctx.server(*LOCAL_NAMES, "--unfurl-deny-domains", "denied.localhost")
    channel, owner, sender = await ctx.room(server, 1)
    pages.add("/x", "X")
    pages.redirect("/to", pages.url("/x", "denied.localhost"))
    for host in ("denied.localhost", "sub.denied.localhost", "DENIED.localhost"):
        await sender.send(channel, pages.url("/x", host))
    await look_up(server, channel, owner, sender, pages.url("/to", "fine.localhost"))
    assert pages.asked == ["/to"], pages.asked
    message = await look_up(server, channel, owner, sender, pages.url("/x", "notdenied.localhost"))
    assert message["og_tag"]["og:title"] == "X" and pages.asked == ["/to", "/x"]


@with_pages
async def test_allowed_domains(ctx, pages):
    """With unfurl.allow_domains only those and what is below them are fetched."""
    server = await ctx.server(*LOCAL_NAMES, "--unfurl-allow-domains", "a.localhost")
    channel, owner, sender = await ctx.room(server, 1)
    pages.add("/x", "X")
    pages.redirect("/away", pages.url("/x", "b.localhost"))
    for host in ("b.localhost", "127.0.0.1", "nota.localhost"):
        await sender.send(channel, pages.url("/x", host))
    await look_up(server, channel, owner, sender, pages.url("/away", "a.localhost"))
    assert pages.asked == ["/away"], pages.asked
    for host in ("a.localhost", "sub.a.localhost"):
        message = await look_up(server, channel, owner, sender, pages.url("/x", host))
        assert message["og_tag"]["og:title"] == "X", host


@with_pages
async def test_opting_out(ctx, pages):
    """unfurl.opt_out_file names domains that are not fetched, and is read again on SIGHUP."""
    path = os.path.join(ctx.directory(), "opted-out")

    def write(text):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    write("# asked by mail\n\nout.localhost\n")
    server = await ctx.fresh(*LOCAL_NAMES, "--unfurl-opt-out-file", path)
    channel, owner, sender = await ctx.room(server, 1)
    pages.add("/x", "X")
    pages.add("/y", "Y")
    known_before = await look_up(server, channel, owner, sender, pages.url("/y", "later.localhost"))
    assert known_before["og_tag"]["og:title"] == "Y"
    assert "problem" in await explain(server, pages.url("/x", "sub.out.localhost"))
    assert pages.count("/x") == 0
    write("later.localhost # since today\n")
    server.process.send_signal(signal.SIGHUP)

    async def let_in():
        return "og_tag" in await explain(server, pages.url("/x", "out.localhost"))
    await eventually(let_in, "a preview after the domain left the file")
    asked = len(pages.asked)
    answer = await explain(server, pages.url("/x", "later.localhost"))
    assert "og_tag" not in answer and answer["problem"], answer
    cached = (await sender.send(channel, pages.url("/y", "later.localhost")))["message"]
    assert cached["og_tag"] is None and len(pages.asked) == asked


@with_pages
async def test_reading_ends_at_max_bytes(ctx, pages):
    """A page longer than unfurl.max_bytes has what its beginning says; the rest is not read."""
    server = await ctx.server(*FLAGS, "--unfurl-max-bytes", "20000")
    channel, owner, sender = await ctx.room(server, 1)
    filling = "<p>words</p>" * 400_000
    pages.add_html("/early", "<title>Early</title>" + filling)
    pages.add_html("/late", filling + "<title>Late</title>")
    early = await look_up(server, channel, owner, sender, pages.url("/early"))
    assert early["og_tag"]["og:title"] == "Early"
    assert (await look_up(server, channel, owner, sender, pages.url("/late")))["og_tag"] is None


@with_pages
async def test_endless_pages(ctx, pages):
    """A page or head without end is given up, having been read to a bound."""
    server = await ctx.server(*FLAGS)
    channel, owner, sender = await ctx.room(server, 1)
    line = b"X-Filling: " + b"x" * 1000 + b"\r\n"
    endless = {
        "/body": pages.endless("/body", HTML_HEAD + b"<title>Endless</title>", b"<p>x</p>" * 5000),
        "/head": pages.endless("/head", b"HTTP/1.1 200 OK\r\n", line * 40),
        "/line": pages.endless("/line", b"HTTP/1.1 200 OK\r\nX-Long: ", b"x" * 40_000),
        "/early-hints": pages.endless(
            "/early-hints", b"", b"HTTP/1.1 103 Early Hints\r\n\r\n" * 900),
        "/chunks": pages.endless(
            "/chunks", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n", b"1000\r\n" + b"y" * 4096 + b"\r\n"),
    }
    for path in endless:
        message = await look_up(server, channel, owner, sender, pages.url(path))
        title = message["og_tag"] and message["og_tag"]["og:title"]
        assert title == ("Endless" if path == "/body" else None), (path, message)
    await pages.until(lambda: pages.underway == 0, "the end of every connection")
    for path, sent in endless.items():
        assert sum(sent) < 24_000_000, (path, sum(sent))


@with_pages
async def test_slow_pages_hold_nothing(ctx, pages):
    """A page that does not come within unfurl.timeout_ms is given up; its message went at once."""
    server = await ctx.server(*FLAGS, "--unfurl-timeout-ms", scaled(500))
    channel, owner, sender, viewer = await ctx.room(server, 2)

    async def drip(_, writer):
        writer.write(HTML_HEAD)
        while True:
            writer.write(b"<")
            await writer.drain()
            await asyncio.sleep(0.05)
    pages.script("/drip", drip)
    left = {"/silent": pages.stall("/silent"), "/half": pages.stall("/half", HTML_HEAD),
            "/head": pages.stall("/head", b"HTTP/1.1 200 OK\r\nContent-")}
    sent = {}
    for path in ("/drip", *left):
        sent[path] = (await sender.send(channel, pages.url(path)))["message"]
        received = await viewer.event("message.received", channel_url=channel, seq=len(sent))
        assert received["message"]["og_tag"] is None
    for path, message in sent.items():
        entry = await settled(server, pages.url(path), channel, owner, sender, viewer)
        assert "og_tag" not in entry, entry
        assert not updates_of(viewer, message) and not updates_of(sender, message)
    for gone in left.values():
        async with asyncio.timeout(DEADLINE):
            await gone.wait()
    await pages.until(lambda: pages.underway == 0, "the end of every connection")


@with_pages
async def test_one_fetch_for_one_link(ctx, pages):
    """Many messages with one link, from many users in two channels, cause one fetch."""
    server = await ctx.server(*FLAGS)
    first, owner, *senders = await ctx.room(server, 3)
    second, *others = await ctx.room(server, 2)
    pages.add("/same", "Same")
    gate = pages.hold("/same")
    waiting = [(client, await client.ask("message.send", channel_url=channel,
                                         message=f"{number} {pages.url('/same')}"))
               for channel, clients in ((first, senders), (second, others))
               for client in clients for number in range(8)]
    sent = [(client, (await client.result(answer))["message"]) for client, answer in waiting]
    gate.set()
    for client, message in sent:
        assert (await preview_of(client, message))["og_tag"]["og:title"] == "Same"
    await fence(first, owner, *senders)
    assert pages.count("/same") == 1
    assert all(len(updates_of(client, message)) == 1 for client, message in sent)


@with_pages
async def test_fetches_at_a_time(ctx, pages):
    """unfurl.max_concurrent_per_host and unfurl.max_concurrent hold; hosts take turns."""
    server = await ctx.server(
        *LOCAL_NAMES, "--unfurl-max-concurrent", "3", "--unfurl-max-concurrent-per-host", "2",
        "--unfurl-timeout-ms", "20000")
    channel, owner, sender = await ctx.room(server, 1)
    gates = []
    for number in range(6):
        pages.add(f"/a{number}", f"A{number}")
        gates.append(pages.hold(f"/a{number}"))
        await sender.send(channel, pages.url(f"/a{number}", "a.localhost"))
    await pages.until(lambda: pages.underway == 2, "two fetches of one host")
    pages.add("/b", "B")
    other = (await sender.send(channel, pages.url("/b", "b.localhost")))["message"]
    assert (await preview_of(sender, other))["og_tag"]["og:title"] == "B"
    assert pages.most_underway == 3, pages.most_underway
    held = [(await sender.send(channel, pages.url(f"/a{n}", f"h{n}.localhost")))["message"]
            for n in range(6)]
    for gate in gates:
        gate.set()
    for message in held:
        await preview_of(sender, message)
    assert pages.most_underway <= 3, pages.most_underway


@with_pages
async def test_names_of_one_site(ctx, pages):
    """A wildcard of names is one site: unfurl.max_concurrent_per_host holds for all of them."""
    server = await ctx.server(
        *LOCAL_NAMES, "--unfurl-max-concurrent-per-host", "2", "--unfurl-timeout-ms", "20000")
    channel, owner, sender = await ctx.room(server, 1)
    gates, held = [], []
    for number in range(5):
        pages.add(f"/w{number}", f"W{number}")
        gates.append(pages.hold(f"/w{number}"))
        url = pages.url(f"/w{number}", f"n{number}.wild.localhost")
        held.append((await sender.send(channel, url))["message"])
    await pages.until(lambda: pages.underway == 2, "two fetches of one site")
    pages.add("/other", "Other")
    other = (await sender.send(channel, pages.url("/other", "other.localhost")))["message"]
    assert (await preview_of(sender, other))["og_tag"]["og:title"] == "Other"
    assert pages.most_underway == 3, pages.most_underway
    for gate in gates:
        gate.set()
    for message in held:
        await preview_of(sender, message)
    assert pages.most_underway == 3, pages.most_underway


@with_pages
async def test_users_take_turns(ctx, pages):
    """A user with many slow links takes no more than its share of the places."""
    server = await ctx.server(
        *LOCAL_NAMES, "--unfurl-max-concurrent", "4", "--unfurl-max-concurrent-per-user", "2",
        "--unfurl-timeout-ms", "20000", "--limits-flood-messages", "50")
    channel, owner, flooder, other = await ctx.room(server, 2)
    gates = []
    for number in range(20):
        pages.add(f"/f{number}", "F")
        gates.append(pages.hold(f"/f{number}"))
        await flooder.send(channel, pages.url(f"/f{number}", f"f{number}.localhost"))
    await pages.until(lambda: pages.underway == 2, "the flooder's share")
    for number in range(3):
        pages.add(f"/o{number}", "O")
        message = await other.send(channel, pages.url(f"/o{number}", "o.localhost"))
        tag = (await preview_of(other, message["message"]))["og_tag"]
        assert tag["og:title"] == "O"
    assert pages.underway == 2, pages.underway
    for gate in gates:
        gate.set()


@with_pages
async def test_compressed_pages(ctx, pages):
    """Pages come in gzip and deflate; unfurl.max_bytes counts what they unfold to."""
    server = await ctx.server(*FLAGS)
    channel, owner, sender = await ctx.room(server, 1)
    page = b"<title>Packed</title>" + b"<p>words</p>" * 1000
    pages.add_html("/gzip", gzip.compress(page), content_encoding="gzip")
    pages.add_html("/deflate", zlib.compress(page), content_encoding="deflate")
    late = b"<p>words</p>" * 100_000 + b"<title>Late</title>"
    pages.add_html("/late", gzip.compress(late), content_encoding="gzip")
    pages.add_html("/lie", page, content_encoding="gzip")
    for path, wanted in (("/gzip", "Packed"), ("/deflate", "Packed"), ("/late", None),
                         ("/lie", None)):
        message = await look_up(server, channel, owner, sender, pages.url(path))
        assert (message["og_tag"] and message["og_tag"]["og:title"]) == wanted, path


@with_pages
async def test_embeds(ctx, pages):
    """oEmbed is asked for when unfurl.oembed is set, and never otherwise."""
    page = ('<title>Plain</title><link rel="alternate" type="application/json+oembed" '
            'href="/embed?x=1">')
    embed = json.dumps({"type": "video", "version": "1.0", "title": "Embedded",
                        "thumbnail_url": pages.url("/t.png"), "thumbnail_width": 120,
                        "thumbnail_height": 90}).encode()
    pages.add_html("/page", page)
    pages.answer("/embed?x=1", "200 OK", {"Content-Type": "application/json"}, embed)
    without = await ctx.server(*FLAGS)
    channel, owner, sender = await ctx.room(without, 1)
    tag = (await look_up(without, channel, owner, sender, pages.url("/page")))["og_tag"]
    assert tag["og:title"] == "Plain" and pages.asked == ["/page"]
    server = await ctx.server(*FLAGS, "--unfurl-oembed", "true")
    channel, owner, sender = await ctx.room(server, 1)
    tag = (await look_up(server, channel, owner, sender, pages.url("/page")))["og_tag"]
    assert tag["og:title"] == "Embedded", tag
    assert tag["og:image"]["url"] == pages.url("/t.png") and tag["og:image"]["width"] == 120
    pages.add_html("/broken", page.replace("/embed?x=1", "/gone"))
    tag = (await look_up(server, channel, owner, sender, pages.url("/broken")))["og_tag"]
    assert tag["og:title"] == "Plain" and pages.count("/gone") == 1


@with_pages
async def test_status_and_type(ctx, pages):
    """Only a 2xx answer of text/html or application/xhtml+xml is a page."""
    server = await ctx.server(*FLAGS)
    channel, owner, sender = await ctx.room(server, 1)
    page = b"<title>T</title>"
    cases = {
        "/201": ("201 Created", "text/html", "T"), "/203": ("203 Other", "text/html", "T"),
        "/xhtml": ("200 OK", "application/xhtml+xml", "T"),
        "/400": ("400 Bad Request", "text/html", None),
        "/403": ("403 Forbidden", "text/html", None), "/503": ("503 Busy", "text/html", None),
        "/json": ("200 OK", "application/json", None), "/image": ("200 OK", "image/png", None),
    }
    for path, (status, content_type, wanted) in cases.items():
        pages.answer(path, status, {"Content-Type": content_type}, page)
        message = await look_up(server, channel, owner, sender, pages.url(path))
        assert (message["og_tag"] and message["og_tag"]["og:title"]) == wanted, path
    assert (await entry_of(server, pages.url("/400")))["problem"]
    assert (await remembered(server, pages.url("/201")))["og_tag"]["og:title"] == "T"


@with_pages
async def test_reading_ends_with_the_head(ctx, pages):
    """When all of Open Graph was found before </head>, nothing behind it is waited for."""
    server = await ctx.server(*FLAGS, "--unfurl-timeout-ms", "25000")
    channel, _, sender = await ctx.room(server, 1)
    head = "".join(f'<meta property="og:{name}" content="{value}">' for name, value in (
        ("title", "Whole"), ("description", "Words"), ("image", "/i.png"),
        ("url", pages.url("/whole"))))
    page = HTML_HEAD + f"<head>{head}</head><body>".encode()
    left = pages.stall("/whole", page + b"<p>words</p>" * 100)
    sent = (await sender.send(channel, pages.url("/whole")))["message"]
    async with asyncio.timeout(20 * PATIENCE):
        assert (await preview_of(sender, sent))["og_tag"]["og:title"] == "Whole"
        await left.wait()


@with_pages
async def test_reading_ends_with_a_short_head(ctx, pages):
    """That holds for a head of a few hundred bytes too."""
    server = await ctx.server(*FLAGS, "--unfurl-timeout-ms", "3000")
    head = "".join(f'<meta property="og:{name}" content="/x">' for name in (
        "title", "description", "image", "url"))
    pages.stall("/short", HTML_HEAD + f"<head>{head}</head><body>".encode())
    answer = await explain(server, pages.url("/short"))
    assert "og_tag" in answer and "time" not in answer["trace"]["requests"][0]["ending"], answer


@with_pages
async def test_a_time_out_in_the_body(ctx, pages):
    """A page that is not whole within unfurl.timeout_ms changes nothing and sends nothing."""
    server = await ctx.server(*FLAGS, "--unfurl-timeout-ms", scaled(500))
    channel, owner, sender = await ctx.room(server, 1)
    left = pages.stall("/half", HTML_HEAD + b"<title>Half</title>" + b"<p>words</p>" * 500)
    sent = (await sender.send(channel, pages.url("/half")))["message"]
    async with asyncio.timeout(20 * PATIENCE):
        await left.wait()
    entry = await settled(server, pages.url("/half"), channel, owner, sender)
    assert "og_tag" not in entry, entry
    await fence(channel, owner, sender)
    assert not updates_of(sender, sent)


@with_pages
async def test_what_comes_in_pieces(ctx, pages):
    """A page that comes byte by byte is read like one that comes at once."""
    server = await ctx.server(*FLAGS)
    channel, owner, sender = await ctx.room(server, 1)
    page = '<meta charset="euc-kr"><meta property="og:title" content="한국어 &amp; &#x1F469;">'

    async def dripping(_, writer):
        for byte in HTML_HEAD + page.encode("euc-kr"):
            writer.write(bytes([byte]))
            await writer.drain()
    pages.script("/drip", dripping)
    message = await look_up(server, channel, owner, sender, pages.url("/drip"))
    assert message["og_tag"]["og:title"] == "한국어 & \U0001f469"


@with_pages
async def test_the_log_keeps_quiet(ctx, pages):
    """Without debugging, no URL that was looked up comes to the log, nor a proxy's password."""
    server = await ctx.fresh(
        *FLAGS, "--unfurl-proxy", pages.url("").replace("//", "//user:proxy-secret@"))
    channel, owner, sender = await ctx.room(server, 1)
    pages.add("http://secret.example.com/private?key=1", "Private")
    for url in ("http://secret.example.com/private?key=1", "http://secret.example.com/missing"):
        await look_up(server, channel, owner, sender, url)
    assert await server.end() == 0
    log = "\n".join(server.lines)
    assert "secret.example.com" not in log and "proxy-secret" not in log, log


async def test_a_missing_list_of_those_who_opted_out(ctx):
    """A start with an unfurl.opt_out_file that cannot be read, or holds no domain, names it."""
    path = os.path.join(ctx.directory(), "opted-out")
    for text in (None, "fine.example.com\nnot a domain\n"):
        if text:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        code, output, errors = await ctx.run(
            ctx.parleyd, "--listen", "127.0.0.1:0", "--data-dir", ctx.directory(),
            "--unfurl-opt-out-file", path)
        assert code not in (0, None) and "opted-out" in (output + errors).decode(), (text, errors)


@with_pages
async def test_a_list_that_breaks(ctx, pages):
    """A list of those who opted out that is broken at SIGHUP leaves the one before in force."""
    path = os.path.join(ctx.directory(), "opted-out")
    with open(path, "w", encoding="utf-8") as file:
        file.write("out.localhost\n")
    server = await ctx.fresh(*LOCAL_NAMES, "--unfurl-opt-out-file", path)
    pages.add("/x", "X")
    os.remove(path)
    before = len(server.lines)
    server.process.send_signal(signal.SIGHUP)

    async def complained():
        return any("opted-out" in line for line in list(server.lines)[before:])
    await eventually(complained, "a word in the log")
    assert "og_tag" not in await explain(server, pages.url("/x", "out.localhost"))
    assert "og_tag" in await explain(server, pages.url("/x", "in.localhost"))


async def test_certificates_are_verified(ctx):
    """A page whose certificate nobody vouches for is not read, and explain says so."""
    folder = ctx.directory()
    key, certificate = os.path.join(folder, "key.pem"), os.path.join(folder, "certificate.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-subj", "/CN=localhost", "-keyout", key, "-out", certificate],
        check=True, capture_output=True)
    identity = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    identity.load_cert_chain(certificate, key)
    asked = []

    async def serve(reader, writer):
        asked.append(await reader.readline())
        writer.close()
    listener = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=identity)
    server = await ctx.server(*FLAGS)
    port = listener.sockets[0].getsockname()[1]
    answer = await explain(server, f"https://127.0.0.1:{port}/")
    assert "og_tag" not in answer and re.search("certificate", answer["problem"]), answer
    assert not any(asked), asked
    listener.close()
    answer = await explain(server, f"http://127.0.0.1:{port}/")
    assert "og_tag" not in answer and answer["problem"], answer


async def test_pages_over_ipv6(ctx):
    """An address of IPv6 is fetched from when it is allowed."""
    try:
        pages = await Pages.start("::1")
    except OSError:
        return  # Containers often come without IPv6.
    pages.add("/six", "Six")
    server = await ctx.server(*LOCAL_NAMES)
    answer = await explain(server, pages.url("/six", "[::1]"))
    assert answer["og_tag"]["og:title"] == "Six", answer
    assert answer["trace"]["requests"][0]["address"] == "::1", answer
    refusing = await ctx.server(*FLAGS)
    assert "::1" in (await explain(refusing, pages.url("/six", "[::1]")))["problem"]
    pages.close()
