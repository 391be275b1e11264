"""parley-unfurl: the unfurler as a process of its own."""

import asyncio
import json
import os
import resource
import signal

from harness import DEADLINE, PATIENCE, eventually, http
from pages import Pages
from reloading import Settings
from remembered import explain, look_up, preview_of, with_pages
from services import ask
from unfurlers import UNLIMITED

REACHING = ("--unfurl-allow-addresses", "127.0.0.0/8,::1/128", "--unfurl-allow-ports", "1-65535")
ERRORS = {"cancelled", "failed", "timed_out", "unknown"}


def check_error(answer):
    assert answer["error"] in ERRORS and isinstance(answer["message"], str), answer
    assert answer["message"], answer


@with_pages
async def test_questions_and_answers(ctx, pages):
    """A page's preview, null for none, and an error in words for what failed."""
    service = await ctx.unfurl_service(*REACHING)
    pages.add("/page", "Title", og__description="Words", og__image="/i.png")
    pages.add_html("/bare", "<p>nothing</p>")
    status, fields, answer = await ask(service, {"url": pages.url("/page"), "timeout_ms": 5000})
    assert status == 200 and fields["content-type"].startswith("application/json"), fields
    assert answer["og_tag"] == {
        "og:title": "Title", "og:url": pages.url("/page"), "og:description": "Words",
        "og:image": {"url": pages.url("/i.png"), "secure_url": None, "type": None, "width": 0,
                     "height": 0, "alt": None}}, answer
    status, _, answer = await ask(service, {"url": pages.url("/bare"), "timeout_ms": 5000})
    assert status == 200 and answer["og_tag"] is None, answer
    status, _, answer = await ask(service, {"url": pages.url("/page"), "more": [1, {"a": None}]})
    assert status == 200 and answer["og_tag"]["og:title"] == "Title"


@with_pages
async def test_failures(ctx, pages):
    """A missing page, a refused port and a time-out are told apart."""
    service = await ctx.unfurl_service(*REACHING)
    status, _, answer = await ask(service, {"url": "http://127.0.0.1:1/", "timeout_ms": 5000})
    check_error(answer)
    assert 500 <= status < 600 and answer["error"] == "failed", (status, answer)
    left = pages.stall("/never")
    status, _, answer = await ask(service, {"url": pages.url("/never"), "timeout_ms": 300})
    check_error(answer)
    assert 500 <= status < 600 and answer["error"] == "timed_out", (status, answer)
    async with asyncio.timeout(DEADLINE):
        await left.wait()
    status, _, answer = await ask(service, {"url": pages.url("/missing"), "timeout_ms": 5000})
    if status != 200:
        check_error(answer)
        assert "404" in answer["message"], answer
    else:
        assert answer["og_tag"] is None


@with_pages
async def test_it_guards(ctx, pages):
    """Private addresses and odd ports are refused here as in the gateway."""
    pages.add("/secret", "Secret")
    service = await ctx.unfurl_service("--unfurl-allow-ports", "1-65535")
    for url in (pages.url("/secret"), pages.url("/secret", "localhost"),
                pages.url("/secret", "2130706433"), f"http://[::ffff:127.0.0.1]:{pages.port}/"):
        status, _, answer = await ask(service, {"url": url, "timeout_ms": 3000})
        assert 400 <= status < 600, (url, status, answer)
        check_error(answer)
    assert pages.connections == 0
    service = await ctx.unfurl_service("--unfurl-allow-addresses", "127.0.0.0/8")
    status, _, answer = await ask(service, {"url": pages.url("/secret"), "timeout_ms": 3000})
    assert status >= 400 and pages.connections == 0, answer


