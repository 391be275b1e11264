"""Registrations of devices and choices about pushes: calls of users, calls of back ends, and their refusals."""

import asyncio
import base64
import json
import os
import shutil
import stat
import subprocess
import time
import urllib.parse

from calls import RATES
from groupendpoints import Back
from groupreading import told
from groups import FREE, group
from harness import Refused, Skipped, refused

# The generator of the curve P-256, which is as good a point as any.
POINT = bytes.fromhex(
    "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
    "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")
DEFAULTS = {
    "push_trigger_option": "all", "do_not_disturb": False, "start_hour": 0, "start_min": 0, "end_hour": 0,
    "end_min": 0, "dnd_schedules": [], "timezone": "UTC", "snooze_enabled": False, "snooze_start_ts": 0,
    "snooze_end_ts": 0, "push_sound": "default", "template": "default"}


def text(value):
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def subscription(endpoint="https://push.example/1", point=POINT, secret=bytes(16)):
    return {"endpoint": endpoint, "keys": {"p256dh": text(point), "auth": text(secret)}}


def keys(ctx):
    """Flags with the ways of Apple and Google, with keys that were made for the occasion."""
    if not shutil.which("openssl"):
        raise Skipped("openssl is not installed")
    folder = ctx.directory()
    apple, google = os.path.join(folder, "key.p8"), os.path.join(folder, "account.json")
    made = ["openssl", "genpkey", "-quiet", "-out"]
    subprocess.run([*made, apple, "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"], check=True)
    secret = os.path.join(folder, "rsa.pem")
    subprocess.run([*made, secret, "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"], check=True)
    with open(secret, encoding="ascii") as pem, open(google, "w", encoding="ascii") as file:
        json.dump({
            "type": "service_account", "project_id": "project", "client_email": "parley@a.example",
            "private_key": pem.read(), "private_key_id": "1", "token_uri": "http://127.0.0.1:9/token"}, file)
    return [
        "--push-apns-key-file", apple, "--push-apns-key-id", "ABC123DEFG", "--push-apns-team-id", "DEF123GHIJ",
        "--push-apns-topic", "com.example.chat", "--push-apns-url", "http://127.0.0.1:9",
        "--push-fcm-service-account", google, "--push-fcm-url", "http://127.0.0.1:9"]


WEB = ["--push-web", "--push-subject", "mailto:push@a.example"]
OWN = ["--push-url", "http://127.0.0.1:9/", "--push-url-types", "huawei", "--push-secret", "hush-hush-hush-1"]


async def all_ways(ctx, *flags):
    return await ctx.fresh(*FREE, *keys(ctx), *WEB, *OWN, *RATES, *flags)


class Device:
    """A client that calls as often as `push.*` permits."""

    last = {}

    def __init__(self, client):
        self.client, self.user_id = client, client.user_id

    async def call(self, method, **params):
        # Five a second on all devices of a user.
        wait = self.last.get(self.user_id, 0) + 0.21 - time.monotonic()
        if wait > 0:
            await asyncio.sleep(wait)
        try:
            return await self.client.call(method, **params)
        finally:
            self.last[self.user_id] = time.monotonic()

    async def tokens(self):
        return (await self.call("push.tokens"))["tokens"]

    async def names(self):
        return sorted((token["type"], token["token"]) for token in await self.tokens())


async def device(ctx, server, user_id=None):
    return Device(await ctx.user(server, user_id))


