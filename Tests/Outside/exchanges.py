"""HTTP itself under the Platform API: heads, bodies, connections, methods, paths of any characters.
"""

import asyncio
import json
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from urllib.parse import quote, quote_plus

from calls import FLAGS, Caller
from endpoints import Mistakes, guarded
from harness import DEADLINE

# Users may be called so, and so may items of metadata.
ODD_NAMES = [
    "a/b", "/", "//", "a b", " ", "a+b", "a%2Fb", "%", "100%", "a?b=c&d", "a#b", "a;b=c", "a,b",
    "..", ".", "../users", "metadata", "token", "😀👩", "한국어", "naïve", "a\\b", '"', "'", "<b>",
    "a|b", "a@b.example", "a:b", "[1]", "{x}", "~", "*", "=", "&", "null", "true", "0", "-1",
    "\U0010ffff", "é" * 80]
# No user may be called so.
UNSEEN_NAMES = ["\u200b", "\u202eabc", "a\u200db", "a\u00adb", "\ufeffa", "a\u2028b", "a\u0007b"]


def head(method, target, *fields, version="1.1"):
    lines = [f"{method} {target} HTTP/{version}", "Host: localhost", *fields]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def chunked(body, *sizes, trailer=b""):
    """A body in chunks of these sizes over and over."""
    data, place, count = b"", 0, 0
    while place < len(body):
        piece = body[place:place + sizes[count % len(sizes)]]
        data += b"%x;name=value\r\n%b\r\n" % (len(piece), piece)
        place, count = place + len(piece), count + 1
    return data + b"0\r\n" + trailer + b"\r\n"


async def caller_of(ctx):
    return Caller(await ctx.server(*FLAGS))


async def test_any_characters_in_paths(ctx):
    """Users and items of any characters are made, and found, changed and deleted by their paths."""
    async with await caller_of(ctx) as caller:
        channel = (await caller.call("POST", "/open_channels", {"name": "x"}))["channel_url"]
        for name in ODD_NAMES:
            user = await caller.call("POST", "/users", {"user_id": name, "metadata": {name: "v"}})
            assert user["user_id"] == name, user
            everything = "".join(f"%{byte:02x}" for byte in name.encode())
            for path in {quote(name, safe=""), everything}:
                user = await caller.call("GET", f"/users/{path}")
                assert user["user_id"] == name, (name, user)
                item = await caller.call("PUT", f"/users/{path}/metadata/{path}", {"value": name})
                assert item == {name: name}, (name, item)
                await caller.call("POST", f"/users/{path}/token", {})
                await caller.call("POST", f"/open_channels/{channel}/ban", {"user_id": name})
                ban = await caller.call("GET", f"/open_channels/{channel}/ban/{path}")
                assert ban["user"]["user_id"] == name, (name, ban)
                await caller.call("DELETE", f"/open_channels/{channel}/ban/{path}")
            counter = f"/open_channels/{channel}/metacounter/{quote(name, safe='')}"
            assert await caller.call("PUT", counter, {"value": 1, "upsert": True}) == {name: 1}
            limits = f"/parley/limits/custom_types/{quote(name, safe='')}"
            assert (await caller.call("GET", limits))["flood"], name
            await caller.call("DELETE", counter)
            await caller.call("DELETE", f"/users/{everything}/metadata/{everything}")
            if "," not in name:
                found = await caller.call("GET", "/users", user_ids=name)
                assert [user["user_id"] for user in found["users"]] == [name], (name, found)
            await caller.call("DELETE", f"/users/{quote(name, safe='')}")
            answer = await caller.send("GET", f"/v3/users/{everything}")
            assert answer.code == 400201, answer


