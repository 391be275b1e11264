"""permessage-deflate on, off and mixed."""

import asyncio
import random
import string

from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory

from harness import fence

FREE = ("--limits-flood-messages", "0", "--limits-throttle-messages", "0")


async def test_negotiated_when_offered(ctx):
    """permessage-deflate is negotiated when offered, and only then."""
    server = await ctx.server()
    plain = await ctx.user(server)
    deflated = await ctx.user(server, compression="deflate")
    assert "Sec-WebSocket-Extensions" not in plain.socket.response.headers
    assert "permessage-deflate" in deflated.socket.response.headers["Sec-WebSocket-Extensions"]


async def test_every_offer_works(ctx):
    """Offers with each parameter lead to a connection on which long and short texts survive."""
    server = await ctx.server(*FREE)
    channel, owner = await ctx.room(server, 0)
    clients = []
    for factory in (
            ClientPerMessageDeflateFactory(),
            ClientPerMessageDeflateFactory(server_no_context_takeover=True),
            ClientPerMessageDeflateFactory(client_no_context_takeover=True),
            ClientPerMessageDeflateFactory(
                server_no_context_takeover=True, client_no_context_takeover=True),
            ClientPerMessageDeflateFactory(client_max_window_bits=True),
            ClientPerMessageDeflateFactory(client_max_window_bits=9),
            ClientPerMessageDeflateFactory(server_max_window_bits=10),
            ClientPerMessageDeflateFactory(server_max_window_bits=15, client_max_window_bits=15)):
        client = await ctx.user(server, extensions=[factory])
        await client.enter(channel)
        clients.append(client)
    dice = random.Random(7)
    noise = "".join(dice.choice(string.printable) for _ in range(4000))
    texts = ["a", "ab" * 2400, noise, "é😀" * 900, noise[::-1], "a"]
    for client in clients:
        for text in texts:
            assert (await client.send(channel, text))["message"]["message"] == text
    await fence(channel, owner, *clients)
    wanted = texts * (len(clients) - 1)
    for client in clients:
        assert [m["message"] for m in client.messages(channel)] == wanted


async def test_both_kinds_in_one_channel(ctx):
    """Plain and compressed participants of one channel are told the same, in order."""
    server = await ctx.server(*FREE)
    channel, owner, sender, *plain = await ctx.room(server, 4)
    deflated = await ctx.users(server, 4, compression="deflate")
    for client in deflated:
        await client.enter(channel)
    waiting = [
        await (sender if n % 2 else deflated[0]).ask(
            "message.send", channel_url=channel, message=f"message {n} " * (1 + n % 40))
        for n in range(120)]
    for part in waiting:
        answer = await part
        assert "result" in answer, answer
    everyone = [owner, sender, *plain, *deflated]
    await fence(channel, owner, *everyone)
    stored = [m for m in (await owner.call(
        "message.list", channel_url=channel, prev_limit=200))["messages"]]
    assert len(stored) == 120
    for client in everyone:
        own = [m for m in stored if m["user"]["user_id"] != client.user_id]
        assert client.messages(channel) == own


async def test_a_long_conversation_compressed(ctx):
    """Hundreds of answers and events interleave on one compressed connection without loss."""
    server = await ctx.server(*FREE)
    channel, owner = await ctx.room(server, 0)
    client = await ctx.user(server, compression="deflate")
    await client.enter(channel)

    async def talk():
        for n in range(100):
            await owner.send(channel, f"event {n} " * 20)

    async def ask():
        for _ in range(100):
            await client.call("channel.get", channel_url=channel)
    await asyncio.gather(talk(), ask())
    await fence(channel, owner, client)
    assert len(client.messages(channel)) == 100


async def test_a_bomb_closes_with_1009(ctx):
    """A compressed message that unpacks to more than limits.message_bytes closes with 1009."""
    server = await ctx.server()
    client = await ctx.user(server, compression="deflate")
    await client.write(" " * 50_000_000)
    assert await client.ended() == 1009