async def test_devices(ctx):
    """Each type of token is registered, listed by its end, and removed by its name, by its type, and with all."""
    phone = await device(ctx, await all_ways(ctx))
    before = int(time.time() * 1000)
    assert await phone.call("push.register", type="apns", token="00AB" * 16, device_id="phone") == {}
    assert await phone.call("push.register", type="gcm", token="token-of-google") == {}
    assert await phone.call("push.register", type="huawei", token="token-of-huawei") == {}
    assert await phone.call("push.register", type="web", subscription=subscription()) == {}
    tokens = await phone.tokens()
    assert [(t["type"], t["token"], t["device_id"]) for t in tokens] == [
        ("apns", "00ab00ab", "phone"), ("gcm", "f-google", ""), ("huawei", "f-huawei", ""),
        ("web", "xample/1", "")], tokens
    for token in tokens:
        assert before - 60_000 <= token["created_at"] <= time.time() * 1000 + 60_000, token
        assert token["last_success_at"] == 0 and set(token) == {
            "type", "token", "device_id", "created_at", "last_success_at"}, token
    for nothing in ({"type": "gcm", "token": "another"}, {"type": "web", "endpoint": "https://b.example/"}):
        assert await phone.call("push.unregister", **nothing) == {}
    assert len(await phone.tokens()) == 4
    # Hexadecimal digits are the same in either case.
    assert await phone.call("push.unregister", type="apns", token="00aB" * 16) == {}
    assert await phone.call("push.unregister", type="web", endpoint="https://push.example/1") == {}
    assert await phone.names() == [("gcm", "f-google"), ("huawei", "f-huawei")]
    assert await phone.call("push.unregister", type="gcm") == {}
    assert await phone.names() == [("huawei", "f-huawei")]
    for _ in range(2):
        assert await phone.call("push.unregister", all=True) == {}
    assert await phone.tokens() == []


async def test_replacement(ctx):
    """A token replaces that of its device, with `unique` all of its type, and of more than 20 the oldest."""
    server = await all_ways(ctx)
    phone = await device(ctx, server)
    for token in ("first", "second"):
        await phone.call("push.register", type="gcm", token=token, device_id="phone")
    await phone.call("push.register", type="gcm", token="other", device_id="tablet")
    await phone.call("push.register", type="huawei", token="third", device_id="phone")
    assert await phone.names() == [("gcm", "other"), ("gcm", "second"), ("huawei", "third")]
    await phone.call("push.register", type="gcm", token="only", unique=True)
    assert await phone.names() == [("gcm", "only"), ("huawei", "third")]
    for number in range(20):
        await phone.call("push.register", type="gcm", token=f"token-{number:02}")
    names = await phone.names()
    assert names == [("gcm", f"token-{n:02}"[-8:]) for n in range(20)] + [("huawei", "third")], names
    # A repeated registration is no further token.
    await phone.call("push.register", type="gcm", token="token-00")
    await phone.call("push.register", type="gcm", token="token-20")
    names = await phone.names()
    assert len(names) == 21 and ("gcm", "token-00") in names and ("gcm", "token-01") not in names, names


async def test_a_token_has_one_user(ctx):
    """A token belongs to the last user who registered it, whichever its type."""
    server = await all_ways(ctx)
    ann, ben = await device(ctx, server), await device(ctx, server)
    for owner, other in ((ann, ben), (ben, ann)):
        await owner.call("push.register", type="apns", token="ab" * 32)
        await owner.call("push.register", type="web", subscription=subscription())
        assert len(await owner.tokens()) == 2 and await other.tokens() == []
    # Of another's token one cannot rid oneself.
    await ann.call("push.unregister", type="apns", token="ab" * 32)
    await ann.call("push.unregister", all=True)
    assert len(await ben.tokens()) == 2


