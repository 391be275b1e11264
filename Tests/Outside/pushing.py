"""Pushes: to whom a message is pushed, and how, tried with push services that verify each request."""

import asyncio
import hashlib
import hmac
import json
import os
import re
import secrets
import time

from cryptography.hazmat.primitives.asymmetric import ec

from groupendpoints import BASE, Back
from groups import FREE, code, group
from harness import eventually
from pushpeers import KEY_ID, SUBJECT, TEAM_ID, TOPIC, Browser, Peer, flags, from_base64url
from webhooks import SECRET, Receiver


def device():
    """A new token of an Apple device."""
    return secrets.token_hex(32)


async def register(client, token=None, kind="apns", **params):
    token = token or device()
    assert await client.call("push.register", type=kind, token=token, **params) == {}
    return token


async def tokens(client):
    return (await client.call("push.tokens"))["tokens"]


def alert(request):
    return request.json["aps"]["alert"]


def bodies(requests):
    """The texts of pushes by APNs, without those that only change the badge."""
    return [alert(request)["body"] for request in requests if "alert" in request.json["aps"]]


async def away(ctx, server, count=1, kind="apns", **params):
    """A group, its creator, and so many members with a device each and no session: their ids and tokens."""
    url, creator, *members = await group(ctx, server, count, **params)
    devices = [(member.user_id, await register(member, kind=kind)) for member in members]
    for member in members:
        await member.leave()
    await gone(server, *(user for user, _ in devices))
    return url, creator, *devices


async def gone(server, *users):
    """The server knows that the users have no session."""
    for user in users:
        async def offline():
            status, answer = await server.api("GET", f"/users/{user}")
            return status == 200 and answer["is_online"] is False
        await eventually(offline, f"{user} offline")


async def test_web_push(ctx):
    """A browser gets a message that only it can read, with a token that names the operator (RFC 8030, 8291, 8292)."""
    async with Peer(ctx.directory()) as peer:
        server = await ctx.fresh(*FREE, *flags(peer.settings("web")))
        url, creator, member = await group(ctx, server, 1, name="Team")
        await creator.call("user.update", nickname="Jeff")
        feature = member.session["features"]["push"]
        assert feature["types"] == ["web"], feature
        browser = Browser(peer)
        await member.call("push.register", type="web", subscription=browser.subscription)
        await member.leave()
        await gone(server, member.user_id)
        before = time.time()
        sent = (await creator.send(url, "see swift.org", data="d", custom_type="t"))["message"]
        request = (await peer.until(lambda: peer.to(browser.path), "the push"))[0]
        fields = request.fields
        assert request.method == "POST" and fields["ttl"] == "86400" and fields["urgency"] == "high", fields
        assert re.fullmatch(r"[\w-]{32}", fields["topic"]) and url not in fields["topic"], fields
        match = re.fullmatch(r"vapid t=([\w.-]+), ?k=([\w-]+)", fields["authorization"])
        assert match[2] == feature["web_key"], (fields, feature)
        key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), from_base64url(match[2]))
        _, claims = peer.claims(match[1], key, "ES256")
        assert claims["aud"] == peer.url and claims["sub"] == SUBJECT, claims
        assert before < claims["exp"] <= time.time() + 12 * 3600, claims
        assert browser.read(request) == {
            "type": "message", "channel_url": url, "channel_name": "Team", "message_id": sent["message_id"],
            "title": "Jeff · Team", "body": "see swift.org", "custom_type": "t", "data": "d",
            "unread_message_count": 1, "ts": sent["created_at"]}
        await creator.send(url, "x" * 4900)
        request = (await peer.until(lambda: peer.to(browser.path)[1:], "the long one"))[0]
        shown = browser.read(request)
        assert len(json.dumps(shown, ensure_ascii=False)) <= 3100 and shown["body"].endswith("x…"), shown
        assert shown["unread_message_count"] == 2
        with open(f"{server.data}/push-key", encoding="ascii") as file:
            assert "PRIVATE KEY" in file.read()


