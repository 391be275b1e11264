"""Sessions with JSON Web Tokens."""

import base64
import hashlib
import hmac
import json
import os
import shutil
import subprocess
import time

from harness import Skipped, refused

SECRET = "correct horse battery staple"
FLAGS = ("--auth-mode", "token", "--auth-jwt-secret", SECRET)


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unsigned(claims, algorithm):
    head = {"alg": algorithm, "typ": "JWT"}
    return ".".join(encoded(json.dumps(part).encode()) for part in (head, claims))


def token(user_id, secret=SECRET, algorithm="HS256", **claims):
    text = unsigned({"sub": user_id, **claims}, algorithm)
    return f"{text}.{encoded(hmac.new(secret.encode(), text.encode(), hashlib.sha256).digest())}"


async def refuse(ctx, server, user_id, access_token):
    client = await ctx.connect(server)
    async with refused(400302):
        await client.call("session.open", user_id=user_id, access_token=access_token)
    code = await client.ended()
    assert code == 4002, code


async def test_a_missing_token_is_refused(ctx):
    """In token mode a session without a token is 400302, then closed with 4002."""
    await refuse(ctx, await ctx.server(*FLAGS), ctx.name(), None)


async def test_a_good_token_opens(ctx):
    """An HS256 token for the user opens a session."""
    server, name = await ctx.server(*FLAGS), ctx.name()
    client = await ctx.user(server, name, token=token(name, exp=int(time.time()) + 600))
    assert client.session["user"]["user_id"] == name


async def test_a_token_without_expiry_opens(ctx):
    """A token without exp opens a session, as exp is honoured where it is."""
    server, name = await ctx.server(*FLAGS), ctx.name()
    await ctx.user(server, name, token=token(name))


async def test_bad_tokens_are_refused(ctx):
    """Other users', forged, expired, early, unsigned and garbled tokens are all refused."""
    server, name = await ctx.server(*FLAGS), ctx.name()
    now = int(time.time())
    good = token(name, exp=now + 600)
    head, body, mark = good.split(".")
    bad = {
        "of another user": token("someone-else", exp=now + 600),
        "without a subject": token(name, sub=None),
        "of another secret": token(name, secret="wrong", exp=now + 600),
        "expired": token(name, exp=now - 100),
        "not yet valid": token(name, nbf=now + 1000, exp=now + 2000),
        "algorithm none": unsigned({"sub": name}, "none") + ".",
        "algorithm lie": token(name, algorithm="RS256"),
        "unknown algorithm": token(name, algorithm="HS512"),
        "no signature": f"{head}.{body}.",
        "two parts": f"{head}.{body}",
        "four parts": f"{good}.x",
        "not base64": f"{head}.{body}.***",
        "changed body": f"{head}.{encoded(json.dumps({'sub': name, 'x': 1}).encode())}.{mark}",
        "nonsense": "nonsense",
        "empty": "",
        "text expiry": token(name, exp="soon"),
    }
    for what, text in bad.items():
        try:
            await refuse(ctx, server, name, text)
        except AssertionError as failure:
            raise AssertionError(f"a token {what}: {failure}") from None


async def test_odd_expiries(ctx):
    """Expiries that are huge or fractional are taken or refused, and the server stays up."""
    server = await ctx.server(*FLAGS)
    for expiry in (10**12, 2**53, 2**63 - 1, 2**64, 1e300, time.time() + 900.5, -1, 0):
        name = ctx.name()
        client = await ctx.connect(server)
        answer = await client.raw_answer({
            "jsonrpc": "2.0", "id": 1, "method": "session.open",
            "params": {"user_id": name, "access_token": token(name, exp=expiry)}})
        if "error" in answer:
            assert answer["error"]["code"] == 400302, (expiry, answer)
        else:
            assert expiry > 0, expiry
            await client.call("session.ping")


async def test_a_refused_token_writes_nothing(ctx):
    """A user that was refused is not made by the refusal."""
    server, name = await ctx.server(*FLAGS), ctx.name()
    client = await ctx.connect(server)
    async with refused(400302):
        await client.call("session.open", user_id=name, access_token="x", nickname="Mallory")
    good = await ctx.user(server, name, token=token(name))
    assert good.session["user"]["nickname"] == ""


async def test_expiring_is_told_60_seconds_before(ctx):
    """A token with more than a minute left brings session.expiring when a minute is left."""
    server, name = await ctx.server(*FLAGS), ctx.name()
    expiry = int(time.time()) + 62
    client = await ctx.user(server, name, token=token(name, exp=expiry))
    assert not client.told("session.expiring")
    event = await client.event("session.expiring")
    assert "channel_url" not in event
    assert event["ts"] >= expiry * 1000 - 60_000 - 50, (event, expiry)


