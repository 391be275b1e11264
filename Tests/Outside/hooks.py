"""Hooks: the app's back end is asked first, and what it may and may not do to a call."""

import asyncio
import contextlib
import hashlib
import hmac
import json
import os
import re
import signal
import time

from harness import DEADLINE, Refused, fence, http, refused
from groupendpoints import Back

SECRET = "a secret of the app's back end"
DENIAL = {"allow": False, "code": 910001, "message": "no addresses here", "data": {"rule": 7}}


class BackEnd:
    """The app's back end: `decide` gets each question and returns the answer, a list of bytes to write slowly, or
    None for silence; it may be a coroutine."""

    def __init__(self):
        self.questions, self.heads = [], []
        self.decide = lambda question: {"allow": True}
        self.news = asyncio.Event()

    async def __aenter__(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0, limit=1 << 20)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_):
        self.server.close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/hook"

    def flags(self, *events, **settings):
        return [
            "--hooks-url", self.url, "--hooks-secret", SECRET, "--hooks-events", ",".join(events),
            "--unfurl-mode", "off",
            *[f"--hooks-{name.replace('_', '-')}={value}" for name, value in settings.items()]]

    async def serve(self, reader, writer):
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                fields = {
                    name.lower(): value for name, value in re.findall(r"^([\w-]+): (.*)\r$", head, re.M)}
                body = await reader.readexactly(int(fields["content-length"]))
                question = json.loads(body)
                self.heads.append((head.split("\r\n")[0], fields, body))
                self.questions.append(question)
                self.news.set()
                self.news = asyncio.Event()
                answer = self.decide(question)
                if asyncio.iscoroutine(answer):
                    answer = await answer
                if answer is None:
                    await asyncio.sleep(3 * DEADLINE)
                await self.write(answer, writer)
        writer.close()

    async def write(self, answer, writer):
        if isinstance(answer, tuple):
            status, fields, body = answer
        else:
            status, fields, body = 200, "", json.dumps(answer).encode()
        pieces = body if isinstance(body, list) else [body]
        size = sum(map(len, pieces))
        writer.write(f"HTTP/1.1 {status} x\r\nContent-Length: {size}\r\n{fields}\r\n".encode())
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            if len(pieces) > 1:
                await asyncio.sleep(0.2)

    def of(self, hook):
        return [question for question in self.questions if question["hook"] == hook]

    async def until(self, count, hook="message.send"):
        async with asyncio.timeout(DEADLINE):
            while len(self.of(hook)) < count:
                await self.news.wait()
        return self.of(hook)


async def metrics(server):
    return (await server.get("/metrics"))[2].decode()


async def outcome(server, hook, name):
    line = f'parley_hooks_total{{hook="{hook}",outcome="{name}"}} '
    found = [text for text in (await metrics(server)).splitlines() if text.startswith(line)]
    return int(float(found[0].split()[-1]))


async def test_the_request(ctx):
    """The request is signed, names the hook, and has the user, the session, the channel and the params; no token."""
    async with BackEnd() as back:
        server = await ctx.fresh(*back.flags("message.send", "message.update"))
        channel, _, sender = await ctx.room(server, 1)
        await sender.send(channel, "hällo", data="d", req_id="r1", custom_type="t")
        line, fields, body = back.heads[0]
        assert line == "POST /hook HTTP/1.1", line
        assert fields["content-type"] == "application/json" and fields["parley-hook"] == "message.send", fields
        code = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
        assert fields["parley-signature"] == f"sha256={code}", fields
        asked = back.questions[0]
        assert asked["hook"] == "message.send" and len(asked["id"]) == 32 and abs(asked["ts"] - time.time() * 1000) < 60_000
        assert asked["user"]["user_id"] == sender.user_id, asked
        assert asked["session"]["transport"] == "websocket" and asked["session"]["address"] == "127.0.0.1", asked
        assert asked["session"]["session_id"], asked
        assert asked["channel"]["channel_url"] == channel, asked
        params = asked["params"]
        assert (params["channel_url"], params["message"], params["data"], params["req_id"], params["custom_type"]) == (
            channel, "hällo", "d", "r1", "t"), params
        assert "access_token" not in json.dumps(asked)


