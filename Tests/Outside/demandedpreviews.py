"""Previews on demand: preview.fetch and preview.cancel, the Platform API and the command line."""

import asyncio
import json
import time

from harness import PATIENCE, Refused, eventually, http, refused, scaled
from previews import FLAGS, preview_of, with_pages

UNLIMITED = (*FLAGS, "--limits-preview-fetches-per-second", "0")
# Forms of addresses that are not public; a fetch of each fails, and none is connected to.
NOT_PUBLIC = [
    "127.0.0.1", "127.1", "127.0.1", "0x7f.1", "0x7f000001", "2130706433", "017700000001",
    "0177.0.0.1", "127.0.0.1.", "%31%32%37.0.0.1", "１２７.０.０.１", "①②⑦.⓪.⓪.①", "localhost",
    "localhost.", "LOCALHOST", "a.localhost", "0.0.0.0", "0", "[::]", "[::1]",
    "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]",
    "[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[fe80::1]", "[fc00::1]",
    "[fd00:ec2::254]", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.0.1",
    "169.254.169.254", "0xa9fea9fe", "2852039166", "100.64.0.1", "192.0.0.1", "192.0.2.1",
    "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
    "[ff02::1]", "[2001:db8::1]", "[100::1]", "[::ffff:0:127.0.0.1]", "[::ffff:169.254.169.254]",
    "[2002:a9fe:a9fe::]",
]


async def fetch(client, url, **params):
    return await client.call("preview.fetch", url=url, **params)


@with_pages
async def test_a_page_then_the_cache(ctx, pages):
    """The first answer is fetched, the second is not; both are the page's, with the site's name."""
    server = await ctx.fresh(*FLAGS)
    client = await ctx.user(server)
    pages.add("/a", "Title", og__description="Words", og__site_name="A site",
              og__url=pages.url("/a"))
    first = await fetch(client, pages.url("/a#part"))
    assert first["url"] == pages.url("/a") and first["cached"] is False, first
    assert first["og_tag"]["og:title"] == "Title" and first["site_name"] == "A site", first
    assert first["problem"] is None
    assert await fetch(client, pages.url("/a")) == {**first, "cached": True}
    # Messages have the same cache.
    channel, _, sender = await ctx.room(server, 1)
    assert (await sender.send(channel, pages.url("/a")))["message"]["og_tag"] == first["og_tag"]
    assert pages.count("/a") == 1
    # The name of the site outlives the process.
    await server.end()
    again = await ctx.fresh(*FLAGS, data=server.data)
    assert await fetch(await ctx.user(again), pages.url("/a")) == {**first, "cached": True}
    assert pages.count("/a") == 1


@with_pages
async def test_pages_that_offer_nothing_and_fail(ctx, pages):
    """Nothing offered: both null. 4xx, 5xx, a refused connection and a loop: failed."""
    server = await ctx.server(*UNLIMITED)
    client = await ctx.user(server)
    pages.answer("/bare", "200 OK", {"Content-Type": "text/html"}, b"<p>words</p>")
    bare = await fetch(client, pages.url("/bare"))
    assert bare["og_tag"] is None and bare["problem"] is None and not bare["cached"], bare
    pages.answer("/500", "500 Oops", {"Content-Type": "text/html"}, b"<title>x</title>")
    pages.redirect("/loop", "/loop")
    for url in (pages.url("/404"), pages.url("/500"), pages.url("/loop"), "http://127.0.0.1:1/"):
        for cached in (False, True):
            answer = await fetch(client, url)
            assert answer["og_tag"] is None and answer["cached"] is cached, answer
            assert answer["problem"] == {
                "kind": "failed", "message": "the page could not be fetched"}, answer


@with_pages
async def test_a_time_out_at_one_second(ctx, pages):
    """The answer comes after the time; the fetch is ended, and the page can be asked again."""
    server = await ctx.server(*FLAGS)
    client = await ctx.user(server)
    left = pages.stall("/slow")
    began = time.monotonic()
    answer = await fetch(client, pages.url("/slow"), timeout_ms=1000)
    assert 0.95 <= time.monotonic() - began < 1 + 2 * PATIENCE
    assert answer["problem"] == {"kind": "timed_out", "message": "no answer within 1000 ms"}
    assert answer["og_tag"] is None and answer["cached"] is False
    await asyncio.wait_for(left.wait(), 10 * PATIENCE)
    pages.scripts.clear()
    pages.add("/slow", "Now")
    assert (await fetch(client, pages.url("/slow")))["og_tag"]["og:title"] == "Now"


