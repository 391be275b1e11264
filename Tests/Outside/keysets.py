"""Tokens of identity providers, which are verified with the keys that these publish."""

import asyncio
import json
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


async def test_a_session_ends_with_its_token(ctx):
    """session.expiring comes before the token expires, a refresh continues the session, and it ends with the token."""
    provider = await Provider.start(Key("ES256", "1"))
    server, name = await ctx.fresh(*provider.flags()), ctx.name()
    token = provider.token(name, exp=int(time.time()) + 600)
    client = await ctx.user(server, name, token=token)
    expiry = int(time.time()) + 4
    await client.call("session.refresh", access_token=provider.token(name, exp=expiry))
    event = await client.event("session.expiring")
    assert event["expires_at"] == expiry * 1000, event
    assert await client.ended() == 4002


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
