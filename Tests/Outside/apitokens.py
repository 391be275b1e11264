"""API tokens, what the gateway tells of limits, and calls while it drains."""

import asyncio
import json
import signal
import time

from calls import FLAGS, Caller, World, calls
from endpoints import guarded
from harness import eventually, http, refused


async def call(server, method, path, body=None, token=None):
    """The status, the header fields and the JSON answered."""
    content = json.dumps(body).encode() if body is not None else b""
    status, fields, answer = await http(
        server.port, method, "/v3" + path,
        {"Api-Token": token or server.api_token, "Content-Length": str(len(content))}, content)
    return status, fields, json.loads(answer)


async def issue(ctx, server):
    status, _, token = await call(server, "POST", "/parley/api_tokens", {"name": ctx.name()})
    assert status == 200, token
    return token


async def test_an_issued_token_calls_until_it_is_revoked(ctx):
    """An issued token may call at once, and no more as soon as it is revoked."""
    server = await ctx.server()
    token = await issue(ctx, server)
    assert (await call(server, "GET", "/users", token=token["token"]))[0] == 200
    _, _, listed = await call(server, "GET", "/parley/api_tokens")
    mine, = [t for t in listed["api_tokens"] if t["id"] == token["id"]]
    assert mine["name"] == token["name"] and "token" not in mine, mine
    assert token["token"] not in json.dumps(listed)
    path = f"/parley/api_tokens/{token['id']}"
    # A token may revoke itself.
    assert (await call(server, "DELETE", path, token=token["token"]))[:1] == (200,)
    status, _, refusal = await call(server, "GET", "/users", token=token["token"])
    assert (status, refusal["code"]) == (401, 400401)
    status, _, refusal = await call(server, "DELETE", path)
    assert (status, refusal["code"]) == (400, 400201)


async def test_a_revoked_token_is_refused_on_open_connections(ctx):
    """A connection that was used with a token before is refused when the token is revoked."""
    server = await ctx.server()
    token = await issue(ctx, server)
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)

    async def status():
        writer.write(
            b"GET /v3/parley/status HTTP/1.1\r\nHost: localhost\r\nApi-Token: "
            + token["token"].encode() + b"\r\n\r\n")
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(head.split("content-length: ")[1].split("\r\n")[0])
        await reader.readexactly(length)
        return int(head.split(" ")[1])
    try:
        assert await status() == 200
        await call(server, "DELETE", f"/parley/api_tokens/{token['id']}")
        assert await status() == 401
    finally:
        writer.close()


async def test_the_first_token_stays(ctx):
    """The first token cannot be revoked by a call, and the refusal says where it is changed."""
    server = await ctx.server()
    status, _, refusal = await call(server, "DELETE", "/parley/api_tokens/first")
    assert (status, refusal["code"]) == (400, 400108), refusal
    assert "auth.api_token" in refusal["message"]
    assert (await call(server, "GET", "/parley/status"))[0] == 200


async def test_a_viewer_reads_and_changes_nothing(ctx):
    """A viewer's calls of GET are answered, and all others refused, whatever they ask."""
    server = await ctx.fresh(*FLAGS)
    status, _, token = await call(
        server, "POST", "/parley/api_tokens", {"name": ctx.name(), "role": "viewer"})
    assert status == 200 and token["role"] == "viewer", token
    async with Caller(server) as caller:
        world = await World.make(ctx, caller)
        world.session_id = ctx.name("session")
        before = await world.state(caller)
        viewer = {"Api-Token": token["token"]}
        for path, method, operation in guarded():
            name = operation["operationId"]
            for one in calls(world, ctx.name)[name]:
                answer = await caller.send(
                    method, world.target(path, one.query), one.body, viewer)
                if method == "GET" and name not in ADMINS or name == "issueTicket":
                    assert answer.code == one.refusal and answer.status != 401, (name, answer)
                else:
                    assert (answer.status, answer.code) == (400, 400108), (name, answer)
                    assert "viewer" in answer.value["message"], answer
        # Nothing is said of bodies that are not read, and unknown paths are no secret.
        answer = await caller.send("POST", "/v3/parley/api_tokens", b"{", viewer)
        assert answer.code == 400108, answer
        answer = await caller.send("POST", "/v3/parley/nothing", b"{}", viewer)
        assert answer.code == 400930, answer
        after = await world.state(caller)
        # A page that is explained is fetched, and remembered.
        del before["/parley/previews"], after["/parley/previews"]
        assert after == before


# Reading that takes an admin: addresses of clients, and those of files that need no token.
ADMINS = {"listAuditRecords", "listExports", "viewExport", "listPrivacyRequests", "viewPrivacyRequest"}
# What a moderator may do beside reading.
MODERATION = {
    "issueTicket", "freezeChannel", "freezeGroup", "banUser", "banGroupUser", "updateBan", "updateGroupBan",
    "unbanUser", "unbanGroupUser", "muteUser", "muteGroupUser", "unmuteUser", "unmuteGroupUser",
    "deleteMessage", "deleteGroupMessage", "updateReport"}