async def test_the_session_on_every_event_loop(ctx):
    """The caller's connection is in each call, on whichever event loops the channel and the connection are."""
    async with BackEnd() as back:
        server = await ctx.fresh("--reactors", "3", *back.flags("message.send", "channel.enter"))
        sessions = {}
        for _ in range(6):
            channel, *clients = await ctx.room(server, 2)
            for client in clients:
                sessions[client.user_id] = client.session["session_id"]
                await client.send(channel, "one")
        asked = back.of("message.send")
        assert len(asked) == 18 and len(back.of("channel.enter")) == 18, len(back.questions)
        for question in back.questions:
            assert question["session"] == {
                "session_id": sessions[question["user"]["user_id"]], "address": "127.0.0.1",
                "transport": "websocket"}, question


async def test_allow_and_change(ctx):
    """A change is in the answer, the event and the list; changes of the sender and the channel have no effect."""
    async with BackEnd() as back:
        server = await ctx.fresh(*back.flags("message.send", "message.update"))
        channel, _, sender, viewer = await ctx.room(server, 2)
        back.decide = lambda question: {"allow": True, "changes": {
            "message": "***", "data": "new", "custom_type": "seen", "metaarray": [{"key": "k", "value": ["v"]}],
            "user": {"user_id": "evil"}, "channel_url": "elsewhere", "message_id": 1}}
        sent = (await sender.send(channel, "bad"))["message"]
        assert (sent["message"], sent["data"], sent["custom_type"]) == ("***", "new", "seen"), sent
        assert sent["sorted_metaarray"] == [{"key": "k", "value": ["v"]}], sent
        assert sent["user"]["user_id"] == sender.user_id and sent["channel_url"] == channel, sent
        event = await viewer.event("message.received", channel_url=channel)
        assert event["message"] == sent, event
        listed = (await viewer.call("message.list", channel_url=channel))["messages"]
        assert [message["message"] for message in listed] == ["***"], listed
        back.decide = lambda question: {"allow": True, "changes": {"message": "edited ***"}}
        edited = await sender.call(
            "message.update", channel_url=channel, message_id=sent["message_id"], message="edited bad")
        assert edited["message"]["message"] == "edited ***", edited
        assert back.of("message.update")[0]["params"]["message"] == "edited bad"
        assert await outcome(server, "message.send", "changed") == 1
        assert await outcome(server, "message.update", "changed") == 1


async def test_deny(ctx):
    """The app's code, text and data reach the client; any other code, or none, is 400108."""
    async with BackEnd() as back:
        server = await ctx.fresh(*back.flags("message.send", "message.update"), "--limits-flood-messages", "0")
        channel, _, sender, viewer = await ctx.room(server, 2)
        back.decide = lambda question: DENIAL
        answer = await sender.ask("message.send", channel_url=channel, message="x")
        error = (await answer)["error"]
        assert error == {"code": 910001, "message": "no addresses here", "data": {"rule": 7}}, error
        for wrong in ({"code": 0}, {"code": 909999}, {"code": 920000}, {"code": "910001"}, {}, {"code": 400302}):
            back.decide = lambda question: {"allow": False, **wrong}
            async with refused(400108):
                await sender.send(channel, "x")
        back.decide = lambda question: {
            "allow": False, "code": 919999, "message": "m" * 300, "data": {"x": "y" * 2000}}
        async with refused(919999):
            await sender.send(channel, "x")
        assert not viewer.messages(channel)
        back.decide = lambda question: {"allow": True}
        await sender.send(channel, "y")
        assert [m["message"]["message"] for m in [await viewer.event("message.received")]] == ["y"]
        assert await outcome(server, "message.send", "denied") == 8


async def test_order(ctx):
    """Sends of one connection keep their order with slow and fast answers; other users and other calls do not wait."""
    async with BackEnd() as back:
        server = await ctx.fresh(*back.flags("message.send", "message.update", timeout_ms=5000))
        channel, owner, sender, viewer = await ctx.room(server, 2)
        release = asyncio.Event()

        async def slowly(question):
            if question["params"]["message"] == "0":
                await release.wait()
            return {"allow": True}

        back.decide = slowly
        waiting = [await sender.ask("message.send", channel_url=channel, message=str(n)) for n in range(4)]
        await back.until(4)
        await owner.send(channel, "other")
        assert (await sender.call("session.ping"))["time"]
        assert [m["message"] for m in viewer.messages(channel)] in ([], ["other"])
        release.set()
        sent = [await sender.result(each) for each in waiting]
        assert [each["message"]["message"] for each in sent] == list("0123"), sent
        await viewer.until(lambda: len(viewer.messages(channel)) == 5)
        assert [m["message"] for m in viewer.messages(channel)] == ["other", *"0123"]