async def test_wrong_requests(ctx):
    """Another path is 404, another method 405; bodies that are no question are 400."""
    service = await ctx.unfurl_service()
    url = "http://example.invalid/"
    for path in ("/nothing", "/unfurl/more", "/../etc/passwd"):
        status, _, body = await http(
            service.port, "POST", path, {"Content-Length": "2"}, b"{}")
        assert status == 404, (path, status, body)
    for method in ("GET", "PUT", "DELETE"):
        status, fields, _ = await http(service.port, method, "/unfurl", {"Content-Length": "0"})
        assert status == 405 and "POST" in fields["allow"], (method, status, fields)
    questions = [
        b"", b"nonsense", b"[]", b"5", b"null", b'"text"', b"\xff\xfe", b'{"url":', {},
        {"url": None}, {"url": 5}, {"url": []}, {"url": ""}, {"url": "nonsense"},
        {"url": "ftp://example.com/"}, {"url": "file:///etc/passwd"}, {"url": "javascript:1"},
        {"url": "http://user:pw@example.com/"}, {"url": "http://"}, {"url": url + "x" * 8_000},
        {"url": url, "timeout_ms": "5000"}, {"url": url, "timeout_ms": -1},
        {"url": url, "timeout_ms": 0}, {"url": url, "timeout_ms": 1.5},
        {"url": url, "timeout_ms": [1]},
        b'{"url": ' + b"[" * 5_000 + b"]" * 5_000 + b"}",
    ]
    for question in questions:
        status, _, answer = await ask(service, question)
        assert status == 400, (question, status, answer)
        check_error(answer)


async def test_long_requests(ctx):
    """A body that is too long is refused with 400 or 413, in the words of the protocol."""
    service = await ctx.unfurl_service()
    for length in (20_000, 100_000, 2_000_000):
        status, _, answer = await ask(service, {"url": "http://a.example/" + "x" * length})
        assert status in (400, 413), (status, answer)
        check_error(answer)


async def test_health(ctx):
    """It answers /healthz, /readyz and /metrics as the gateway does."""
    service = await ctx.unfurl_service()
    for path in ("/healthz", "/readyz", "/metrics"):
        assert (await service.get(path))[0] == 200, path
    status, fields, text = await service.get("/metrics")
    assert fields["content-type"].startswith("text/plain") and b"# TYPE" in text


@with_pages
async def test_its_answers_say_how_long(ctx, pages):
    """An answer's Cache-Control is what the page asked for."""
    service = await ctx.unfurl_service(*REACHING)
    pages.add_html("/hour", "<title>T</title>", cache_control="public, max-age=3600")
    pages.add_html("/silent", "<title>T</title>")
    _, fields, _ = await ask(service, {"url": pages.url("/hour")})
    assert "max-age=3600" in fields.get("cache-control", "") or any(
        f"max-age={n}" in fields.get("cache-control", "") for n in range(3590, 3600)), fields
    _, fields, _ = await ask(service, {"url": pages.url("/silent")})
    assert "max-age" not in fields.get("cache-control", ""), fields


@with_pages
async def test_a_gateway_and_its_service(ctx, pages):
    """A gateway that asks parley-unfurl shows what an embedded unfurler shows, and explains it."""
    service = await ctx.unfurl_service(*REACHING, "--unfurl-user-agent", "Service/2")
    server = await ctx.fresh("--unfurl-mode", "http", "--unfurl-url", service.url, *UNLIMITED)
    channel, owner, sender, viewer = await ctx.room(server, 2)
    pages.add("/page", "Title", og__image="/i.png", og__image__width="120")
    sent = (await sender.send(channel, pages.url("/page")))["message"]
    for client in (sender, viewer):
        shown = (await preview_of(client, sent))["og_tag"]
        assert shown["og:title"] == "Title" and shown["og:image"]["width"] == 120
    assert pages.requests[0].fields["user-agent"] == "Service/2"
    answer = await explain(server, pages.url("/page"))
    request = answer["trace"]["requests"][0]
    assert (request["address"], request["status"]) == ("127.0.0.1", 200), request
    assert answer["cached"]["og_tag"]["og:title"] == "Title"
    pages.answer("/gone", "410 Gone", {"Content-Type": "text/html"}, b"<title>T</title>")
    assert "410" in (await explain(server, pages.url("/gone")))["problem"]
    assert (await look_up(server, channel, owner, sender, pages.url("/gone")))["og_tag"] is None