async def test_a_moderator_moderates_and_changes_nothing_else(ctx):
    """A moderator reads, deletes messages, mutes, bans, freezes, sends admin messages, and is refused else."""
    server = await ctx.fresh(*FLAGS)
    status, _, token = await call(
        server, "POST", "/parley/api_tokens", {"name": ctx.name(), "role": "moderator"})
    assert status == 200 and token["role"] == "moderator", token
    async with Caller(server) as caller:
        world = await World.make(ctx, caller)
        world.session_id = ctx.name("session")
        moderator = {"Api-Token": token["token"]}
        sends = 0
        for path, method, operation in guarded():
            name = operation["operationId"]
            for one in calls(world, ctx.name)[name]:
                answer = await caller.send(
                    method, world.target(path, one.query), one.body, moderator)
                is_send = name in ("sendMessage", "sendGroupMessage") and one.body["message_type"] == "ADMM"
                if method == "GET" and name not in ADMINS or name in MODERATION or is_send:
                    assert answer.code != 400108 and answer.status != 401, (name, answer)
                    sends += is_send
                else:
                    assert (answer.status, answer.code) == (400, 400108), (name, one.body, answer)
                    assert "role moderator" in answer.value["message"], answer
                    assert "role admin" in answer.value["message"], answer
        assert sends == 2


async def test_an_expired_token_is_refused(ctx):
    """A token is refused from its expiry on, with words about it, stays listed, and closes its observers."""
    server = await ctx.fresh(*FLAGS)
    now = int(time.time() * 1000)
    for wrong in (now - 1, now + 3_651 * 86_400_000):
        status, _, refusal = await call(
            server, "POST", "/parley/api_tokens", {"name": "past", "expires_at": wrong})
        assert (status, refusal["code"]) == (400, 400113) and "expires_at" in refusal["message"], refusal
    expiry = int(time.time() * 1000) + 3_000
    _, _, token = await call(
        server, "POST", "/parley/api_tokens", {"name": "brief", "role": "viewer", "expires_at": expiry})
    assert token["expires_at"] == expiry, token
    status, _, ticket = await call(server, "POST", "/parley/tickets", token=token["token"])
    assert status == 200, ticket
    observer = await ctx.connect(server)
    await observer.call("session.open", ticket=ticket["ticket"])
    _, _, metrics = await call(server, "GET", "/parley/metrics")
    sample, = [one for one in metrics["samples"] if one["name"] == "parley_api_token_expiry_seconds"]
    assert sample["labels"] == {"name": "brief"} and sample["value"] <= 3, sample

    async def refusal():
        answer = await call(server, "GET", "/users", token=token["token"])
        return answer if answer[0] == 401 else None
    _, _, body = await eventually(refusal, "the refusal of the expired token")
    assert body["code"] == 400401 and "brief expired at 2" in body["message"], body
    assert int(time.time() * 1000) >= expiry
    assert await observer.ended() == 4002
    _, _, listed = await call(server, "GET", "/parley/api_tokens")
    assert [(one["name"], one["expires_at"]) for one in listed["api_tokens"]] == [("brief", expiry)], listed
    # It is still expired after a restart, and can be revoked.
    await server.end()
    server = await ctx.fresh(*FLAGS, data=server.data)
    status, _, body = await call(server, "GET", "/users", token=token["token"])
    assert status == 401 and "expired" in body["message"], body
    assert (await call(server, "DELETE", f"/parley/api_tokens/{token['id']}"))[0] == 200
    status, _, body = await call(server, "GET", "/users", token=token["token"])
    assert status == 401 and "expired" not in body["message"], body


async def test_a_token_shows_itself(ctx):
    """A call learns the name and role of its token; the first one is an admin."""
    server = await ctx.server()
    status, _, own = await call(server, "GET", "/parley/api_tokens/me")
    first = {"id": "first", "name": "first", "role": "admin", "expires_at": 0}
    assert (status, own) == (200, first), own
    later = int(time.time() * 1000) + 3_600_000
    for given, role in (({}, "admin"), ({"role": "admin"}, "admin"), ({"role": "viewer"}, "viewer"),
                        ({"role": "moderator", "expires_at": later}, "moderator")):
        _, _, token = await call(
            server, "POST", "/parley/api_tokens", {"name": ctx.name(), **given})
        _, _, own = await call(server, "GET", "/parley/api_tokens/me", token=token["token"])
        assert own == {"id": token["id"], "name": token["name"], "role": role,
                       "expires_at": given.get("expires_at", 0)}, own
        await call(server, "DELETE", f"/parley/api_tokens/{token['id']}")


async def test_roles_outlive_a_restart(ctx):
    """A viewer is one after a restart too."""
    server = await ctx.fresh()
    _, _, token = await call(
        server, "POST", "/parley/api_tokens", {"name": "board", "role": "viewer"})
    await server.end()
    server = await ctx.fresh(data=server.data)
    _, _, own = await call(server, "GET", "/parley/api_tokens/me", token=token["token"])
    assert own["role"] == "viewer", own