async def test_apns(ctx):
    """Apple's service gets requests of HTTP/2 with a signed token, and ids by which repeated ones replace themselves."""
    async with Peer(ctx.directory()) as peer:
        server = await ctx.fresh(*FREE, *flags(peer.settings("apns")))
        url, creator, (_, token) = await away(ctx, server, name="Team")
        await creator.call("user.update", nickname="Jeff")
        sent = (await creator.send(url, "hello"))["message"]
        request = (await peer.until(lambda: peer.apns(token), "the push"))[0]
        fields = request.fields
        head, claims = peer.claims(
            fields["authorization"].removeprefix("bearer "), peer.apns_key.public_key(), "ES256")
        assert head["kid"] == KEY_ID and claims["iss"] == TEAM_ID and abs(claims["iat"] - time.time()) < 600
        assert fields["apns-topic"] == TOPIC and fields["apns-push-type"] == "alert", fields
        assert fields["apns-priority"] == "10" and fields["apns-collapse-id"] == str(sent["message_id"]), fields
        assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", fields["apns-id"]), fields
        assert 0 <= int(fields["apns-expiration"]) - time.time() <= 86400, fields
        assert request.json == {
            "aps": {"alert": {"title": "Jeff · Team", "body": "hello"}, "badge": 1, "sound": "default",
                    "thread-id": url, "mutable-content": 1},
            "parley": {"type": "message", "channel_url": url, "channel_name": "Team",
                       "message_id": sent["message_id"], "custom_type": "", "data": "",
                       "unread_message_count": 1, "ts": sent["created_at"]}}
        for number in range(20):
            await creator.send(url, f"number {number}")
        await peer.until(lambda: len(peer.apns(token)) == 21, "all of them")
        assert bodies(peer.apns(token))[1:] == [f"number {number}" for number in range(20)]
        assert len({r.fields["authorization"] for r in peer.requests}) == 1
        assert peer.connections <= 2, peer.connections
        assert len({r.fields["apns-id"] for r in peer.requests}) == 21


async def test_fcm(ctx):
    """Google's service gets the token that its own service granted for a signed assertion."""
    async with Peer(ctx.directory()) as peer:
        server = await ctx.fresh(*FREE, *flags(peer.settings("gcm")))
        url, creator, (_, token) = await away(ctx, server, kind="gcm", name="Team")
        sent = (await creator.send(url, "hello"))["message"]
        request = (await peer.until(lambda: peer.fcm(token), "the push"))[0]
        assert request.fields["authorization"] == f"Bearer {peer.access[-1]}" and len(peer.access) == 1
        message = request.json["message"]
        assert message["notification"] == {"title": f"{creator.user_id} · Team", "body": "hello"}, message
        data = json.loads(message["data"]["parley"])
        assert data["message_id"] == sent["message_id"] and data["unread_message_count"] == 1, data
        android = message["android"]
        assert android["priority"] == "HIGH" and android["ttl"] == "86400s", android
        assert android["notification"]["tag"] == str(sent["message_id"]), android


