"""A gateway with unfurl.mode = http, and services of many kinds that it asks."""

import asyncio
import functools
import os
import re
import signal
import sys
import time

from harness import DEADLINE, eventually, fence, reserved_port, scaled
from remembered import (
    entry_of, explain, look_up, preview_of, remembered, settled, updates_of, with_pages)
from services import ScriptedService, tag

UNLIMITED = ("--limits-flood-messages", "0", "--limits-throttle-messages", "0")
PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Sources", "Gateway",
                    "Gateway.docc", "LinkPreviews.md")


def asking(service, *flags):
    return ("--unfurl-mode", "http", "--unfurl-url", service.url, *UNLIMITED, *flags)


def with_service(test):
    @functools.wraps(test)
    async def wrapped(ctx):
        service = await ScriptedService.start()
        try:
            await test(ctx, service)
        finally:
            service.close()
    return wrapped


@with_pages
async def test_the_documented_service(ctx, pages):
    """The service that the documentation shows works as it stands there, but for its port."""
    with open(PAGE, encoding="utf-8") as page:
        (program,) = re.findall(r"```python\n(.*?)```", page.read(), re.S)
    port = reserved_port()
    assert program.count("8090") == 1
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program.replace("8090", str(port)),
        stderr=asyncio.subprocess.DEVNULL)
    try:
        async def listens():
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                return False
            writer.close()
            return True
        await eventually(listens, "the documented service")
        server = await ctx.fresh(
            "--unfurl-mode", "http", "--unfurl-url", f"http://127.0.0.1:{port}/unfurl", *UNLIMITED)
        channel, owner, sender, viewer = await ctx.room(server, 2)
        pages.add_html("/page", "<head><title>\n  Fish &amp; Chips </title></head>")
        pages.add_html("/bare", "<p>no title</p>")
        sent = (await sender.send(channel, f"see {pages.url('/page')}"))["message"]
        assert sent["og_tag"] is None
        for client in (sender, viewer):
            shown = (await preview_of(client, sent))["og_tag"]
            assert shown == {"og:title": "Fish & Chips", "og:url": pages.url("/page"),
                             "og:description": None, "og:image": None}
        again = (await sender.send(channel, pages.url("/page")))["message"]
        assert again["og_tag"] == shown and pages.count("/page") == 1
        for path in ("/bare", "/missing"):
            await sender.send(channel, pages.url(path))
            entry = await settled(server, pages.url(path), channel, owner, sender)
            assert "og_tag" not in entry, entry
        assert "404" in (await entry_of(server, pages.url("/missing")))["problem"]
    finally:
        process.kill()
        await process.wait()


@with_service
async def test_what_is_asked(ctx, service):
    """The question is a POST of url and timeout_ms, and says nothing about anybody."""
    url = service.url.replace("/unfurl", "/deep/path?key=1")
    server = await ctx.server(
        "--unfurl-mode", "http", "--unfurl-url", url, "--unfurl-timeout-ms", "4000", *UNLIMITED)
    channel, owner, sender = await ctx.room(server, 1)
    cases = {"see https://example.com/a?b=c&d=%20#e": "https://example.com/a?b=c&d=%20",
             "see example.org/x!": "http://example.org/x",
             "https://bücher.example.com/ü": "https://xn--bcher-kva.example.com/%C3%BC"}
    for text, wanted in cases.items():
        before = len(service.asked)
        sent = (await sender.send(channel, text))["message"]
        await preview_of(sender, sent)
        assert len(service.asked) == before + 1
        question, request = service.asked[-1], service.requests[-1]
        assert set(question) == {"url", "timeout_ms"}, question
        assert question["url"].split("#")[0] == wanted, question
        assert isinstance(question["timeout_ms"], int) and 2000 < question["timeout_ms"] <= 4000
        assert request.method == "POST" and request.target == "/deep/path?key=1", request.target
        assert request.fields["content-type"].startswith("application/json"), request.fields
        for name in ("cookie", "referer", "authorization", "api-token", "expect"):
            assert name not in request.fields, request.fields
    await fence(channel, owner, sender)