LONG = "https://push.example/" + "x" * 2048
WRONG = [
    ({}, 400105, "type"), ({"type": "pigeon"}, 400111, "type"), ({"type": 1}, 400100, "type"),
    ({"type": "gcm"}, 400105, "token"), ({"type": "gcm", "token": ""}, 400105, "token"),
    ({"type": "gcm", "token": "x" * 4097}, 400110, "token"), ({"type": "gcm", "token": "ä"}, 400111, "token"),
    ({"type": "gcm", "token": "a b"}, 400111, "token"), ({"type": "apns", "token": "xyz"}, 400111, "token"),
    ({"type": "gcm", "token": "a", "unique": "yes"}, 400104, "unique"),
    ({"type": "gcm", "token": "a", "device_id": "x" * 129}, 400110, "device_id"),
    ({"type": "web"}, 400105, "subscription"), ({"type": "web", "token": "a"}, 400105, "subscription"),
    ({"type": "web", "subscription": {"endpoint": "https://a.example/"}}, 400105, "keys"),
    ({"type": "web", "subscription": subscription(LONG)}, 400110, "endpoint"),
    ({"type": "web", "subscription": subscription(point=POINT[:-1])}, 400111, "p256dh"),
    ({"type": "web", "subscription": subscription(point=POINT[:-1] + b"\0")}, 400111, "p256dh"),
    ({"type": "web", "subscription": subscription(point=bytes([2]) + POINT[1:])}, 400111, "p256dh"),
    ({"type": "web", "subscription": subscription(point=b"\4" + bytes(64))}, 400111, "p256dh"),
    ({"type": "web", "subscription": subscription(secret=bytes(15))}, 400111, "auth"),
] + [({"type": "web", "subscription": subscription(endpoint)}, 400111, "endpoint") for endpoint in (
    "http://push.example/", "ftp://push.example/", "https://", "push.example", "https://u:p@push.example/",
    "https://push.example/#part", "https://push.example:8443/", "https://localhost/", "https://a.localhost/",
    "https://127.0.0.1/", "https://2130706433/", "https://0x7f.1/", "https://10.0.0.1/", "https://[::1]/",
    "https://[::ffff:127.0.0.1]/", "https://169.254.169.254/latest", "https://192.168.1.1/")]


async def test_wrong_registrations(ctx):
    """What is no token, no key and no place of a service is refused with the name of the parameter."""
    server = await all_ways(ctx)
    phone = await device(ctx, server)
    for params, code, field in WRONG:
        try:
            async with refused(code, field=field):
                await phone.call("push.register", **params)
        except AssertionError as error:
            raise AssertionError(f"{params}: {error}") from None
    assert await phone.tokens() == []
    for params, code in (
            ({}, 400105), ({"type": "gcm", "endpoint": "https://a.example/"}, 400920),
            ({"type": "web", "token": "a"}, 400920), ({"all": True, "type": "gcm"}, 400920),
            ({"type": "gcm", "token": "x" * 4097}, 400110)):
        async with refused(code):
            await phone.call("push.unregister", **params)
    async with refused(-32600):
        await (await ctx.connect(server)).call("push.tokens")


async def test_places_of_services(ctx):
    """Addresses and ports that the settings permit are accepted."""
    server = await all_ways(
        ctx, "--push-allow-addresses", "127.0.0.0/8", "--push-allow-ports", "443,8000-8099")
    phone = await device(ctx, server)
    for endpoint in ("https://127.0.0.1:8080/1", "https://localhost:8000/2", "https://push.example/3"):
        await phone.call("push.register", type="web", subscription=subscription(endpoint))
    for endpoint in ("https://10.0.0.1/", "https://push.example:9000/", "https://[::1]/"):
        async with refused(400111, field="endpoint"):
            await phone.call("push.register", type="web", subscription=subscription(endpoint))
    assert len(await phone.tokens()) == 3


async def test_ways_that_are_not_set(ctx):
    """Types that the server does not push to are refused; the answer of session.open names the others."""
    params = {
        "web": {"subscription": subscription()}, "apns": {"token": "ab"}, "gcm": {"token": "a"},
        "huawei": {"token": "a"}}
    ways = {"web": WEB, "huawei": OWN}
    for flags, types in (([], []), (WEB, ["web"]), (OWN, ["huawei"]), (keys(ctx), ["apns", "gcm"])):
        client = await ctx.user(await ctx.fresh(*FREE, *flags))
        features = client.session["features"]
        assert features.get("push", {"types": []})["types"] == types, features
        assert ("push" in features) == bool(types)
        assert ("web_key" in features.get("push", {})) == ("web" in types)
        phone = Device(client)
        for kind, given in params.items():
            if kind in types:
                assert await phone.call("push.register", type=kind, **given) == {}
            else:
                async with refused(400111, field="type"):
                    await phone.call("push.register", type=kind, **given)
        # What was registered before a way was taken away can be seen, removed and chosen about.
        assert len(await phone.tokens()) == len(types) and ways
        assert await phone.call("push.preferences") == {"preferences": DEFAULTS}
        assert await phone.call("push.unregister", type="gcm") == {}


