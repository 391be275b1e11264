"""Health, metrics, settings, signals."""

import asyncio
import base64
import fcntl
import json
import os
import re
import signal
import time

from groupendpoints import Back
from harness import DEADLINE, eventually, http, process_environment, refused


async def ended(ctx, *flags, environment=None, stdin=None):
    """The exit status and the whole output of a parleyd that is expected to end by itself."""
    process = await asyncio.create_subprocess_exec(
        ctx.parleyd, *flags, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT, env=process_environment(environment))
    try:
        async with asyncio.timeout(DEADLINE):
            output = (await process.communicate())[0].decode()
    except TimeoutError:
        process.kill()
        raise AssertionError(f"{flags} did not end") from None
    return process.returncode, output


async def test_health(ctx):
    """/healthz and /readyz answer 200 while the server serves."""
    server = await ctx.server()
    for path in ("/healthz", "/readyz"):
        assert (await server.get(path))[0] == 200, path


async def test_not_ready_while_draining(ctx):
    """While draining /readyz is 503 or the listener is closed, and no session is opened."""
    server = await ctx.fresh()
    clients = await ctx.users(server, 20)
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    await clients[0].call("session.ping")
    server.process.send_signal(signal.SIGTERM)
    await clients[0].event("server.draining")
    try:
        writer.write(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answer = await asyncio.wait_for(reader.read(300), DEADLINE)
        assert not answer or answer.startswith(b"HTTP/1.1 503"), answer
    except ConnectionError:
        pass
    finally:
        writer.close()
    try:
        late = await ctx.connect(server)
        await late.call("session.open", user_id=ctx.name())
        raise AssertionError("a session was opened while draining")
    except AssertionError:
        raise
    except Exception:
        pass
    assert await server.wait() == 0


async def test_metrics(ctx):
    """/metrics is well-formed Prometheus text and counts what happens."""
    server = await ctx.server()
    channel, owner = await ctx.room(server, 0)
    await owner.send(channel, "x")
    status, fields, body = await server.get("/metrics")
    assert status == 200 and fields["content-type"].startswith("text/plain"), fields
    lines = body.decode().splitlines()
    sample = re.compile(
        r'^[a-zA-Z_:][a-zA-Z0-9_:]*(\{[a-zA-Z_]\w*="[^"]*"(,[a-zA-Z_]\w*="[^"]*")*\})? '
        r'[-+0-9.eE]+$')
    samples = [line for line in lines if line and not line.startswith("#")]
    assert samples and all(sample.match(line) for line in samples), [
        line for line in samples if not sample.match(line)]
    named = {line.split()[2] for line in lines if line.startswith("# TYPE")}
    for line in samples:
        name = re.split(r"[{ ]", line)[0]
        stem = re.sub(r"_(bucket|sum|count)$", "", name)
        assert name in named or stem in named, f"{name} has no TYPE"
    assert len(named) >= 5


async def test_metrics_on_a_listener_of_their_own(ctx):
    """With operations.listen /metrics is there, and no more on the loopback listener."""
    server = await ctx.fresh("--operations-listen", "127.0.0.1:0")
    status, _, _ = await server.get("/metrics")
    assert status == 404, status
    others = set()
    async with asyncio.timeout(DEADLINE):
        while not others:
            others = {int(p) for line in server.lines
                      for p in re.findall(r"127\.0\.0\.1:(\d+)", line)} - {server.port}
            await asyncio.sleep(0.01)
    assert (await http(others.pop(), "GET", "/metrics"))[0] == 200


async def test_unknown_paths(ctx):
    """Unknown paths are 404 with 400930 in the documented shape."""
    server = await ctx.server()
    for path in ("/nowhere", "/v1/none", "/v3/none", "/metrics/x"):
        status, fields, body = await server.get(path)
        value = json.loads(body)
        assert status in (401, 404), (path, status)
        assert value["error"] is True and value["message"], value
        if status == 404:
            assert value["code"] == 400930, (path, value)


async def test_help_lists_every_setting(ctx):
    """--help lists every documented setting with their names and defaults."""
    status, text = await ended(ctx, "--help")
    assert status == 0
    for name in (
            "listen", "tls.listen", "tls.certificate", "tls.private_key", "operations.listen",
            "limits.open_timeout_ms", "limits.ping_interval_ms", "limits.pong_timeout_ms",
            "limits.head_timeout_ms", "limits.keep_alive_timeout_ms", "drain.timeout_ms", "data_dir", "auth.mode",
            "auth.jwt_secret", "auth.jwt_public_key", "auth.api_token", "limits.flood.messages",
            "limits.flood.window_ms", "limits.throttle.messages", "limits.throttle.window_ms",
            "limits.connections_per_user", "limits.channels_per_user", "limits.message_bytes",
            "limits.outbound_bytes", "limits.calls_per_second", "limits.calls_burst",
            "limits.query_ms", "limits.connections_per_address",
            "limits.unopened_connections_per_address",
            "auth.allowed_origins", "unfurl.mode", "unfurl.url", "unfurl.timeout_ms",
            "unfurl.max_bytes", "unfurl.max_redirects", "unfurl.cache_ttl_seconds",
            "unfurl.negative_ttl_seconds", "unfurl.allow_addresses", "unfurl.allow_ports",
            "reactors", "log.level", "log.format"):
        flag = "--" + name.replace(".", "-").replace("_", "-")
        assert name in text or flag in text, name
    for default in ("262144", "1048576", "25000", "86400", "127.0.0.1:8080"):
        assert default in text, default


async def test_wrong_settings_are_named(ctx):
    """An unknown or wrong setting stops the start with an error that names it."""
    data = ctx.directory()
    for flags, name in (
            (["--no-such-setting", "1"], "no-such-setting"),
            (["--limits-flood-messages", "many"], "limits.flood.messages"),
            (["--limits-flood-messages", "-1"], "limits.flood.messages"),
            (["--limits-ping-interval-ms", "0"], "limits.ping_interval_ms"),
            (["--listen", "nonsense"], "listen"), (["--listen", "127.0.0.1:99999"], "listen"),
            (["--auth-mode", "maybe"], "auth.mode"), (["--reactors", "0"], "reactors"),
            (["--unfurl-allow-addresses", "not-a-network"], "unfurl.allow_addresses"),
            (["--unfurl-allow-ports", "70000"], "unfurl.allow_ports"),
            (["--log-level", "loud"], "log.level"),
            (["--tls-listen", "127.0.0.1:0"], "tls."),
            (["--auth-jwt-public-key", "/no/such/key.pem"], "auth.jwt_public_key")):
        status, text = await ended(ctx, "--data-dir", data, "--listen", "127.0.0.1:0", *flags)
        assert status != 0, (flags, text)
        flag_name = name.replace(".", "-").replace("_", "-")
        assert name in text or flag_name in text, (flags, text)


async def test_wrong_databases_are_named(ctx):
    """An address of PostgreSQL that no connection can be made with ends the start, and --check-config, with 78
    and the setting's name; the password is not shown."""
    for address in ("127.0.0.1:99999/parley", "127.0.0.1:abc/parley", "127.0.0.1/parley?sslmode=bogus",
                    "127.0.0.1/parley?nosuch=1"):
        url = f"postgresql://parley:hush@{address}"
        for flags in (("--check-config",), ("--listen", "127.0.0.1:0", "--data-dir", ctx.directory())):
            code, output = await ended(ctx, "--store-url", url, *flags)
            assert code == 78 and "store.url" in output and "hush" not in output, (code, output)


async def test_environment_and_file(ctx):
    """Flags come before the environment, that before the file."""
    config = os.path.join(ctx.directory(), "parley.yaml")
    with open(config, "w") as file:
        file.write("limits:\n  flood:\n    messages: 11\n  ping_interval_ms: 11000\n"
                   "  message_bytes: 1111\n")
    environment = {"PARLEY_LIMITS_PING_INTERVAL_MS": "12000", "PARLEY_LIMITS_MESSAGE_BYTES": "1222"}
    server = await ctx.fresh(
        "--config", config, "--limits-message-bytes", "1333", environment=environment)
    answer = (await ctx.user(server)).session
    assert answer["limits"]["flood"]["messages"] == 11
    assert answer["ping_interval_ms"] == 12000
    assert answer["limits"]["message_bytes"] == 1333


async def test_wrong_environment_and_file_are_named(ctx):
    """A wrong or unknown setting of the environment or the file is named."""
    data = ctx.directory()
    base = ["--data-dir", data, "--listen", "127.0.0.1:0"]
    status, text = await ended(ctx, *base, environment={"PARLEY_REACTORS": "x"})
    assert status != 0 and ("reactors" in text or "PARLEY_REACTORS" in text), text
    status, text = await ended(ctx, *base, environment={"PARLEY_NO_SUCH": "x"})
    assert status != 0 and ("PARLEY_NO_SUCH" in text or "no_such" in text), text
    config = os.path.join(data, "bad.yaml")
    for content, name in (("limits:\n  nonsense: 1\n", "nonsense"), ("reactors: [", "bad.yaml"),
                          ("reactors: many\n", "reactors")):
        with open(config, "w") as file:
            file.write(content)
        status, text = await ended(ctx, *base, "--config", config)
        assert status != 0 and name in text, (content, text)
    status, text = await ended(ctx, *base, "--config", "/no/such/file.yaml")
    assert status != 0 and "/no/such/file.yaml" in text, text


async def test_check_config(ctx):
    """--check-config ends with 0 for good settings and an error for wrong ones."""
    data = ctx.directory()
    status, text = await ended(ctx, "--check-config", "--data-dir", os.path.join(data, "new"))
    assert status == 0, text
    status, text = await ended(ctx, "--check-config", "--reactors", "x")
    assert status != 0 and "reactors" in text


async def test_version(ctx):
    """--version prints a version, which the log's first line, /metrics and the status have too; clients
    receive its number."""
    status, text = await ended(ctx, "--version")
    found = re.fullmatch(r"parley ((\d+\.\d+\.\d+)([+-]\S+))\s*", text)
    assert status == 0 and found, text
    version, number, _ = found.groups()
    server = await ctx.fresh()
    assert version in server.lines[0], server.lines[0]
    _, _, body = await server.get("/metrics")
    assert f'parley_build_info{{version="{version}"}} 1' in body.decode().splitlines()
    status, answer = await server.api("GET", "/parley/status")
    assert status == 200 and answer["version"] == version, answer
    client = await ctx.connect(server)
    opened = await client.call("session.open", user_id=ctx.name("user"))
    assert opened["server"]["version"] == number, opened["server"]


async def test_a_port_that_is_taken(ctx):
    """A port that is in use stops the start with an error that names the address."""
    server = await ctx.server()
    status, text = await ended(
        ctx, "--data-dir", ctx.directory(), "--listen", f"127.0.0.1:{server.port}")
    assert status != 0 and str(server.port) in text, text


async def test_a_second_sigterm_hurries(ctx):
    """A second SIGTERM ends a drain that waits for a client that does not close."""
    server = await ctx.fresh("--drain-timeout-ms", "600000")
    raw = await ctx.raw(server)
    await raw.sign_in(ctx.name())
    server.process.send_signal(signal.SIGTERM)
    code = await raw.close_code()
    assert code == 1001, code
    if server.process.returncode is None:
        try:
            server.process.send_signal(signal.SIGTERM)
        except ProcessLookupError:
            pass
    assert await server.wait() == 0


async def test_drain_ends_in_time(ctx):
    """Clients that neither read nor close do not keep a drain beyond drain.timeout_ms."""
    server = await ctx.fresh("--drain-timeout-ms", "500")
    for _ in range(3):
        await (await ctx.raw(server)).sign_in(ctx.name())
    await ctx.raw(server)
    assert await server.end() == 0


async def test_sigint(ctx):
    """SIGINT ends the server in order, too."""
    server = await ctx.fresh()
    client = await ctx.user(server)
    assert await server.end(signal.SIGINT) == 0
    assert await client.ended() == 1001


async def test_json_logs(ctx):
    """With log.format json each line after the start's is an object."""
    server = await ctx.fresh("--log-format", "json", "--log-level", "debug")
    await ctx.user(server)
    await server.end()
    for line in server.lines:
        if "listening on ws://" in line and not line.startswith("{"):
            continue
        assert isinstance(json.loads(line), dict), line


async def test_a_log_that_is_not_read(ctx):
    """A full pipe at standard error holds up no request, and no end of the process."""
    reading, writing = os.pipe()
    try:
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
        process = await asyncio.create_subprocess_exec(
            ctx.parleyd, "--listen", "127.0.0.1:0", "--data-dir", ctx.directory(),
            "--log-level", "debug", stdin=asyncio.subprocess.DEVNULL, stderr=writing,
            env=process_environment(None))
        try:
            await full_log(reading)
            process.send_signal(signal.SIGTERM)
            async with asyncio.timeout(DEADLINE):
                assert await process.wait() == 0
        finally:
            if process.returncode is None:
                process.kill()
    finally:
        os.close(reading)
        os.close(writing)


async def full_log(reading):
    """Makes a server log more than its pipe takes, which is read up to its port only."""
    text = b""
    async with asyncio.timeout(DEADLINE):
        while not (found := re.search(rb"listening on ws://127.0.0.1:(\d+)", text)):
            text += await asyncio.to_thread(os.read, reading, 4096)
    port = int(found[1])
    for number in range(100):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        key = base64.b64encode(number.to_bytes(16, "big")).decode()
        writer.write((
            "GET /v1/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
            f"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
            "\r\n").encode())
        await writer.drain()
        assert (await http(port, "GET", "/healthz"))[0] == 200, number
        writer.close()


async def test_secrets_are_not_logged(ctx):
    """Neither the API token nor a session's access token is in the log at its loudest."""
    server = await ctx.fresh(
        "--log-level", "trace", "--auth-api-token", "secret-api-token-1234",
        "--auth-mode", "token", "--auth-jwt-secret", "secret-jwt-secret-1234")
    client = await ctx.connect(server)
    try:
        await client.call("session.open", user_id="someone", access_token="secret-access-1234")
    except Exception:
        pass
    await server.end()
    text = "\n".join(server.lines)
    for secret in ("secret-api-token-1234", "secret-jwt-secret-1234", "secret-access-1234"):
        assert secret not in text, secret


async def test_several_listeners(ctx):
    """listen may be given several times; each listener serves."""
    server = await ctx.fresh("--listen", "127.0.0.1:0")
    ports = set()
    async with asyncio.timeout(DEADLINE):
        while len(ports) < 2:
            ports = {int(p) for line in server.lines
                     for p in re.findall(r"listening on ws://127\.0\.0\.1:(\d+)", line)}
            await asyncio.sleep(0.01)
    for port in ports:
        assert (await http(port, "GET", "/healthz"))[0] == 200


async def test_settings_of_a_cluster(ctx):
    """A bus without what all servers share is refused with 78 and names it; passwords are never shown, also
    not by --print-defaults or in the log."""
    secrets = {"PARLEY_STORE_URL": "postgresql://user:hush-hush@db/parley",
               "PARLEY_CLUSTER_BUS": "redis://user:hush-hush@bus",
               "PARLEY_CLUSTER_SECRET": "hush-hush-hush-hush"}
    status, output = await ended(
        ctx, "--check-config", environment={"PARLEY_CLUSTER_BUS": secrets["PARLEY_CLUSTER_BUS"]})
    assert status == 78 and "hush" not in output, output
    for name in ("store.url", "auth.api_token", "files.public_url", "files.store"):
        assert f"{name}: expected" in output and "because cluster.bus is set" in output, output
    shared = {**secrets, "PARLEY_AUTH_API_TOKEN": "token",
              "PARLEY_FILES_PUBLIC_URL": "https://chat.example.com",
              "PARLEY_FILES_STORE": "directory:/srv/parley-files"}
    status, output = await ended(ctx, "--check-config", environment=shared)
    assert status == 0 and "hush" not in output, output
    status, output = await ended(ctx, "--print-defaults", environment=shared)
    assert status == 0 and "hush" not in output, output
    for name, value in secrets.items():
        broken = {**shared, name: value.replace("://", ":").replace("-", "\t")}
        status, output = await ended(ctx, "--check-config", environment=broken)
        assert status == 78 and "hush" not in output, (name, output)


async def test_the_metrics_of_the_last_day(ctx):
    """What charts show is kept every half minute from the start on; metrics and a time can be chosen."""
    server = await ctx.server()
    async with Back(server) as back:
        async def kept():
            history = await back.call("GET", "/parley/metrics/history")
            return history if history["times"] else None
        history = await eventually(kept, "the first values")
        assert history["interval_ms"] == 30_000 and abs(history["times"][0] / 1000 - time.time()) < 3600, history["times"]
        series = {one["name"]: one for one in history["series"]}
        assert len(series) >= 20 and all(len(one["values"]) == len(history["times"]) for one in series.values())
        assert series["process_resident_memory_bytes"]["values"][0] > 1_000_000
        assert series["parley_disk_free_bytes"]["kind"] == "gauge" and series["parley_disk_free_bytes"]["values"][0] > 0
        assert series["parley_messages_total"] == {
            "name": "parley_messages_total", "kind": "counter", "values": [0] * len(history["times"])}
        names = "parley_sessions,parley_nothing,parley_messages_total"
        some = await back.call("GET", "/parley/metrics/history", names=names)
        assert [one["name"] for one in some["series"]] == ["parley_sessions", "parley_messages_total"], some
        later = await back.call("GET", "/parley/metrics/history", names=names, since=history["times"][-1] + 10**9)
        assert later["times"] == [] and all(one["values"] == [] for one in later["series"]), later
        code = await back.code("GET", "/parley/metrics/history?since=yesterday")
        assert code == 400101, code
        assert await back.code("GET", "/parley/metrics/history?name=a") != 0


async def test_the_busiest_channels(ctx):
    """The channels with the most messages in the last minute are listed; a refused message and a deleted
    channel do not count."""
    server = await ctx.fresh("--limits-flood-messages", "0")
    assert await server.api("GET", "/parley/channels/busiest") == (
        200, {"channels": [], "window_ms": 60000, "unanswered_servers": 0})
    channels = []
    for count in (2, 5, 3):
        channel, owner = await ctx.room(server, 0)
        for number in range(count):
            await owner.send(channel, f"text {number}")
        channels.append(channel)
    async with refused(400111):
        await owner.send(channel, "text", message_type="WHAT")
    first, second, third = channels

    async def listed(**query):
        status, answer = await server.api("GET", "/parley/channels/busiest", **query)
        assert status == 200, answer
        return [(one["channel_url"], one["messages"], one["participants"]) for one in answer["channels"]]
    assert await listed() == [(second, 5, 1), (third, 3, 1), (first, 2, 1)]
    assert await listed(limit=1) == [(second, 5, 1)]
    assert (await server.api("GET", "/parley/channels/busiest", limit=101))[0] == 400
    assert (await server.api("DELETE", f"/open_channels/{second}"))[0] == 200
    assert await listed() == [(third, 3, 1), (first, 2, 1)]


async def test_the_servers(ctx):
    """A server that is alone lists itself, is the home of every channel, and drains by its id."""
    server = await ctx.fresh()
    status, cluster = await server.api("GET", "/parley/cluster", channel_url="lobby")
    assert status == 200 and [s["state"] for s in cluster["servers"]] == ["live"], cluster
    assert cluster["home"] == cluster["server_id"] == cluster["servers"][0]["server_id"]
    assert cluster["bus"]["kind"] == "none" and cluster["store"] == {
        "kind": "sqlite", "is_up": True, "reason": ""}
    client = await ctx.user(server)
    status, cluster = await server.api("GET", "/parley/cluster")
    assert "home" not in cluster and cluster["servers"][0]["sessions"] == 1, cluster
    path = f"/parley/cluster/servers/{cluster['server_id']}/drain"
    assert (await server.api("POST", path))[0] == 200
    await client.event("server.draining")
    assert await server.wait() == 0