async def test_dead_tokens(ctx):
    """A token is forgotten only for the reasons that mean it is dead, and the other tokens stay."""
    async with Peer(ctx.directory()) as peer:
        server = await ctx.fresh(*FREE, *flags(peer.settings("web", "apns", "gcm")))
        url, creator, member = await group(ctx, server, 1)
        browser, other = Browser(peer), Browser(peer)
        for one in (browser, other):
            await member.call("push.register", type="web", subscription=one.subscription)
        good, bad, large = await register(member), await register(member), await register(member)
        others = ["one", "two"]
        async with Back(server) as back:
            for token in others:
                await back.call("POST", f"/users/{member.user_id}/push/gcm", {"gcm_reg_token": token})
        await member.leave()
        await gone(server, member.user_id)
        peer.answers[browser.path] = [(410, None)]
        peer.answers[f"/3/device/{bad}"] = [(400, {"reason": "BadDeviceToken"})]
        peer.answers[f"/3/device/{large}"] = [(413, {"reason": "PayloadTooLarge"})]
        await creator.send(url, "one")
        for token in (good, bad, large):
            await peer.until(lambda token=token: peer.apns(token), token)
        await peer.until(lambda: all(peer.fcm(token) for token in others), "both of FCM")
        await peer.until(lambda: peer.to(browser.path) and peer.to(other.path), "both browsers")

        async def left():
            status, answer = await server.api("GET", f"/users/{member.user_id}/push/web")
            first = status == 200 and answer["token"] == [other.endpoint]
            status, answer = await server.api("GET", f"/users/{member.user_id}/push/apns")
            return first and status == 200 and sorted(answer["token"]) == sorted([good, large])
        await eventually(left, "only the dead ones forgotten")
        _, answer = await server.api("GET", f"/users/{member.user_id}/push/gcm")
        assert sorted(answer["token"]) == others, answer


async def test_fcm_forgets_by_its_own_error(ctx):
    """UNREGISTERED forgets a token of FCM; an argument that is wrong elsewhere does not."""
    async with Peer(ctx.directory()) as peer:
        server = await ctx.fresh(*FREE, *flags(peer.settings("gcm")))
        url, creator, (user, token) = await away(ctx, server, kind="gcm")
        path = "/v1/projects/example-project/messages:send"
        kind = "type.googleapis.com/google.firebase.fcm.v1.FcmError"
        wrong = {"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "Invalid value at 'message.data'",
                           "details": [{"@type": kind, "errorCode": "INVALID_ARGUMENT"}]}}
        gone_ = {"error": {"code": 404, "status": "NOT_FOUND",
                           "details": [{"@type": kind, "errorCode": "UNREGISTERED"}]}}
        peer.answers[path] = [(400, wrong), (404, gone_)]
        await creator.send(url, "one")
        await peer.until(lambda: peer.fcm(token), "the first")
        await creator.send(url, "two")
        await peer.until(lambda: len(peer.fcm(token)) == 2, "the second, since the token was kept")

        async def forgotten():
            return (await server.api("GET", f"/users/{user}/push/gcm"))[1]["token"] == []
        await eventually(forgotten, "the token forgotten")