async def test_settings(ctx):
    """A way with only some of its settings ends the start, with a line that names the others."""
    for flags, name in (
            (["--push-web"], "push.subject"), (["--push-url", "http://a.example"], "push.secret"),
            (["--push-apns-topic", "a"], "push.apns.key_file"), (["--push-url-types", "web"], "push.url"),
            (["--push-apns-url", "http://a.example"], "push.apns.url"),
            (["--push-secret", "short"], "push.secret")):
        status, _, errors = await ctx.run(
            ctx.parleyd, "--listen", "127.0.0.1:0", "--data-dir", ctx.directory(), *flags)
        assert status != 0 and name in errors.decode(), (flags, errors)
        assert b"short" not in errors, errors
    server = await ctx.fresh(*WEB, *OWN)
    status, answer = await server.api("GET", "/parley/settings")
    assert status == 200 and "hush" not in json.dumps(answer) and "push.secret" in json.dumps(answer)


async def test_the_key_of_browsers(ctx):
    """The key pair is made once, readable by its owner only, and clients get its public half."""
    server = await ctx.fresh(*WEB)
    client = await ctx.user(server)
    key = client.session["features"]["push"]["web_key"]
    point = base64.urlsafe_b64decode(key + "=" * (-len(key) % 4))
    assert len(point) == 65 and point[0] == 4
    file = os.path.join(server.data, "push-key")
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    if shutil.which("openssl"):
        shown = subprocess.run(
            ["openssl", "pkey", "-in", file, "-pubout", "-outform", "DER"], check=True, capture_output=True)
        assert shown.stdout.endswith(point)
    await server.end()
    another = await ctx.fresh(*WEB, data=server.data)
    again = await ctx.user(another)
    assert again.session["features"]["push"]["web_key"] == key
    await another.end()
    with open(file, "w", encoding="ascii") as broken:
        broken.write("no key")
    status, _, errors = await ctx.run(
        ctx.parleyd, "--listen", "127.0.0.1:0", "--data-dir", server.data, *WEB)
    assert status != 0 and b"push-key" in errors, errors


async def test_rate(ctx):
    """A user may call push.* five times a second over all its connections; others are not held up by it."""
    server = await all_ways(ctx)
    ann = ctx.name("user")
    phone, tablet = await ctx.user(server, ann), await ctx.user(server, ann)
    refusals = []
    for number in range(12):
        try:
            await (phone, tablet)[number % 2].call("push.tokens")
        except Refused as refusal:
            refusals.append(refusal)
    assert len(refusals) >= 5, refusals
    for refusal in refusals:
        assert refusal.code == 500910 and refusal.data["scope"] == "user", refusal
        assert refusal.data["limit"] == 5 and refusal.data["window_ms"] == 1000, refusal
        assert 0 < refusal.data["retry_after_ms"] <= 1000, refusal
    other = await ctx.user(server)
    await other.call("push.tokens")
    # Each kind of call counts; the others of a user do not.
    for method, params in (
            ("push.register", {"type": "gcm", "token": "a"}), ("push.unregister", {"all": True}),
            ("push.preferences", {})):
        async with refused(500910):
            for _ in range(12):
                await phone.call(method, **params)
    await phone.call("user.preferences")


