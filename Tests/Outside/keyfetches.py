"""When the keys of identity providers are fetched: rotation, floods of unknown keys, providers that are down."""

import asyncio
import glob
import json
import os
import secrets
import time

from harness import Refused, eventually, refused
from keysets import SECRET, fetched, opens, refusals, refuse, until_opens
from previewmetrics import metrics
from providers import Key, Provider, encoded
from reloading import Settings
from tokens import token as secret_token


async def test_rotation_without_a_restart(ctx):
    """A new key is fetched when its first token comes; one that left ends no session, but opens none."""
    old, new = Key("ES256", "old"), Key("ES256", "new")
    provider = await Provider.start(old)
    server, name = await ctx.fresh(*provider.flags()), ctx.name()
    client = await ctx.user(server, name, token=provider.token(name))
    provider.keys = [new, old]
    await until_opens(ctx, server, name, provider.token(name, new))
    assert len(provider.fetches) == 2
    assert provider.fetches[1] - provider.fetches[0] > 9.5, provider.fetches
    await client.call("session.refresh", access_token=provider.token(name, new))
    provider.keys = [new]
    third = Key("ES256", "third")

    async def is_fetched():
        await opens(ctx, server, name, provider.token(name, third))
        return len(provider.fetches) == 3
    await eventually(is_fetched, "another fetch")
    # The connection is closed only by the end of its own token.
    await refuse(ctx, server, name, provider.token(name, old))
    async with refused(400302):
        await client.call("session.refresh", access_token=provider.token(name, old))
    await client.call("session.ping")
    await ctx.user(server, name, token=provider.token(name, new))


async def test_many_wait_for_one_fetch(ctx):
    """All tokens with a new key that come together wait for one fetch, and open."""
    old, new = Key("ES256", "old"), Key("ES256", "new")
    provider = await Provider.start(old)
    server = await ctx.fresh(*provider.flags())
    await ctx.user(server, "first", token=provider.token("first"))
    provider.keys, provider.delay = [new], 0.5
    names = [ctx.name() for _ in range(40)]

    async def may_fetch():
        return time.monotonic() > provider.fetches[0] + 10
    await eventually(may_fetch, "the end of the pause after the first fetch")
    outcomes = await asyncio.gather(*(
        opens(ctx, server, name, provider.token(name, new)) for name in names))
    assert all(outcomes), outcomes
    assert len(provider.fetches) == 2


async def test_a_flood_of_unknown_keys(ctx):
    """10,000 tokens with random kids cause at most one fetch in ten seconds, and others log in meanwhile."""
    provider = await Provider.start(Key("ES256", "1"))
    server = await ctx.fresh(*provider.flags(), "--limits-calls-per-second", "0")
    names = [ctx.name() for _ in range(20)]
    clients = [await ctx.user(server, name, token=provider.token(name)) for name in names]
    begin, slowest = time.monotonic(), 0
    head, body, mark = provider.token(names[0]).split(".")

    def random_token():
        header = {"alg": "ES256", "kid": secrets.token_hex(8)}
        return f"{encoded(json.dumps(header).encode())}.{body}.{mark}"

    async def flood(client):
        for _ in range(500):
            async with refused(400302):
                await client.call("session.refresh", access_token=random_token())

    async def log_in():
        nonlocal slowest
        while not all(task.done() for task in floods):
            start = time.monotonic()
            name = names[1]
            assert await opens(ctx, server, name, provider.token(name))
            slowest = max(slowest, time.monotonic() - start)
            await asyncio.sleep(0.05)
    floods = [asyncio.create_task(flood(client)) for client in clients]
    await asyncio.gather(*floods, log_in())
    elapsed = time.monotonic() - begin
    assert len(provider.fetches) <= 2 + elapsed / 10, (provider.fetches, elapsed)
    pauses = [b - a for a, b in zip(provider.fetches, provider.fetches[1:])]
    assert all(pause > 9.5 for pause in pauses), pauses
    assert slowest < 5, slowest
    assert await refusals(server, "key") == 10_000
    # Connections that open nothing are closed one by one.
    for _ in range(50):
        await refuse(ctx, server, names[0], random_token())


async def test_no_keys_at_all(ctx):
    """Without any key the server is not ready, tokens are 500901, and all is well once there are keys."""
    provider = await Provider.start(Key("ES256", "1"))
    provider.is_down = True
    # The refused connection is used again once there are keys, which takes up to 20 s.
    server, name = await ctx.fresh(
        *provider.flags(), "--auth-jwt-secret", SECRET, "--limits-open-timeout-ms", "60000"), ctx.name()
    await provider.until_fetched(1)
    client = await refuse(ctx, server, name, provider.token(name), 500901, reason="keys")
    async with refused(500901, reason="keys"):
        await client.call("session.open", user_id=name, access_token=provider.token(name))
    try:
        await client.call("session.open", user_id=name, access_token=provider.token(name))
    except Refused as refusal:
        assert 1_000 <= refusal.data["retry_after_ms"] <= 20_000, refusal
    status, _, body = await server.get("/readyz")
    assert status == 503 and b"no key set of auth.jwks has been fetched" in body, (status, body)
    assert (await server.get("/healthz"))[0] == 200
    # Tokens of others are not concerned.
    other = ctx.name("other")
    await ctx.user(server, other, token=secret_token(other, SECRET))
    assert await refusals(server, "no_keys") >= 3
    assert await fetched(server, provider, "unreachable") >= 1
    found = await metrics(server)
    assert f'parley_jwks_age_seconds{{issuer="{provider.issuer}"}}' not in found
    provider.is_down = False
    await until_opens(ctx, server, name, provider.token(name))
    assert (await server.get("/readyz"))[0] == 200
    # The connection that was refused is still there.
    await client.call("session.open", user_id=name, access_token=provider.token(name))