async def test_whom(ctx):
    """Authors, members with a session, and those who want none get no push; the background counts as no session."""
    async with Peer(ctx.directory()) as peer:
        server = await ctx.fresh(*FREE, *flags(peer.settings("apns")))
        url, creator, *members = await group(ctx, server, 9)
        names = ("plain", "here", "background", "off", "mentioned", "snoozed", "undisturbed", "blocker", "muted")
        who = dict(zip(names, members))
        device_of = {name: await register(client) for name, client in who.items()}
        own = await register(creator)
        await who["background"].call("session.background", on=True)
        await who["off"].call("push.preferences", push_trigger_option="off")
        await who["mentioned"].call("push.preferences", push_trigger_option="mention_only")
        now = int(time.time() * 1000)
        await who["snoozed"].call(
            "push.preferences", snooze_enabled=True, snooze_start_ts=now - 60_000, snooze_end_ts=now + 3_600_000)
        await who["undisturbed"].call(
            "push.preferences", do_not_disturb=True, start_hour=0, start_min=0, end_hour=0, end_min=0,
            timezone="Europe/Berlin")
        await who["blocker"].call("user.block", user_id=creator.user_id)
        async with Back(server) as back:
            answer = await back.call(
                "PUT", f"/users/{who['muted'].user_id}/push_preference/{url}", {"push_trigger_option": "off"})
            assert answer["push_trigger_option"] == "off" and answer["enable"] is False, answer
            for name, client in who.items():
                if name not in ("here", "background"):
                    await client.leave()
            await gone(server, *(c.user_id for n, c in who.items() if n not in ("here", "background")))
            await creator.send(url, "one")
            await creator.send(url, "quiet", push_option="suppress")
            await creator.send(url, "for one", mentioned_user_ids=[who["mentioned"].user_id])
            await back.call("POST", f"{BASE}/{url}/messages", {
                "message_type": "ADMM", "message": "from the admin"})
            await back.call("POST", f"{BASE}/{url}/messages", {
                "message_type": "ADMM", "message": "pushed", "send_push": True})
            await back.call("POST", f"{BASE}/{url}/messages", {
                "message_type": "MESG", "user_id": creator.user_id, "message": "silent", "is_silent": True})
            await back.call("POST", f"{BASE}/{url}/messages", {
                "message_type": "MESG", "user_id": creator.user_id, "message": "replaced",
                "push_message_template": {"title": "A title", "body": "A body"}})
            all_of_them = ["one", "for one", "pushed", "A body"]
            for name in ("plain", "background"):
                await peer.until(lambda name=name: len(peer.apns(device_of[name])) == 4, name)
                assert bodies(peer.apns(device_of[name])) == all_of_them, name
            await peer.until(lambda: peer.apns(device_of["mentioned"]), "the mention")
            # The blocker is spared the author's messages only.
            await peer.until(lambda: peer.apns(device_of["blocker"]), "the admin's")
            assert bodies(peer.apns(device_of["blocker"])) == ["pushed"]
            assert bodies(peer.apns(device_of["mentioned"])) == ["for one"]
            for name in ("here", "off", "snoozed", "undisturbed", "muted"):
                assert not peer.apns(device_of[name]), name
            # Its own messages read the others', which only clears the badge.
            assert not bodies(peer.apns(own))
            assert alert(peer.apns(device_of["plain"])[-1])["title"] == "A title"
            # Back from the background, there is none.
            await who["background"].call("session.background", on=False)
            await creator.send(url, "last")
            await peer.until(lambda: len(peer.apns(device_of["plain"])) == 5, "the last one")
            assert len(peer.apns(device_of["background"])) == 4


async def test_waits_and_retries(ctx):
    """A service that refuses for now is asked again, after the wait that it asks for."""
    async with Peer(ctx.directory()) as peer:
        server = await ctx.fresh(*FREE, *flags(peer.settings("apns")))
        url, creator, (_, token) = await away(ctx, server)
        peer.answers[f"/3/device/{token}"] = [
            (429, {"reason": "TooManyRequests"}, {"retry-after": "1"}), (503, {"reason": "ServiceUnavailable"})]
        await creator.send(url, "patience")
        await peer.until(lambda: len(peer.apns(token)) == 3, "three attempts")
        assert len({request.fields["apns-id"] for request in peer.apns(token)}) == 1
        assert bodies(peer.apns(token)) == ["patience"] * 3


async def test_killed_after_the_acknowledgement(ctx):
    """A push whose server is killed before the service answered goes out again, with the same ids."""
    async with Peer(ctx.directory()) as peer:
        settings = [*FREE, *flags(peer.settings("apns"))]
        server = await ctx.fresh(*settings)
        url, creator, (_, token) = await away(ctx, server)
        peer.held.add(f"/3/device/{token}")
        sent = (await creator.send(url, "kept"))["message"]
        first = (await peer.until(lambda: peer.apns(token), "the first attempt"))[0]
        await server.kill()
        peer.held.clear()
        await ctx.fresh(*settings, data=server.data)
        second = (await peer.until(lambda: peer.apns(token)[1:], "the second attempt"))[0]
        assert second.fields["apns-id"] == first.fields["apns-id"]
        assert second.fields["apns-collapse-id"] == first.fields["apns-collapse-id"] == str(sent["message_id"])
        assert bodies([first, second]) == ["kept", "kept"]