async def test_names_that_are_missing_in_paths(ctx):
    """A path with an empty part is 404 and 400930, and never that of what is beside or above."""
    mistakes = Mistakes()
    async with await caller_of(ctx) as caller:
        for name in ("metadata", "token", "ban"):
            await caller.call("POST", "/users", {"user_id": name, "metadata": {"k": "v"}})
            await caller.call("POST", "/open_channels", {
                "channel_url": name.ljust(4, "_"), "is_ephemeral": True})
        for target in ("/v3/users//metadata", "/v3/users//token", "/v3/users/metadata/metadata/",
                       "/v3/open_channels//metadata", "/v3//users/ban", "//v3/users/ban",
                       "/v3/users/ban/", "/v3/users/ban//", "/v3/users/",
                       "/v3/open_channels/metadata/metadata/", "/v3/open_channels/metadata/"):
            for method in ("GET", "PUT", "POST", "DELETE"):
                mistakes.note(f"{method} {target}", await caller.send(method, target), 400930,
                              status=404)
        mistakes.tell()
        for name in ("metadata", "token", "ban"):
            assert (await caller.call("GET", f"/users/{name}"))["metadata"] == {"k": "v"}, name


async def test_queries_of_any_characters(ctx):
    """Parameters are decoded as forms write them: `+` is a space, `%2B` a plus; the last counts."""
    async with await caller_of(ctx) as caller:
        mark = ctx.name()
        for name in ("a b", "a+b", "a&b=c", "100%", "한국어", "é" * 150):
            channel = await caller.call("POST", "/open_channels", {"name": mark + name})
            for text in (quote(mark + name, safe=""), quote_plus(mark + name)):
                for query in (f"name_contains={text}", f"name_contains=x&name_contains={text}"):
                    answer = await caller.send("GET", f"/v3/open_channels?{query}")
                    found = [c["channel_url"] for c in answer.value["channels"]]
                    assert found == [channel["channel_url"]], (query, answer)


async def test_methods_and_paths_there_are_not(ctx):
    """A path, or a method of a path, that there is not is 404 and 400930, whatever it asks."""
    mistakes = Mistakes()
    async with await caller_of(ctx) as caller:
        known = {}
        for path, method, _ in guarded():
            known.setdefault(path, set()).add(method)
        # A word in the place of an id.
        for word in ("usage", "encryption", "rotate_key", "encrypt_all"):
            known[f"/v3/parley/files/{word}"] |= known["/v3/parley/files/{file_id}"]
        known["/v3/users/{user_id}/push/template"] |= known["/v3/users/{user_id}/push/{token_type}"]
        own = known["/v3/parley/api_tokens/me"]
        own |= known["/v3/parley/api_tokens/{api_token_id}"]
        for path, methods in known.items():
            target = path.replace("{message_id}", "1").replace("{", "").replace("}", "")
            alike = {"HEAD"} if "GET" in methods else set()
            for method in {"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE",
                           "BREW", "get"} - methods - alike:
                answer = await caller.send(method, target, b"{")
                assert answer.fields["content-type"] == "application/json", answer.fields
                if method == "HEAD":
                    assert answer.status == 404 and not answer.content, answer
                else:
                    mistakes.note(f"{method} {target}", answer, 400930, status=404)
        for target in ("/v3", "/v3/", "/v3/nothing", "/v3/Users", "/v3/users/a/nothing",
                       "/v3/open_channels/abcd/messages/1/nothing", "/v3/parley", "/v3/%00",
                       "/v3/open_channels/abcd/messages/mark_as_read",
                       "/v3/open_channels/abcd/messages/1.5",
                       "/v3/open_channels/abcd/messages/word/translation",
                       "/v3/parley/limits/channels", "/v3/users/a/metadata/b/c", "/v4/users",
                       "/v3users", "/V3/users"):
            for method in ("GET", "POST", "PUT", "DELETE"):
                mistakes.note(f"{method} {target}", await caller.send(method, target), 400930,
                              status=404)
    mistakes.tell()


async def test_ids_with_invisible_characters(ctx):
    """No user is made, or found, under an id with characters that are not seen."""
    async with await caller_of(ctx) as caller:
        for name in UNSEEN_NAMES:
            made = await caller.send("POST", "/v3/users", {"user_id": name})
            assert made.code == 400151 and "user_id" in made.value["message"], (name, made)
            found = await caller.send("GET", f"/v3/users/{quote(name, safe='')}")
            assert found.code == 400201, (name, found)


