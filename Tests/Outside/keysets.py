"""Tokens of identity providers, whose keys are fetched from their key sets."""

import asyncio
import glob
import json
import os
import secrets
import time

from harness import Refused, eventually, refused
from previewmetrics import metrics
from providers import Key, Provider, by_secret, encoded, rsa_key, signed
from reloading import Settings
from tokens import token as secret_token

SECRET = "the secret of tokens without a provider"


async def refuse(ctx, server, user_id, access_token, code=400302, **data):
    """A token is refused; with 400302 the connection is closed too."""
    client = await ctx.connect(server)
    async with refused(code, **data):
        await client.call("session.open", user_id=user_id, access_token=access_token)
    if code == 400302:
        assert await client.ended() == 4002
    return client


async def opens(ctx, server, user_id, access_token):
    """Whether a token opens a session."""
    client = await ctx.connect(server)
    try:
        await client.call("session.open", user_id=user_id, access_token=access_token)
    except Refused as refusal:
        assert refusal.code in (400302, 500901), refusal
        return False
    await client.leave()
    return True


async def until_opens(ctx, server, user_id, access_token):
    await eventually(
        lambda: opens(ctx, server, user_id, access_token), f"a session of {user_id}")


async def fetched(server, provider, outcome="fetched"):
    found = await metrics(server)
    name = "parley_jwks_fetches_total"
    return found[f'{name}{{issuer="{provider.issuer}",outcome="{outcome}"}}']


async def refusals(server, reason):
    return (await metrics(server))[f'parley_tokens_refused_total{{reason="{reason}"}}']


# MARK: Tokens and keys


async def test_each_algorithm(ctx):
    """Tokens by each of the seven algorithms open sessions, and only three of them unless others are set."""
    names = ["RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA"]
    keys = [Key(name, f"key-{name}") for name in names]
    provider = await Provider.start(*keys)
    server = await ctx.fresh(*provider.flags(algorithms="+".join(names)))
    usual = await ctx.fresh(*provider.flags())
    for key in keys:
        name = ctx.name()
        await ctx.user(server, name, token=provider.token(name, key))
        assert await opens(ctx, usual, name, provider.token(name, key)) == (
            key.algorithm in ("RS256", "ES256", "EdDSA")), key.algorithm
    assert await fetched(server, provider) == 1
    assert await refusals(usual, "algorithm") == 4


async def test_keys_of_another_implementation(ctx):
    """Keys that joserfc made and published verify the tokens that it signed."""
    from joserfc import jwt
    from joserfc.jwk import ECKey, KeySet, OKPKey, RSAKey
    made = {
        "RS384": RSAKey.generate_key(2048, {"kid": "a", "use": "sig", "alg": "RS384"}),
        "PS256": RSAKey.generate_key(3072, {"kid": "b", "key_ops": ["verify", "sign"]}),
        "ES256": ECKey.generate_key("P-256", {"kid": "c", "use": "sig"}),
        "ES384": ECKey.generate_key("P-384", {"kid": "d", "alg": "ES384"}),
        "EdDSA": OKPKey.generate_key("Ed25519", {"kid": "e", "alg": "EdDSA"}),
    }
    provider = await Provider.start()
    provider.document = json.dumps(KeySet(list(made.values())).as_dict(private=False))
    server = await ctx.fresh(*provider.flags(algorithms="+".join(made)))
    for algorithm, key in made.items():
        name = ctx.name()
        claims = {"iss": provider.issuer, "sub": name, "aud": ["chat"], "exp": int(time.time()) + 60}
        token = jwt.encode({"alg": algorithm, "kid": key.kid}, claims, key, algorithms=[algorithm])
        await ctx.user(server, name, token=token)
    assert (await metrics(server))[f'parley_jwks_keys{{issuer="{provider.issuer}"}}'] == 5


async def test_claims(ctx):
    """iss, aud and exp must be there and right; aud may be an array."""
    provider = await Provider.start(Key("EdDSA", "1"))
    server, name = await ctx.fresh(*provider.flags()), ctx.name()
    now = int(time.time())
    for claims in ({}, {"aud": ["other", "chat"]}, {"nbf": now - 1}, {"iat": 2**70}):
        await ctx.user(server, name, token=provider.token(name, **claims))
    bad = [
        ("audience", {"aud": "other"}), ("audience", {"aud": ["other", "chat2"]}),
        ("audience", {"aud": None}), ("audience", {"aud": []}), ("malformed", {"aud": {"a": "chat"}}),
        ("malformed", {"aud": ["chat", 1]}), ("no_expiry", {"exp": None}),
        ("expired", {"exp": now - 1}), ("malformed", {"exp": 2**63}), ("malformed", {"exp": 1e300}),
        ("malformed", {"exp": "soon"}), ("not_yet_valid", {"nbf": now + 100}),
        ("user", {"sub": "someone-else"}), ("malformed", {"sub": None}),
    ]
    for reason, claims in bad:
        before = await refusals(server, reason)
        try:
            await refuse(ctx, server, name, provider.token(name, **claims))
        except AssertionError as failure:
            raise AssertionError(f"{claims}: {failure}") from None
        assert await refusals(server, reason) == before + 1, claims
    # Of these issuers nothing is known.
    for issuer in (None, provider.issuer + "/", provider.issuer.upper(), 7):
        await refuse(ctx, server, name, provider.token(name, iss=issuer))
    assert len(provider.fetches) == 1