@with_service
async def test_right_answers(ctx, service):
    """A preview in full comes to everyone, null changes nothing, one question serves many."""
    server = await ctx.server(*asking(service))
    channel, owner, sender, viewer = await ctx.room(server, 2)
    full, none, bare = "https://a.example/1", "https://a.example/2", "https://a.example/3"
    image = {"url": "https://i.example/a.png", "secure_url": "https://i.example/s.png",
             "type": "image/png", "width": 1200, "height": 630, "alt": "A picture"}
    gate = service.held(full, 200, tag(
        "Title", og__description="Words", og__url="https://a.example/c", og__image=image,
        unknown={"x": 1}) | {"more": [1]})
    service.answers[none] = (200, {"og_tag": None})
    service.answers[bare] = (200, {"og_tag": {"og:title": "Only a title"}})
    sent = [(await sender.send(channel, full))["message"] for _ in range(5)]
    gate.set()
    for message in sent:
        assert (await preview_of(viewer, message))["og_tag"] == {
            "og:title": "Title", "og:url": "https://a.example/c", "og:description": "Words",
            "og:image": image}
    assert (await look_up(server, channel, owner, sender, none))["og_tag"] is None
    shown = (await look_up(server, channel, owner, sender, bare))["og_tag"]
    assert (shown["og:title"], shown["og:description"], shown["og:image"]) == (
        "Only a title", None, None), shown
    await sender.send(channel, none)
    again = (await sender.send(channel, full))["message"]
    assert again["og_tag"]["og:title"] == "Title"
    assert [service.count(url) for url in (full, none, bare)] == [1, 1, 1]


@with_service
async def test_errors(ctx, service):
    """Each of the four errors, with any 4xx or 5xx, gives no preview, and explain says why."""
    server = await ctx.server(*asking(service))
    channel, owner, sender = await ctx.room(server, 1)
    cases = [(400, "failed"), (404, "failed"), (502, "failed"), (504, "timed_out"),
             (500, "unknown"), (503, "cancelled"), (599, "unknown"), (418, "timed_out"),
             (502, "failed"), (502, "failed"), (502, "failed"), (502, "failed")]
    for number, (status, kind) in enumerate(cases):
        url = f"https://errors.example/{number}"
        service.answers[url] = (status, {"error": kind, "message": f"reason {number}"})
        answer = await explain(server, url)
        assert "og_tag" not in answer and answer["problem"], (status, kind, answer)
        if kind == "failed":
            assert f"reason {number}" in answer["problem"], answer
    # Errors are answers: the service is not given up for them.
    message = await look_up(server, channel, owner, sender, "https://errors.example/fine")
    assert message["og_tag"]["og:title"] == "https://errors.example/fine"


GARBAGE = {
    "no json": (200, b"nonsense"), "nothing": (200, b""), "list": (200, [1, 2]),
    "number": (200, 5), "null": (200, b"null"), "no member": (200, {"tag": {}}),
    "a text": (200, {"og_tag": "text"}), "a list": (200, {"og_tag": ["x"]}),
    "cut": (200, b'{"og_tag": {"og:title": "T"'), "not utf-8": (200, b'{"og_tag": "\xff\xfe"}'),
    "deep": (200, b'{"og_tag": ' + b"[" * 50_000 + b"]" * 50_000 + b"}"),
    "page": (200, b"<html><title>Proxy</title></html>", {"Content-Type": "text/html"}),
    "error page": (502, b"<html><h1>Bad gateway</h1></html>", {"Content-Type": "text/html"}),
    "error without a word": (500, b""), "unknown error": (500, {"error": 5}),
    "giant": (200, b'{"og_tag": {"og:title": "' + b"x" * 3_000_000 + b'"}}'),
    "redirect": (302, b"", {"Location": "/elsewhere"}),
    "wrong length": (200, b'{"og_tag": null}', {"Content-Length": "100"}),
    "teapot": (204, b""), "informational": (101, b""),
}