async def test_what_every_answer_has(ctx):
    """Each answer has a date, HEAD is GET without the body, 401 names what is missing, 405 what is allowed,
    and a coded body is refused."""
    async with await caller_of(ctx) as caller:
        for method, target, body, headers, status in (
                ("GET", "/healthz", None, None, 200), ("GET", "/v3/users", None, None, 200),
                ("GET", "/v3/users", None, {}, 401), ("GET", "/nothing", None, None, 404),
                ("POST", "/healthz", None, None, 405), ("GET", "/files/none/none", None, None, 404),
                ("POST", "/v3/users", b"x", {"Api-Token": caller.token, "Content-Encoding": "gzip"},
                 415)):
            answer = await caller.send(method, target, body, headers)
            assert answer.status == status, (method, target, answer)
            date = parsedate_to_datetime(answer.fields["date"])
            assert abs((datetime.now(timezone.utc) - date).total_seconds()) < 3_600, answer.fields
            if status >= 400:
                assert answer.fields["content-type"] == "application/json", answer.fields
            if status == 401:
                assert answer.fields["www-authenticate"] == "Api-Token", answer.fields
            if status == 405:
                assert answer.fields["allow"] == "GET, HEAD" and answer.code == 400930, answer
            if status == 415:
                assert answer.fields["accept-encoding"] == "identity", answer.fields
        for target in ("/v3/users?limit=1", "/v3/open_channels", "/v3/parley/status", "/v3/users/none"):
            got, headed = [await caller.send(method, target) for method in ("GET", "HEAD")]
            assert got.status == headed.status and got.content and not headed.content, (got, headed)
        headers = {"Api-Token": caller.token, "Content-Encoding": "Identity"}
        made = await caller.send("POST", "/v3/users", {"user_id": ctx.name(), "nickname": "n"}, headers)
        assert made.status == 200, made


async def test_two_tokens(ctx):
    """Two fields Api-Token are refused, whatever they hold."""
    server = await ctx.server()
    for second in (server.api_token, "wrong"):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(head("GET", "/v3/users", f"Api-Token: {server.api_token}", f"Api-Token: {second}"))
        async with asyncio.timeout(DEADLINE):
            answer = await reader.readuntil(b"\r\n\r\n")
        writer.close()
        assert answer.startswith(b"HTTP/1.1 400 "), answer


async def test_the_token_header_in_any_case(ctx):
    """The header Api-Token is known in any case, with space around its value."""
    async with await caller_of(ctx) as caller:
        for name in ("Api-Token", "api-token", "API-TOKEN", "aPI-tOKEN"):
            for value in (caller.token, f"  {caller.token}\t "):
                answer = await caller.send("GET", "/v3/users", headers={name: value})
                assert answer.status == 200, (name, answer)
        for name in ("Api_Token", "Api-Tokens", "X-Api-Token", "Authorization"):
            answer = await caller.send("GET", "/v3/users", headers={name: caller.token})
            assert answer.code == 400401, (name, answer)


async def test_a_connection_is_kept_over_refusals(ctx):
    """On one connection refusals of all kinds are answered, and good calls behind them."""
    async with await caller_of(ctx) as caller:
        await caller.call("GET", "/users", limit=1)
        writer = caller.writer
        for method, target, body, headers, status in (
                ("POST", "/v3/users", b"{", None, 400), ("POST", "/v3/users", {}, None, 400),
                ("GET", "/v3/users?limit=x", None, None, 400),
                ("GET", "/v3/users?limit=%", None, None, 400),
                ("GET", "/v3/users", None, {}, 401), ("GET", "/v3/nothing", None, None, 404),
                ("PATCH", "/v3/users", {"a": 1}, None, 404), ("GET", "/nothing", None, None, 404),
                ("POST", "/healthz", b"x" * 1000, None, 405),
                ("GET", "/v3/users/nobody", None, None, 400),
                ("DELETE", "/v3/users/nobody", b"{" * 1000, None, 400),
                ("POST", "/v3/open_channels", b"[" * 100_000, None, 400)):
            for _ in range(3):
                answer = await caller.send(method, target, body, headers)
                assert answer.status == status, (method, target, answer)
                await caller.call("GET", "/users", limit=1)
        assert caller.writer is writer, "the connection was not kept"