@with_pages
async def test_more_time_than_messages_have(ctx, pages):
    """A fetch may take longer than unfurl.timeout_ms, also after a message's has run out of time."""
    server = await ctx.fresh(*FLAGS, "--unfurl-timeout-ms", scaled(300))
    channel, _, sender = await ctx.room(server, 1)
    pages.add("/late", "Late")
    gate = pages.hold("/late")
    await sender.send(channel, pages.url("/late"))
    await eventually(lambda: sample(server, 'parley_preview_fetches_total{outcome="timed_out"}', 1))
    waiting = await sender.ask("preview.fetch", url=pages.url("/late"), timeout_ms=20000)
    await pages.asked_for("/late", 2)
    await asyncio.sleep(0.6 * PATIENCE)
    gate.set()
    assert (await sender.result(waiting))["og_tag"]["og:title"] == "Late"


async def sample(server, name, value):
    _, _, body = await server.get("/metrics")
    return f"{name} {value}\n" in body.decode()


@with_pages
async def test_others_overtake_and_cancel(ctx, pages):
    """Calls behind a fetch are answered before it; preview.cancel ends it, at the page too."""
    server = await ctx.server(*FLAGS)
    client = await ctx.user(server)
    left = pages.stall("/spin")
    waiting = await client.ask("preview.fetch", url=pages.url("/spin"), fetch_id="spin")
    await pages.asked_for("/spin")
    assert (await client.call("session.ping"))["time"] > 0
    async with refused(400202, field="fetch_id"):
        await fetch(client, pages.url("/spin"), fetch_id="spin")
    assert await client.call("preview.cancel", fetch_id="other") == {"cancelled": False}
    assert await client.call("preview.cancel", fetch_id="spin") == {"cancelled": True}
    answer = await client.result(waiting)
    assert answer["problem"] == {"kind": "cancelled", "message": "the fetch was cancelled"}
    await asyncio.wait_for(left.wait(), 10 * PATIENCE)
    assert await client.call("preview.cancel", fetch_id="spin") == {"cancelled": False}


@with_pages
async def test_a_batch_is_answered_together(ctx, pages):
    """A batch waits for its fetch, and later calls do not wait for the batch."""
    server = await ctx.server(*FLAGS)
    client = await ctx.user(server)
    pages.add("/batched", "Batched")
    gate = pages.hold("/batched")
    call = {"jsonrpc": "2.0", "method": "session.ping", "params": {}}
    await client.write([
        {**call, "id": 901, "method": "preview.fetch", "params": {"url": pages.url("/batched")}},
        {**call, "id": 902}])
    await pages.asked_for("/batched")
    assert (await client.call("session.ping"))["time"] > 0

    def batches():
        return [incoming for incoming in client.inbox if isinstance(incoming, list)]
    assert not batches()
    gate.set()
    answers = (await client.until(batches, "the batch"))[0]
    assert [answer["id"] for answer in answers] == [901, 902]
    assert answers[0]["result"]["og_tag"]["og:title"] == "Batched"


