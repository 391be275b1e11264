"""Seeing why: the Platform API's calls about previews, and the commands that stand on them."""

import asyncio
import json
import os
import re
import signal
from urllib.parse import quote

from harness import DEADLINE, eventually, fence, http, scaled
from remembered import (
    FLAGS, entry_of, explain, look_up, preview_of, remembered, updates_of, with_pages)

PREVIEWS = "/v3/parley/previews"


async def test_without_a_token(ctx):
    """Without the API token, or with a wrong one, every call is 401 with 400401."""
    server = await ctx.server(*FLAGS)
    for method, path in (("GET", f"{PREVIEWS}/explain?url=http://a.com/"), ("GET", PREVIEWS),
                         ("DELETE", f"{PREVIEWS}?all=true")):
        for headers in ({}, {"Api-Token": "wrong"}, {"Api-Token": ""},
                        {"Api-Token": "x" * 8_000}, {"Api-Token": server.api_token + "x"},
                        {"Authorization": f"Bearer {server.api_token}"}):
            status, _, body = await http(server.port, method, path, headers)
            answer = json.loads(body)
            assert (status, answer["code"], answer["error"]) == (401, 400401, True), answer
            assert server.api_token not in body.decode()


async def test_a_token_of_the_settings(ctx):
    """With auth.api_token that one opens the API, and no file is made; a hyphen may come first."""
    token = "-s3cret-token-of-the-settings"
    server = await ctx.fresh(f"--auth-api-token={token}")
    assert not os.path.exists(os.path.join(server.data, "api-token"))
    for name in ("Api-Token", "api-token", "API-TOKEN"):
        status, _, _ = await http(server.port, "GET", PREVIEWS, {name: token})
        assert status == 200, name
    code, _, errors = await ctx.run(
        ctx.parley, "status", "--server", f"http://127.0.0.1:{server.port}", "--api-token", token)
    assert code == 0, errors


@with_pages
async def test_an_explanation(ctx, pages):
    """explain tells every request with its times, where each part is from, and what was cached."""
    server = await ctx.server(*FLAGS)
    pages.redirect("/from", "/to")
    pages.add_html("/to", '<meta property="og:title" content="Open"><title>Html</title>'
                   '<meta name="description" content="Plain"><link rel="canonical" href="/c">'
                   '<meta name="twitter:image" content="/t.png">')
    answer = await explain(server, pages.url("/from"))
    assert answer["url"] == pages.url("/from")
    tag = answer["og_tag"]
    assert (tag["og:title"], tag["og:description"], tag["og:url"], tag["og:image"]["url"]) == (
        "Open", "Plain", pages.url("/c"), pages.url("/t.png"))
    assert not answer.get("problem") and "cached" not in answer, answer
    assert isinstance(answer["duration_us"], int) and answer["duration_us"] > 0
    first, second = answer["trace"]["requests"]
    assert (first["url"], first["status"]) == (pages.url("/from"), 302), first
    assert (second["url"], second["status"]) == (pages.url("/to"), 200), second
    for request in (first, second):
        assert request["address"] == "127.0.0.1" and request["ending"], request
        times = {name: value for name, value in request.items() if name.endswith("_us")}
        assert len(times) >= 4 and all(
            isinstance(value, int) and 0 <= value < 60_000_000 for value in times.values()), times
        assert times["total_us"] <= answer["duration_us"]
    origins = {origin["member"]: origin["source"] for origin in answer["trace"]["origins"]}
    assert "og:title" in origins["og:title"], origins
    assert "twitter" in origins["og:image"] and "description" in origins["og:description"]
    assert "canonical" in origins["og:url"], origins
    pages.add("/from", "Changed")
    again = await explain(server, pages.url("/from"))
    assert again["cached"]["og_tag"]["og:title"] == "Open", again
    assert again["og_tag"]["og:title"] == "Changed" and pages.count("/from") == 2
    assert (await entry_of(server, pages.url("/from")))["og_tag"]["og:title"] == "Changed"


