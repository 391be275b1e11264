"""nginx and HAProxy before the gateway, with the examples as they are but for addresses and times."""

import asyncio
import contextlib
import os
import re
import ssl

from harness import DEADLINE, Client, eventually, reserved_port
from skipping import need
from websockets.exceptions import InvalidStatus

# An address of this machine that nothing else in the test connects from.
CLIENT = "127.0.0.77"


def replaced(text, pairs):
    """The example with its places replaced, each of which must be in it once."""
    for old, new in pairs:
        assert text.count(old) == 1, f"{old!r} is {text.count(old)} times in the example"
        text = text.replace(old, new)
    return text


class Proxy:
    """A proxy with the example's configuration, before a gateway's port."""

    setting = []

    def __init__(self, process, place, port):
        self.process, self.place, self.port = process, place, port
        self.url = f"wss://localhost:{port}/v1/ws"

    @classmethod
    async def start(cls, ctx, gateway_port, *, silence="75s"):
        place = ctx.directory()
        os.chmod(ctx.root, 0o755)
        os.chmod(place, 0o755)
        await cls.make_certificate(ctx, place)
        port = reserved_port()
        command = cls.configure(ctx, place, port, gateway_port, silence)
        with open(f"{place}/parley.log", "ab") as log:
            process = await asyncio.create_subprocess_exec(
                *command, stdin=asyncio.subprocess.DEVNULL, stdout=log,
                stderr=asyncio.subprocess.DEVNULL)
        proxy = cls(process, place, port)
        await eventually(proxy.is_listening, f"{command[0]} listening")
        return proxy

    @staticmethod
    async def make_certificate(ctx, place):
        status, _, errors = await ctx.run(
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
            "-nodes", "-days", "2", "-subj", "/CN=localhost", "-keyout", f"{place}/key.pem",
            "-out", f"{place}/chain.pem")
        assert status == 0, errors
        with open(f"{place}/both.pem", "w", encoding="ascii") as both:
            for part in ["chain", "key"]:
                with open(f"{place}/{part}.pem", encoding="ascii") as file:
                    both.write(file.read())

    def logged(self):
        """All lines of the proxy's logs."""
        text = ""
        for name in ("parley.log", "parley-error.log"):
            with contextlib.suppress(FileNotFoundError):
                with open(f"{self.place}/{name}", encoding="utf-8") as file:
                    text += file.read()
        return text

    async def is_listening(self):
        assert self.process.returncode is None, f"it ended with {self.process.returncode}"
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", self.port)
            writer.close()
            return True
        return False

    async def get(self, path):
        """The status of a GET over TLS."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, ssl=trusting())
        writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        async with asyncio.timeout(DEADLINE):
            status = int((await reader.readline()).split()[1])
        writer.close()
        return status

    async def stop(self):
        self.process.terminate()
        try:
            async with asyncio.timeout(5):
                await self.process.wait()
        except TimeoutError:
            self.process.kill()
            await self.process.wait()


def logging_to(place):
    """The places of nginx's logs, and those in a test."""
    return [(f"/var/log/nginx/{name}", f"{place}/{name}")
            for name in ("parley.log", "parley-error.log")]


class Nginx(Proxy):
    """nginx, which names the client in a field of each request."""

    gone = 502

    @staticmethod
    def flags(port):
        return ["--listen", f"127.0.0.1:{port}", "--proxy-field", "x-forwarded-for",
                "--proxy-trusted", "127.0.0.1"]

    @staticmethod
    def configure(ctx, place, port, gateway_port, silence):
        with open(ctx.source("Deploy/nginx/parley.conf"), encoding="utf-8") as file:
            example = file.read()
        example = replaced(example, [
            ("listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;"),
            ("server 127.0.0.1:8080;", f"server 127.0.0.1:{gateway_port};"),
            ("/etc/nginx/parley/chain.pem", f"{place}/chain.pem"),
            ("/etc/nginx/parley/key.pem", f"{place}/key.pem"),
            *logging_to(place),
            ("proxy_read_timeout 75s;", f"proxy_read_timeout {silence};"),
            ("proxy_send_timeout 75s;", f"proxy_send_timeout {silence};")])
        user = "user root;" if os.geteuid() == 0 else ""
        kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        places = " ".join(f"{kind}_temp_path {place}/{kind};" for kind in kinds)
        path = f"{place}/nginx.conf"
        with open(path, "w", encoding="utf-8") as file:
            file.write(
                f"daemon off; {user} worker_processes 1; pid {place}/pid; error_log {place}/error;\n"
                f"events {{}}\nhttp {{ access_log off; {places}\n{example}\n}}\n")
        return [need("nginx"), "-c", path, "-e", f"{place}/error"]