async def test_a_token_that_runs_out_closes_with_4002(ctx):
    """A session whose token expires is told beforehand and then closed with 4002."""
    server, name = await ctx.server(*FLAGS), ctx.name()
    client = await ctx.user(server, name, token=token(name, exp=int(time.time()) + 3))
    await client.event("session.expiring")
    assert await client.ended() == 4002


async def test_each_token_is_announced_once(ctx):
    """A refresh with the same token brings no second session.expiring, one with another token its own."""
    server, name = await ctx.server(*FLAGS), ctx.name()
    expiry = int(time.time()) + 50
    mine = token(name, exp=expiry)
    client = await ctx.user(server, name, token=mine)
    await client.event("session.expiring")
    for _ in range(5):
        await client.call("session.refresh", access_token=mine)
    await client.call("session.ping")
    assert len(client.told("session.expiring")) == 1
    await client.call("session.refresh", access_token=token(name, exp=expiry + 2))
    await client.until(lambda: len(client.told("session.expiring")) == 2)
    assert client.told("session.expiring")[1]["params"]["expires_at"] == (expiry + 2) * 1000


async def test_refresh_prolongs_the_session(ctx):
    """session.refresh with a fresh token keeps the session beyond the first one's end."""
    server, name = await ctx.server(*FLAGS), ctx.name()
    expiry = int(time.time()) + 3
    other_name = ctx.name()
    other = await ctx.user(server, other_name, token=token(other_name, exp=expiry + 1))
    client = await ctx.user(server, name, token=token(name, exp=expiry))
    await client.call("session.refresh", access_token=token(name, exp=expiry + 600))
    assert await other.ended() == 4002
    assert (await client.call("session.ping"))["time"] >= expiry * 1000


async def test_refresh_with_a_bad_token(ctx):
    """session.refresh with a token of another user is 400302."""
    server, name = await ctx.server(*FLAGS), ctx.name()
    client = await ctx.user(server, name, token=token(name, exp=int(time.time()) + 600))
    async with refused(400302):
        await client.call("session.refresh", access_token=token("other"))


async def public_key_server(ctx, *options):
    folder = ctx.directory()
    private, public = os.path.join(folder, "key.pem"), os.path.join(folder, "public.pem")
    subprocess.run(["openssl", "genpkey", "-quiet", *options, "-out", private], check=True)
    subprocess.run(["openssl", "pkey", "-in", private, "-pubout", "-out", public], check=True)
    return await ctx.fresh("--auth-mode", "token", "--auth-jwt-public-key", public), private, public


async def signed_with_key(ctx, algorithm, command, *options, convert=lambda data: data):
    if not shutil.which("openssl"):
        raise Skipped("openssl is not installed")
    server, private, public = await public_key_server(ctx, *options)
    name = ctx.name()
    text = unsigned({"sub": name, "exp": int(time.time()) + 600}, algorithm)
    source = os.path.join(ctx.directory(), "text")
    with open(source, "w") as file:
        file.write(text)
    mark = subprocess.run(
        [part.format(key=private, text=source) for part in command],
        check=True, capture_output=True).stdout
    await ctx.user(server, name, token=f"{text}.{encoded(convert(mark))}")
    await refuse(ctx, server, name, f"{text}.{encoded(bytes(len(convert(mark))))}")
    with open(public) as file:
        confused = token(name, secret=file.read())
    await refuse(ctx, server, name, confused)


async def test_rs256(ctx):
    """A token signed with RS256 opens a session; the public key as an HMAC secret does not."""
    await signed_with_key(
        ctx, "RS256", ["openssl", "dgst", "-sha256", "-sign", "{key}", "{text}"],
        "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048")


async def test_eddsa(ctx):
    """A token signed with EdDSA opens a session."""
    await signed_with_key(
        ctx, "EdDSA",
        ["openssl", "pkeyutl", "-sign", "-inkey", "{key}", "-rawin", "-in", "{text}"],
        "-algorithm", "ED25519")


async def test_es256(ctx):
    """A token signed with ES256, as 64 bytes, opens a session."""
    def fixed(der):
        first = der[3]
        r, s = der[4:4 + first], der[6 + first:]
        return b"".join(part.lstrip(b"\0").rjust(32, b"\0") for part in (r, s))
    await signed_with_key(
        ctx, "ES256", ["openssl", "dgst", "-sha256", "-sign", "{key}", "{text}"],
        "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", convert=fixed)