@with_pages
async def test_problems(ctx, pages):
    """Why there is no preview is told exactly: status, type, address, domain, port, time, page."""
    server = await ctx.server(
        "--unfurl-allow-addresses", "127.0.0.1/32,::1/128", "--unfurl-allow-ports", str(pages.port),
        "--unfurl-timeout-ms", scaled(700), "--unfurl-deny-domains", "denied.localhost", *FLAGS[4:])
    html = {"Content-Type": "text/html"}
    pages.answer("/image", "200 OK", {"Content-Type": "image/png"}, b"\x89PNG")
    pages.answer("/500", "500 Internal Server Error", html, b"<title>T</title>")
    pages.answer("/empty", "200 OK", html, b"")
    pages.answer("/none", "200 OK", html, b"<p>words</p>")
    pages.answer("/binary", "200 OK", html, bytes(range(256)) * 20)
    pages.redirect("/file", "file:///etc/passwd")
    pages.redirect("/loop", "/loop")
    pages.redirect("/private", f"http://10.1.2.3:{pages.port}/x")
    pages.stall("/slow")
    here = pages.port
    problems = {
        pages.url("/404"): r"404", pages.url("/500"): r"500",
        pages.url("/image"): r"image/png", pages.url("/empty"): r"empty",
        pages.url("/none"): r"title|metadata|neither", pages.url("/binary"): r"binary|not text",
        pages.url("/file"): r"file|scheme", pages.url("/loop"): r"redirect",
        pages.url("/private"): r"10\.1\.2\.3", pages.url("/slow"): r"time|late",
        f"http://10.1.2.3:{here}/": r"10\.1\.2\.3", f"http://127.0.0.2:{here}/": r"127\.0\.0\.2",
        "http://127.0.0.1:81/": r"81", f"http://denied.localhost:{here}/": r"denied\.localhost",
        f"http://sub.denied.localhost:{here}/": r"denied",
    }
    for url, pattern in problems.items():
        answer = await explain(server, url)
        assert "og_tag" not in answer, (url, answer)
        assert re.search(pattern, answer["problem"], re.I), (url, answer["problem"])
        offers_none = url in map(pages.url, ("/image", "/empty", "/none", "/binary"))
        kind = None if offers_none else "timed_out" if url == pages.url("/slow") else "failed"
        assert answer.get("kind") == kind, (url, answer)
    timed_out = await explain(server, pages.url("/slow"))
    assert timed_out["duration_us"] >= 600_000, timed_out


async def test_what_is_no_url(ctx):
    """What is no URL is 400111 and names the parameter; a missing one is 400105."""
    server = await ctx.server(*FLAGS)
    for url in ("nonsense", "ftp://a.com/", "http://", "javascript:alert(1)", "me@example.com",
                "http://user:pw@a.com/", "file:///etc/passwd", "   ",
                "http://a.com/" + "x" * 3_000):
        status, answer = await server.api("GET", "/parley/previews/explain", url=url)
        assert (status, answer["code"]) == (400, 400111), (url[:40], status, answer)
        assert "url" in answer["message"], answer
    for query, code in (("", 400105), ("?url=", 400105), ("?uri=http://a.com/", 400111)):
        status, _, body = await http(
            server.port, "GET", f"{PREVIEWS}/explain{query}", {"Api-Token": server.api_token})
        assert (status, json.loads(body)["code"]) == (400, code), (query, body)
    for target in (f"{PREVIEWS}?limit=0", f"{PREVIEWS}?limit=101", f"{PREVIEWS}?limit=-1"):
        status, _, body = await http(server.port, "GET", target, {"Api-Token": server.api_token})
        assert (status, json.loads(body)["code"]) in ((400, 400113), (400, 400106)), body
    for target, code in ((f"{PREVIEWS}?limit=x", 400101), (f"{PREVIEWS}/explain?url=%ff", 400151),
                         (f"{PREVIEWS}/explain?url=%zz", 400151)):
        status, _, body = await http(server.port, "GET", target, {"Api-Token": server.api_token})
        assert (status, json.loads(body)["code"]) == (400, code), (target, body)
    for method, target in (("GET", f"{PREVIEWS}/nonsense"), ("GET", "/v3/parley/nonsense"),
                           ("GET", "/v3")):
        status, _, body = await http(server.port, method, target, {"Api-Token": server.api_token})
        assert (status, json.loads(body)["code"]) == (404, 400930), (target, body)