async def test_a_service_that_hangs(ctx):
    """A service that does not answer delays neither messages nor pushes by other services."""
    async with Peer(ctx.directory()) as stuck, Peer(ctx.directory()) as peer:
        # Both are trusted: the bundle has the authorities of both.
        bundle = os.path.join(ctx.directory(), "authorities.pem")
        with open(bundle, "w", encoding="ascii") as file:
            for one in (peer, stuck):
                with open(one.authority, encoding="ascii") as part:
                    file.write(part.read())
        server = await ctx.fresh(
            *FREE, *flags(peer.settings("apns") | stuck.settings("web") | {"push.ca_file": bundle}))
        url, creator, member = await group(ctx, server, 1)
        browser = Browser(stuck)
        stuck.held.add(browser.path)
        await member.call("push.register", type="web", subscription=browser.subscription)
        token = await register(member)
        await member.leave()
        await gone(server, member.user_id)
        for number in range(30):
            await creator.send(url, f"number {number}")
        await peer.until(lambda: len(peer.apns(token)) == 30, "all by the other service")
        assert bodies(peer.apns(token)) == [f"number {number}" for number in range(30)]


async def test_reading_elsewhere(ctx):
    """Who reads on another device gets the new badge without an alert on the others, not in browsers."""
    async with Peer(ctx.directory()) as peer:
        server = await ctx.fresh(*FREE, *flags(peer.settings("web", "apns", "gcm")))
        url, creator, (user, token) = await away(ctx, server)
        await creator.send(url, "one")
        await creator.send(url, "two")
        await peer.until(lambda: len(peer.apns(token)) == 2, "two pushes")
        # Each is the number at the time of its push.
        assert [request.json["aps"]["badge"] for request in peer.apns(token)] in ([1, 2], [2, 2])
        laptop = await ctx.user(server, user)
        await laptop.call("group.mark_read", channel_url=url)
        clearing = (await peer.until(lambda: peer.apns(token)[2:], "the new badge"))[0]
        assert clearing.json["aps"] == {"badge": 0, "content-available": 1}, clearing
        assert clearing.json["parley"] == {
            "type": "read", "channel_url": url, "unread_message_count": 0}, clearing
        # APNs changes no badge for pushes of the type background.
        assert clearing.fields["apns-push-type"] == "alert" and clearing.fields["apns-priority"] == "5", clearing.fields


async def test_answering_elsewhere(ctx):
    """Who answers on another device has read the messages before, and gets the new badge on the others."""
    async with Peer(ctx.directory()) as peer:
        server = await ctx.fresh(*FREE, *flags(peer.settings("apns")))
        url, creator, (user, token) = await away(ctx, server)
        own = await register(creator)
        await creator.send(url, "question")
        await peer.until(lambda: peer.apns(token), "the push")
        laptop = await ctx.user(server, user)
        await laptop.send(url, "answer")
        await peer.until(lambda: peer.apns(token)[1:], "the new badge")
        # An answer to it, and one that reads nothing.
        await creator.send(url, "thanks")
        await creator.send(url, "good night")
        await peer.until(lambda: peer.apns(own), "the new badge of the other")
        badges = [request.json["parley"] for request in (peer.apns(token)[1], *peer.apns(own))]
        assert badges == [{"type": "read", "channel_url": url, "unread_message_count": 0}] * 2, badges


async def test_messages_that_were_read_or_deleted_meanwhile(ctx):
    """With a delay, who read the message or whose message was deleted gets no push."""
    async with Peer(ctx.directory()) as peer:
        server = await ctx.fresh(*FREE, *flags(peer.settings("apns", more={"push.delay_ms": 3000})))
        url, creator, member, other = await group(ctx, server, 2)
        read, unread = await register(member), await register(other)
        await other.leave()
        await gone(server, other.user_id)
        await member.call("session.background", on=True)
        gone_message = (await creator.send(url, "deleted"))["message"]
        await creator.send(url, "read by one")
        await creator.call("message.delete", channel_url=url, message_id=gone_message["message_id"])
        await member.call("group.mark_read", channel_url=url)
        await peer.until(lambda: peer.apns(unread), "the push")
        assert bodies(peer.apns(unread)) == ["read by one"] and not bodies(peer.apns(read))