async def test_a_restart_without_the_provider(ctx):
    """The copy of the last set serves a restart, and one that is altered or of another URL does not."""
    provider = await Provider.start(Key("ES256", "1"))
    data, name = ctx.directory(), ctx.name()
    server = await ctx.fresh(*provider.flags(), data=data)
    await ctx.user(server, name, token=provider.token(name))
    pattern = os.path.join(data, "jwks", "*.json")

    async def is_copied():
        return glob.glob(pattern)
    path, = await eventually(is_copied, "a copy")
    assert os.stat(path).st_mode & 0o077 == 0
    await server.end()
    provider.is_down = True
    server = await ctx.fresh(*provider.flags(), data=data)
    await ctx.user(server, name, token=provider.token(name))
    await eventually(server.is_ready, "ready")
    await server.end()
    server = await ctx.fresh(*provider.flags(url=provider.url + "2"), data=data)
    await refuse(ctx, server, name, provider.token(name), 500901, reason="keys")
    await server.end()
    with open(path, "r+b") as file:
        file.truncate(100)
    server = await ctx.fresh(*provider.flags(), data=data)
    await refuse(ctx, server, name, provider.token(name), 500901, reason="keys")


async def test_stale_and_gone(ctx):
    """Keys that cannot be fetched again are used for auth.jwks_stale_seconds, and then no longer."""
    provider = await Provider.start(Key("ES256", "1"))
    provider.fields["Cache-Control"] = "max-age=1"
    data, name = ctx.directory(), ctx.name()
    values = {"auth__mode": "token", "auth__jwks": [provider.entry()]}
    settings = Settings(ctx, **values, auth__jwks_stale_seconds=1000)
    flags = ["--config", settings.path]
    server = await ctx.fresh(*flags, data=data)
    await ctx.user(server, name, token=provider.token(name))

    async def copies():
        return glob.glob(os.path.join(data, "jwks", "*.json"))
    path, = await eventually(copies, "a copy")
    await server.end()
    provider.status = 500

    async def begin(age):
        with open(path, encoding="utf-8") as file:
            head, document = file.read().split("\n", 1)
        head = json.loads(head)
        assert head["lifetime_seconds"] == 60
        head["fetched_at"] = int((time.time() - age) * 1000)
        with open(path, "w", encoding="utf-8") as file:
            file.write(json.dumps(head) + "\n" + document)
        return await ctx.fresh(*flags, data=data)
    server = await begin(600)
    await ctx.user(server, name, token=provider.token(name))

    async def is_overdue():
        found = await metrics(server)
        overdue = found[f'parley_jwks_overdue_seconds{{issuer="{provider.issuer}"}}']
        age = found[f'parley_jwks_age_seconds{{issuer="{provider.issuer}"}}']
        assert 600 <= age < 700 and 540 <= overdue < 640, (age, overdue)
        return await fetched(server, provider, "status") >= 1
    await eventually(is_overdue, "a failed fetch")
    _, status = await server.api("GET", "/parley/status")
    problem, = [one for one in status["problems"] if one["kind"] == "key_sets"]
    assert provider.issuer in problem["message"], problem
    client = await ctx.user(server, name, token=provider.token(name))
    settings.write(**values, auth__jwks_stale_seconds=100)
    await settings.reload(server, "reloaded the settings")
    await refuse(ctx, server, name, provider.token(name), 500901, reason="keys")
    assert (await metrics(server))[f'parley_jwks_keys{{issuer="{provider.issuer}"}}'] == 0
    # A server that was ready stays so, and sessions stay open.
    assert (await server.get("/readyz"))[0] == 200
    await client.call("session.ping")
    await server.end()
    settings.write(**values, auth__jwks_stale_seconds=1000)
    server = await begin(1_061)
    await refuse(ctx, server, name, provider.token(name), 500901, reason="keys")
    assert (await server.get("/readyz"))[0] == 503


async def test_documents_that_are_refused(ctx):
    """What is no key set, or too large, slow or elsewhere, leaves the previous keys in use."""
    key = Key("ES256", "1")
    provider = await Provider.start(key)
    good = json.dumps({"keys": [key.jwk()]})
    for text in ("", "<html>", "[]", "{}", '{"keys":{}}', '{"keys":[]}', '{"keys":[7]}',
                 '{"keys":' + "[" * 100_000, json.dumps({"keys": [key.jwk()] * 101}),
                 good + " " * 262_144, '{"keys":[' + "1," * 120_000 + "1]}"):
        provider.document = text
        count = len(provider.fetches)
        server = await ctx.fresh(*provider.flags())
        await provider.until_fetched(count + 1)
        name = ctx.name()
        await refuse(ctx, server, name, provider.token(name), 500901, reason="keys")
        assert await fetched(server, provider, "unusable") == 1, text[:40]
        await server.kill()
    provider.document = None
    elsewhere = await Provider.start(key)
    for status, fields in ((500, {}), (404, {}), (204, {}), (302, {"Location": elsewhere.url})):
        provider.status, provider.fields = status, fields
        server, name = await ctx.fresh(*provider.flags()), ctx.name()
        await refuse(ctx, server, name, provider.token(name), 500901, reason="keys")
        assert await fetched(server, provider, "status") == 1, status
        await server.kill()
    assert elsewhere.fetches == []
    provider.status, provider.fields, provider.delay = 200, {}, 60
    server, name = await ctx.fresh(*provider.flags()), ctx.name()
    await refuse(ctx, server, name, provider.token(name), 500901, reason="keys")
    assert await fetched(server, provider, "timed_out") == 1