async def test_rights_while_waiting(ctx):
    """A ban while the back end thinks refuses the send; so does freezing."""
    async with BackEnd() as back:
        server = await ctx.fresh(*back.flags("message.send", "message.update", timeout_ms=5000))
        channel, owner, banned, frozen = await ctx.room(server, 2)
        release = asyncio.Event()

        async def slowly(question):
            await release.wait()
            return {"allow": True}

        back.decide = slowly
        first = await banned.ask("message.send", channel_url=channel, message="x")
        second = await frozen.ask("message.send", channel_url=channel, message="y")
        await back.until(2)
        await owner.call("channel.ban", channel_url=channel, user_id=banned.user_id)
        await owner.call("channel.freeze", channel_url=channel)
        release.set()
        async with refused(400750):
            await banned.result(first)
        async with refused(900050):
            await frozen.result(second)


async def test_flood_before_asking(ctx):
    """What is refused without a hook is not asked about, and denied sends use up the window."""
    async with BackEnd() as back:
        server = await ctx.fresh(
            *back.flags("message.send", "message.update"), "--limits-flood-messages", "3",
            "--limits-flood-window-ms", "60000")
        channel, owner, sender = await ctx.room(server, 1)
        back.decide = lambda question: DENIAL
        for _ in range(3):
            async with refused(910001):
                await sender.send(channel, "x")
        for _ in range(3):
            async with refused(900200):
                await sender.send(channel, "x")
        stranger = await ctx.user(server)
        async with refused(900020):
            await stranger.send(channel, "x")
        async with refused(400110):
            await owner.send(channel, "x" * 5001)
        assert len(back.questions) == 3


WRONG = {
    "html": (200, "Content-Type: text/html\r\n", b"<html>"), "list": (200, "", b"[]"), "empty": (200, "", b"{}"),
    "text": (200, "", b'{"allow":"yes"}'), "204": (204, "", b""), "500": (500, "", b'{"allow":true}'),
    "302": (302, "Location: http://169.254.169.254/latest/meta-data/\r\n", b""),
    "big": (200, "", b'{"allow":true,"x":"' + b"y" * 70_000 + b'"}'),
    "deep": (200, "", b'{"allow":true,"x":' + b"[" * 40 + b"]" * 40 + b"}"),
    "slow": (200, "", [b"{"] + [b" "] * 40 + [b'"allow":true}']),
    "cut": (200, "", b'{"allow":true'), "bytes": (200, "", b'{"allow":true,"x":"\xff"}'),
    "changes": (200, "", b'{"allow":true,"changes":[]}'),
    "long": (200, "", json.dumps({"allow": True, "changes": {"message": "x" * 5001}}).encode()),
    "NUL": (200, "", json.dumps({"allow": True, "changes": {"message": "a\0b"}}).encode()),
    "number": (200, "", json.dumps({"allow": True, "changes": {"message": 7}}).encode()),
}


async def test_wrong_answers(ctx):
    """Whatever the back end answers, the send is refused with 500901, or sent as it was: the policy decides."""
    async with BackEnd() as back:
        flags = [*back.flags("message.send", "message.update", timeout_ms=600), "--limits-flood-messages", "0"]
        for policy in ("deny", "allow"):
            server = await ctx.fresh(*flags, f"--hooks-on-failure={policy}")
            channel, _, sender, viewer = await ctx.room(server, 2)
            for name, answer in WRONG.items():
                back.decide = lambda question: answer
                if policy == "deny":
                    refusal = (await (await sender.ask("message.send", channel_url=channel, message=name)))["error"]
                    assert refusal["code"] == 500901 and refusal["data"]["reason"] == "hook", (name, refusal)
                    assert 1000 <= refusal["data"]["retry_after_ms"] <= 5000, refusal
                else:
                    assert (await sender.send(channel, name))["message"]["message"] == name
                # An answer in between keeps the circuit closed.
                back.decide = lambda question: {"allow": True}
                await sender.send(channel, "fine")
            assert await outcome(server, "message.send", "failed") == len(WRONG)
            assert await outcome(server, "message.send", "skipped") == 0


