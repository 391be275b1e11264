"""Spam-flood protection."""

import asyncio

from harness import Refused, fence, refused


async def burst(channel, clients, count):
    """Sends from all at once; the accepted messages in order, and the refusals."""
    waiting = [
        await clients[n % len(clients)].ask("message.send", channel_url=channel, message=f"m{n}")
        for n in range(count)]
    answers = [await part for part in waiting]
    accepted = [a["result"]["message"] for a in answers if "result" in a]
    return accepted, [a["error"] for a in answers if "error" in a]


def densest(stamps, window):
    """The most that any stretch [t, t + window) holds."""
    return max(sum(1 for s in stamps if start <= s < start + window) for start in stamps)


async def test_each_refused_file_costs(ctx):
    """Files that message.send_files does not send cost a call each, as refused messages do."""
    server = await ctx.fresh(
        "--unfurl-mode", "off", "--limits-calls-per-second", "1", "--limits-calls-burst", "50")
    channel, owner = await ctx.room(server, 0)
    files = [{"url": f"https://files.example/{n}"} for n in range(20)]
    codes = []
    while 500910 not in codes:
        assert len(codes) < 8, codes
        try:
            result = await owner.call("message.send_files", channel_url=channel, files=files)
            refused_ones = [part["error"] for part in result["results"] if "error" in part]
            assert {error["code"] for error in refused_ones} == {900200}, result
            waits = [error["data"]["retry_after_ms"] for error in refused_ones]
            assert waits == sorted(waits), result
            codes.append(len(refused_ones))
        except Refused as refusal:
            codes.append(refusal.code)
    assert codes[0] == 15, codes


async def test_five_in_a_second(ctx):
    """Of a burst five get through; the rest is 900200, not stored and not delivered."""
    server = await ctx.server()
    channel, owner, sender, viewer = await ctx.room(server, 2)
    accepted, refusals = await burst(channel, [sender], 12)
    assert len(accepted) == 5 and len(refusals) == 7, (len(accepted), len(refusals))
    for error in refusals:
        assert error["code"] == 900200, error
        data = error["data"]
        assert 1 <= data["retry_after_ms"] <= 1000, data
        assert data["limit"] == 5 and data["window_ms"] == 1000, data
        assert data["scope"] == "user_channel", data
    await fence(channel, owner, viewer)
    assert [m["message"] for m in viewer.messages(channel)] == [m["message"] for m in accepted]
    listed = (await owner.call("message.list", channel_url=channel))["messages"]
    assert [m["message"] for m in listed] == [m["message"] for m in accepted]


async def test_over_all_connections_together(ctx):
    """The limit is of the user, not of its connections."""
    server = await ctx.server()
    channel, _, first = await ctx.room(server, 1)
    others = [await ctx.user(server, first.user_id) for _ in range(4)]
    for client in others:
        await client.enter(channel)
    accepted, refusals = await burst(channel, [first, *others], 40)
    assert densest([m["created_at"] for m in accepted], 1000) <= 5
    assert len(accepted) >= 5 and refusals


async def test_users_and_channels_have_windows_of_their_own(ctx):
    """Another user, and the same user in another channel, are not held back."""
    server = await ctx.server()
    channel, owner, one, two = await ctx.room(server, 2)
    other = ctx.name()
    await owner.call("channel.create", channel_url=other)
    await one.enter(other)
    assert len((await burst(channel, [one], 5))[0]) == 5
    assert len((await burst(channel, [two], 5))[0]) == 5
    assert len((await burst(other, [one], 5))[0]) == 5


async def test_the_window_slides_exactly(ctx):
    """However hard three connections try, no second holds more than five, and it fills up."""
    server = await ctx.server()
    channel, owner, first = await ctx.room(server, 1)
    clients = [first] + [await ctx.user(server, first.user_id) for _ in range(2)]
    for client in clients[1:]:
        await client.enter(channel)
    accepted, waits = [], []

    async def hammer(client):
        while not accepted or accepted[-1]["created_at"] < accepted[0]["created_at"] + 3500:
            try:
                accepted.append((await client.send(channel, "x"))["message"])
            except Exception as refusal:
                assert getattr(refusal, "code", None) == 900200, refusal
                waits.append(refusal.data["retry_after_ms"])
                await asyncio.sleep(min(waits[-1], 20) / 1000)
    await asyncio.gather(*(hammer(client) for client in clients))
    stamps = sorted(m["created_at"] for m in accepted)
    assert densest(stamps, 1000) == 5, stamps
    assert waits and all(1 <= wait <= 1000 for wait in waits)
    listed = (await owner.call("message.list", channel_url=channel, prev_limit=200))["messages"]
    assert sorted(m["created_at"] for m in listed) == stamps