async def test_the_dead_phone(ctx):
    """What went nowhere while a connection was broken is pushed when the server notices."""
    async with Peer(ctx.directory()) as peer:
        server = await ctx.fresh(*FREE, *flags(peer.settings("apns")))
        url, creator, member = await group(ctx, server, 1)
        token = await register(member)
        member.socket.transport.pause_reading()
        await creator.send(url, "into the void")
        member.socket.transport.abort()
        await peer.until(lambda: peer.apns(token), "the push")
        assert bodies(peer.apns(token)) == ["into the void"]


async def test_preferences_of_texts(ctx):
    """Texts are hidden by the user's template; files and admin messages have texts of their own."""
    async with Peer(ctx.directory()) as peer:
        server = await ctx.fresh(*FREE, *flags(peer.settings("apns", more={"push.text_hidden": "Something new"})))
        url, creator, (user, token) = await away(ctx, server, name="Team")
        async with Back(server) as back:
            assert (await back.call("PUT", f"/users/{user}/push/template", {"name": "alternative"}))
        await creator.send(url, "a secret", data="a secret too")
        request = (await peer.until(lambda: peer.apns(token), "the push"))[0]
        assert alert(request)["body"] == "Something new" and "a secret" not in request.body.decode()


class OwnService(Receiver):
    """A push service of the operator, which rejects some tokens."""

    def __init__(self):
        super().__init__()
        self.rejected = []

    async def take(self, head, fields, body, writer):
        self.requests.append((head.split("\r\n")[0], fields, body))
        answer = json.dumps({"rejected": self.rejected}).encode()
        writer.write(f"HTTP/1.1 200 OK\r\nContent-Length: {len(answer)}\r\n\r\n".encode() + answer)
        self.news.set()
        self.news = asyncio.Event()

    def asked(self):
        return [json.loads(body) for _, _, body in self.requests]


async def test_a_service_of_the_operator(ctx):
    """Chosen types go to the operator's own service, signed as webhooks are; tokens that it rejects are forgotten."""
    async with OwnService() as service:
        server = await ctx.fresh(
            *FREE, "--push-url", service.url, "--push-url-types", "huawei", "--push-secret", SECRET)
        url, creator, (user, token) = await away(ctx, server, kind="huawei", name="Team")
        service.rejected = [{"type": "huawei", "token": token}, {"type": "huawei", "token": "another"}]
        sent = (await creator.send(url, "hello"))["message"]
        request = (await service.until(lambda: service.requests))[0]
        code = hmac.new(SECRET.encode(), request[2], hashlib.sha256).hexdigest()
        assert request[1]["parley-signature"] == f"sha256={code}", request
        body = service.asked()[0]
        assert body["event"] == "push.notify" and body["message"]["message_id"] == sent["message_id"], body
        assert body["channel"] == {"channel_url": url, "channel_type": "group_channels", "name": "Team"}, body
        assert body["title"] == f"{creator.user_id} · Team" and body["body"] == "hello", body
        assert body["recipients"] == [{
            "user_id": user, "unread_message_count": 1, "silent": False, "template": "default", "sound": "default",
            "tokens": [{"type": "huawei", "token": token}]}], body

        async def forgotten():
            return (await server.api("GET", f"/users/{user}/push/huawei"))[1]["token"] == []
        await eventually(forgotten, "the token forgotten")