@with_pages
async def test_a_service_that_is_killed(ctx, pages):
    """When the service is killed and started again, previews stop and come back."""
    service = await ctx.unfurl_service(*REACHING)
    port = service.port
    server = await ctx.fresh("--unfurl-mode", "http", "--unfurl-url", service.url, *UNLIMITED)
    channel, _, sender = await ctx.room(server, 1)
    pages.add("/one", "One")
    await preview_of(sender, (await sender.send(channel, pages.url("/one")))["message"])
    await service.kill(keeps_port=True)
    pages.add("/two", "Two")
    for number in range(6):
        answer = await explain(server, pages.url(f"/{number}"))
        assert answer["problem"] and "og_tag" not in answer, answer
    again = await ctx.unfurl_service(*REACHING, "--listen", f"127.0.0.1:{port}")

    async def back():
        return "og_tag" in await explain(server, pages.url("/two"))
    await eventually(back, "the service's return")
    assert again.process.returncode is None


@with_pages
async def test_cancelling(ctx, pages):
    """Who closes the connection ends the fetch: the page's server sees it close."""
    service = await ctx.unfurl_service(*REACHING)
    left = pages.stall("/slow")
    body = json.dumps({"url": pages.url("/slow"), "timeout_ms": 30000}).encode()
    _, writer = await asyncio.open_connection("127.0.0.1", service.port)
    head = b"POST /unfurl HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(body)
    writer.write(head + body)
    await pages.asked_for("/slow")
    writer.close()
    async with asyncio.timeout(DEADLINE):
        await left.wait()


@with_pages
async def test_a_drain(ctx, pages):
    """SIGTERM lets a fetch under way be answered, then the process ends with 0."""
    service = await ctx.unfurl_service(*REACHING)
    pages.add("/held", "Held")
    gate = pages.hold("/held")
    waiting = asyncio.create_task(ask(service, {"url": pages.url("/held"), "timeout_ms": 20000}))
    await pages.asked_for("/held")
    service.process.send_signal(signal.SIGTERM)
    await eventually(lambda: says_draining(service), "word of the drain")
    assert service.process.returncode is None
    gate.set()
    status, _, answer = await waiting
    assert status == 200 and answer["og_tag"]["og:title"] == "Held", answer
    assert await service.wait() == 0


async def says_draining(service):
    return any("drain" in line for line in service.lines)


@with_pages
async def test_a_second_signal_hurries(ctx, pages):
    """A second SIGTERM ends what is under way; without any, the first ends at once."""
    service = await ctx.unfurl_service(*REACHING)
    assert await service.end() == 0
    service = await ctx.unfurl_service(*REACHING)
    pages.stall("/never")
    waiting = asyncio.create_task(ask(service, {"url": pages.url("/never"), "timeout_ms": 30000}))
    await pages.asked_for("/never")
    service.process.send_signal(signal.SIGTERM)
    await eventually(lambda: says_draining(service), "word of the drain")
    service.process.send_signal(signal.SIGTERM)
    async with asyncio.timeout(DEADLINE):
        assert await service.wait() == 0
    (outcome,) = await asyncio.gather(waiting, return_exceptions=True)
    assert isinstance(outcome, Exception) or outcome[0] >= 400, outcome


async def test_its_command_line(ctx):
    """--help names every setting, --version the version, --check-config says what is valid."""
    program = ctx.parley_unfurl
    code, output, _ = await ctx.run(program, "--help")
    for setting in ("listen", "unfurl.timeout_ms", "unfurl.max_bytes", "unfurl.allow_addresses",
                    "unfurl.user_agent", "unfurl.opt_out_file", "drain.timeout_ms", "log.level"):
        assert code == 0 and setting in output.decode(), setting
    code, output, _ = await ctx.run(program, "--version")
    assert code == 0 and b"parley" in output.lower(), output
    code, output, _ = await ctx.run(program, "--check-config", *REACHING)
    assert code == 0 and b"valid" in output, output
    code, output, _ = await ctx.run(program, "--print-defaults")
    assert code == 0
    path = os.path.join(ctx.directory(), "defaults.yaml")
    with open(path, "wb") as file:
        file.write(output)
    code, output, errors = await ctx.run(program, "--config", path, "--check-config")
    assert code == 0, (output, errors)


async def test_one_file_for_both(ctx):
    """One configuration file, and one environment, serve the gateway and the service."""
    path = os.path.join(ctx.directory(), "both.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write("limits:\n  flood:\n    messages: 7\nauth:\n  mode: open\n"
                   "unfurl:\n  max_redirects: 2\n  cache_ttl_seconds: 60\n")
    for program in (ctx.parleyd, ctx.parley_unfurl):
        code, output, errors = await ctx.run(
            program, "--config", path, "--check-config",
            environment={"PARLEY_LIMITS_THROTTLE_MESSAGES": "9", "PARLEY_UNFURL_MAX_BYTES": "9999"})
        assert code == 0, (program, output, errors)