async def test_previews_off(ctx):
    """With unfurl.mode off the calls answer 400920."""
    server = await ctx.fresh("--unfurl-mode", "off")
    for method, path, query in (("GET", "/parley/previews/explain", {"url": "http://a.com/"}),
                                ("GET", "/parley/previews", {}),
                                ("DELETE", "/parley/previews", {"all": "true"})):
        status, answer = await server.api(method, path, **query)
        assert (status, answer["code"]) == (400, 400920), answer


@with_pages
async def test_a_bare_name(ctx, pages):
    """explain takes what a message would say, and looks that up."""
    server = await ctx.server(*FLAGS, "--unfurl-deny-domains", "example.com")
    answer = await explain(server, "example.com/page")
    assert answer["url"] == "http://example.com/page", answer
    assert "example.com" in answer["problem"], answer
    pages.add("/x", "X")
    answer = await explain(server, f"look at {pages.url('/x')}, please")
    assert answer["og_tag"]["og:title"] == "X"


@with_pages
async def test_listing(ctx, pages):
    """The list pages through everything once, by url and by domain, to an empty next."""
    server = await ctx.fresh(*FLAGS, "--unfurl-allow-addresses", "127.0.0.0/8,::1/128")
    channel, owner, sender = await ctx.room(server, 1)
    urls = set()
    for number in range(24):
        host = ("127.0.0.1", "a.localhost", "sub.a.localhost", "nota.localhost")[number % 4]
        if number != 20:
            pages.add(f"/{number}", f"Number {number}")
        urls.add(pages.url(f"/{number}", host))
        await sender.send(channel, pages.url(f"/{number}", host))
    for url in urls:
        await remembered(server, url)

    async def walk(**query):
        found, token = [], None
        for _ in range(50):
            status, page = await server.api("GET", "/parley/previews", token=token, **query)
            assert status == 200 and len(page["previews"]) <= int(query.get("limit", 10)), page
            found += page["previews"]
            token = page["next"]
            if not token:
                return found
        raise AssertionError("the list has no end")
    for limit in (1, 7, 100):
        entries = await walk(limit=limit)
        assert sorted(entry["url"] for entry in entries) == sorted(urls), limit
    for entry in entries:
        assert (entry.get("og_tag") is None) == (entry["url"] == pages.url("/20")), entry
        assert entry["fetched_at"] < entry["expires_at"] <= entry["stale_until"] or (
            entry["url"] == pages.url("/20")), entry
    assert len(await walk()) == 24
    below = {url for url in urls if "//a.localhost" in url or "//sub.a.localhost" in url}
    assert {entry["url"] for entry in await walk(domain="a.localhost", limit=5)} == below
    assert {entry["url"] for entry in await walk(domain="A.localhost")} == below
    assert await walk(domain="c.localhost") == []
    (one,) = await walk(url=pages.url("/0"))
    assert one["og_tag"]["og:title"] == "Number 0"
    assert await walk(url=pages.url("/never")) == []
    status, answer = await server.api(
        "GET", "/parley/previews", url=pages.url("/0"), domain="a.localhost")
    assert (status, answer["code"]) == (400, 400920), answer
    await server.api("GET", "/parley/previews", token="nonsense \u2028")
    assert await server.end() == 0
    again = await ctx.fresh(*FLAGS, data=server.data)
    status, page = await again.api("GET", "/parley/previews", limit=100)
    assert {entry["url"] for entry in page["previews"]} == urls