async def test_end_of_registrations(ctx):
    """session.close with `unregister`, deactivating and deleting a user forget the user's tokens."""
    server = await all_ways(ctx)
    async with Back(server) as back:
        for end in ("close", "deactivate", "delete"):
            phone, bystander = await device(ctx, server), await device(ctx, server)
            user_id, name = phone.client.user_id, ctx.name("token")
            await phone.call("push.register", type="gcm", token=name)
            await bystander.call("push.register", type="gcm", token=f"{name}-other")
            owners = f"/push/device_tokens/gcm/{name}"
            assert await back.call("GET", owners) == [{"user_id": user_id}]
            if end == "close":
                async with refused(400104, field="unregister"):
                    await phone.client.call("session.close", unregister="yes")
                assert await phone.client.call("session.close", unregister=True) == {}
                assert await phone.client.ended() == 1000
            elif end == "deactivate":
                await back.call("PUT", f"/users/{user_id}", {"is_active": False})
            else:
                await back.call("DELETE", f"/users/{user_id}")
            assert await back.call("GET", owners) == []
            assert len(await bystander.tokens()) == 1
        phone = await device(ctx, server)
        await phone.call("push.register", type="gcm", token="stays")
        for close in ({}, {"unregister": False}):
            other = await ctx.user(server, phone.client.user_id)
            await other.call("session.close", **close)
        assert len(await phone.tokens()) == 1


async def test_background(ctx):
    """session.background is answered, may be repeated, and says whether or not."""
    client = await ctx.user(await all_ways(ctx))
    for on in (True, True, False, False):
        assert await client.call("session.background", on=on) == {}
    async with refused(400105, field="on"):
        await client.call("session.background")
    async with refused(400104, field="on"):
        await client.call("session.background", on="yes")


DAY = {"day_of_week": "friday", "time_windows": [
    {"start_hour": 22, "start_min": 0, "end_hour": 6, "end_min": 30}]}


async def test_choices(ctx):
    """Given choices change and the others stay, on all devices, for as long as the user wants."""
    server = await all_ways(ctx)
    phone = await device(ctx, server)
    tablet = await device(ctx, server, phone.client.user_id)
    assert await phone.call("push.preferences") == {"preferences": DEFAULTS}
    expected = dict(DEFAULTS)
    for change, consequence in (
            ({"push_trigger_option": "mention_only"}, {}),
            ({"do_not_disturb": True, "start_hour": 22, "start_min": 30, "end_hour": 6}, {}),
            ({"end_min": 59, "timezone": "Europe/Berlin"}, {}),
            ({"dnd_schedules": [DAY]}, {"do_not_disturb": False}),
            ({"do_not_disturb": True}, {"dnd_schedules": []}),
            ({"snooze_enabled": True, "snooze_start_ts": 5, "snooze_end_ts": 10}, {}),
            ({"push_sound": "bell.caf", "template": "alternative"}, {}),
            ({"push_sound": "", "push_trigger_option": "off", "timezone": "Etc/GMT+5"}, {"push_sound": "default"}),
            ({"timezone": None}, {"timezone": "Etc/GMT+5"}), ({"unknown": 1}, {})):
        expected = {**expected, **{k: v for k, v in change.items() if k != "unknown"}, **consequence}
        for other in (phone, tablet):
            answer = await other.call("push.preferences", **(change if other is phone else {}))
            assert answer == {"preferences": expected}, (change, answer)
    for change, code, field in (
            ({"push_trigger_option": "some"}, 400111, "push_trigger_option"),
            ({"push_trigger_option": "default"}, 400111, "push_trigger_option"),
            ({"start_hour": 24}, 400113, "start_hour"), ({"end_min": 60}, 400113, "end_min"),
            ({"end_hour": -1}, 400106, "end_hour"), ({"start_min": "1"}, 400101, "start_min"),
            ({"timezone": "Europe/Entenhausen"}, 400111, "timezone"), ({"timezone": ""}, 400111, "timezone"),
            ({"timezone": "../../etc/passwd"}, 400111, "timezone"), ({"timezone": "Europe"}, 400111, "timezone"),
            ({"timezone": "zone.tab"}, 400111, "timezone"),
            ({"snooze_start_ts": 10, "snooze_end_ts": 9}, 400113, "snooze_end_ts"),
            ({"push_sound": "x" * 129}, 400110, "push_sound"), ({"template": "none"}, 400111, "template"),
            ({"dnd_schedules": [DAY, DAY]}, 400111, "dnd_schedules"),
            ({"dnd_schedules": [{**DAY, "day_of_week": "caturday"}]}, 400111, "day_of_week")):
        try:
            async with refused(code, field=field):
                await phone.call("push.preferences", **change)
        except AssertionError as error:
            raise AssertionError(f"{change}: {error}") from None
    assert await phone.call("push.preferences") == {"preferences": expected}


