"""Settings that are read again on SIGHUP: what changes, what waits for a restart, and what is refused."""

import json
import os
import signal

from doors import UPGRADE
from harness import Refused, eventually, http, refused
from previewmetrics import metrics
from tokens import token

FIRST, SECOND = "the first secret of access tokens", "the second secret of access tokens"
PAGE = "https://chat.example"


class Settings:
    """A file of settings, which a server or a service reads again."""

    def __init__(self, ctx, **settings):
        self.path = os.path.join(ctx.directory(), "parley.yaml")
        self.write(**settings)

    def write(self, **settings):
        """Writes settings by their names, with __ for a period; JSON is YAML too."""
        self.write_text(json.dumps(
            {name.replace("__", "."): value for name, value in settings.items()}))

    def write_text(self, text):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(text)

    async def reload(self, program, words):
        """Sends SIGHUP, and gives the first new line of the log with these words."""
        seen = len(program.lines)
        program.process.send_signal(signal.SIGHUP)

        async def found():
            return next((line for line in list(program.lines)[seen:] if words in line), None)
        await eventually(found, f"a line with {words!r}")
        return await found()


async def in_force(server, name):
    status, answer = await server.api("GET", "/parley/settings")
    assert status == 200
    return next(entry["value"] for entry in answer["settings"] if entry["name"] == name)


async def upgrade(server):
    """The status of an upgrade that a page of another origin asks for."""
    fields = {"Host": f"127.0.0.1:{server.port}", "Origin": PAGE, **UPGRADE}
    return (await http(server.port, "GET", "/v1/ws", fields))[0]


async def sent_until_refused(client, channel, most):
    """The number of messages that are taken in one go."""
    for number in range(most):
        try:
            await client.send(channel, f"message {number}")
        except Refused as refusal:
            assert refusal.code == 900200, refusal
            return number
    return most


async def test_settings_change_while_the_server_runs(ctx):
    """Log level, origins, the secret of tokens and limits change on SIGHUP, with one line that shows no secret;
    sessions and channels in memory stay, and settings of the command line keep their values."""
    common = {"auth__mode": "token", "limits__flood__window_ms": 3_600_000}
    file = Settings(
        ctx, **common, auth__jwt_secret=FIRST, limits__flood__messages=2, limits__channels_per_user=1)
    server = await ctx.fresh("--config", file.path, "--limits-calls-burst", "400")
    name, other = ctx.name(), ctx.name()
    client = await ctx.user(server, name, token=token(name, FIRST))
    channel = ctx.name("channel")
    await client.call("channel.create", channel_url=channel)
    await client.enter(channel)
    assert await sent_until_refused(client, channel, 5) == 2
    assert await upgrade(server) == 403
    file.write(
        **common, auth__jwt_secret=SECOND, limits__flood__messages=4, limits__channels_per_user=2,
        auth__allowed_origins=[PAGE], log__level="debug", limits__calls_burst=500)
    line = await file.reload(server, "reloaded the settings")
    for part in ("limits.flood.messages=\"2 -> 4\"", f"none -> {PAGE}", "info -> debug", "auth.jwt_secret="):
        assert part in line, (part, line)
    assert FIRST not in line and SECOND not in line and "calls_burst" not in line, line

    async def is_open():
        return await upgrade(server) == 101

    async def is_logged():
        return any("a WebSocket was opened" in line for line in server.lines)
    await eventually(is_open, "an upgrade from the page that is allowed now")
    await eventually(is_logged, "a line of level debug")
    # The channel in memory has the new limit, and the two messages before count.
    assert await sent_until_refused(client, channel, 5) == 2
    second = ctx.name("channel")
    await client.call("channel.create", channel_url=second)
    await client.enter(second)
    await ctx.user(server, other, token=token(other, SECOND))
    late = await ctx.connect(server)
    async with refused(400302):
        await late.call("session.open", user_id=other, access_token=token(other, FIRST))
    assert await in_force(server, "limits.flood.messages") == "4"
    assert await in_force(server, "limits.calls_burst") == "400"
    await client.call("session.ping")


async def test_an_invalid_file_changes_nothing(ctx):
    """Each problem of the file has a line that names its setting; no setting changes, until the file is mended."""
    file = Settings(ctx, limits__flood__messages=3)
    server = await ctx.fresh("--config", file.path)
    before = (await metrics(server))["parley_settings_loaded_at_seconds"]
    refusal = "the settings cannot be reloaded"
    for text, setting in (
            ("limits.flood.messages: many\nlog.level: debug\n", "limits.flood.messages"),
            ("limits.flood.messages: 9\nlimits.flod.messages: 9\n", "limits.flod.messages"),
            ("limits.flood.messages: 9\nauth.jwt_public_key: /no/such/key.pem\n", "auth.jwt_public_key"),
            ("limits.flood.messages: 9\nwebhooks.urls: ['http://a.example/']\n", "webhooks.secret"),
            ("limits: [", "configuration file")):
        file.write_text(text)
        line = await file.reload(server, refusal)
        assert setting in line and " error " in line, (setting, line)
        assert await in_force(server, "limits.flood.messages") == "3"
        assert await in_force(server, "log.level") == "info"
    found = await metrics(server)
    assert found["parley_settings_reloaded"] == 0
    assert found["parley_settings_loaded_at_seconds"] == before
    file.write(limits__flood__messages=9)
    await file.reload(server, "reloaded the settings")

    async def is_adopted():
        return await in_force(server, "limits.flood.messages") == "9"
    await eventually(is_adopted, "the mended file")
    found = await metrics(server)
    assert found["parley_settings_reloaded"] == 1
    assert found["parley_settings_loaded_at_seconds"] > before


async def test_what_needs_a_restart_is_named(ctx):
    """A warning lists the changed settings that hold from the next start on, with both values."""
    file = Settings(ctx)
    server = await ctx.fresh("--config", file.path)
    file.write(limits__message_bytes=65_536, limits__connections_per_user=7)
    line = await file.reload(server, "restart to adopt them")
    assert "limits.message_bytes=\"262144 -> 65536\"" in line and "connections_per_user" not in line, line
    assert " warning " in line, line

    async def is_adopted():
        return await in_force(server, "limits.connections_per_user") == "7"
    await eventually(is_adopted, "the setting that changes on reload")
    assert await in_force(server, "limits.message_bytes") == "262144"
    assert (await metrics(server))["parley_settings_awaiting_restart"] == 1
    assert await server.end() == 0
    restarted = await ctx.fresh("--config", file.path, data=server.data)
    assert await in_force(restarted, "limits.message_bytes") == "65536"
    assert (await metrics(restarted))["parley_settings_awaiting_restart"] == 0
    line = await file.reload(restarted, "reloaded the settings")
    assert "none has changed" in line, line


async def test_opening_has_the_limits_in_force(ctx):
    """session.open names the limits of messages as they are after a reload."""
    file = Settings(ctx)
    server = await ctx.fresh("--config", file.path)
    file.write(limits__flood__messages=9, limits__user_flood__messages=11)
    await file.reload(server, "reloaded the settings")

    async def is_adopted():
        return await in_force(server, "limits.flood.messages") == "9"
    await eventually(is_adopted, "the reloaded limits")
    limits = (await ctx.user(server)).session["limits"]
    assert limits["flood"] == {"messages": 9, "window_ms": 1000}, limits
    assert limits["user_flood"] == {"messages": 11, "window_ms": 1000}, limits