class HAProxy(Proxy):
    """HAProxy, which begins each connection with a PROXY header."""

    gone = 503

    @staticmethod
    def flags(port):
        return ["--proxy-listen", f"127.0.0.1:{port}", "--proxy-trusted", "127.0.0.1"]

    @staticmethod
    def configure(ctx, place, port, gateway_port, silence):
        with open(ctx.source("Deploy/haproxy/haproxy.cfg"), encoding="utf-8") as file:
            example = file.read()
        example = replaced(example, [
            ("bind :443 ssl crt /etc/haproxy/parley.pem",
             f"bind 127.0.0.1:{port} ssl crt {place}/both.pem"),
            ("gateway1 127.0.0.1:8081", f"gateway1 127.0.0.1:{gateway_port}"),
            # No more than a test's own limit of descriptors allows.
            ("maxconn 100000", "maxconn 500"), ("check inter 1s", "check inter 50ms"),
            ("log /dev/log local0", "log stdout format raw local0"),
            ("timeout tunnel 75s", f"timeout tunnel {silence}")])
        path = f"{place}/haproxy.cfg"
        with open(path, "w", encoding="utf-8") as file:
            file.write(example)
        return [need("haproxy"), "-db", "-f", path]


def trusting():
    """Certificates are made on the spot: the test is not about them."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


@contextlib.asynccontextmanager
async def proxied(ctx, kind, *flags, silence="75s"):
    """A gateway behind a proxy: itself, the port between them, the proxy."""
    port = reserved_port()
    server = await ctx.fresh(
        *kind.flags(port), "--auth-mode", "open", "--log-level", "debug", *flags)
    proxy = await kind.start(ctx, port, silence=silence)
    try:
        yield server, port, proxy
    finally:
        await proxy.stop()


async def open_client(ctx, proxy, name, **options):
    client = await Client.open(proxy, name, ssl=trusting(), host="127.0.0.1", **options)
    ctx.clients.append(client)
    return client


async def serves(proxy):
    async def asks():
        return await proxy.get("/readyz") == 200
    await eventually(asks, "the gateway through the proxy")


async def addresses(server):
    """Where operators are told that each user comes from."""
    status, page = await server.api("GET", "/parley/sessions")
    assert status == 200, page
    return {session["user_id"]: session["address"] for session in page["sessions"]}


async def talk(ctx, kind):
    async with proxied(ctx, kind) as (server, _, proxy):
        await serves(proxy)
        ada = await open_client(
            ctx, proxy, "ada", local_addr=(CLIENT, 0),
            additional_headers={"X-Forwarded-For": "6.6.6.6", "Forwarded": "for=6.6.6.6"})
        bob = await open_client(ctx, proxy, "bob", compression="deflate")
        await ada.call("channel.create", channel_url="lobby")
        for client in [ada, bob]:
            await client.enter("lobby")
        text = "through the proxy " + "x" * 4000
        await ada.send("lobby", text)
        event = await bob.event("message.received")
        assert event["message"]["message"] == text

        def opened():
            return [line for line in server.lines if "a WebSocket was opened" in line]
        await eventually(lambda: asyncio.sleep(0, len(opened()) == 2), "two lines in the log")
        assert re.search(rf"client={CLIENT}\b", opened()[0]), opened()
        assert re.search(r"client=127\.0\.0\.1\b", opened()[1]), opened()
        assert not any("6.6.6.6" in line for line in server.lines)
        assert await addresses(server) == {"ada": CLIENT, "bob": "127.0.0.1"}
        assert await proxy.get("/metrics") == 404
        assert await proxy.get("/healthz") == 200


async def test_nginx_carries_conversations(ctx):
    """Through nginx clients talk over TLS, compressed or not; the log has their own addresses,
    whatever they claim, and metrics stay inside."""
    await talk(ctx, Nginx)


async def test_haproxy_carries_conversations(ctx):
    """Through HAProxy too."""
    await talk(ctx, HAProxy)


async def logs(ctx, kind):
    async with proxied(ctx, kind) as (server, _, proxy):
        await serves(proxy)
        secret = "0123456789abcdef"
        paths = [f"/files/{secret}/a%2Ffiles%2F{secret}?auth={secret}", f"/v1/uploads/{secret}",
                 f"/chat/v1/uploads/{secret}", f"/previews/{secret}?url={secret}",
                 f"/healthz?auth={secret}"]
        for path in paths:
            await proxy.get(path)
        shown = [f"GET {path} " for path in (
            "/files/...", "/v1/uploads/...", "/chat/v1/uploads/...", "/previews/...", "/healthz")]

        async def is_logged():
            return all(path in proxy.logged() for path in shown)
        await eventually(is_logged, "a line for each request")
        await server.end()
        assert await proxy.get(paths[0]) == kind.gone

        async def is_logged_too():
            return proxy.logged().count(shown[0]) == 2
        await eventually(is_logged_too, "a line for the failed request")
        assert secret not in proxy.logged(), proxy.logged()


async def test_nginx_logs_no_secrets(ctx):
    """The log of nginx has neither queries nor what opens files and uploads, and no other log has them."""
    await logs(ctx, Nginx)


async def test_haproxy_logs_no_secrets(ctx):
    """That of HAProxy neither."""
    await logs(ctx, HAProxy)


async def keep_alive(ctx, kind):
    async with proxied(
            ctx, kind, "--limits-ping-interval-ms", "300", silence="1s") as (_, _, proxy):
        await serves(proxy)
        client = await open_client(ctx, proxy, "ada")
        # That nothing happens for three times as long as the proxy would bear.
        await asyncio.sleep(3)
        assert client.closed is None
        assert "time" in await client.call("session.ping")
    async with proxied(ctx, kind, silence="1s") as (_, _, proxy):
        await serves(proxy)
        client = await open_client(ctx, proxy, "ada")
        assert await client.ended() == 1006


async def test_nginx_waits_longer_than_pings(ctx):
    """An idle connection through nginx lives when pings come more often than its time-out, and is
    cut off when they do not."""
    await keep_alive(ctx, Nginx)


async def test_haproxy_waits_longer_than_pings(ctx):
    """An idle connection through HAProxy does so too."""
    await keep_alive(ctx, HAProxy)


async def restart(ctx, kind):
    async with proxied(ctx, kind) as (server, port, proxy):
        await serves(proxy)
        client = await open_client(ctx, proxy, "ada")
        await client.call("channel.create", channel_url="lobby")
        place = await client.enter("lobby")
        ending = asyncio.create_task(server.end())
        assert "reconnect_after_ms" in await client.event("server.draining")
        assert await client.ended() == 1001
        assert await ending == 0
        try:
            await open_client(ctx, proxy, "ada")
            raise AssertionError("somebody answers")
        except InvalidStatus as refusal:
            assert refusal.response.status_code == kind.gone
        await ctx.fresh(*kind.flags(port), "--auth-mode", "open", data=server.data)
        await serves(proxy)
        again = await open_client(ctx, proxy, "ada")
        back = await again.enter(
            "lobby", recover={"epoch": place["epoch"], "seq": place["seq"]})
        assert back["recovered"]


async def test_nginx_survives_a_restart(ctx):
    """Behind nginx a drain tells clients to reconnect and closes with 1001; they get 502 until the
    next gateway is there, and recover then."""
    await restart(ctx, Nginx)


async def test_haproxy_survives_a_restart(ctx):
    """Behind HAProxy it is 503, as the gateway is known to be away."""
    await restart(ctx, HAProxy)


async def test_only_proxies_name_clients(ctx):
    """A trusted proxy's last word names the client, whatever stands before it; who connects from
    elsewhere, or uses another field, is who it is."""
    stranger, honest = "127.0.0.66", "192.0.2.7"
    server = await ctx.fresh(
        "--proxy-field", "x-forwarded-for", "--proxy-trusted", CLIENT, "--auth-mode", "open")
    for name, address, field, value, expected in [
            ("claims", stranger, "X-Forwarded-For", "6.6.6.6", stranger),
            ("proxied", CLIENT, "X-Forwarded-For", honest, honest),
            ("forges", CLIENT, "X-Forwarded-For", f"6.6.6.6, {CLIENT}, {honest}", honest),
            ("quotes", CLIENT, "X-Forwarded-For", f'", {honest}', honest),
            ("strays", CLIENT, "Forwarded", "for=6.6.6.6", CLIENT)]:
        await ctx.user(
            server, name, local_addr=(address, 0), additional_headers={field: value})
        assert (await addresses(server))[name] == expected, name


async def test_a_stranger_is_refused(ctx):
    """The listener for proxies closes what comes without a PROXY header, and says so when asked to."""
    port = reserved_port()
    server = await ctx.fresh(*HAProxy.flags(port), "--log-level", "debug")
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    async with asyncio.timeout(DEADLINE):
        with contextlib.suppress(ConnectionResetError):
            assert await reader.read() == b""
    writer.close()

    async def said():
        return any("without a PROXY header" in line for line in server.lines)
    await eventually(said, "the refusal in the log")