async def test_circuit(ctx):
    """Five failures in a row open the circuit: the policy applies at once, problems name it, and it closes again."""
    async with BackEnd() as back:
        server = await ctx.fresh(
            *back.flags("message.send", "message.update", "channel.create"), "--limits-flood-messages", "0")
        channel, _, sender = await ctx.room(server, 1)
        asked = len(back.of("message.send"))
        back.decide = lambda question: (500, "", b"") if question["hook"] == "message.send" else {"allow": True}
        for _ in range(5):
            async with refused(500901, reason="hook"):
                await sender.send(channel, "x")
        assert len(back.of("message.send")) == asked + 5
        for _ in range(3):
            async with refused(500901, reason="hook"):
                await sender.send(channel, "x")
        assert len(back.of("message.send")) == asked + 5
        # Others are asked about still.
        await sender.call("channel.create")
        assert 'parley_hook_circuit_open{hook="message.send"} 1' in await metrics(server)
        assert 'parley_hook_circuit_open{hook="channel.create"} 0' in await metrics(server)
        async with Back(server) as api:
            problems = (await api.call("GET", "/parley/metrics"))["problems"]
            assert any("message.send" in problem["message"] for problem in problems), problems
        back.decide = lambda question: {"allow": True}

        async def closed():
            try:
                await sender.send(channel, "y")
            except Refused:
                await asyncio.sleep(0.2)
                return False
            return True

        async with asyncio.timeout(DEADLINE):
            while not await closed():
                pass
        assert 'parley_hook_circuit_open{hook="message.send"} 0' in await metrics(server)
        assert await outcome(server, "message.send", "skipped") >= 3


async def test_req_id_asks_once(ctx):
    """A repetition while the send waits, afterwards, and after a restart gets the same message and asks nothing."""
    async with BackEnd() as back:
        data = ctx.directory()
        flags = back.flags("message.send", "message.update", timeout_ms=5000)
        server = await ctx.fresh(*flags, data=data)
        channel, _, sender = await ctx.room(server, 1)
        again = await ctx.user(server, sender.user_id)
        await again.enter(channel)
        release = asyncio.Event()

        async def slowly(question):
            await release.wait()
            return {"allow": True}

        back.decide = slowly
        first = await sender.ask("message.send", channel_url=channel, message="x", req_id="r")
        await back.until(1)
        second = await again.ask("message.send", channel_url=channel, message="x", req_id="r")
        await again.call("session.ping")
        release.set()
        ids = {(await sender.result(first))["message"]["message_id"], (await again.result(second))["message"]["message_id"]}
        ids.add((await sender.send(channel, "x", req_id="r"))["message"]["message_id"])
        await server.kill()
        server = await ctx.fresh(*flags, data=data)
        after = await ctx.user(server, sender.user_id)
        await after.enter(channel)
        ids.add((await after.send(channel, "x", req_id="r"))["message"]["message_id"])
        assert len(ids) == 1 and len(back.of("message.send")) == 1, (ids, back.questions)


async def test_restart_in_the_middle(ctx):
    """A server that is killed while the back end thinks has stored nothing; the repetition asks with the same id."""
    async with BackEnd() as back:
        data = ctx.directory()
        flags = back.flags("message.send", "message.update", timeout_ms=5000)
        server = await ctx.fresh(*flags, data=data)
        channel, _, sender = await ctx.room(server, 1)
        back.decide = lambda question: None
        await sender.ask("message.send", channel_url=channel, message="x", req_id="r")
        await back.until(1)
        await server.kill()
        back.decide = lambda question: {"allow": True}
        server = await ctx.fresh(*flags, data=data)
        after = await ctx.user(server, sender.user_id)
        await after.enter(channel)
        await after.send(channel, "x", req_id="r")
        first, second = back.of("message.send")
        assert first["id"] == second["id"], back.questions
        assert len((await after.call("message.list", channel_url=channel))["messages"]) == 1