async def test_other_claims(ctx):
    """The user and the nickname may be in other claims; a nickname that is none is ignored."""
    provider = await Provider.start(Key("ES256", "1"))
    server = await ctx.fresh(*provider.flags(user_claim="email", nickname_claim="name"))
    name = "ada@example.com"

    async def nickname(**claims):
        token = provider.token("a-number", email=name, **claims)
        client = await ctx.user(server, name, token=token, nickname="Given")
        return client.session["user"]["nickname"]
    assert await nickname(name="Ada") == "Ada"
    assert await nickname() == "Given"
    for value in (7, "", "x" * 81, "a\nb"):
        assert await nickname(name=value) == "Given", value
    await refuse(ctx, server, "a-number", provider.token("a-number", name="Ada"))


async def test_two_issuers_with_one_kid(ctx):
    """A key of one issuer verifies no token of another, whatever its kid."""
    one, two = await Provider.start(Key("ES256", "same")), await Provider.start(Key("ES256", "same"))
    server = await ctx.fresh(*one.flags(), "--auth-jwks", two.flag())
    name = ctx.name()
    for provider in (one, two, one):
        await ctx.user(server, name, token=provider.token(name))
    await refuse(ctx, server, name, one.token(name, two.keys[0]))
    await refuse(ctx, server, name, two.token(name, one.keys[0]))
    assert await refusals(server, "signature") == 2


async def test_confusion_of_algorithms(ctx):
    """A public key is no secret, and what a token brings in its header is no key."""
    rsa, curve, evil = Key("RS256", "rsa"), Key("ES256", "ec"), Key("ES256", "ec")
    provider = await Provider.start(rsa, curve)
    server, name = await ctx.fresh(*provider.flags(), "--auth-jwt-secret", SECRET), ctx.name()
    claims = {"iss": provider.issuer, "sub": name, "aud": "chat", "exp": int(time.time()) + 600}
    secret_texts = [rsa.pem(), rsa.pem().strip(), json.dumps(rsa.jwk()).encode(), SECRET.encode()]
    for kid in ("rsa", "ec", None, "none"):
        for text in secret_texts:
            header = {"alg": "HS256", **({"kid": kid} if kid else {})}
            await refuse(ctx, server, name, signed(header, claims, by_secret(text)))
        for none in ("none", "None", "NONE", "", "HS512"):
            await refuse(ctx, server, name, signed({"alg": none, "kid": kid}, claims, lambda _: b""))
    brought = {"jwk": evil.jwk(), "jku": "http://127.0.0.1:1/", "x5u": "http://127.0.0.1:1/",
               "x5c": ["MIIB"]}
    await refuse(ctx, server, name, provider.token(name, evil, header=brought))
    await refuse(ctx, server, name, provider.token(name, curve, header={"kid": "rsa"}))
    await refuse(ctx, server, name, provider.token(name, rsa, header={"alg": "PS256"}))
    await refuse(ctx, server, name, provider.token(name, header={"crit": ["exp"]}))
    await refuse(ctx, server, name, provider.token(name, header={"kid": ["rsa"]}))
    await ctx.user(server, name, token=provider.token(name, curve, header=brought))
    # The secret is for tokens without a configured issuer.
    await ctx.user(server, name, token=secret_token(name, SECRET))
    await ctx.user(server, name, token=secret_token(name, SECRET, iss="https://other.example"))
    assert len(provider.fetches) == 1