async def test_choice_of_a_group(ctx):
    """A member chooses which messages of a group are pushed; others, and strangers, learn nothing of it."""
    server = await all_ways(ctx)
    url, ann, ben = await group(ctx, server, 1)
    again, stranger = await ctx.user(server, ben.user_id), await ctx.user(server)

    async def own(client):
        return (await client.call("group.get", channel_url=url))["channel"]["my"]
    assert (await own(ben))["push_trigger_option"] == "default"
    for option in ("mention_only", "off", "all", "default", "off"):
        answer = await ben.call("group.set_preference", channel_url=url, push_trigger_option=option)
        assert answer["my"]["push_trigger_option"] == option and answer["my"]["count_preference"] == "all", answer
        assert (await own(again))["push_trigger_option"] == option
    both = {"count_preference": "off", "push_trigger_option": "mention_only"}
    answer = await ben.call("group.set_preference", channel_url=url, **both)
    assert {name: answer["my"][name] for name in both} == both, answer
    answer = await ben.call("group.set_preference", channel_url=url, count_preference="all")
    assert answer["my"]["push_trigger_option"] == "mention_only", answer
    await again.until(lambda: [
        my for my in told(again, url) if my["push_trigger_option"] == "mention_only"], "the event of the choice")
    assert (await own(ann))["push_trigger_option"] == "default"
    listed = (await again.call("group.list"))["channels"][0]["my"]
    assert listed["push_trigger_option"] == "mention_only", listed
    async with refused(400111, field="push_trigger_option"):
        await ben.call("group.set_preference", channel_url=url, push_trigger_option="some")
    for client, place in ((stranger, url), (ben, ctx.name("group"))):
        async with refused(400201):
            await client.call("group.set_preference", channel_url=place, push_trigger_option="off")
    await ben.call("group.leave", channel_url=url)
    await ann.call("group.invite", channel_url=url, user_ids=[ben.user_id])
    assert (await own(ben))["push_trigger_option"] == "default"