async def test_the_back_end_may_call(ctx):
    """A hook that calls the Platform API about the same user and channel does not deadlock."""
    async with BackEnd() as back:
        server = await ctx.fresh(
            *back.flags("session.open", "message.send", "message.update", "channel.enter", timeout_ms=5000))
        async with Back(server) as api:
            async def calling(question):
                user = question["user"]["user_id"]
                if question["hook"] == "session.open":
                    await api.call("GET", "/users")
                    return {"allow": True}
                channel = question["params"]["channel_url"]
                await api.call("GET", f"/open_channels/{channel}")
                await api.call("PUT", f"/users/{user}", {"nickname": question["hook"]})
                await api.call("POST", f"/open_channels/{channel}/messages", {
                    "message_type": "ADMM", "message": question["hook"]})
                return {"allow": True}

            back.decide = calling
            channel, _, sender = await ctx.room(server, 1)
            sent = await sender.send(channel, "x")
            edited = await sender.call(
                "message.update", channel_url=channel, message_id=sent["message"]["message_id"], message="y")
            assert edited["message"]["message"] == "y"
            assert {"session.open", "channel.enter", "message.send", "message.update"} == {
                question["hook"] for question in back.questions}


async def test_session_open(ctx):
    """The opening is asked about after its own checks; changes are stored, and hook_data reaches the client."""
    async with BackEnd() as back:
        server = await ctx.fresh(*back.flags("session.open"))
        back.decide = lambda question: {"allow": True, "changes": {
            "nickname": "Named", "metadata": {"plan": "gold"}, "data": {"theme": ["dark"]}, "user_id": "evil",
            "expires_at": int(time.time() * 1000) + 3_600_000}}
        client = await ctx.connect(server)
        opened = await client.call("session.open", user_id="jeff", nickname="Jeff", access_token="hush")
        assert opened["user"]["nickname"] == "Named" and opened["user"]["user_id"] == "jeff", opened
        assert opened["user"]["metadata"] == {"plan": "gold"} and opened["hook_data"] == {"theme": ["dark"]}, opened
        asked = back.questions[0]
        assert asked["params"]["nickname"] == "Jeff" and "hush" not in json.dumps(asked), asked
        assert asked["user"]["user_id"] == "jeff" and asked["session"] == {
            "address": "127.0.0.1", "transport": "websocket"}, asked
        async with refused(400105, field="user_id"):
            await (await ctx.connect(server)).call("session.open", access_token="hush")
        assert len(back.questions) == 1
        # The app's refusal closes the connection; others may try again on it.
        back.decide = lambda question: DENIAL
        client = await ctx.connect(server)
        async with refused(910001):
            await client.call("session.open", user_id="ann")
        assert await client.ended() == 4002
        back.decide = lambda question: {"allow": False}
        client = await ctx.connect(server)
        async with refused(400108):
            await client.call("session.open", user_id="ann")
        back.decide = lambda question: (500, "", b"")
        async with refused(500901, reason="hook"):
            await client.call("session.open", user_id="ann")
        back.decide = lambda question: {"allow": True, "changes": {"expires_at": 5}}
        async with refused(500901, reason="hook"):
            await client.call("session.open", user_id="ann")
        back.decide = lambda question: {"allow": True}
        assert (await client.call("session.open", user_id="ann"))["user"]["user_id"] == "ann"
        # A refused user was not created.
        async with Back(server) as api:
            users = [user["user_id"] for user in (await api.call("GET", "/users"))["users"]]
            assert sorted(users) == ["ann", "jeff"], users


async def test_mode_hook(ctx):
    """With auth.mode hook the back end gets the token and names the user; without a name there is no session."""
    async with BackEnd() as back:
        server = await ctx.fresh(
            *back.flags("session.open", on_failure="allow"), "--auth-mode", "hook")
        names = {"t1": "jeff", "t2": "ann"}

        def decide(question):
            name = names.get(question["params"].get("access_token"))
            if name is None:
                return {"allow": False, "code": 400302}
            return {"allow": True, "changes": {"user_id": name}}

        back.decide = decide
        client = await ctx.connect(server)
        opened = await client.call("session.open", access_token="t1", user_id="ann")
        assert opened["user"]["user_id"] == "jeff", opened
        assert back.questions[0]["params"]["access_token"] == "t1" and "user" not in back.questions[0]
        other = await ctx.connect(server)
        assert (await other.call("session.open", access_token="t2"))["user"]["user_id"] == "ann"
        await client.call("session.refresh", access_token="t1")
        async with refused(400302):
            await client.call("session.refresh", access_token="t2")
        wrong = await ctx.connect(server)
        async with refused(400302):
            await wrong.call("session.open", access_token="t3")
        assert await wrong.ended() == 4002
        # The policy is always deny.
        for answer in ({"allow": True}, {"allow": True, "changes": {"user_id": ""}}, (500, "", b"")):
            back.decide = lambda question: answer
            waiting = await ctx.connect(server)
            async with refused(500901, reason="hook"):
                await waiting.call("session.open", access_token="t1")