async def test_bad_keys_are_left_out(ctx):
    """Keys that cannot be used do not keep the others from being used."""
    good, twin, other = Key("ES256", "good"), Key("ES256", "good"), Key("RS256", "good")
    enc, private, big = Key("RS256", "enc"), Key("EdDSA", "private"), Key("ES256", "k" * 257)
    huge = Key("ES256", "k" * 10_240)
    small = Key("RS256", "small", rsa_key("small", 1024))
    bare = Key("ES256", None)
    line = encoded(b"\3" * 32)
    bad = [
        {"kty": "RSA", "kid": "no-n", "e": "AQAB"},
        {"kty": "EC", "crv": "P-256", "kid": "off-curve", "x": line, "y": line},
        {"kty": "oct", "kid": "secret", "k": encoded(b"secret")},
        {"kty": "RSA", "kid": "one", "n": rsa_jwk_number(), "e": "AQ"},
        enc.jwk(use="enc"), enc.jwk(key_ops=["encrypt"]), enc.jwk(alg="ES256"), small.jwk(),
        private.jwk(d=encoded(b"\1" * 32)), big.jwk(), huge.jwk(), 7, None, [], {},
    ]
    provider = await Provider.start(good)
    provider.document = json.dumps({"keys": [*bad, good.jwk(), twin.jwk(), other.jwk(), bare.jwk()]})
    server, name = await ctx.fresh(*provider.flags()), ctx.name()
    await ctx.user(server, name, token=provider.token(name))
    # Of two keys with one kid and algorithm the first counts; alg chooses among those of several kinds.
    await ctx.user(server, name, token=provider.token(name, other))
    await refuse(ctx, server, name, provider.token(name, twin))
    # Without a kid only a key that is alone for its algorithm.
    await refuse(ctx, server, name, provider.token(name, bare))
    await ctx.user(server, name, token=provider.token(name, other, header={"kid": None}))
    for key in (enc, private, big, small):
        await refuse(ctx, server, name, provider.token(name, key))
    # No token has room for this one.
    await refuse(ctx, server, name, provider.token(name, huge), 400110)
    assert len(provider.fetches) == 1
    found = await metrics(server)
    assert found[f'parley_jwks_keys{{issuer="{provider.issuer}"}}'] == 3
    assert any("keys of a set are not used" in line and "n is missing" in line
               for line in server.lines), list(server.lines)


def rsa_jwk_number():
    return Key("RS256", "rsa").jwk()["n"]


# MARK: Fetches


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

    async def all_open():
        outcomes = await asyncio.gather(*(
            opens(ctx, server, name, provider.token(name, new)) for name in names))
        assert all(outcomes) or not any(outcomes), outcomes
        return all(outcomes)
    await eventually(all_open, "sessions with the new key")
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
    server, name = await ctx.fresh(
        *provider.flags(), "--auth-jwt-secret", SECRET), ctx.name()
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
    flags = [*provider.flags(), "--auth-jwks-stale-seconds", "1000"]
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
    await server.end()
    server = await begin(1_061)
    await refuse(ctx, server, name, provider.token(name), 500901, reason="keys")
    assert (await server.get("/readyz"))[0] == 503


async def test_documents_that_are_refused(ctx):
    """What is no key set, or too large, slow or elsewhere, leaves the previous keys in use."""
    key = Key("ES256", "1")
    provider = await Provider.start(key)
    good = json.dumps({"keys": [key.jwk()]})
    bad = {
        "unusable": ["", "<html>", "[]", "{}", '{"keys":{}}', '{"keys":[]}', '{"keys":[7]}',
                     '{"keys":' + "[" * 100_000, json.dumps({"keys": [key.jwk()] * 101}),
                     good + " " * 262_144, '{"keys":[' + "1," * 120_000 + "1]}"],
    }
    servers = []
    for text in bad["unusable"]:
        provider.document = text
        count = len(provider.fetches)
        server = await ctx.fresh(*provider.flags())
        servers.append(server)
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


# MARK: Everywhere


async def test_uploads(ctx):
    """An upload takes the token of a provider, and names the reason when there are no keys."""
    from uploads import TUS, call
    provider = await Provider.start(Key("ES256", "1"))
    server, name = await ctx.fresh(*provider.flags()), ctx.name()

    async def create(token):
        fields = {**TUS, "Authorization": f"Bearer {token}", "Parley-User": name,
                  "Upload-Length": "5"}
        return await asyncio.to_thread(call, server, "POST", "/v1/files", None, fields)
    assert (await create(provider.token(name)))[0] == 201
    assert (await create(provider.token(name, aud="other")))[0] == 401
    provider.is_down = True
    server = await ctx.fresh(*provider.flags())
    status, fields, body = await create(provider.token(name))
    answer = json.loads(body)
    assert status == 500 and answer["code"] == 500901 and answer["reason"] == "keys", answer
    assert answer["retry_after_ms"] >= 1_000 and int(fields["Retry-After"]) >= 1, (answer, fields)