@with_service
async def test_garbage(ctx, service):
    """Answers that are none give no preview and harm nothing; the next link gets its own."""
    server = await ctx.server(*asking(service))
    channel, owner, sender = await ctx.room(server, 1)

    async def hang_up(_, writer):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConte")
        await writer.drain()

    async def talk_nonsense(_, writer):
        writer.write(b"\x00\x01\x02 not http\r\n" * 100)
        await writer.drain()

    async def endless_head(_, writer):
        writer.write(b"HTTP/1.1 200 OK\r\n")
        while True:
            writer.write(b"X-Filling: " + b"x" * 1000 + b"\r\n")
            await writer.drain()

    async def endless_body(_, writer):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{")
        while True:
            writer.write(b" " * 65_536)
            await writer.drain()
    cases = {**GARBAGE, "hangs up": hang_up, "no http": talk_nonsense,
             "endless head": endless_head, "endless body": endless_body}
    for number, (name, answer) in enumerate(cases.items()):
        url, fine = f"https://garbage.example/{number}", f"https://fine.example/{number}"
        service.answers[url] = answer
        explained = await explain(server, url)
        assert "og_tag" not in explained and explained["problem"], (name, explained)
        sent = (await sender.send(channel, fine))["message"]
        assert (await preview_of(sender, sent))["og_tag"]["og:title"] == fine, name
    assert all(request.target == "/unfurl" for request in service.requests)
    await fence(channel, owner, sender)


@with_service
async def test_members_of_a_wrong_type(ctx, service):
    """What an answer holds in a wrong type is not shown to anybody."""
    server = await ctx.server(*asking(service))
    channel, owner, sender = await ctx.room(server, 1)
    kinds = ({"og:title": 5}, {"og:title": ["x"]}, {"og:title": {"a": 1}}, {"og:title": True},
             {}, {"og:image": "https://a.example/i.png"}, {"og:image": {"url": 5}})
    for number, members in enumerate(kinds):
        url = f"https://types.example/{number}"
        service.answers[url] = (200, {"og_tag": members})
        message = await look_up_or_none(server, channel, owner, sender, url)
        shown = message["og_tag"]
        assert shown is None or shown["og:title"] is None, (members, shown)
        # An answer that the gateway understands keeps the service from being given up.
        await preview_of(sender, (await sender.send(channel, f"{url}/fine"))["message"])
    mixed = "https://types.example/mixed"
    service.answers[mixed] = (200, tag("Good", og__description=7, og__image={
        "url": "https://i.example/a.png", "width": "wide", "height": -4, "alt": []}))
    answer = await explain(server, mixed)
    if shown := answer.get("og_tag"):
        assert shown["og:title"] == "Good" and shown.get("og:description") is None, shown
        assert (shown["og:image"]["width"], shown["og:image"]["height"]) == (0, 0), shown


async def look_up_or_none(server, channel, owner, sender, url):
    """Like look_up, also where nothing is remembered because the answer was none."""
    sent = (await sender.send(channel, url))["message"]
    await explain(server, "https://types.example/after")
    await fence(channel, owner, sender)
    got = await sender.call("message.get", channel_url=channel, message_id=sent["message_id"])
    return got["message"]


@with_service
async def test_answers_are_cleaned(ctx, service):
    """Texts lose controls and are bounded, other schemes are dropped, numbers are in range."""
    server = await ctx.server(*asking(service))
    channel, owner, sender = await ctx.room(server, 1)
    url = "https://clean.example/1"
    service.answers[url] = (200, tag(
        "  a\u0000b\u001b[31m\u202e c\n\n d  ", og__description="w" * 9_000,
        og__url="javascript:alert(1)",
        og__image={"url": "javascript:alert(2)", "secure_url": None, "type": "image/png",
                   "width": 10, "height": 10, "alt": "x"}))
    shown = (await look_up(server, channel, owner, sender, url))["og_tag"]
    assert shown["og:title"] == "ab[31m c d", shown
    assert 4_000 <= len(shown["og:description"]) <= 4_096
    assert shown["og:url"] != "javascript:alert(1)" and shown["og:image"] is None, shown
    long, empty = "https://clean.example/2", "https://clean.example/3"
    service.answers[long] = (200, tag("é" * 5_000, og__image={
        "url": "https://i.example/a.png", "width": 99_999_999_999, "height": -1}))
    shown = (await look_up(server, channel, owner, sender, long))["og_tag"]
    assert 1_000 <= len(shown["og:title"]) <= 1_024, len(shown["og:title"])
    assert (shown["og:image"]["width"], shown["og:image"]["height"]) == (0, 0), shown
    service.answers[empty] = (200, tag(" \n\u0001 ", og__description=""))
    assert (await look_up(server, channel, owner, sender, empty))["og_tag"] is None
    data = "https://clean.example/4"
    service.answers[data] = (200, tag("T", og__image={"url": "data:image/png;base64,AAAA"}))
    assert (await look_up(server, channel, owner, sender, data))["og_tag"]["og:image"] is None


@with_service
async def test_cache_control(ctx, service):
    """The service's Cache-Control is honoured like a page's."""
    server = await ctx.server(*asking(
        service, "--unfurl-cache-ttl-seconds", "1000", "--unfurl-cache-min-ttl-seconds", "100"))
    channel, owner, sender = await ctx.room(server, 1)
    cases = {"/a": (None, 1000), "/b": ("max-age=300", 300), "/c": ("max-age=0", 100),
             "/d": ("max-age=99999", 1000)}
    for path, (value, seconds) in cases.items():
        url = f"https://kept.example{path}"
        fields = {"Cache-Control": value} if value else {}
        service.answers[url] = (200, tag("T"), fields)
        await look_up(server, channel, owner, sender, url)
        entry = await entry_of(server, url)
        lasting = entry["expires_at"] - entry["fetched_at"]
        assert abs(lasting - seconds * 1000) <= 1000, (path, lasting)


@with_service
async def test_closing_is_cancelling(ctx, service):
    """A question that takes too long, or whose gateway stops, sees its connection closed."""
    slow, stopped = "https://slow.example/1", "https://slow.example/2"
    left = service.silent(slow), service.silent(stopped)
    server = await ctx.fresh(*asking(service, "--unfurl-timeout-ms", scaled(400)))
    channel, owner, sender, viewer = await ctx.room(server, 2)
    sent = (await sender.send(channel, slow))["message"]
    assert (await viewer.event("message.received"))["message"]["og_tag"] is None
    async with asyncio.timeout(DEADLINE):
        await left[0].wait()
    await fence(channel, owner, sender, viewer)
    assert not updates_of(viewer, sent)
    assert await server.end() == 0
    server = await ctx.fresh(*asking(service, "--unfurl-timeout-ms", "25000"))
    channel, owner, sender = await ctx.room(server, 1)
    await sender.send(channel, stopped)
    await service.until(lambda: service.count(stopped), "the question")
    assert await server.end(signal.SIGTERM) == 0
    async with asyncio.timeout(DEADLINE):
        await left[1].wait()


@with_service
async def test_messages_never_wait(ctx, service):
    """While the service holds its answers, messages, edits and deletions go on."""
    server = await ctx.server(*asking(service, "--unfurl-timeout-ms", "20000"))
    channel, owner, sender, viewer = await ctx.room(server, 2)
    gates = []
    sent = []
    for number in range(100):
        url = f"https://held.example/{number}"
        gates.append(service.held(url, 200, tag(f"Held {number}")))
        sent.append((await sender.send(channel, url))["message"])
    await sender.send(channel, "no link")
    await fence(channel, owner, sender, viewer)
    assert len(viewer.messages(channel)) == 101
    await sender.call(
        "message.delete", channel_url=channel, message_id=sent[0]["message_id"])
    for gate in gates:
        gate.set()
    for number, message in enumerate(sent[1:], 1):
        shown = (await preview_of(viewer, message))["og_tag"]
        assert shown["og:title"] == f"Held {number}"
    await fence(channel, owner, sender, viewer)
    assert not updates_of(viewer, sent[0])


@with_service
async def test_a_trace_is_shown(ctx, service):
    """A trace that the service gives is shown by explain."""
    server = await ctx.server(*asking(service))
    url = "https://trace.example/"
    service.answers[url] = (200, tag("T") | {"trace": {
        "requests": [{"url": url, "purpose": "page", "address": "93.184.215.14", "status": 200,
                      "content_type": "text/html", "byte_count": 1234, "waiting_us": 1,
                      "name_lookup_us": 2, "connect_us": 3, "tls_handshake_us": 4,
                      "first_byte_us": 5, "total_us": 6, "ending": "read to the end"}],
        "origins": [{"member": "og:title", "source": "title element"}],
        "character_set": "UTF-8"}})
    trace = (await explain(server, url))["trace"]
    assert trace["requests"][0]["address"] == "93.184.215.14", trace
    assert trace["origins"] == [{"member": "og:title", "source": "title element"}], trace
    for number, nonsense in enumerate((5, [], {"requests": 5}, {"requests": [5, {}]})):
        service.answers[f"{url}{number}"] = (200, tag("T") | {"trace": nonsense})
        assert (await explain(server, f"{url}{number}"))["og_tag"]["og:title"] == "T", nonsense


@with_service
async def test_a_service_that_is_down(ctx, service):
    """After five failures nothing is asked for a while; one probe finds the service back."""
    service.broken = True
    server = await ctx.fresh(*asking(service))
    channel, owner, sender, viewer = await ctx.room(server, 2)
    for number in range(5):
        answer = await explain(server, f"https://down.example/{number}")
        assert "og_tag" not in answer and answer["problem"], answer
    assert service.connections == 5
    began = time.monotonic()
    for number in range(30):
        sent = (await sender.send(channel, f"https://open.example/{number}"))["message"]
        assert sent["og_tag"] is None
    await fence(channel, owner, sender, viewer)
    assert len(viewer.messages(channel)) == 30
    problem = (await explain(server, "https://open.example/asked"))["problem"]
    if time.monotonic() - began < 0.7:
        assert service.connections == 5, service.connections
        assert problem
    await probed(service, sender, channel, 6)
    began = time.monotonic()
    for number in range(10):
        await sender.send(channel, f"https://still.example/{number}")
    await fence(channel, owner, sender)
    if time.monotonic() - began < 1.0:
        assert service.connections == 6, service.connections
    service.broken = False

    async def back():
        sent = (await sender.send(channel, f"https://back.example/{ctx.name()}"))["message"]
        await asyncio.sleep(0.1)
        return updates_of(sender, sent)
    await eventually(back, "the service's return")
    for number in range(10):
        sent = (await sender.send(channel, f"https://again.example/{number}"))["message"]
        await preview_of(sender, sent)
    # What was asked in vain was not remembered as a page without a preview.
    sent = (await sender.send(channel, "https://open.example/0"))["message"]
    assert (await preview_of(sender, sent))["og_tag"]["og:title"] == "https://open.example/0"


async def probed(service, sender, channel, connections):
    """Sends links, several at a time, until one of them was let through."""
    number = 0
    async with asyncio.timeout(DEADLINE):
        while service.connections < connections:
            for _ in range(3):
                number += 1
                await sender.send(channel, f"https://probe{connections}.example/{number}")
            await asyncio.sleep(0.05)
    assert service.connections == connections, "more than one link was let through"


@with_service
async def test_a_service_that_is_not_there_yet(ctx, service):
    """The gateway starts and serves without its service, and uses it once it listens."""
    port = reserved_port()
    server = await ctx.fresh(
        "--unfurl-mode", "http", "--unfurl-url", f"http://127.0.0.1:{port}/", *UNLIMITED)
    channel, owner, sender = await ctx.room(server, 1)
    for number in range(8):
        await sender.send(channel, f"https://early.example/{number}")
    await fence(channel, owner, sender)
    late = await ScriptedService.start(port)

    async def used():
        sent = (await sender.send(channel, f"https://late.example/{ctx.name()}"))["message"]
        await asyncio.sleep(0.1)
        return updates_of(sender, sent)
    await eventually(used, "a preview by the late service")
    assert late.requests[0].target == "/"
    late.close()


@with_service
async def test_settings_of_the_mode(ctx, service):
    """unfurl.mode http without unfurl.url, or with another scheme, stops the start."""
    data = ctx.directory()
    for flags, named in (((), "unfurl.url"), (("--unfurl-url", "ftp://a.example/"), "unfurl.url"),
                         (("--unfurl-url", "nonsense"), "unfurl.url")):
        code, output, errors = await ctx.run(
            ctx.parleyd, "--data-dir", data, "--listen", "127.0.0.1:0", "--unfurl-mode", "http",
            *flags)
        assert code == 78 and named in (output + errors).decode(), (flags, code, errors)
    assert service.connections == 0


@with_service
async def test_previews_by_a_service_survive_a_restart(ctx, service):
    """What a service answered is remembered like a page, over restarts too."""
    server = await ctx.fresh(*asking(service))
    channel, owner, sender = await ctx.room(server, 1)
    url = "https://keep.example/"
    await look_up(server, channel, owner, sender, url)
    await remembered(server, url)
    assert await server.end() == 0
    server = await ctx.fresh(*asking(service), data=server.data)
    sender = await ctx.user(server, sender.user_id)
    await sender.enter(channel)
    shown = await look_up(server, channel, sender, sender, url)
    assert shown["og_tag"]["og:title"] == url and service.count(url) == 1, (shown, service.count(url))