async def test_session_cache(ctx):
    """Permission is kept for a user and a token, and only as long as configured; a refusal is not."""
    async with BackEnd() as back:
        server = await ctx.fresh(*back.flags("session.open", session_cache_seconds=300))
        back.decide = lambda question: {"allow": True, "changes": {"data": 7}}
        for token, count in (("a", 1), ("a", 1), ("b", 2)):
            client = await ctx.connect(server)
            opened = await client.call("session.open", user_id="jeff", access_token=token)
            assert opened["hook_data"] == 7 and len(back.questions) == count, back.questions
        back.decide = lambda question: DENIAL
        for count in (3, 4):
            client = await ctx.connect(server)
            async with refused(910001):
                await client.call("session.open", user_id="ann", access_token="a")
            assert len(back.questions) == count


async def test_channels(ctx):
    """Creating and entering channels is asked about; changes apply, and what would be refused is not asked about."""
    async with BackEnd() as back:
        server = await ctx.fresh(*back.flags("channel.create", "channel.enter"))
        owner, other = await ctx.users(server, 2)
        channel = ctx.name()
        back.decide = lambda question: {"allow": True, "changes": {
            "name": "Changed", "data": "d", "operator_ids": [other.user_id]}}
        made = await owner.call("channel.create", channel_url=channel, name="Lobby")
        assert made["channel"]["name"] == "Changed" and made["channel"]["data"] == "d", made
        operators = {user["user_id"] for user in made["channel"]["operators"]}
        assert operators == {owner.user_id, other.user_id}, made
        assert back.questions[0]["params"]["name"] == "Lobby"
        async with refused(400202):
            await owner.call("channel.create", channel_url=channel)
        async with refused(400201):
            await owner.call("channel.create", operator_ids=["no-such-user"])
        assert len(back.of("channel.create")) == 1
        back.decide = lambda question: DENIAL
        async with refused(910001):
            await owner.call("channel.create")
        async with refused(910001):
            await other.enter(channel)
        assert back.of("channel.enter")[0]["params"] == {"channel_url": channel}
        back.decide = lambda question: {"allow": True}
        await other.enter(channel)
        await owner.enter(channel)
        await owner.send(channel, "x")
        await other.event("message.received", channel_url=channel)
        await owner.call("channel.ban", channel_url=channel, user_id=other.user_id)
        asked = len(back.of("channel.enter"))
        async with refused(400750):
            await other.enter(channel)
        async with refused(400201):
            await other.enter("no-such-channel")
        assert len(back.of("channel.enter")) == asked


async def test_groups(ctx):
    """Creating, inviting and joining are asked about; invitations may become fewer."""
    async with BackEnd() as back:
        server = await ctx.fresh(
            *back.flags("group.create", "group.invite", "group.join"), "--groups-auto-accept", "false")
        ann, ben, cat = await ctx.users(server, 3)
        ids = [ben.user_id, cat.user_id]
        back.decide = lambda question: {"allow": True, "changes": {"user_ids": [ben.user_id], "name": "G"}}
        made = (await ann.call("group.create", user_ids=ids))["channel"]
        assert made["name"] == "G" and made["member_count"] == 2, made
        assert sorted(back.of("group.create")[0]["params"]["user_ids"]) == sorted(ids)
        async with refused(400201):
            await ann.call("group.create", user_ids=["no-such-user"])
        assert len(back.of("group.create")) == 1
        url = made["channel_url"]
        back.decide = lambda question: DENIAL
        async with refused(910001):
            await ben.call("group.accept", channel_url=url)
        async with refused(910001):
            await ann.call("group.invite", channel_url=url, user_ids=[cat.user_id])
        asked = len(back.questions)
        async with refused(400201):
            await cat.call("group.accept", channel_url=url)
        assert len(back.questions) == asked
        back.decide = lambda question: {"allow": True, "changes": {"user_ids": ["somebody-else"]}}
        async with refused(500901, reason="hook"):
            await ann.call("group.invite", channel_url=url, user_ids=[cat.user_id])
        back.decide = lambda question: {"allow": True}
        await ann.call("group.invite", channel_url=url, user_ids=[cat.user_id])
        await ben.call("group.accept", channel_url=url)
        joined = (await cat.call("group.accept", channel_url=url))["channel"]
        assert joined["joined_member_count"] == 3, joined