async def test_reload(ctx):
    """Providers change on reload: sessions stay, and other requirements hold at once."""
    one, two = await Provider.start(Key("ES256", "1")), await Provider.start(Key("ES256", "1"))
    settings = Settings(ctx, auth__mode="token", auth__jwt_secret=SECRET)
    server, name = await ctx.fresh("--config", settings.path), ctx.name()
    await refuse(ctx, server, name, one.token(name))
    settings.write(auth__mode="token", auth__jwks=[one.entry()])
    await settings.reload(server, "reloaded the settings")
    client = await ctx.user(server, name, token=one.token(name))
    await refuse(ctx, server, name, two.token(name))
    settings.write(auth__mode="token", auth__jwks=[one.entry(audience="game"), two.entry()])
    await settings.reload(server, "reloaded the settings")
    await ctx.user(server, name, token=two.token(name))
    await refuse(ctx, server, name, one.token(name))
    await ctx.user(server, name, token=one.token(name, aud="game"))
    # The keys of an unchanged place are not fetched again.
    assert len(one.fetches) == 1
    settings.write(auth__mode="token", auth__jwks=[{"issuer": "x"}])
    await settings.reload(server, "cannot be reloaded")
    settings.write(auth__mode="token")
    await settings.reload(server, "reloaded the settings")
    await refuse(ctx, server, name, two.token(name))
    await client.call("session.ping")
    assert (await server.get("/readyz"))[0] == 200


async def test_the_single_provider(ctx):
    """auth.jwks_url, auth.jwt_issuer and auth.jwt_audience are one provider."""
    provider = await Provider.start(Key("EdDSA", "1"))
    server, name = await ctx.fresh(
        "--auth-mode", "token", "--auth-jwks-url", provider.url, "--auth-jwt-issuer",
        provider.issuer, "--auth-jwt-audience", "chat"), ctx.name()
    await ctx.user(server, name, token=provider.token(name))
    await refuse(ctx, server, name, provider.token(name, aud="x"))


async def test_open_mode_fetches_nothing(ctx):
    """Where anyone may open a session, keys are not needed, and a warning says so."""
    provider = await Provider.start(Key("EdDSA", "1"))
    server = await ctx.fresh("--auth-mode", "open", "--auth-jwks", provider.flag())
    await ctx.user(server)
    await eventually(server.is_ready, "ready")
    assert provider.fetches == []
    assert any("auth.jwks has no effect" in line for line in server.lines)


async def test_checking_the_settings(ctx):
    """--check-config finds wrong entries, and with --deep fetches each set."""
    provider = await Provider.start(Key("ES256", "1"))

    async def check(*flags):
        status, output, errors = await ctx.run(
            ctx.parleyd, "--check-config", "--listen", "127.0.0.1:0", "--data-dir",
            ctx.directory(), *flags)
        return status, (output + errors).decode()
    status, text = await check(*provider.flags())
    assert status == 0, text
    assert provider.fetches == []
    for flags in (["--auth-jwks", "issuer=a"], ["--auth-jwks", "issuer=a url=http://example.com/"],
                  ["--auth-jwks-url", provider.url], ["--auth-jwt-issuer", "x"],
                  ["--auth-jwks", provider.flag(), "--auth-jwks", provider.flag()]):
        status, text = await check(*flags)
        assert status == 78 and "auth.j" in text, (flags, status, text)
    status, text = await check("--deep", *provider.flags())
    assert status == 0 and f"{provider.issuer} publishes 1 usable key" in text, text
    provider.document = json.dumps({"keys": [provider.keys[0].jwk(), {"kty": "RSA", "kid": "x"}]})
    _, text = await check("--deep", *provider.flags())
    assert "n is missing" in text and "warning" in text, text
    provider.is_down = True
    status, text = await check("--deep", *provider.flags())
    assert status != 0 and "cannot be fetched" in text, (status, text)


async def test_explaining_a_token(ctx):
    """parley token explain names the entry, the key and the reason."""
    provider = await Provider.start(Key("ES256", "one"))
    settings = Settings(ctx, auth__mode="token", auth__jwks=[provider.entry()])

    async def explain(token, *more):
        status, output, errors = await ctx.run(
            ctx.parley, "token", "explain", "--config", settings.path, *more,
            stdin=token.encode())
        return status, (output + errors).decode()
    status, text = await explain(provider.token("ada"), "--for", "ada")
    assert status == 0 and provider.issuer in text and "one" in text, (status, text)
    cases = [
        (provider.token("ada", header={"kid": "two"}), 'has no key "two"'),
        (provider.token("ada", aud="game"), "another audience"),
        (provider.token("ada", exp=None), "exp is missing"),
        (provider.token("ada", Key("ES256", "one")), "signature"),
        (provider.token("ada", iss="https://x.example"), '"https://x.example" is not configured'),
        (provider.token("ada", Key("ES384", "one")), "ES384"),
    ]
    for token, words in cases:
        status, text = await explain(token)
        assert status == 1 and words in text, (words, status, text)
    status, output, _ = await ctx.run(
        ctx.parley, "token", "explain", "--config", settings.path, "--json",
        stdin=provider.token("ada").encode())
    parts = {check["part"]: check for check in json.loads(output)["checks"]}
    assert parts["iss"]["value"] == provider.issuer and parts["kid"]["value"] == "one", parts
    provider.is_down = True
    status, text = await explain(provider.token("ada"))
    assert status == 0 and "cannot be fetched" in text, (status, text)