@with_pages
async def test_purging(ctx, pages):
    """Purging by url, domain or all makes the next message fetch; messages keep what they have."""
    server = await ctx.fresh(*FLAGS, "--unfurl-allow-addresses", "127.0.0.0/8,::1/128")
    channel, owner, sender = await ctx.room(server, 1)
    places = {"/a": None, "/b": None, "/c": "a.localhost", "/d": "sub.a.localhost",
              "/e": "nota.localhost"}
    for path, host in places.items():
        pages.add(path, path)
        shown = await look_up(server, channel, owner, sender, pages.url(path, host))
        assert shown["og_tag"]["og:title"] == path

    async def purge(**query):
        status, answer = await server.api("DELETE", "/parley/previews", **query)
        assert status == 200, answer
        return answer["purged"]

    async def fetched(path):
        before = pages.count(path)
        message = await look_up(server, channel, owner, sender, pages.url(path, places[path]))
        assert message["og_tag"]["og:title"] == path
        return pages.count(path) > before
    assert await purge(url=pages.url("/a")) == 1
    assert await purge(url=pages.url("/a")) == 0
    assert await purge(url=pages.url("/never")) == 0
    assert [await fetched(path) for path in places] == [True, False, False, False, False]
    assert await purge(domain="a.localhost") == 2
    assert [await fetched(path) for path in places] == [False, False, True, True, False]
    assert await purge(all="true") == 5
    assert (await server.api("GET", "/parley/previews"))[1] == {"previews": [], "next": ""}
    got = await sender.call("message.list", channel_url=channel, prev_limit=100)
    assert all(message["og_tag"] for message in got["messages"])
    for query, code in (({}, 400105), ({"all": "false"}, 400105), ({"all": "1"}, 400104)):
        status, answer = await server.api("DELETE", "/parley/previews", **query)
        assert status == 400 and answer["code"] == code, answer
    status, answer = await server.api("DELETE", "/parley/previews", domain="not a domain")
    assert (status, answer["code"]) == (400, 400111), answer
    assert await server.end() == 0
    server = await ctx.fresh(*FLAGS, data=server.data)
    assert (await server.api("GET", "/parley/previews"))[1]["previews"] == []


@with_pages
async def test_purging_by_what_is_no_domain(ctx, pages):
    """A domain with a path or port behind it is 400111, and nothing is forgotten."""
    server = await ctx.server(*FLAGS, "--unfurl-allow-addresses", "127.0.0.0/8,::1/128")
    pages.add("/x", "X")
    await explain(server, pages.url("/x", "a.localhost"))
    for domain in ("a.localhost/other", "a.localhost?x", "a.localhost:1", "a.localhost#x"):
        status, answer = await server.api("DELETE", "/parley/previews", domain=domain)
        assert (status, answer.get("code")) == (400, 400111), (domain, answer)
    assert await entry_of(server, pages.url("/x", "a.localhost"))


@with_pages
async def test_purging_while_fetching(ctx, pages):
    """A purge while its page is fetched leaves no old preview behind; the message gets its own."""
    server = await ctx.server(*FLAGS)
    channel, owner, sender = await ctx.room(server, 1)
    pages.add("/p", "Old")
    gate = pages.hold("/p")
    url = pages.url("/p")
    sent = (await sender.send(channel, url))["message"]
    await pages.asked_for("/p")
    await server.api("DELETE", "/parley/previews", url=url)
    gate.set()
    assert (await preview_of(sender, sent))["og_tag"]["og:title"] == "Old"
    await fence(channel, owner, sender)
    assert await entry_of(server, url) is None
    pages.add("/p", "New")
    again = (await sender.send(channel, url))["message"]
    assert again["og_tag"] is None
    assert (await preview_of(sender, again))["og_tag"]["og:title"] == "New"
    assert len(updates_of(sender, sent)) == 1


async def answers(reader, count):
    """So many HTTP answers that come one after another: their statuses and bodies."""
    found = []
    async with asyncio.timeout(DEADLINE):
        for _ in range(count):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            length = int(head.split("content-length: ")[1].split("\r\n")[0])
            found.append((int(head.split(" ")[1]), await reader.readexactly(length)))
    return found


def request(server, path, method="GET"):
    token = server.api_token
    return f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nApi-Token: {token}\r\n\r\n".encode()


@with_pages
async def test_pipelined_around_a_slow_explanation(ctx, pages):
    """Requests behind a slow explain on one connection are answered after it, in their order."""
    server = await ctx.server(*FLAGS)
    pages.add("/slow", "Slow")
    gate = pages.hold("/slow")
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    target = f"{PREVIEWS}/explain?url={quote(pages.url('/slow'), safe='')}"
    writer.write(request(server, "/healthz") + request(server, target)
                 + request(server, "/readyz") + request(server, f"{PREVIEWS}?limit=1")
                 + request(server, "/v3/nonsense") + request(server, "/healthz"))
    (first,) = await answers(reader, 1)
    assert first[0] == 200
    await pages.asked_for("/slow")
    status, _, _ = await server.get("/healthz")
    assert status == 200
    gate.set()
    found = await answers(reader, 5)
    assert [status for status, _ in found] == [200, 200, 200, 404, 200], found
    assert json.loads(found[0][1])["og_tag"]["og:title"] == "Slow"
    assert found[1][1].startswith(b"ready") and "previews" in json.loads(found[2][1])
    writer.close()