async def test_files(ctx):
    """Creating an upload is asked about, and may get another name; a send of its file is asked about too."""
    async with BackEnd() as back:
        server = await ctx.fresh(*back.flags("file.create", "message.send", "message.update"))
        channel, _, sender, viewer = await ctx.room(server, 2)
        back.decide = lambda question: {"allow": True, "changes": {"name": "other.txt", "message": "seen"}}
        made = await sender.call("file.create", size=3, name="a.txt", type="text/plain")
        assert made["file"]["name"] == "other.txt", made
        assert back.of("file.create")[0]["params"]["name"] == "a.txt"
        path = "/" + made["upload_url"].split("/", 3)[3]
        status, *_ = await http(server.port, "PUT", path, {"Content-Type": "text/plain", "Content-Length": "3"}, b"abc")
        assert status in (200, 201), status
        sent = await sender.send(
            channel, "text", message_type="FILE", file_id=made["file"]["file_id"])
        assert sent["message"]["message"] == "seen" and sent["message"]["file"]["name"] == "other.txt", sent
        asked = back.of("message.send")[0]["params"]
        assert asked["file_id"] == made["file"]["file_id"] and asked["file_size"] == 3, asked
        made = await sender.call("file.create", size=3, name="c.txt", message={"channel_url": channel, "message": "bad"})
        path = "/" + made["upload_url"].split("/", 3)[3]
        status, _, body = await http(
            server.port, "PUT", path, {"Content-Type": "text/plain", "Content-Length": "3"}, b"abc")
        assert status == 201 and json.loads(body)["message"]["message"] == "seen", body
        back.decide = lambda question: DENIAL
        async with refused(910001):
            await sender.call("file.create", size=3, name="b.txt")
        async with refused(400110):
            await sender.call("file.create", size=3, name="b" * 1000)
        async with refused(910001):
            await sender.send(channel, "", message_type="FILE", url="https://a.example/f.png", file_name="f")
        assert len(back.of("file.create")) == 3


async def test_platform(ctx):
    """The Platform API is not asked about, unless hooks.platform is set."""
    async with BackEnd() as back:
        back.decide = lambda question: DENIAL
        for platform in (False, True):
            server = await ctx.fresh(
                *back.flags("message.send", "message.update"),
                f"--hooks-platform={str(platform).lower()}")
            channel, owner = await ctx.room(server, 0)
            async with Back(server) as api:
                path = f"/open_channels/{channel}/messages"
                body = {"message_type": "MESG", "user_id": owner.user_id, "message": "x"}
                if platform:
                    body = json.dumps(body).encode()
                    status, _, text = await http(
                        server.port, "POST", f"/v3{path}",
                        {"Api-Token": server.api_token, "Content-Type": "application/json",
                         "Content-Length": str(len(body))}, body)
                    assert status == 403, (status, text)
                    answer = json.loads(text)
                    assert answer["code"] == 910001 and answer["data"] == {"rule": 7}, answer
                else:
                    await api.call("POST", path, body)
            assert bool(back.questions) == platform


