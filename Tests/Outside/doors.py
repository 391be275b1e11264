"""Who gets in: addresses, descriptors, origins and hosts, bodies, half-closed connections, drains."""

import asyncio
import contextlib
import json
import os
import re
import signal
import socket
import stat
import time

from harness import DEADLINE, PATIENCE, eventually, http

UPGRADE = {
    "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}


def other_ports(server):
    """The ports of the listeners beside the first, once they have been announced."""
    return {
        scheme: int(port) for line in server.lines
        for scheme, port in re.findall(r"listening on (\w+)://127\.0\.0\.1:(\d+)", line)}


async def until(condition, what):
    async def asked():
        return condition()
    return await eventually(asked, what)


async def listener(server, scheme):
    return await until(lambda: other_ports(server).get(scheme), f"a {scheme} listener")


async def exchange(port, *parts, half_close=False, until_end=True):
    """Writes bytes and gives all that comes until the server ends the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for part in parts:
            writer.write(part)
        if half_close:
            writer.write_eof()
        async with asyncio.timeout(DEADLINE):
            return await (reader.read() if until_end else reader.readuntil(b"\r\n\r\n"))
    except (ConnectionError, asyncio.IncompleteReadError):
        return b""
    finally:
        writer.close()


async def counted(server, name, **labels):
    """A sample of /metrics."""
    _, _, body = await server.get("/metrics")
    return sample(body, name, **labels)


def sample(body, name, **labels):
    wanted = name + ("{" + ",".join(f'{k}="{v}"' for k, v in labels.items()) + "}" if labels else "")
    for line in body.decode().splitlines():
        if line.startswith(wanted + " "):
            return float(line.split()[-1])
    raise AssertionError(f"no {wanted}")


# Addresses. Loopback is exempt, so a PROXY header gives each connection its address.


class Proxied:
    """A connection of a client whom a PROXY header names."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer

    @classmethod
    async def open(cls, port, address):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        family = "TCP6" if ":" in address else "TCP4"
        own = "::1" if family == "TCP6" else "127.0.0.1"
        writer.write(f"PROXY {family} {address} {own} 40000 80\r\n".encode())
        await writer.drain()
        return cls(reader, writer)

    async def is_open(self):
        """Whether the server has left it open: it answers a request then."""
        try:
            self.writer.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            async with asyncio.timeout(DEADLINE):
                return (await self.reader.readuntil(b"alive\n")).startswith(b"HTTP/1.1 200")
        except (ConnectionError, asyncio.IncompleteReadError):
            return False

    async def end(self):
        """Returns when the server has closed it."""
        with contextlib.suppress(ConnectionError):
            assert await self.reader.read(1) == b""

    def close(self):
        self.writer.close()


async def only_closed(connections):
    """The one connection of these that the server closes. Connections that were opened together
    are on several loops of the server, which may count them in another order."""
    ends = [asyncio.create_task(connection.end()) for connection in connections]
    try:
        done, _ = await asyncio.wait(
            ends, timeout=DEADLINE, return_when=asyncio.FIRST_COMPLETED)
        assert len(done) == 1, f"{len(done)} of {len(ends)} connections were closed"
        return connections[ends.index(done.pop())]
    finally:
        for end in ends:
            end.cancel()
        await asyncio.gather(*ends, return_exceptions=True)


async def all_open(connections):
    return all([await connection.is_open() for connection in connections])


async def proxied(ctx, *flags):
    server = await ctx.fresh(
        "--proxy-listen", "127.0.0.1:0", "--proxy-trusted", "127.0.0.1", "--auth-mode", "open",
        "--operations-listen", "127.0.0.1:0", *flags)
    return server, await listener(server, "proxy"), await listener(server, "operations")


async def test_unopened_connections_of_an_address(ctx):
    """One address gets no more unopened connections than limits.unopened_connections_per_address."""
    server, port, operations = await proxied(
        ctx, "--limits-unopened-connections-per-address", "5")
    silent = [await Proxied.open(port, "192.0.2.7") for _ in range(6)]
    closed = await only_closed(silent)
    silent.remove(closed)
    other = await Proxied.open(port, "192.0.2.8")
    assert await other.is_open()
    opened = silent.pop()
    assert await opened.is_open()
    # A whole request has made room for one more.
    silent += [await Proxied.open(port, "192.0.2.7") for _ in range(2)]
    closed_again = await only_closed(silent)
    silent.remove(closed_again)
    assert await all_open(silent)
    _, _, body = await http(operations, "GET", "/metrics")
    assert sample(body, "parley_connections_refused_total", reason="address") == 2
    line = await until(
        lambda: [line for line in server.lines if "192.0.2.7" in line], "a line in the log")
    assert "limits.unopened_connections_per_address" in line[0], line
    for connection in [*silent, closed, other, opened, closed_again]:
        connection.close()


async def test_a_network_of_ipv6_is_one_address(ctx):
    """The addresses of an IPv6 /64 count as one, the next /64 as another."""
    _, port, _ = await proxied(ctx, "--limits-unopened-connections-per-address", "2")
    first = [await Proxied.open(port, f"2001:db8::{n}") for n in (1, 2, 3)]
    closed = await only_closed(first)
    other = await Proxied.open(port, "2001:db8:0:1::3")
    assert await other.is_open()
    first.remove(closed)
    assert await all_open(first)
    for connection in [*first, closed, other]:
        connection.close()


async def test_all_connections_of_an_address(ctx):
    """limits.connections_per_address bounds those that have sent requests too."""
    _, port, _ = await proxied(
        ctx, "--limits-connections-per-address", "3",
        "--limits-unopened-connections-per-address", "0")
    connections = [await Proxied.open(port, "192.0.2.9") for _ in range(3)]
    for connection in connections:
        assert await connection.is_open()
    fourth = await Proxied.open(port, "192.0.2.9")
    assert await only_closed([*connections, fourth]) is fourth
    connections.pop().close()

    async def reopened():
        connection = await Proxied.open(port, "192.0.2.9")
        connections.append(connection)
        return await connection.is_open()
    async with asyncio.timeout(DEADLINE):
        while not await reopened():
            await asyncio.sleep(0.02)
    for connection in connections:
        connection.close()


async def test_sessions_are_opened_connections(ctx):
    """A WebSocket counts as unopened until session.open; beyond, its upgrade gets 503 and 400501."""
    server = await ctx.fresh(
        "--proxy-field", "x-forwarded-for", "--proxy-trusted", "127.0.0.1", "--auth-mode", "open",
        "--limits-unopened-connections-per-address", "3")
    client = {"X-Forwarded-For": "192.0.2.5"}
    waiting = [
        await ctx.connect(server, additional_headers=client) for _ in range(3)]
    status, _, body = await http(server.port, "GET", "/v1/ws", {**UPGRADE, **client})
    assert status == 503 and json.loads(body)["code"] == 400501, (status, body)
    status, _, _ = await http(
        server.port, "GET", "/v1/ws", {**UPGRADE, "X-Forwarded-For": "192.0.2.6"})
    assert status == 101, status
    await waiting[0].call("session.open", user_id=ctx.name())
    await ctx.user(server, additional_headers=client)


async def test_loopback_is_exempt(ctx):
    """Connections from loopback are not counted."""
    server = await ctx.fresh(
        "--limits-unopened-connections-per-address", "2", "--limits-connections-per-address", "2")
    clients = [await ctx.connect(server) for _ in range(6)]
    for client in clients:
        await client.call("session.open", user_id=ctx.name())


# Descriptors.


async def crowd(port, count):
    """TCP connections that send nothing."""
    sockets = []
    for _ in range(count):
        plain = socket.socket()
        plain.setblocking(False)
        with contextlib.suppress(ConnectionError):
            await asyncio.get_running_loop().sock_connect(plain, ("127.0.0.1", port))
        sockets.append(plain)
    return sockets


async def test_idle_connections_do_not_lock_others_out(ctx):
    """With fewer descriptors than idle connections, health checks, logins and sessions go on."""
    limited = await start_limited(ctx, 512)
    operations = await listener(limited, "operations")
    resident = await ctx.user(limited)
    silent = await crowd(limited.port, 2000)
    try:
        started = time.monotonic()
        assert (await limited.get("/healthz"))[0] == 200
        newcomer = await ctx.user(limited)
        await newcomer.call("session.ping")
        assert (await http(operations, "GET", "/healthz"))[0] == 200
        _, _, body = await http(operations, "GET", "/metrics")
        assert sample(body, "parley_connections_refused_total", reason="silent") > 1000
        assert time.monotonic() - started < DEADLINE
        await resident.call("session.ping")
        # The database and files still find descriptors.
        channel = ctx.name("room")
        await newcomer.call("channel.create", channel_url=channel)
        await newcomer.enter(channel)
        await newcomer.send(channel, "still here")
        assert any("silent longest" in line for line in limited.lines), limited.lines
        lines = [line for line in limited.lines if "silent longest" in line]
        assert len(lines) < 100, "the log is flooded"
    finally:
        for plain in silent:
            plain.close()


async def start_limited(ctx, descriptors):
    """A server whose process may have only this number of descriptors."""
    wrapper = os.path.join(ctx.directory(), "limited")
    with open(wrapper, "w", encoding="ascii") as file:
        file.write(f'#!/bin/sh\nulimit -n {descriptors}\nexec "{ctx.parleyd}" "$@"\n')
    os.chmod(wrapper, 0o755)
    usual, ctx.parleyd = ctx.parleyd, wrapper
    try:
        return await ctx.fresh(
            "--operations-listen", "127.0.0.1:0", "--reactors", "2",
            "--limits-head-timeout-ms", "600000")
    finally:
        ctx.parleyd = usual


# Origins and hosts.


async def test_pages_of_other_origins(ctx):
    """Without a list, an upgrade or a request with an Origin must come from the server's own."""
    server = await ctx.fresh()
    own = f"127.0.0.1:{server.port}"
    for origin in ("https://evil.example", "null", f"http://127.0.0.1:{server.port + 1}",
                   f"http://{own}.evil.example", "http://127.0.0.1"):
        for method, path, fields in (
                ("GET", "/v1/ws", UPGRADE), ("GET", "/", {}), ("GET", "/metrics", {}),
                ("GET", "/healthz", {}), ("GET", "/v3/parley/status", {}),
                ("POST", "/v1/files", {"Parley-User": "ada", "Upload-Length": "3"}),
                ("OPTIONS", "/v1/files", {"Access-Control-Request-Method": "POST"}),
                ("POST", "/v3/users", {"Content-Length": "2"})):
            status, _, body = await http(
                server.port, method, path, {"Host": own, "Origin": origin, **fields},
                b"{}" if path == "/v3/users" else b"")
            assert status == 403 and json.loads(body)["code"] == 400307, (path, origin, status)
    for scheme in ("http", "https"):
        fields = {"Host": own, "Origin": f"{scheme}://{own}"}
        assert (await http(server.port, "GET", "/", fields))[0] == 200
        status, _, _ = await http(server.port, "GET", "/v1/ws", {**fields, **UPGRADE})
        assert status == 101, status
    await ctx.user(server)
    await ctx.user(server, origin=f"http://{own}")
    # The descriptions are for pages of any origin.
    for path in ("/v3/openapi.json", "/v1/asyncapi.json"):
        assert (await http(server.port, "GET", path, {"Origin": "https://evil.example"}))[0] == 200
    # An upload is created by the server's own pages, and then taken from any page that has its address.
    status, fields, _ = await http(server.port, "POST", "/v1/files", {
        "Host": own, "Origin": f"http://{own}", "Parley-User": ctx.name(), "Upload-Length": "3",
        "Tus-Resumable": "1.0.0"})
    assert status == 201, status
    upload = "/" + fields["location"].split("/", 3)[3]
    status, fields, _ = await http(server.port, "PUT", upload, {
        "Origin": "https://evil.example", "Content-Length": "3"}, b"abc")
    assert status == 201 and fields["access-control-allow-origin"] == "*", (status, fields)
    status, _, _ = await http(
        server.port, "GET", "/files/none/none", {"Origin": "https://evil.example"})
    assert status == 404, status
    refusals = [line for line in server.lines if "Origin" in line]
    assert refusals and "127.0.0.1" in refusals[0] and "evil.example" in refusals[0], refusals


async def test_any_origin_and_host(ctx):
    """auth.allowed_origins * opens both."""
    server = await ctx.fresh("--auth-allowed-origins", "*")
    fields = {"Host": "name.example", "Origin": "https://evil.example"}
    assert (await http(server.port, "GET", "/metrics", fields))[0] == 200
    assert (await http(server.port, "GET", "/v1/ws", {**fields, **UPGRADE}))[0] == 101


async def test_listed_origins(ctx):
    """A list adds origins to the server's own, with or without the usual port of their scheme."""
    server = await ctx.fresh("--auth-allowed-origins", "https://chat.example:443")
    own = f"127.0.0.1:{server.port}"
    for origin, wanted in (("https://chat.example", 101), (f"http://{own}", 101),
                           ("http://chat.example", 403), ("https://evil.example", 403)):
        fields = {"Host": own, "Origin": origin, **UPGRADE}
        assert (await http(server.port, "GET", "/v1/ws", fields))[0] == wanted, origin
        status, _, _ = await http(server.port, "POST", "/v1/files", {
            "Host": own, "Origin": origin, "Parley-User": ctx.name(), "Upload-Length": "3",
            "Tus-Resumable": "1.0.0"})
        assert status == (403 if wanted == 403 else 201), (origin, status)


async def test_names_of_this_machine(ctx):
    """Listeners on loopback in open mode answer by loopback names only."""
    server = await ctx.fresh()
    for host in ("localhost", f"localhost:{server.port}", "a.localhost", "127.0.0.1:1", "127.1.2.3",
                 "[::1]", "[::1]:80"):
        assert (await http(server.port, "GET", "/metrics", {"Host": host}))[0] == 200, host
    for host in ("rebound.example", f"rebound.example:{server.port}", "192.0.2.1", "",
                 "localhost.rebound.example"):
        for path in ("/metrics", "/healthz", "/", "/v1/ws", "/v3/users"):
            status, _, body = await http(server.port, "GET", path, {"Host": host, **UPGRADE})
            value = json.loads(body)
            assert status == 403 and value["code"] == 400307, (host, path, status)
            assert "auth.allowed_origins" in value["message"], value
    tokens = await ctx.fresh("--auth-mode", "token", "--auth-jwt-secret", "s" * 32)
    assert (await http(tokens.port, "GET", "/healthz", {"Host": "chat.example"}))[0] == 200
    listed = await ctx.fresh("--auth-allowed-origins", "https://chat.example")
    assert (await http(listed.port, "GET", "/healthz", {"Host": "chat.example"}))[0] == 200
    assert (await http(listed.port, "GET", "/healthz", {"Host": "evil.example"}))[0] == 403


async def test_origins_behind_a_proxy(ctx):
    """The host and scheme that a trusted proxy forwards count as the server's own."""
    server = await ctx.fresh(
        "--proxy-field", "x-forwarded-for", "--proxy-trusted", "127.0.0.1", "--auth-mode", "open")
    forwarded = {"Host": "10.0.0.1", "X-Forwarded-Host": "chat.example",
                 "X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.3"}
    for origin, wanted in (("https://chat.example", 200), ("http://chat.example", 403),
                           ("https://evil.example", 403)):
        status, _, _ = await http(server.port, "GET", "/", {**forwarded, "Origin": origin})
        assert status == wanted, (origin, status)
    for scheme in ("wss", "HTTPS", "https, http", "http"):
        fields = {**forwarded, **UPGRADE, "X-Forwarded-Proto": scheme}
        status, _, _ = await http(
            server.port, "GET", "/v1/ws", {**fields, "Origin": "https://chat.example"})
        assert status == (403 if scheme == "http" else 101), (scheme, status)


async def test_malformed_hosts(ctx):
    """A malformed Host is answered with 400."""
    server = await ctx.server()
    for host in ("[::1", "a]b", "[]", "x:port", "x:1:2", "x:-1", "%zz", "a b", "a/b", "u@h",
                 "x:99999", "[::1]x"):
        answer = await exchange(
            server.port, f"GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        assert answer.startswith(b"HTTP/1.1 400"), (host, answer[:60])
    for head in (b"GET /healthz HTTP/1.1\r\n\r\n",
                 b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
                 b"GET http://a]b/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"):
        assert (await exchange(server.port, head)).startswith(b"HTTP/1.1 400"), head


# Bodies.


def post(path, length, *fields):
    return "".join(f"{line}\r\n" for line in (
        f"POST {path} HTTP/1.1", "Host: localhost", f"Content-Length: {length}", *fields,
        "")).encode()


async def test_empty_bodies_in_chunks(ctx):
    """A body in chunks is passed over where none has a meaning, as proxies also send empty ones; the Platform API
    refuses one that is not empty, and the connection stays open."""
    server = await ctx.server()
    token = f"Api-Token: {server.api_token}"
    for method, path, status in (
            ("GET", "/healthz", 200), ("GET", "/readyz", 200), ("HEAD", "/", 200),
            ("GET", "/docs", 200), ("GET", "/metrics", 200), ("GET", "/parley.js", 200),
            ("GET", "/v3/openapi.json", 200), ("GET", "/files/none/none", 404),
            ("GET", "/previews/none", 404), ("HEAD", "/v1/uploads/none", 404),
            ("OPTIONS", "/v1/files", 204), ("GET", "/v1/ws", 426), ("GET", "/nothing", 404),
            ("POST", "/healthz", 405), ("GET", "/v3/users", 200)):
        for body in ("0\r\n\r\n", "3\r\nabc\r\n0\r\n\r\n"):
            head = (f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{token}\r\n"
                    "Transfer-Encoding: chunked\r\n\r\n")
            end = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            answer = await exchange(server.port, (head + body + end).encode())
            expected = 400 if path == "/v3/users" and "abc" in body else status
            assert answer.startswith(f"HTTP/1.1 {expected} ".encode()), (method, path, answer[:200])
            assert answer.endswith(b"alive\n"), (method, path, answer[-200:])
    large = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n20000\r\n"
    answer = await exchange(server.port, large.encode() + b"x" * 0x20000)
    assert answer.startswith(b"HTTP/1.1 413 "), answer


async def test_refused_before_the_body(ctx):
    """What the head alone is refused for is answered before the body has come."""
    server = await ctx.server()
    token = f"Api-Token: {server.api_token}"
    for head, status, code in (
            (post("/v3/users", 1_000_000), 401, 400401),
            (post("/v3/users", 1_000_000, "Api-Token: wrong"), 401, 400401),
            (post("/v3/nothing", 1_000_000, token), 404, 400930),
            (post("/nothing", 1_000_000), 404, 400930),
            (post("/v3/users", 99_000_000, token), 413, 400110),
            (post("/v3/users", 1_000_000, "Origin: https://evil.example", token), 403, 400307),
            (post("/healthz", 1_000_000), 405, None)):
        answer = await exchange(server.port, head)
        assert answer.startswith(f"HTTP/1.1 {status}".encode()), (head, answer)
        assert b"Connection: close" in answer
        if code:
            assert json.loads(answer.split(b"\r\n\r\n")[1])["code"] == code, answer


async def test_a_client_that_sends_its_body_reads_the_refusal(ctx):
    """A client that writes all of a large body before it reads still gets the answer."""
    server = await ctx.server()
    body = b"x" * 1_000_000
    answer = await exchange(server.port, post("/v3/users", len(body)), body)
    assert answer.startswith(b"HTTP/1.1 401"), answer[:60]


async def test_small_refused_bodies_keep_the_connection(ctx):
    """After a refused request with a small body the connection serves the next one."""
    server = await ctx.server()
    answer = await exchange(
        server.port, post("/v3/users", 5), b"{   }",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 401") and answer.endswith(b"alive\n"), answer


async def test_half_closed_connections(ctx):
    """A client that has ended its side after a request is answered."""
    server = await ctx.server()
    request = (f"GET /v3/parley/status HTTP/1.1\r\nHost: localhost\r\n"
               f"Api-Token: {server.api_token}\r\n\r\n").encode()
    answer = await exchange(server.port, request, half_close=True)
    assert answer.startswith(b"HTTP/1.1 200"), answer
    answer = await exchange(server.port, request, request, half_close=True)
    assert answer.count(b"HTTP/1.1 200") == 2, answer
    user = ctx.name("user")
    body = json.dumps({"user_id": user, "nickname": "", "profile_url": ""}).encode()
    head = post("/v3/users", len(body), f"Api-Token: {server.api_token}")
    answer = await exchange(server.port, head, body, half_close=True)
    assert answer.startswith(b"HTTP/1.1 200") and user.encode() in answer, answer


# Drains.


async def test_idle_connections_do_not_hold_a_drain(ctx):
    """Silent TCP connections and idle keep-alive connections are closed at once by a drain."""
    server = await ctx.fresh()
    silent = await crowd(server.port, 20)
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    await reader.readuntil(b"alive\n")
    started = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    async with asyncio.timeout(DEADLINE):
        assert await reader.read() == b""
    assert await server.wait() == 0
    # Ten times what it takes, and less than half of what it took when their ends were awaited.
    assert time.monotonic() - started < 2.5 * PATIENCE
    for plain in silent:
        plain.close()
    writer.close()


async def test_a_drain_over_the_api_is_logged(ctx):
    """The call that begins a drain leaves a line in the log."""
    server = await ctx.fresh()
    status, _ = await server.api("POST", "/parley/drain")
    assert status == 200
    assert await server.wait() == 0
    assert any("draining" in line for line in server.lines), server.lines


# The log, and files.


async def test_refusals_are_logged(ctx):
    """Refused tokens are logged with the reason and the address, a few in a second and no secret."""
    server = await ctx.fresh("--auth-mode", "token", "--auth-jwt-secret", "s" * 32)
    for n in range(60):
        client = await ctx.connect(server)
        await client.ask("session.open", user_id="eve", access_token=f"secret-{n}")
        assert await client.ended() == 4002
        await http(server.port, "GET", "/v3/users", {"Api-Token": f"secret-{n}"})
    lines = [line for line in server.lines if "token was refused" in line]
    assert any("access token" in line and "127.0.0.1" in line for line in lines), lines
    assert any("API token" in line and "127.0.0.1" in line for line in lines), lines
    assert not any("secret-" in line for line in lines), lines
    assert len(lines) < 60, "the log is flooded"


async def test_files_are_closed_to_others(ctx):
    """Whatever the umask, the database, its log, the token and the directory are the owner's alone."""
    data = os.path.join(ctx.directory(), "data")
    usual = os.umask(0)
    try:
        server = await ctx.fresh(data=data)
    finally:
        os.umask(usual)
    assert stat.S_IMODE(os.stat(data).st_mode) == 0o700
    found = [os.path.join(place, name) for place, _, names in os.walk(data) for name in names]
    assert len(found) >= 4, found
    for path in found:
        assert stat.S_IMODE(os.stat(path).st_mode) & 0o077 == 0, path
    await server.end()
    for path in found:
        with contextlib.suppress(FileNotFoundError):
            os.chmod(path, 0o644)
    os.chmod(data, 0o755)
    again = await ctx.fresh(data=data)
    for name in os.listdir(data):
        if name.endswith((".sqlite", "-wal", "-shm", ".db")):
            mode = stat.S_IMODE(os.stat(os.path.join(data, name)).st_mode)
            assert mode & 0o077 == 0, (name, oct(mode))
    assert any("data_dir" in line and "chmod" in line for line in again.lines), again.lines


async def test_networks_with_host_bits(ctx):
    """A network with bits beyond its prefix is refused by --check-config as by the start."""
    for setting in ("unfurl-allow-addresses", "proxy-trusted"):
        for flags in (["--check-config"], []):
            status, _, errors = await ctx.run(
                ctx.parleyd, *flags, "--data-dir", ctx.directory(), "--listen", "127.0.0.1:0",
                f"--{setting}", "10.1.2.3/8")
            assert status != 0 and b"10.1.2.3/8" in errors, (setting, flags, errors)