@with_pages
async def test_closing_during_an_explanation(ctx, pages):
    """Who closes the connection during explain harms nobody, also a hundred times."""
    server = await ctx.server(*FLAGS, "--unfurl-timeout-ms", "3000")
    pages.add("/x", "X")
    gate = pages.hold("/x")
    for number in range(100):
        _, writer = await asyncio.open_connection("127.0.0.1", server.port)
        target = f"{PREVIEWS}/explain?url={quote(pages.url('/x'), safe='')}"
        writer.write(request(server, target))
        if number == 0:
            await pages.asked_for("/x")
        writer.close()
    gate.set()
    assert (await server.get("/healthz"))[0] == 200

    async def free():
        return (await explain(server, pages.url("/x"))).get("og_tag")
    await eventually(free, "an explanation after those that were left")


@with_pages
async def test_a_drain_during_an_explanation(ctx, pages):
    """SIGTERM during explain: it is answered, then the server ends with 0."""
    server = await ctx.fresh(*FLAGS)
    pages.add("/x", "X")
    gate = pages.hold("/x")
    waiting = asyncio.create_task(explain(server, pages.url("/x")))
    await pages.asked_for("/x")
    server.process.send_signal(signal.SIGTERM)

    async def draining():
        return any("drain" in line for line in server.lines)
    await eventually(draining, "word of the drain")
    gate.set()
    answer = await waiting
    assert answer["og_tag"]["og:title"] == "X", answer
    assert await server.wait() == 0


@with_pages
async def test_many_explanations_at_once(ctx, pages):
    """Of many explanations at once each is answered, if only by a refusal that says why."""
    server = await ctx.server(*FLAGS)
    for number in range(40):
        pages.add(f"/{number}", f"Number {number}")
    found = await asyncio.gather(*(
        server.api("GET", "/parley/previews/explain", url=pages.url(f"/{number}"))
        for number in range(40)))
    for number, (status, answer) in enumerate(found):
        if status == 200 and "og_tag" in answer:
            assert answer["og_tag"]["og:title"] == f"Number {number}"
        else:
            assert "many" in answer.get("problem", answer.get("message", "")), answer
    assert sum("og_tag" in answer for _, answer in found) >= 8


class Commands:
    """parley, asking one server."""

    def __init__(self, ctx, server, **environment):
        self.ctx, self.server = ctx, server
        self.environment = {"PARLEY_CLI_SERVER": f"http://127.0.0.1:{server.port}", **environment}

    async def run(self, *words, token="file"):
        if token == "file":
            words += ("--api-token-file", os.path.join(self.server.data, "api-token"))
        code, output, errors = await self.ctx.run(
            self.ctx.parley, "preview", *words, environment=self.environment)
        return code, output.decode(), errors.decode()

    async def text(self, *words):
        code, output, errors = await self.run(*words)
        assert code == 0 and not errors, (words, code, output, errors)
        return output


@with_pages
async def test_commands_for_people(ctx, pages):
    """explain, list and purge say in lines what the calls answer."""
    server = await ctx.fresh(*FLAGS)
    parley = Commands(ctx, server)
    pages.add("/page", "A title\u202e with \u001b[31mcolour", og__description="Words")
    output = await parley.text("explain", pages.url("/page"))
    for words in (pages.url("/page"), "with", "Words", "127.0.0.1", "200", "og:title", " ms"):
        assert words in output, (words, output)
    assert "\x1b" not in output and "\u202e" not in output
    output = await parley.text("explain", pages.url("/missing"))
    assert "no preview" in output and "404" in output, output
    output = await parley.text("list")
    assert pages.url("/page") in output and pages.url("/missing") in output and "404" in output
    output = await parley.text("list", "--url", pages.url("/page"))
    assert pages.url("/page") in output and "/missing" not in output
    output = await parley.text("list", "--limit", "1")
    token = re.search(r"--token (\S+)", output)
    assert token, output
    rest = await parley.text("list", "--limit", "1", "--token", token[1].rstrip(",").strip("'"))
    shown = [pages.url(path) in output for path in ("/page", "/missing")]
    assert [pages.url(path) in rest for path in ("/page", "/missing")] == [
        not value for value in shown], (output, rest)
    assert "1" in await parley.text("purge", "--url", pages.url("/page"))
    assert "0" in await parley.text("purge", "--domain", "example.com")
    assert "1" in await parley.text("purge", "--all")
    assert pages.url("/page") not in await parley.text("list")
    pages.answer("/type", "200 OK", {"Content-Type": "image/\u202egnp"}, b"x")
    output = await parley.text("explain", pages.url("/type"))
    assert "image/" in output and "\u202e" not in output