async def test_settings(ctx):
    """Starts with a hook without URL or secret, and mode hook without session.open, fail; edits that pass warn."""
    base = ["--hooks-events", "message.send"]
    for flags, name in (
            (base, "hooks.url"), ([*base, "--hooks-url", "http://127.0.0.1:1/"], "hooks.secret"),
            (["--hooks-url", "http://127.0.0.1:1/", "--hooks-secret", SECRET], "hooks.events"),
            (["--hooks-events", "message.delete", "--hooks-url", "http://127.0.0.1:1/"], "hooks.events"),
            (["--auth-mode", "hook"], "hooks.events"),
            (["--hooks-on-failure", "message.send=maybe"], "hooks.on_failure"),
            (["--hooks-urls", "message.send"], "hooks.urls")):
        _, out, err = await ctx.run(ctx.parleyd, "--check-config", *flags)
        assert name.encode() in (out.encode() if isinstance(out, str) else out) + (
            err.encode() if isinstance(err, str) else err), (flags, out, err)
    path = os.path.join(ctx.directory(), "settings.yaml")
    async with BackEnd() as back, BackEnd() as other:
        with open(path, "w") as file:
            file.write(
                f"hooks:\n  url: {back.url}?key=hush\n  urls: {{message.send: {other.url}}}\n  secret: {SECRET}\n"
                "  events: [message.send, channel.create]\n  on_failure: {message.send: allow}\n")
        server = await ctx.fresh("--config", path, "--limits-flood-messages", "0")
        assert "message.send without message.update" in "".join(server.lines), server.lines
        channel, owner = await ctx.room(server, 0)
        other.decide = lambda question: (500, "", b"")
        await owner.send(channel, "x")
        assert [q["hook"] for q in back.questions] == ["channel.create"]
        assert [q["hook"] for q in other.questions] == ["message.send"]
        async with Back(server) as api:
            listed = await api.call("GET", "/parley/hooks")
            states = {hook["hook"]: hook for hook in listed["hooks"]}
            assert states["message.send"]["on_failure"] == "allow" and states["channel.create"]["on_failure"] == "deny"
            assert states["channel.create"]["url"] == back.url and "hush" not in json.dumps(listed), listed
            assert states["message.send"]["outcomes"]["failed"] == 1 and states["message.send"]["last_failure"]
            _, out, err = await ctx.run(ctx.parley, "hooks", "--server", f"http://127.0.0.1:{server.port}", environment={
                "PARLEY_CLI_API_TOKEN": server.api_token})
            assert b"message.send" in out and b"allow" in out and b"hush" not in out, (out, err)
            status, out, _ = await ctx.run(
                ctx.parley, "hooks", "test", "--server", f"http://127.0.0.1:{server.port}", environment={
                    "PARLEY_CLI_API_TOKEN": server.api_token})
            assert status != 0 and b"status 500" in out, (status, out)
            _, out, err = await ctx.run(
                ctx.parleyd, "--check-config", "--deep", "--config", path, "--data-dir", ctx.directory(), "--listen", "127.0.0.1:0")
            assert b"channel.create is answered" in out + err and b"no valid answer about message.send" in out + err, (out, err)
            tested = (await api.call("POST", "/parley/hooks/test"))["hooks"]
            assert [(each["hook"], each["allowed"], bool(each["problem"])) for each in tested] == [
                ("channel.create", True, False), ("message.send", False, True)], tested


async def test_a_hanging_back_end(ctx):
    """While the back end hangs, calls that are not asked about are as quick as before, and readiness stays."""
    async with BackEnd() as back:
        server = await ctx.fresh(*back.flags("message.send", "message.update", timeout_ms=5000, concurrency=4))
        channel, owner, *senders = await ctx.room(server, 8)
        back.decide = lambda question: None
        waiting = [(each, await each.ask("message.send", channel_url=channel, message="x")) for each in senders]
        await back.until(4)
        begin = time.monotonic()
        for _ in range(20):
            await owner.call("message.list", channel_url=channel)
            await owner.call("session.ping")
        assert time.monotonic() - begin < 3, time.monotonic() - begin
        assert "parley_hooks_waiting 4" in await metrics(server)
        for each, number in waiting:
            async with refused(500901, reason="hook"):
                await each.result(number)
        await fence(channel, owner)


async def test_drain(ctx):
    """A server that stops answers the send about which the back end is being asked."""
    async with BackEnd() as back:
        data = ctx.directory()
        server = await ctx.fresh(*back.flags("message.send", "message.update", timeout_ms=5000), data=data)
        channel, _, sender = await ctx.room(server, 1)
        release = asyncio.Event()

        async def slowly(question):
            await release.wait()
            return {"allow": True}

        back.decide = slowly
        number = await sender.ask("message.send", channel_url=channel, message="x")
        await back.until(1)
        server.process.send_signal(signal.SIGTERM)
        await sender.event("server.draining")
        release.set()
        assert (await sender.result(number))["message"]["message"] == "x"