async def test_wrong_settings(ctx):
    """A wrong or unknown setting has status 78 and is named; a port in use has 69."""
    program = ctx.parley_unfurl
    path = os.path.join(ctx.directory(), "config.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write("unfurl:\n  max_redirects: many\n")
    for flags, environment, named in [
        (("--unfurl-timeout-ms", "soon"), None, "unfurl.timeout_ms"),
        (("--unfurl-timeout-ms", "0"), None, "unfurl.timeout_ms"),
        (("--unfurl-allow-addresses", "10.0.0.0/99"), None, "unfurl.allow_addresses"),
        (("--unfurl-allow-ports", "70000"), None, "unfurl.allow_ports"),
        (("--listen", "nonsense"), None, "listen"),
        (("--unfurl-nonsense", "1"), None, "nonsense"),
        (("--unfurl-user-agent", "a\r\nb: c"), None, "unfurl.user_agent"),
        ((), {"PARLEY_UNFURL_MAX_BYTES": "few"}, "unfurl.max_bytes"),
        (("--config", path), None, "unfurl.max_redirects"),
    ]:
        for more in ((), ("--check-config",)):
            code, output, errors = await ctx.run(
                program, *flags, *more, environment=environment)
            said = (output + errors).decode()
            assert code == 78, (flags, environment, more, code, said)
            assert named in said or f"--{named.replace('.', '-').replace('_', '-')}" in said, said
    service = await ctx.unfurl_service()
    code, _, errors = await ctx.run(program, "--listen", f"127.0.0.1:{service.port}")
    assert code == 69 and str(service.port) in errors.decode(), (code, errors)


@with_pages
async def test_many_at_once(ctx, pages):
    """Two hundred questions at once are all answered, while one of them hangs."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4_096, hard), hard))
    try:
        service = await ctx.unfurl_service(
            *REACHING, "--unfurl-max-concurrent", "100", "--unfurl-max-concurrent-per-host", "50",
            "--unfurl-timeout-ms", "25000")
        pages.stall("/never")
        for number in range(200):
            pages.add(f"/{number}", f"Number {number}")
        hanging = asyncio.create_task(ask(
            service, {"url": pages.url("/never"), "timeout_ms": 25_000}))
        answers = await asyncio.gather(*(
            ask(service, {"url": pages.url(f"/{number}"), "timeout_ms": 25_000})
            for number in range(200)))
        for number, (status, _, answer) in enumerate(answers):
            assert status == 200, (number, status, answer)
            assert answer["og_tag"]["og:title"] == f"Number {number}", (number, answer)
        hanging.cancel()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@with_pages
async def test_one_connection(ctx, pages):
    """Questions on one kept or pipelined connection are answered in their order."""
    service = await ctx.unfurl_service(*REACHING)
    gates = []
    for number in range(3):
        pages.add(f"/{number}", f"Number {number}")
        gates.append(pages.hold(f"/{number}"))
    gates[2].set()
    reader, writer = await asyncio.open_connection("127.0.0.1", service.port)
    for number in range(3):
        body = json.dumps({"url": pages.url(f"/{number}"), "timeout_ms": 20000}).encode()
        writer.write(
            b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    await pages.asked_for("/0")
    gates[1].set()
    gates[0].set()
    for number in range(3):
        async with asyncio.timeout(DEADLINE):
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            length = int(head.split("content-length: ")[1].split("\r\n")[0])
            answer = json.loads(await reader.readexactly(length))
        assert answer["og_tag"]["og:title"] == f"Number {number}", answer
    writer.close()


@with_pages
async def test_domains(ctx, pages):
    """Denied domains and the opt-out file hold here too; SIGHUP reads the file again."""
    path = os.path.join(ctx.directory(), "opted-out")
    with open(path, "w", encoding="utf-8") as file:
        file.write("out.localhost\n")
    service = await ctx.unfurl_service(
        *REACHING, "--unfurl-deny-domains", "denied.localhost", "--unfurl-opt-out-file", path)
    pages.add("/x", "X")
    for host in ("denied.localhost", "sub.denied.localhost", "out.localhost"):
        status, _, answer = await ask(service, {"url": pages.url("/x", host)})
        assert status >= 400, answer
        check_error(answer)
        assert host.removeprefix("sub.") in answer["message"], answer
    assert pages.connections == 0


@with_pages
async def test_opting_out_and_in(ctx, pages):
    """SIGHUP reads the opt-out file again."""
    path = os.path.join(ctx.directory(), "opted-out")
    with open(path, "w", encoding="utf-8") as file:
        file.write("out.localhost\n")
    service = await ctx.unfurl_service(*REACHING, "--unfurl-opt-out-file", path)
    pages.add("/x", "X")
    assert (await ask(service, {"url": pages.url("/x", "out.localhost")}))[0] >= 400
    with open(path, "w", encoding="utf-8") as file:
        file.write("# nobody any more\n")
    service.process.send_signal(signal.SIGHUP)

    async def let_in():
        status, _, _ = await ask(service, {"url": pages.url("/x", "out.localhost")})
        return status == 200
    async with asyncio.timeout(5 * PATIENCE):
        await eventually(let_in, "the domain that left the file")


@with_pages
async def test_denying_while_it_runs(ctx, pages):
    """SIGHUP reads the settings again: denied domains and the log level change, and an invalid file changes nothing."""
    file = Settings(ctx, unfurl__deny_domains=["denied.localhost"])
    service = await ctx.unfurl_service(*REACHING, "--config", file.path)
    pages.add("/x", "X")

    async def status(host):
        return (await ask(service, {"url": pages.url("/x", host)}))[0]
    assert await status("denied.localhost") >= 400 and await status("other.localhost") == 200
    file.write(unfurl__deny_domains=["other.localhost"], log__level="loud")
    line = await file.reload(service, "the settings cannot be reloaded")
    assert "setting=log.level" in line, line
    assert await status("denied.localhost") >= 400 and await status("other.localhost") == 200
    file.write(unfurl__deny_domains=["other.localhost"], unfurl__max_redirects=1)
    line = await file.reload(service, "restart to adopt them")
    assert "unfurl.max_redirects=\"5 -> 1\"" in line, line
    assert any("denied.localhost -> other.localhost" in line for line in service.lines), service.lines

    async def is_changed():
        return await status("denied.localhost") == 200 and await status("other.localhost") >= 400
    await eventually(is_changed, "the domains of the new file")


async def test_hostile_requests(ctx):
    """Broken HTTP, slow heads, giant heads and upgrades end in an error or a closed connection."""
    service = await ctx.unfurl_service("--limits-head-timeout-ms", "500")
    for data in (b"nonsense\r\n\r\n", b"\x16\x03\x01\x02\x00\x01", b"POST /unfurl HTTP/9.9\r\n\r\n",
                 b"POST /unfurl HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n",
                 b"POST /unfurl HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n"
                 b"Content-Length: 6\r\n\r\n",
                 b"GET / HTTP/1.1\r\nHost: a\r\n" + b"X: " + b"y" * 200_000 + b"\r\n\r\n",
                 b"POST /unfurl HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999\r\n\r\n",
                 b"POST /unfurl HTTP/1.1\r\nHost:", b"",
                 b"GET /unfurl HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                 b"Sec-WebSocket-Version: 13\r\n"
                 b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"):
        reader, writer = await asyncio.open_connection("127.0.0.1", service.port)
        writer.write(data)
        async with asyncio.timeout(DEADLINE):
            try:
                answer = await reader.read(12)
            except ConnectionError:
                answer = b""
        assert not answer or answer.split(b" ")[1][:1] in (b"4", b"5"), (data[:60], answer)
        writer.close()
    assert (await service.get("/healthz"))[0] == 200


async def test_one_proxy_for_all(ctx):
    """unfurl.proxy is asked for every page."""
    proxy = await Pages.start()
    service = await ctx.unfurl_service("--unfurl-proxy", proxy.url(""))
    proxy.add("http://example.com/page", "By proxy")
    status, _, answer = await ask(service, {"url": "http://example.com/page"})
    assert status == 200 and answer["og_tag"]["og:title"] == "By proxy", answer
    proxy.close()