@with_pages
async def test_the_size_of_a_page_for_people(ctx, pages):
    """explain for people tells how many bytes were read."""
    server = await ctx.server(*FLAGS)
    pages.add_html("/size", "<title>T</title>" + "x" * 12_305)
    output = await Commands(ctx, server).text("explain", pages.url("/size"))
    assert re.search(r"12[,.]?321 bytes", output), output


@with_pages
async def test_commands_for_programs(ctx, pages):
    """With --json the commands print the calls' answers."""
    server = await ctx.fresh(*FLAGS)
    parley = Commands(ctx, server)
    pages.add("/page", "Title")
    answer = json.loads(await parley.text("explain", pages.url("/page"), "--json"))
    assert answer["og_tag"]["og:title"] == "Title" and answer["trace"]["requests"]
    answer = json.loads(await parley.text("list", "--json"))
    assert [entry["url"] for entry in answer["previews"]] == [pages.url("/page")]
    assert answer == (await server.api("GET", "/parley/previews"))[1]
    assert json.loads(await parley.text("purge", "--all", "--json")) == {"purged": 1}


@with_pages
async def test_commands_that_fail(ctx, pages):
    """A wrong token, URL, word or server: a status that is not 0, and a line that helps."""
    server = await ctx.fresh(*FLAGS)
    parley = Commands(ctx, server)
    url = pages.url("/x")

    async def fails(*words, say, token="file", using=parley):
        code, output, errors = await using.run(*words, token=token)
        assert code != 0 and not output, (words, code, output)
        assert re.search(say, errors, re.I | re.S), (words, errors)
    await fails("explain", url, "--api-token", "wrong", token="none", say="token|400401")
    await fails("list", "--api-token", "wrong", token="none", say="token|400401")
    await fails("list", "--api-token-file", "/nowhere/token", token="none", say="/nowhere/token")
    await fails("explain", "nonsense", say="url")
    await fails("explain", say="url")
    await fails("purge", say="--url.*--domain.*--all")
    await fails("purge", "--all", "--url", url, say="--url.*--domain.*--all|one of")
    await fails("list", "--limit", "1000", say="limit")
    await fails("list", "--limit", "many", say="limit")
    await fails("list", "--server", "nonsense", say="nonsense")
    await fails("list", "--server", pages.url(""), say="404|Parley")
    off = await ctx.fresh("--unfurl-mode", "off")
    await fails("list", using=Commands(ctx, off), say="unfurl.mode")
    assert await server.end() == 0
    await fails("list", say=f"{server.port}.*")
    await fails("explain", url, say="not answer|running|connect")


@with_pages
async def test_environment_of_the_commands(ctx, pages):
    """PARLEY_CLI_SERVER and PARLEY_CLI_API_TOKEN serve where no flag is given; flags win."""
    server = await ctx.fresh(*FLAGS)
    environment = {"PARLEY_CLI_SERVER": f"http://127.0.0.1:{server.port}/",
                   "PARLEY_CLI_API_TOKEN": server.api_token}
    code, output, errors = await ctx.run(
        ctx.parley, "preview", "list", environment=environment)
    assert code == 0 and b"no cached previews" in output, (output, errors)
    code, _, _ = await ctx.run(
        ctx.parley, "preview", "list", "--api-token", "wrong", environment=environment)
    assert code != 0
    code, _, _ = await ctx.run(
        ctx.parley, "preview", "list", "--server", "http://127.0.0.1:1", environment=environment)
    assert code != 0 and pages.connections == 0
