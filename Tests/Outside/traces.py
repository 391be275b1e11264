"""The names of a trace, from a call of the Platform API to its answer, the audit log, the log and webhooks."""

import json
import os

from harness import eventually, http
from webhooks import Receiver, flags

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = f"00-{TRACE}-00f067aa0ba902b7-01"
NAMES = {"X-Request-Id": "edge-17", "traceparent": PARENT}


async def call(server, method, path, body=None, **headers):
    fields = {"Api-Token": server.api_token, "Content-Type": "application/json", **headers}
    data = json.dumps(body).encode() if body is not None else b""
    fields["Content-Length"] = str(len(data))
    status, fields, answer = await http(server.port, method, f"/v3{path}", fields, data)
    return status, fields, json.loads(answer)


async def test_from_a_call_to_webhooks(ctx):
    """Each event that a call causes names the call's trace, and so does the request that posts it."""
    async with Receiver() as receiver:
        audit = os.path.join(ctx.directory(), "audit.log")
        server = await ctx.fresh(*flags(receiver), "--audit-log", audit, "--log-level", "debug")
        await call(server, "POST", "/users", {"user_id": "ada", "nickname": "", "profile_url": ""})
        steps = [
            ("POST", "/open_channels", {"channel_url": "lobby", "operator_ids": ["ada"]}, "channel.created"),
            ("POST", "/open_channels/lobby/messages",
             {"message_type": "MESG", "user_id": "ada", "message": "hello"}, "message.received"),
            ("PUT", "/open_channels/lobby/messages/{id}", {"message_type": "MESG", "message": "x"},
             "message.updated"),
            ("DELETE", "/open_channels/lobby/messages/{id}", None, "message.deleted"),
            ("PUT", "/open_channels/lobby", {"name": "Lobby"}, "channel.changed"),
            ("PUT", "/open_channels/lobby/freeze", {"freeze": True}, "channel.frozen"),
            ("POST", "/open_channels/lobby/mute", {"user_id": "ada"}, "channel.user_muted"),
            ("DELETE", "/open_channels/lobby/mute/ada", None, "channel.user_unmuted"),
            ("DELETE", "/open_channels/lobby", None, "channel.deleted")]
        number = 0
        for index, (method, path, body, name) in enumerate(steps):
            names = {"X-Request-Id": f"edge-{index}", "traceparent": PARENT}
            status, fields, answer = await call(server, method, path.format(id=number), body, **names)
            assert status == 200, answer
            assert fields["x-request-id"] == f"edge-{index}", fields
            number = answer.get("message_id", number)
            await receiver.until(lambda: [e for e in receiver.events if e["event"] == name])
        assert [
            (event["event"], event.get("request_id"), event.get("traceparent")) for event in receiver.events
        ] == [(step[3], f"edge-{index}", PARENT) for index, step in enumerate(steps)], receiver.events
        for _, fields, body in receiver.requests:
            events = json.loads(body)["events"]
            assert len(events) == 1 and fields["x-request-id"] == events[0]["request_id"], fields
            assert fields["traceparent"] == PARENT, fields

        async def is_audited():
            with open(audit, encoding="utf-8") as file:
                lines = [json.loads(line) for line in file]
            return len(lines) >= len(steps) and lines

        lines = [line for line in await eventually(is_audited, "the audit log") if "request_id" in line]
        assert {line["trace_id"] for line in lines} == {TRACE}, lines
        assert [line["request_id"] for line in lines] == [
            f"edge-{index}" for index in range(len(steps)) if index != 1], lines
        log = "\n".join(server.lines)
        assert f"trace_id={TRACE}" in log and "request_id=edge-3" in log, log


async def test_calls_without_a_trace(ctx):
    """What is malformed, doubled or missing names nothing, and refuses nothing."""
    async with Receiver() as receiver:
        server = await ctx.fresh(*flags(receiver, events="message.received"))
        await call(server, "POST", "/open_channels", {"channel_url": "lobby"})
        wrong = [
            {}, {"X-Request-Id": "a b"}, {"X-Request-Id": "x" * 129}, {"X-Request-Id": 'a"'},
            {"X-Request-Id": "a", "x-request-id": "a"},
            {"traceparent": "00-0-0-0"}, {"traceparent": PARENT.upper()}]
        for number, names in enumerate(wrong):
            status, fields, answer = await call(
                server, "POST", "/open_channels/lobby/messages",
                {"message_type": "ADMM", "message": f"{number}"}, **names)
            assert status == 200 and "x-request-id" not in fields, (answer, fields)
        await receiver.until(lambda: len(receiver.texts("lobby")) == len(wrong))
        assert not any("request_id" in e or "traceparent" in e for e in receiver.events), receiver.events
        assert not any("traceparent" in f or "x-request-id" in f for _, f, _ in receiver.requests)
        status, fields, answer = await call(server, "GET", "/open_channels/nowhere", **NAMES)
        assert (status, answer["code"], fields["x-request-id"]) == (400, 400201, "edge-17"), answer


async def test_a_trace_survives_a_kill(ctx):
    """Waiting events keep their traces over a kill; a request with events of several names none."""
    async with Receiver() as receiver:
        receiver.silent = True
        wanted = flags(receiver, events="message.received")
        server = await ctx.fresh(*wanted)
        await call(server, "POST", "/open_channels", {"channel_url": "lobby"})
        for number in range(4):
            await call(
                server, "POST", "/open_channels/lobby/messages",
                {"message_type": "ADMM", "message": f"{number}"}, **{"X-Request-Id": f"edge-{number}"})
        await server.kill()
        receiver.silent = False
        receiver.requests.clear()
        await ctx.fresh(*wanted, data=server.data)
        await receiver.until(lambda: len(set(receiver.texts("lobby"))) == 4)
        found = {event["message"]["message"]: event["request_id"] for event in receiver.events}
        assert found == {f"{number}": f"edge-{number}" for number in range(4)}, receiver.events
        for _, fields, body in receiver.requests:
            ids = {event["request_id"] for event in json.loads(body)["events"]}
            assert fields.get("x-request-id") == (ids.pop() if len(ids) == 1 else None), (fields, ids)