async def test_pipelined_calls(ctx):
    """Calls written at once are carried out one after the other, and answered in order."""
    async with await caller_of(ctx) as caller:
        token, name, data = f"Api-Token: {caller.token}", ctx.name(), b""

        def add(method, path, body=b""):
            nonlocal data
            data += head(method, f"/v3{path}", token, f"Content-Length: {len(body)}") + body
        add("POST", "/users", json.dumps({"user_id": name}).encode())
        for number in range(50):
            add("PUT", f"/users/{name}", json.dumps({"nickname": str(number)}).encode())
            add("GET", f"/users/{name}")
            add("POST", "/users", b"{")
            add("GET", "/nothing")
        add("DELETE", f"/users/{name}")
        add("GET", f"/users/{name}")
        for size in (len(data), 977):
            for place in range(0, len(data), size):
                await caller.write(data[place:place + size])
                await asyncio.sleep(0)
            assert (await caller.read()).value["user_id"] == name
            for number in range(50):
                for _ in range(2):
                    assert (await caller.read()).value["nickname"] == str(number)
                assert (await caller.read()).code == 400403
                assert (await caller.read()).code == 400930
            assert (await caller.read()).value == {}
            assert (await caller.read()).code == 400201


async def test_chunked_bodies(ctx):
    """A body in chunks of any size, with extensions and trailers, is taken as any other."""
    async with await caller_of(ctx) as caller:
        fields = f"Api-Token: {caller.token}", "Transfer-Encoding: chunked"
        for sizes in ((1,), (7, 1), (10_000,)):
            for trailer in (b"", b"Trailer: x\r\nOther: y\r\n"):
                name = ctx.name()
                body = json.dumps({"user_id": name, "nickname": "é" * 80}).encode()
                data = head("POST", "/v3/users", *fields) + chunked(body, *sizes, trailer=trailer)
                await caller.write(data[:-3])
                await caller.writer.drain()
                await caller.write(data[-3:])
                answer = await caller.read()
                assert answer.value["user_id"] == name, answer
        await caller.write(head("POST", "/v3/users", *fields) + chunked(b""))
        assert (await caller.read()).code == 400105
        for wrong in (b"x\r\n", b"-1\r\n", b"0x1\r\n{\r\n", b"1\r\n{}\r\n", b"\r\n",
                      b"2\n{}\n0\n\n", b"11111111111111111\r\n"):
            await caller.write(head("POST", "/v3/users", *fields) + wrong)
            answer = await caller.read()
            assert (answer.status, answer.code) in ((400, 400111), (413, 400110)), (wrong, answer)
            assert caller.writer is None, f"kept after {wrong}"


async def refused_by_http(caller, data, status, code):
    """What is refused for its form has an error's body, and ends the connection."""
    await caller.write(data)
    answer = await caller.read()
    assert (answer.status, answer.code) == (status, code), (data[:100], answer)
    assert answer.value["error"] is True and answer.value["message"], answer
    assert caller.writer is None, f"the connection was kept after {data[:100]}"


async def test_heads_that_are_too_large(ctx):
    """A head or request line that is too long is 431 or 414, one below the limits is answered."""
    async with await caller_of(ctx) as caller:
        token = f"Api-Token: {caller.token}"
        await refused_by_http(
            caller, head("GET", "/v3/users", token, "X: " + "x" * 20_000), 431, 400110)
        await refused_by_http(
            caller, head("GET", "/v3/users", token, *[f"X{n}: x" for n in range(120)]), 431,
            400110)
        await refused_by_http(caller, head("GET", "/v3/users?a=" + "x" * 13_000, token), 414, 400110)
        for target, fields in (
                ("/v3/users", ["X: " + "x" * 15_000]), ("/v3/users?" + "limit=1&" * 1500, []),
                ("/v3/users", [f"X{n}: x" for n in range(90)])):
            await caller.write(head("GET", target, token, *fields))
            assert (await caller.read()).status == 200, target