@with_pages
async def test_a_hundred_ask_for_one_page(ctx, pages):
    """One fetch for all; one who cancels, one who runs out of time and one who leaves change nothing
    for the others, and a message with the link is updated."""
    server = await ctx.server(*UNLIMITED)
    clients = await ctx.users(server, 100)
    channel, _, sender, viewer = await ctx.room(server, 2)
    pages.add("/hot", "Hot")
    gate = pages.hold("/hot")
    url = pages.url("/hot")
    waiting = [
        await client.ask("preview.fetch", url=url, fetch_id="hot", timeout_ms=20000)
        for client in clients[:98]]
    hurried = await clients[98].ask("preview.fetch", url=url, timeout_ms=100)
    await clients[99].ask("preview.fetch", url=url, timeout_ms=20000)
    await pages.asked_for("/hot")
    sent = (await sender.send(channel, url))["message"]
    assert sent["og_tag"] is None
    assert await clients[0].call("preview.cancel", fetch_id="hot") == {"cancelled": True}
    assert (await clients[98].result(hurried))["problem"]["kind"] == "timed_out"
    await clients[99].leave()
    gate.set()
    answers = [await client.result(asked) for client, asked in zip(clients, waiting)]
    assert answers[0]["problem"]["kind"] == "cancelled"
    assert all(a["og_tag"]["og:title"] == "Hot" and not a["cached"] for a in answers[1:])
    assert (await preview_of(viewer, sent))["og_tag"]["og:title"] == "Hot"
    assert pages.count("/hot") == 1


@with_pages
async def test_closing_cancels(ctx, pages):
    """A connection that goes takes its fetch along; session.close answers it as cancelled."""
    server = await ctx.server(*FLAGS)
    left = pages.stall("/gone")
    client = await ctx.user(server)
    await client.ask("preview.fetch", url=pages.url("/gone"), timeout_ms=30000)
    await pages.asked_for("/gone")
    await client.leave()
    await asyncio.wait_for(left.wait(), 10 * PATIENCE)
    left = pages.stall("/closed")
    client = await ctx.user(server)
    waiting = await client.ask("preview.fetch", url=pages.url("/closed"), timeout_ms=30000)
    await pages.asked_for("/closed")
    assert await client.call("session.close") == {}
    assert (await client.result(waiting))["problem"]["kind"] == "cancelled"
    await asyncio.wait_for(left.wait(), 10 * PATIENCE)


@with_pages
async def test_limits(ctx, pages):
    """Four at a time for a connection, two a second for a user; the cache is free."""
    server = await ctx.server(*UNLIMITED)
    client = await ctx.user(server)
    pages.add("/known", "Known")
    await fetch(client, pages.url("/known"))
    for number in range(4):
        pages.stall(f"/s{number}")
        await client.ask(
            "preview.fetch", url=pages.url(f"/s{number}"), timeout_ms=30000, fetch_id=str(number))
        await pages.asked_for(f"/s{number}")
    async with refused(500910, scope="connection", limit=4):
        await fetch(client, pages.url("/fifth"))
    assert (await fetch(client, pages.url("/known")))["cached"] is True
    await client.call("preview.cancel", fetch_id="0")
    assert (await fetch(client, pages.url("/fifth")))["problem"]["kind"] == "failed"
    limited = await ctx.server(*FLAGS, "--limits-preview-fetches-per-second", "1")
    one = await ctx.user(limited)
    other = await ctx.user(limited, one.user_id)
    for number in range(20):
        pages.add(f"/p{number}", "P")
        began = time.monotonic()
        await fetch(one, pages.url(f"/p{number}"))
        for _ in range(3):
            assert (await fetch(one, pages.url(f"/p{number}")))["cached"] is True
        try:
            await fetch(other, pages.url(f"/q{number}"))
        except Refused as refusal:
            assert refusal.code == 500910 and refusal.data["scope"] == "user", refusal
            assert refusal.data["limit"] == 1 and refusal.data["window_ms"] == 1000, refusal
            break
        # A slow machine may take as long as the limit asks for.
        assert time.monotonic() - began > 0.9
        await asyncio.sleep(1.1)