async def test_devices_over_the_platform_api(ctx):
    """A back end registers, lists, finds and removes the devices of users."""
    server = await all_ways(ctx)
    async with Back(server) as back:
        ann, ben = await back.users(ctx, 2)
        for kind, member, token in (
                ("gcm", "gcm_reg_token", "a/b:c d".replace(" ", "-")), ("apns", "apns_device_token", "AB" * 32),
                ("huawei", "huawei_device_token", "token")):
            path, stored = f"/users/{ann}/push/{kind}", token.lower() if kind == "apns" else token
            answer = await back.call("POST", path, {member: token})
            assert answer["token"] == stored and answer["type"] == kind, answer
            assert answer["user"]["user_id"] == ann and answer["user"]["metadata"] == {"a": "b"}, answer
            answer = await back.call("GET", path)
            assert answer["token"] == answer["tokens"] == [stored] and answer["type"] == kind, answer
            [listed] = answer["devices"]
            assert (listed["type"], listed["token"], listed["device_id"]) == (kind, stored, ""), listed
            owners = f"/push/device_tokens/{kind}/{urllib.parse.quote(token, safe='')}"
            assert await back.call("GET", owners) == [{"user_id": ann}]
            await back.call("POST", f"/users/{ben}/push/{kind}", {member: token})
            assert await back.call("GET", owners) == [{"user_id": ben}]
            assert (await back.call("GET", path))["tokens"] == []
            for _ in range(2):
                answer = await back.call(
                    "DELETE", f"/users/{ben}/push/{kind}/{urllib.parse.quote(token, safe='')}")
                assert answer["token"] == token and answer["user"]["user_id"] == ben, answer
            assert await back.call("GET", owners) == []
            await back.call("POST", path, {member: token})
            assert await back.call("DELETE", owners) == [{"user_id": ann}]
            assert await back.call("DELETE", owners) == []
        for number in range(21):
            await back.call("POST", f"/users/{ann}/push/gcm", {"gcm_reg_token": f"token-{number}"})
        await back.call("POST", f"/users/{ann}/push/apns", {"apns_device_token": "ab"})
        names = [f"token-{number}" for number in range(1, 21)]
        assert (await back.call("GET", f"/users/{ann}/push/gcm"))["tokens"] == names
        answer = await back.call("DELETE", f"/users/{ann}/push")
        assert sorted(answer["token"]) == sorted([*names, "ab"]) and answer["user"]["user_id"] == ann, answer
        assert (await back.call("DELETE", f"/users/{ann}/push"))["token"] == []
        browser = await device(ctx, server, ann)
        await browser.call("push.register", type="web", subscription=subscription())
        assert (await back.call("GET", f"/users/{ann}/push/web"))["tokens"] == ["https://push.example/1"]


async def test_refusals_of_the_platform_api(ctx):
    """Unknown users, types and members of bodies are refused."""
    async with Back(await all_ways(ctx)) as back, Back(await ctx.fresh(*FREE, *RATES)) as without:
        [ann] = await back.users(ctx, 1)
        [ben] = await without.users(ctx, 1)
        ghost = ctx.name("ghost")
        for method, path, body, code in (
                ("POST", f"/users/{ghost}/push/gcm", {"gcm_reg_token": "a"}, 400201),
                ("GET", f"/users/{ghost}/push/gcm", None, 400201), ("DELETE", f"/users/{ghost}/push", None, 400201),
                ("DELETE", f"/users/{ghost}/push/gcm/a", None, 400201),
                ("GET", f"/users/{ghost}/push_preference", None, 400201),
                ("PUT", f"/users/{ghost}/push_preference", {"template": "default"}, 400201),
                ("PUT", f"/users/{ghost}/push_preference", {}, 400201),
                ("DELETE", f"/users/{ghost}/push_preference", None, 400201),
                ("PUT", f"/users/{ghost}/push/template", {"name": "default"}, 400201),
                ("POST", f"/users/{ann}/push/gcm", {}, 400105),
                ("POST", f"/users/{ann}/push/gcm", {"apns_device_token": "ab"}, 400105),
                ("POST", f"/users/{ann}/push/apns", {"apns_device_token": "xy"}, 400111),
                ("POST", f"/users/{ann}/push/web", {"token": "a"}, 400111),
                ("POST", f"/users/{ann}/push/pigeon", {"token": "a"}, 400111),
                ("GET", f"/users/{ann}/push/pigeon", None, 400111),
                ("GET", "/push/device_tokens/pigeon/a", None, 400111),
                ("PUT", f"/users/{ann}/push/template", {}, 400105),
                ("PUT", f"/users/{ann}/push/template", {"name": "other"}, 400111),
                ("PUT", f"/users/{ann}/push_preference", {"timezone": "Nowhere/Else"}, 400111),
                ("PUT", f"/users/{ann}/push_preference", {"end_hour": 24}, 400113)):
            assert await back.code(method, path, body) == code, (method, path, body)
        assert await without.code("POST", f"/users/{ben}/push/gcm", {"gcm_reg_token": "a"}) == 400111
        assert (await without.call("GET", f"/users/{ben}/push/gcm"))["tokens"] == []