async def test_retry_after_is_enough_and_not_more(ctx):
    """After retry_after_ms a send is accepted, a full window after the first of five."""
    server = await ctx.server()
    channel, _, sender = await ctx.room(server, 1)
    accepted, refusals = await burst(channel, [sender], 6)
    await asyncio.sleep(refusals[0]["data"]["retry_after_ms"] / 1000)
    sent = (await sender.send(channel, "now"))["message"]
    assert sent["created_at"] >= accepted[0]["created_at"] + 1000


async def test_refused_messages_do_not_count(ctx):
    """One that keeps sending over the limit is let through again as soon as the window allows."""
    server = await ctx.server()
    channel, _, sender = await ctx.room(server, 1)
    first, _ = await burst(channel, [sender], 5)
    while True:
        try:
            sent = (await sender.send(channel, "again"))["message"]
            break
        except Exception as refusal:
            assert getattr(refusal, "code", None) == 900200
            left = refusal.data["retry_after_ms"]
            await asyncio.sleep(0.01)
    assert sent["created_at"] >= first[0]["created_at"] + 1000 and left >= 1


async def test_operators_are_not_exempt(ctx):
    """An operator is held back like anyone else."""
    server = await ctx.server()
    channel, owner = await ctx.room(server, 0)
    accepted, refusals = await burst(channel, [owner], 9)
    assert len(accepted) == 5 and len(refusals) == 4


async def test_operators_may_be_exempted(ctx):
    """With limits.flood.exempt_operators operators are not held back, others are."""
    server = await ctx.fresh("--limits-flood-exempt-operators", "true")
    channel, owner, other = await ctx.room(server, 1)
    assert len((await burst(channel, [owner], 30))[0]) == 30
    assert len((await burst(channel, [other], 30))[0]) < 30


async def test_count_and_window_are_settable(ctx):
    """With two in 300 ms no stretch of 300 ms holds more than two."""
    server = await ctx.fresh("--limits-flood-messages", "2", "--limits-flood-window-ms", "300")
    channel, _, sender = await ctx.room(server, 1)
    accepted = []
    while len(accepted) < 8:
        try:
            accepted.append((await sender.send(channel, "x"))["message"]["created_at"])
        except Exception as refusal:
            assert getattr(refusal, "code", None) == 900200
            assert refusal.data["limit"] == 2 and refusal.data["window_ms"] == 300
            await asyncio.sleep(0.005)
    assert densest(accepted, 300) == 2, accepted


async def test_zero_turns_it_off(ctx):
    """With limits.flood.messages 0 a hundred messages at once get through."""
    server = await ctx.server("--limits-flood-messages", "0")
    channel, _, sender = await ctx.room(server, 1)
    assert len((await burst(channel, [sender], 100))[0]) == 100


async def rooms(ctx, server, user, count):
    """Channels that the user is in."""
    owner = await ctx.user(server)
    made = []
    for _ in range(count):
        channel = (await owner.call("channel.create"))["channel"]["channel_url"]
        await user.enter(channel)
        made.append(channel)
    return made


def by_scope(answers):
    """The accepted messages, and the refusals by their scope."""
    scopes = {}
    for answer in answers:
        scopes.setdefault(answer["error"]["data"]["scope"] if "error" in answer else None, []).append(answer)
    return scopes


async def test_a_user_has_a_window_over_all_channels(ctx):
    """Of five messages to each of eight channels twenty get through, over all connections of the user."""
    server = await ctx.fresh("--limits-user-flood-window-ms", "600000", "--reactors", "2")
    user = await ctx.user(server)
    channels = await rooms(ctx, server, user, 8)
    again = await ctx.user(server, user.user_id)
    for channel in channels:
        await again.enter(channel)
    waiting = [await (user, again)[n % 2].ask("message.send", channel_url=channel, message="x")
               for channel in channels for n in range(5)]
    scopes = by_scope([await part for part in waiting])
    assert len(scopes[None]) == 20 and len(scopes["user"]) == 20 and len(scopes) == 2, scopes.keys()
    for refusal in scopes["user"]:
        error = refusal["error"]
        assert error["code"] == 900200 and error["data"]["limit"] == 20, error
        assert error["data"]["window_ms"] == 600000 and 1 <= error["data"]["retry_after_ms"] <= 600000, error
    # A new connection changes nothing, others are free, and so is the Platform API in the user's name.
    for client in (user, again):
        await client.leave()
    third = await ctx.user(server, user.user_id)
    await third.enter(channels[0])
    try:
        await third.send(channels[0], "x")
        raise AssertionError("a new connection has room")
    except Refused as refusal:
        assert refusal.data["scope"] == "user", refusal.data
    other = await ctx.user(server)
    await other.enter(channels[0])
    await other.send(channels[0], "x")
    metrics = (await server.get("/metrics"))[2].decode()
    count = next(line for line in metrics.splitlines() if line.startswith('parley_refused_total{reason="flood"}'))
    assert count.endswith(" 21"), count