async def test_a_limited_call_says_when_to_come_again(ctx):
    """500910 has Retry-After and names the limit, its window and whose calls are counted."""
    server = await ctx.fresh(
        "--limits-platform-calls-per-second", "1", "--limits-platform-calls-burst", "1")

    async def limited():
        answer = await call(server, "GET", "/parley/status")
        return answer if answer[0] == 429 else None
    _, fields, body = await eventually(limited, "429")
    assert body["code"] == 500910 and fields["retry-after"] == "1", (fields, body)
    assert 1 <= body["retry_after_ms"] <= 1000, body
    assert (body["limit"], body["window_ms"], body["scope"]) == (1, 1000, "api_token"), body


async def explained(server, client, channel):
    path = f"/parley/limits/explain?user_id={client.user_id}&channel_url={channel}"
    status, _, answer = await call(server, "GET", path)
    assert status == 200, answer
    return answer


async def test_the_windows_are_explained(ctx):
    """What is used, shown and withheld is told as it stands, and asking counts as nothing."""
    server = await ctx.fresh(
        "--limits-flood-window-ms", "600000", "--limits-throttle-window-ms", "600000",
        "--limits-throttle-messages", "3")
    channel, owner, sender, viewer = await ctx.room(server, 2)
    for number in range(5):
        await sender.send(channel, str(number))
        for _ in range(3):
            told = await explained(server, sender, channel)
        assert told["flood"]["used"] == number + 1, told
        assert bool(told["refusals"]) == (number == 4), told
    assert told["refusals"][0]["code"] == 900200
    async with refused(900200) as _:
        await sender.send(channel, "one too many")
    told = await explained(server, viewer, channel)
    assert told["flood"]["used"] == 0 and told["refusals"] == [], told
    assert told["throttle"]["shown"] == 3, told
    await viewer.event("channel.throttled")
    assert (await explained(server, viewer, channel))["throttle"]["withheld"] == 0
    told = await explained(server, owner, channel)
    assert told["is_operator"] and told["throttle"]["exemption"] == "operator", told


async def test_the_first_reason_is_what_the_sender_is_told(ctx):
    """With each reason that is added, a send is refused with the first of those explained."""
    server = await ctx.fresh("--limits-flood-window-ms", "600000")
    channel, owner, sender = await ctx.room(server, 1)
    for number in range(5):
        await sender.send(channel, str(number))
    expected = [900200]

    async def check():
        told = await explained(server, sender, channel)
        codes = [refusal["code"] for refusal in told["refusals"]]
        assert codes == expected, (codes, expected)
        async with refused(codes[0]):
            await sender.send(channel, "x")
    await check()
    await owner.call("channel.mute", channel_url=channel, user_id=sender.user_id, seconds=600)
    expected.insert(0, 900041)
    await check()
    await owner.call("channel.freeze", channel_url=channel)
    expected.insert(0, 900050)
    await check()
    await sender.call("channel.exit", channel_url=channel)
    expected.insert(0, 900020)
    await check()
    await owner.call("channel.ban", channel_url=channel, user_id=sender.user_id, seconds=600)
    expected.insert(0, 400750)
    await check()


async def test_calls_while_draining(ctx):
    """While draining, calls are 503 with Retry-After; status and drain are answered."""
    server = await ctx.fresh("--drain-timeout-ms", "600000", "--reactors", "1")
    raw = await ctx.raw(server)
    await raw.sign_in(ctx.name())
    server.process.send_signal(signal.SIGTERM)

    async def draining():
        return any("drain" in line for line in server.lines)
    await eventually(draining, "word of the drain")

    async def refusal():
        answer = await call(server, "GET", "/users")
        return answer if answer[0] == 503 else None
    _, fields, body = await eventually(refusal, "503")
    assert body["code"] == 400501 and body["retry_after_ms"] == 1000, body
    assert fields["retry-after"] == "1", fields
    status, _, body = await call(server, "GET", "/parley/status")
    assert status == 200 and body["is_ready"] is False, body
    assert (await call(server, "POST", "/parley/drain"))[0] == 200
    await raw.close()
    assert await server.wait() == 0


async def test_no_session_outlives_a_deactivation(ctx):
    """However sessions open while their user is deactivated, none is left when that is answered."""
    server = await ctx.fresh()
    for _ in range(10):
        name = ctx.name()
        await ctx.user(server, name)
        clients = [await ctx.connect(server) for _ in range(8)]
        asked = [await client.ask("session.open", user_id=name) for client in clients]
        status, _, _ = await call(server, "PUT", f"/users/{name}", {"is_active": False})
        assert status == 200
        await asyncio.gather(*asked, return_exceptions=True)
        codes = [await client.ended() for client in clients]
        assert codes == [4002] * len(clients), codes
        _, _, listed = await call(server, "GET", f"/parley/sessions?user_id={name}")
        assert listed["sessions"] == [], listed
