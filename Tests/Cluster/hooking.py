"""Hooks on several servers: the channel's home asks, once, wherever the caller is connected."""

import asyncio

from cluster import FREE
from harness import refused
from hooks import DENIAL, BackEnd
from reporting import room
from shared import several


async def test_calls_of_all_servers_are_asked_about_once(ctx):
    """Messages, edits and entries of each server are asked about once; changes and refusals reach their callers."""
    async with BackEnd() as back:
        flags = [flag for flag in back.flags("session.open", "message.send", "message.update", "channel.enter")
                 if flag not in ("--unfurl-mode", "off")]
        cluster = await ctx.cluster(3, *FREE, *flags)
        rooms = [await room(ctx, cluster) for _ in range(4)]
        entered = len(back.of("channel.enter"))
        assert entered == sum(len(clients) for _, clients in rooms), back.questions
        assert len(back.of("session.open")) >= entered
        for channel, clients in rooms:
            for client in clients:
                back.decide = lambda question: {"allow": True, "changes": {"message": "changed"}}
                asked = len(back.questions)
                sent = (await client.send(channel, "bad", req_id="r"))["message"]
                assert sent["message"] == "changed" and len(back.questions) == asked + 1
                assert (await client.send(channel, "bad", req_id="r"))["message"] == sent
                assert len(back.questions) == asked + 1
                edited = await client.call(
                    "message.update", channel_url=channel, message_id=sent["message_id"], message="bad")
                assert edited["message"]["message"] == "changed"
                back.decide = lambda question: DENIAL
                answer = await (await client.ask("message.send", channel_url=channel, message="bad"))
                assert answer["error"] == {"code": 910001, "message": "no addresses here", "data": {"rule": 7}}, answer
                await client.call("channel.exit", channel_url=channel)
                async with refused(910001):
                    await client.enter(channel)
                back.decide = lambda question: {"allow": True}
                await client.enter(channel)


async def test_the_session_of_a_caller_on_another_server(ctx):
    """The back end sees the caller's connection in each call, wherever the channel is at home."""
    async with BackEnd() as back:
        flags = [flag for flag in back.flags(
                     "message.send", "message.update", "channel.enter", "group.invite", "group.join")
                 if flag not in ("--unfurl-mode", "off")]
        cluster = await ctx.cluster(3, *FREE, *flags)
        rooms = [await room(ctx, cluster) for _ in range(3)]
        sessions = {}
        for channel, clients in rooms:
            for client in clients:
                sessions[client.user_id] = client.session["session_id"]
                sent = (await client.send(channel, "one"))["message"]
                await client.call(
                    "message.update", channel_url=channel, message_id=sent["message_id"], message="two")
                made = await client.call("group.create", user_ids=[], is_public=True)
                group = made["channel"]["channel_url"]
                other = next(one for one in clients if one is not client)
                await other.call("group.join", channel_url=group)
                await client.call("group.invite", channel_url=group, user_ids=[rooms[0][1][0].user_id])
                await client.send(group, "three")
        for hook, count in [("message.send", 18), ("message.update", 9), ("channel.enter", 9), ("group.join", 9)]:
            asked = back.of(hook)
            assert len(asked) == count, (hook, len(asked))
            for question in asked:
                assert question["session"] == {
                    "session_id": sessions[question["user"]["user_id"]], "address": "127.0.0.1",
                    "transport": "websocket"}, question
        assert all("session" in question for question in back.of("group.invite")), back.questions


async def test_a_home_that_dies_while_the_back_end_thinks(ctx):
    """The send goes to the next home, which asks with the same id; the message is stored once."""
    several(ctx)
    async with BackEnd() as back:
        flags = [flag for flag in back.flags("message.send", "message.update", timeout_ms=5000)
                 if flag not in ("--unfurl-mode", "off")]
        cluster = await ctx.cluster(3, *FREE, *flags)
        channel, clients = await room(ctx, cluster)
        sent = asyncio.Event()

        async def slowly(question):
            if not sent.is_set():
                sent.set()
                await asyncio.sleep(30)
            return {"allow": True}

        back.decide = slowly
        home = await cluster.home(channel)
        client = next(c for c, server in zip(clients, cluster.servers) if server is not home)
        waiting = await client.ask("message.send", channel_url=channel, message="x", req_id="r")
        await back.until(1)
        await home.kill()
        assert (await client.result(waiting))["message"]["message"] == "x"
        first, second = back.of("message.send")
        assert first["id"] == second["id"], back.questions
        listed = await client.call("message.list", channel_url=channel)
        assert [message["message"] for message in listed["messages"]] == ["x"], listed