async def test_guarded_endpoints(ctx):
    """A subscription cannot lead the server into its own network."""
    async with Peer(ctx.directory()) as peer:
        settings = peer.settings("web")
        del settings["push.allow_addresses"]
        server = await ctx.fresh(*FREE, *flags(settings))
        url, creator, member = await group(ctx, server, 1)
        browser = Browser(peer)
        inside = {**browser.subscription, "endpoint": f"https://localhost:{peer.port}{browser.path}"}
        try:
            await member.call("push.register", type="web", subscription=inside)
        except Exception as refusal:
            assert getattr(refusal, "code", None) == 400111, refusal
        await member.leave()
        await gone(server, member.user_id)
        await creator.send(url, "hello")

        async def judged():
            _, _, text = await server.get("/metrics")
            return b"parley_push_backlog 0" in text
        await eventually(judged, "the job done")
        assert not peer.requests


async def test_operators_see_and_try(ctx):
    """The state of the ways, a test to a user's devices, and the reason why a message is not pushed."""
    async with Peer(ctx.directory()) as peer:
        server = await ctx.fresh(*FREE, *flags(peer.settings("apns", "gcm")))
        url, creator, member = await group(ctx, server, 1)
        token, dead = await register(member), await register(member)
        async with Back(server) as back:
            peer.answers[f"/3/device/{dead}"] = [(410, {"reason": "Unregistered", "timestamp": 9999999999999})]
            tried = await back.call("POST", "/parley/push/test", {"user_id": member.user_id})
            assert tried == {"user_id": member.user_id, "results": [
                {"type": "apns", "token": token[-8:], "outcome": "sent"},
                {"type": "apns", "token": dead[-8:], "outcome": "rejected", "reason": "status 410, Unregistered"}]}, tried
            sent = (await creator.send(url, "hello"))["message"]

            async def explained(user, message_id=sent["message_id"]):
                answer = await back.call("GET", "/parley/push/explain", user_id=user, message_id=message_id)
                assert (answer["user_id"], answer["message_id"]) == (user, message_id), answer
                return answer["pushed"], answer.get("reason")
            assert await explained(member.user_id) == (False, "has_session")
            assert await explained(creator.user_id) in ((False, "author"), (False, "no_token"))
            await member.leave()
            await gone(server, member.user_id)
            assert await explained(member.user_id) == (True, None)
            again = await ctx.user(server, member.user_id)
            await again.call("push.preferences", push_trigger_option="off")
            await again.leave()
            await gone(server, member.user_id)
            assert await explained(member.user_id) == (False, "trigger_off")
            for query, code in ((f"user_id={member.user_id}&message_id=1", 400201), ("message_id=1", 400105),
                                (f"user_id={member.user_id}", 400105)):
                assert await back.code("GET", f"/parley/push/explain?{query}") == code, query
            assert await back.code("POST", "/parley/push/test", {"user_id": ctx.name("nowhere")}) == 400201

            async def settled():
                state = await back.call("GET", "/parley/push")
                return state if state["backlog"] == 0 else None
            state = await eventually(settled, "no waiting messages")
            assert [way["type"] for way in state["ways"]] == ["apns", "fcm"], state
            # On a busy machine the message is judged only after the member has left.
            assert state["ways"][0]["sent"] in (1, 2) and state["paused_hosts"] == [], state
        environment = {"PARLEY_CLI_API_TOKEN": server.api_token, "PARLEY_CLI_SERVER": f"http://127.0.0.1:{server.port}"}
        status, output, _ = await ctx.run(
            ctx.parley, "push", "explain", member.user_id, str(sent["message_id"]), environment=environment)
        assert status == 0 and b"trigger_off" in output, output


async def test_without_any_way(ctx):
    """Without settings there are no pushes: nothing can be registered, and operators are shown why."""
    server = await ctx.server(*FREE)
    client = await ctx.user(server)
    assert "push" not in client.session["features"]
    for kind, params in (("apns", {"token": device()}), ("gcm", {"token": "a"}), ("web", {})):
        assert await code(client, "push.register", type=kind, **params) in (400105, 400111), kind
    async with Back(server) as back:
        assert (await back.call("GET", "/parley/push"))["ways"] == []
        assert await back.code("POST", "/parley/push/test", {"user_id": client.user_id}) != 0