async def test_bodies_that_are_too_large(ctx):
    """A body over limits.http_body_bytes is 413, as soon as its length is known."""
    server = await ctx.fresh(*FLAGS, "--limits-http-body-bytes", "2000")
    async with Caller(server) as caller:
        token = f"Api-Token: {caller.token}"
        for length in (2001, 10**9, 2**63, 10**30):
            await refused_by_http(caller, head(
                "POST", "/v3/users", token, f"Content-Length: {length}"), 413, 400110)
        for chunk in (b"7d1\r\n", b"7fffffffffffffff\r\n",
                      b"3e8\r\n" + b"x" * 1000 + b"\r\n3e9\r\n"):
            await refused_by_http(caller, head(
                "POST", "/v3/users", token, "Transfer-Encoding: chunked") + chunk, 413, 400110)
        name = ctx.name()
        body = json.dumps({"user_id": name}).encode().ljust(2000)
        answer = await caller.send("POST", "/v3/users", body)
        assert answer.value["user_id"] == name, answer


async def test_requests_that_are_no_http(ctx):
    """What two servers could read differently is refused, and the connection closed."""
    async with await caller_of(ctx) as caller:
        token = f"Api-Token: {caller.token}"
        for status, data in (
                (400, head("GET", "/v3/users", token, "Content-Length: x")),
                (400, head("POST", "/v3/users", token, "Content-Length: 1", "Content-Length: 2")),
                (400, head("POST", "/v3/users", token, "Content-Length: -1")),
                (400, head("POST", "/v3/users", token, "Content-Length: 1",
                           "Transfer-Encoding: chunked")),
                (501, head("POST", "/v3/users", token, "Transfer-Encoding: gzip, chunked")),
                (400, head("GET", "/v3/users", token, "Host: b.example")),
                (400, head("GET", "/v3/users", token, " folded")),
                (400, head("GET", "/v3/users", token, "Name : x")),
                (400, head("GET", "/v3/users", token, "no colon")),
                (400, head("GET ", "/v3/users")), (400, b"GET /v3/users\r\nHost: a\r\n\r\n"),
                (400, b"GET /v3/users HTTP/1.1\r\n\r\n"), (400, head("G\0T", "/v3/users")),
                (400, b"GET /v3/users HTTP/1.1\nHost: a\n\n"), (400, head("GET", "users")),
                (400, head("GET", "/v3/users/é")), (400, head("G E T", "/v3/users")),
                (505, head("GET", "/v3/users", token, version="2.0"))):
            await refused_by_http(caller, data, status, 400111)


async def test_who_waits_to_be_told_to_continue(ctx):
    """Expect: 100-continue is answered with 100 before the body, another expectation with 417."""
    async with await caller_of(ctx) as caller:
        token, name = f"Api-Token: {caller.token}", ctx.name()
        body = json.dumps({"user_id": name}).encode()
        fields = token, f"Content-Length: {len(body)}"
        for expectation in ("100-continue", "100-Continue"):
            await caller.write(head("POST", "/v3/users", *fields, f"Expect: {expectation}"))
            assert (await caller.read()).status == 100
            await caller.write(body)
            assert (await caller.read()).status in (200, 400)
        await caller.call("GET", f"/users/{name}")
        await caller.write(head("GET", "/v3/users", token, "Expect: 100-continue"))
        assert (await caller.read()).status == 200, "there is no body to wait for"
        await refused_by_http(
            caller, head("POST", "/v3/users", *fields, "Expect: wonders"), 417, 400111)
        await refused_by_http(caller, head(
            "POST", "/v3/users", token, "Content-Length: 999999999", "Expect: 100-continue"), 413,
            400110)


async def test_connections_that_are_not_kept(ctx):
    """Connection: close and HTTP/1.0 end the connection after the answer; keep-alive does not."""
    async with await caller_of(ctx) as caller:
        token = f"Api-Token: {caller.token}"
        for fields, version, is_kept in (
                ([], "1.1", True), (["Connection: close"], "1.1", False), ([], "1.0", False),
                (["Connection: keep-alive"], "1.0", True)):
            await caller.write(head("GET", "/v3/users", token, *fields, version=version))
            reader = caller.reader
            assert (await caller.read()).status == 200
            if is_kept:
                await caller.call("GET", "/users")
            else:
                async with asyncio.timeout(DEADLINE):
                    assert await reader.read() == b""
                caller.close()
        target = f"http://localhost:{caller.port}/v3/users"
        await caller.write(head("GET", target, token))
        assert (await caller.read()).status == 200, "the absolute form of a target is one, too"