async def shown_choices(back, url, ann, ben, place):
    """What a back end sees of the choices of members, ann's being off: in lists and in her view of the group."""
    async def members(**query):
        page = await back.call("GET", f"/group_channels/{url}/members", **query)
        names = ("push_enabled", "push_trigger_option")
        return {one["user_id"]: tuple(one.get(name) for name in names) for one in page["members"]}
    await back.call("POST", f"/group_channels/{url}/invite", {"user_ids": [ben]})
    for query in ({}, {"include_push_preference": "false"}, {"user_id": ann}):
        assert await members(**query) == {ann: (None, None), ben: (None, None)}, query
    for query in ({}, {"user_id": ben, "show_read_receipt": "true"}):
        seen = await members(include_push_preference="true", **query)
        assert seen == {ann: (False, "off"), ben: (True, None)}, seen
    await back.call("PUT", place, {"push_trigger_option": "mention_only"})
    assert (await members(include_push_preference="true"))[ann] == (True, "mention_only")
    for user, option in ((ann, "mention_only"), (ben, None)):
        view = await back.call("GET", f"/group_channels/{url}", user_id=user)
        assert view.get("push_trigger_option") == option, view
    listed = (await back.call("GET", f"/users/{ann}/my_group_channels"))["channels"]
    assert [one["push_trigger_option"] for one in listed] == ["mention_only"]
    assert "push_trigger_option" not in await back.call("GET", f"/group_channels/{url}")


async def test_choices_over_the_platform_api(ctx):
    """A back end reads, changes and resets the choices of a user, and those for a group."""
    server = await all_ways(ctx)
    async with Back(server) as back:
        client = await ctx.user(server)
        ann = client.user_id
        path = f"/users/{ann}/push_preference"
        assert await back.call("GET", path) == DEFAULTS
        change = {"push_trigger_option": "mention_only", "timezone": "Asia/Kolkata", "dnd_schedules": [DAY]}
        assert await back.call("PUT", path, change) == {**DEFAULTS, **change}
        assert await back.call("PUT", f"/users/{ann}/push/template", {"name": "alternative"}) == {
            "name": "alternative"}
        expected = {**DEFAULTS, **change, "template": "alternative"}
        assert await back.call("PUT", path, {}) == await back.call("GET", path) == expected
        assert await Device(client).call("push.preferences") == {"preferences": expected}
        assert await back.call("DELETE", path) == await back.call("GET", path) == DEFAULTS
        [ben] = await back.users(ctx, 1)
        url = await back.group(ann)
        place = f"{path}/{url}"
        assert await back.call("GET", place) == {"enable": True}
        for option, answer in (
                ("all", {"enable": True, "push_trigger_option": "all"}),
                ("mention_only", {"enable": True, "push_trigger_option": "mention_only"}),
                ("off", {"enable": False, "push_trigger_option": "off"}), ("default", {"enable": True}),
                ("all", None), ("false", {"enable": False, "push_trigger_option": "off"})):
            changed = await back.call("PUT", place, {"push_trigger_option": option})
            assert changed == await back.call("GET", place) == (answer or changed), (option, changed)
        my = (await client.call("group.get", channel_url=url))["channel"]["my"]
        assert my["push_trigger_option"] == "off"
        assert await back.code("PUT", place, {}) == 400105
        assert await back.code("PUT", place, {"push_trigger_option": "some"}) == 400111
        nowhere = f"{path}/{ctx.name('none')}"
        for code in (await back.code("GET", nowhere), await back.code(
                "PUT", nowhere, {"push_trigger_option": "off"})):
            assert code == 400201
        strange = f"/users/{ben}/push_preference/{url}"
        for code in (await back.code("GET", strange), await back.code(
                "PUT", strange, {"push_trigger_option": "off"})):
            assert code in (400201, 900020), code
        await shown_choices(back, url, ann, ben, place)