async def test_wrong_parameters(ctx):
    """Each wrong parameter is named; where previews are off, there is no web address at all."""
    server = await ctx.server(*FLAGS)
    client = await ctx.user(server)
    good = "http://127.0.0.1:1/"
    for code, params in [
            (400105, {}), (400105, {"url": ""}), (400100, {"url": 7}),
            (400111, {"url": "no link"}), (400111, {"url": "see example.com now"}),
            (400111, {"url": "ftp://example.com/"}), (400111, {"url": "javascript:alert(1)"}),
            (400111, {"url": "a:b@example.com"}), (400111, {"url": "(example.com)"}),
            (400111, {"url": "http://a:b@example.com/"}), (400111, {"url": "http://a\\b/"}),
            (400111, {"url": "http://a.example/\r\nX: y"}), (400111, {"url": "file:///etc/passwd"}),
            (400110, {"url": "http://a.example/" + "x" * 2048}),
            (400113, {"url": good, "timeout_ms": 99}), (400113, {"url": good, "timeout_ms": 30001}),
            (400106, {"url": good, "timeout_ms": -1}), (400101, {"url": good, "timeout_ms": "1"}),
            (400110, {"url": good, "fetch_id": "x" * 65}), (400100, {"url": good, "fetch_id": 1})]:
        try:
            answer = await client.call("preview.fetch", **params)
        except Refused as refusal:
            assert refusal.code == code, (params, refusal)
        else:
            raise AssertionError(f"{params}: {answer}")
    async with refused(400105, field="fetch_id"):
        await client.call("preview.cancel")
    off = await ctx.server("--unfurl-mode", "off")
    async with refused(400111, field="url"):
        await fetch(await ctx.user(off), "http://example.com/")
    raw = await ctx.connect(off)
    opened = await raw.call("session.open", user_id=ctx.name("user"))
    assert "previews" not in opened["features"]
    raw = await ctx.connect(server)
    assert (await raw.call("session.open", user_id=ctx.name("user")))["features"]["previews"] is True


@with_pages
async def test_addresses_that_are_not_public(ctx, pages):
    """No form of an address that is not public is connected to; all fail in the same words."""
    server = await ctx.server(
        "--unfurl-allow-ports", "1-65535", "--limits-preview-fetches-per-second", "0")
    client = await ctx.user(server)
    for form in NOT_PUBLIC:
        try:
            answer = await fetch(client, f"http://{form}:{pages.port}/", timeout_ms=3000)
        except Exception as error:
            assert getattr(error, "code", None) == 400111, (form, error)
            continue
        assert answer["problem"] in (
            {"kind": "failed", "message": "the page could not be fetched"},
            {"kind": "timed_out", "message": "no answer within 3000 ms"}), (form, answer)
    assert pages.connections == 0


@with_pages
async def test_redirects_to_addresses_that_are_not_public(ctx, pages):
    """A redirect leads nowhere that a link does not."""
    server = await ctx.server(
        "--unfurl-allow-addresses", "127.0.0.1/32", *UNLIMITED[2:])
    client = await ctx.user(server)
    for number, target in enumerate((
            "http://169.254.169.254/", "http://[::1]/", "http://127.0.0.2/", "http://0x7f.2/",
            "file:///etc/passwd", "http://10.0.0.1/")):
        pages.redirect(f"/r{number}", target)
        answer = await fetch(client, pages.url(f"/r{number}"), timeout_ms=3000)
        assert answer["problem"]["kind"] == "failed", (target, answer)


@with_pages
async def test_a_domain_that_is_denied(ctx, pages):
    """What a list of domains refuses is failed, and is not connected to."""
    server = await ctx.server(*FLAGS, "--unfurl-deny-domains", "denied.localhost")
    client = await ctx.user(server)
    answer = await fetch(client, pages.url("/", host="a.denied.localhost"))
    assert answer["problem"]["kind"] == "failed" and pages.connections == 0, answer


@with_pages
async def test_hostile_pages(ctx, pages):
    """Names are cleaned text; pages that go on without end answer in time."""
    server = await ctx.server(*UNLIMITED)
    client = await ctx.user(server)
    pages.add_html("/name", (
        "<title>T</title><meta property='og:site_name' content='a&#x202e;b&#7;\n <b>c</b>"
        + "x" * 5000 + "'>"))
    answer = await fetch(client, pages.url("/name"))
    assert answer["site_name"].startswith("ab <b>c</b>x"), answer["site_name"][:30]
    assert len(answer["site_name"]) == 1024
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    pages.endless("/endless", head, b"<p>" * 4096)
    answer = await fetch(client, pages.url("/endless"))
    assert answer["og_tag"] is None, answer
    # A slow machine may not come to the limit of bytes in time.
    assert (answer["problem"] or {"kind": "timed_out"})["kind"] == "timed_out", answer
    pages.stall("/drip", head + b"<title>Half</title>")
    answer = await fetch(client, pages.url("/drip"), timeout_ms=500)
    assert answer["problem"]["kind"] == "timed_out" or answer["og_tag"], answer