async def test_what_a_channel_refuses_has_no_place(ctx):
    """Refused messages, repeated ones and those with faults leave room for twenty others."""
    server = await ctx.fresh("--limits-flood-window-ms", "600000", "--limits-user-flood-window-ms", "600000",
                             "--limits-calls-per-second", "0")
    user = await ctx.user(server)
    first, *others = await rooms(ctx, server, user, 5)
    for n in range(5):
        await user.send(first, "x", req_id=f"r{n}")
    for n in range(30):
        await user.send(first, "x", req_id=f"r{n % 5}")
        for code, params in ((400100, {"message": 7}), (400201, {"channel_url": "no-such-channel"}), (900200, {})):
            try:
                await user.call("message.send", **{"channel_url": first, "message": "x", **params})
                raise AssertionError(params)
            except Refused as refusal:
                assert refusal.code == code, (params, refusal.code)
                assert code != 900200 or refusal.data["scope"] == "user_channel", refusal.data
    answers = [await (await user.ask("message.send", channel_url=channel, message="x"))
               for channel in others for _ in range(5)]
    assert ["error" in answer for answer in answers] == [False] * 15 + [True] * 5, answers
    assert set(by_scope(answers)) == {None, "user"}


async def test_files_count_one_by_one(ctx):
    """Each file of message.send_files takes a place in the window of its user."""
    server = await ctx.fresh("--limits-flood-messages", "0", "--limits-user-flood-messages", "12",
                             "--limits-user-flood-window-ms", "600000")
    channel, owner = await ctx.room(server, 0)
    files = [{"url": f"https://files.example/{n}"} for n in range(8)]
    results = []
    for _ in range(2):
        results += (await owner.call("message.send_files", channel_url=channel, files=files))["results"]
    scopes = by_scope(results)
    assert ["error" in result for result in results] == [False] * 12 + [True] * 4, results
    assert len(scopes["user"]) == 4, scopes


async def test_operators_are_exempt_everywhere(ctx):
    """With limits.flood.exempt_operators an operator is not held back by the window over all channels."""
    server = await ctx.fresh("--limits-flood-exempt-operators", "true", "--limits-user-flood-window-ms", "600000")
    channel, owner, other = await ctx.room(server, 1)
    assert len((await burst(channel, [owner], 60))[0]) == 60
    answers = []
    for channel in await rooms(ctx, server, other, 6):
        answers += [await (await other.ask("message.send", channel_url=channel, message="x")) for _ in range(5)]
    scopes = by_scope(answers)
    assert len(scopes[None]) == 20 and len(scopes["user"]) == 10, scopes.keys()


async def test_zero_turns_the_window_of_a_user_off(ctx):
    """With limits.user_flood.messages 0 only channels hold a user back."""
    server = await ctx.fresh("--limits-user-flood-messages", "0")
    user = await ctx.user(server)
    waiting = [await user.ask("message.send", channel_url=channel, message="x")
               for channel in await rooms(ctx, server, user, 8) for _ in range(5)]
    assert set(by_scope([await part for part in waiting])) == {None}


async def test_leaving_does_not_empty_the_window(ctx):
    """Leaving and entering again, or a new connection, does not start the window anew."""
    server = await ctx.server()
    channel, _, sender = await ctx.room(server, 1)
    first, _ = await burst(channel, [sender], 5)
    await sender.call("channel.exit", channel_url=channel)
    await sender.enter(channel)
    stamps = [m["created_at"] for m in first]
    stamps += [m["created_at"] for m in (await burst(channel, [sender], 5))[0]]
    await sender.leave()
    back = await ctx.user(server, sender.user_id)
    await back.enter(channel)
    stamps += [m["created_at"] for m in (await burst(channel, [back], 5))[0]]
    assert densest(stamps, 1000) == 5, stamps


async def test_an_edit_is_no_message(ctx):
    """Updates and deletions are not held back by the flood limit."""
    server = await ctx.server()
    channel, _, sender = await ctx.room(server, 1)
    accepted, _ = await burst(channel, [sender], 6)
    for message in accepted:
        await sender.call("message.update", channel_url=channel, message="y",
                          message_id=message["message_id"])
        await sender.call("message.delete", channel_url=channel,
                          message_id=message["message_id"])


async def test_message_bytes(ctx):
    """A message over limits.message_bytes closes with 1009, one of just that size does not."""
    server = await ctx.fresh("--limits-message-bytes", "2000")
    client = await ctx.user(server)
    await client.raw_answer('{"jsonrpc":"2.0","id":5,"method":"session.ping"}'.ljust(2000))
    await client.write('{"jsonrpc":"2.0","id":6,"method":"session.ping"}'.ljust(2001))
    assert await client.ended() == 1009


async def test_channels_per_user_is_settable(ctx):
    """With limits.channels_per_user 1 a second channel is 400203."""
    server = await ctx.fresh("--limits-channels-per-user", "1")
    first, client = await ctx.room(server, 0)
    second, _ = await ctx.room(server, 0)
    async with refused(400203):
        await client.enter(second)