@with_pages
async def test_over_the_platform_api(ctx, pages):
    """POST /v3/parley/previews/fetch: the same cache, with the reason and the kind of a failure."""
    server = await ctx.fresh(*FLAGS)
    client = await ctx.user(server)
    pages.add("/p", "Platform", og__site_name="Site")
    first = await fetch(client, pages.url("/p"))

    async def post(body):
        content = json.dumps(body).encode()
        status, _, answer = await http(
            server.port, "POST", "/v3/parley/previews/fetch",
            {"Api-Token": server.api_token, "Content-Length": len(content)}, content)
        return status, json.loads(answer)
    status, answer = await post({"url": pages.url("/p")})
    assert status == 200 and answer["cached"] is True and answer["problem"] == "", answer
    assert answer["site_name"] == "Site" and answer["og_tag"]["og:title"] == "Platform"
    assert first["og_tag"]["og:title"] == "Platform" and "kind" not in answer
    status, answer = await post({"url": pages.url("/404")})
    assert answer["kind"] == "failed" and "404" in answer["problem"] and "og_tag" not in answer
    pages.stall("/slow")
    status, answer = await post({"url": pages.url("/slow"), "timeout_ms": 200})
    assert status == 200 and answer["kind"] == "timed_out", answer
    for body, code in (({"url": "no link"}, 400111), ({}, 400105),
                       ({"url": pages.url("/p"), "timeout_ms": 5}, 400113)):
        status, answer = await post(body)
        assert (status, answer["code"]) == (400, code), answer
    metrics = (await server.get("/metrics"))[2].decode()
    for line in ('{result="found"} 1', '{result="cached"} 1', '{result="failed"} 1',
                 '{result="timed_out"} 1', '{result="cancelled"} 0'):
        assert f"parley_preview_requests_total{line}\n" in metrics, line


@with_pages
async def test_from_the_command_line(ctx, pages):
    """parley preview fetch shows the preview, and fails when the page cannot be fetched."""
    server = await ctx.fresh(*FLAGS)
    pages.add("/c", "Command", og__site_name="Site")
    environment = {
        "PARLEY_CLI_SERVER": f"http://127.0.0.1:{server.port}",
        "PARLEY_CLI_API_TOKEN": server.api_token, "XDG_CONFIG_HOME": "/nonexistent"}

    async def run(*arguments):
        status, out, error = await ctx.run(
            ctx.parley, "preview", "fetch", *arguments, environment=environment)
        return status, out.decode(), error.decode()
    status, out, error = await run(pages.url("/c"), "--timeout", "5s")
    assert status == 0 and "Command" in out and "site: Site" in out, (out, error)
    status, out, error = await run(pages.url("/c"), "--json")
    assert status == 0 and json.loads(out)["cached"] is True, (out, error)
    status, out, error = await run(pages.url("/404"))
    assert status != 0 and "failed" in error, (out, error)
    status, out, error = await run(pages.url("/c"), "--timeout", "50ms")
    assert status != 0 and "--timeout" in error, (out, error)


@with_pages
async def test_through_a_service(ctx, pages):
    """parley-unfurl names the site too, and ends the fetch that is cancelled here."""
    service = await ctx.unfurl_service(*FLAGS[:4])
    server = await ctx.fresh(
        "--unfurl-mode", "http", "--unfurl-url", service.url, *FLAGS[4:])
    client = await ctx.user(server)
    pages.add("/s", "Service", og__site_name="Site")
    answer = await fetch(client, pages.url("/s"))
    assert answer["og_tag"]["og:title"] == "Service" and answer["site_name"] == "Site", answer
    left = pages.stall("/spin")
    waiting = await client.ask("preview.fetch", url=pages.url("/spin"), fetch_id="f")
    await pages.asked_for("/spin")
    await client.call("preview.cancel", fetch_id="f")
    assert (await client.result(waiting))["problem"]["kind"] == "cancelled"
    await asyncio.wait_for(left.wait(), 10 * PATIENCE)
