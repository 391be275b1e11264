"""Lists that look far: where they end, what they cost, and that nobody else waits for them."""

import asyncio
import contextlib
import os
import secrets
import sqlite3
import time

from harness import Client, Refused, refused

ANSWER_BYTES = 524_288
# The first message ids, and the milliseconds that they stand for.
EPOCH = 1_735_689_600_000


async def many_messages(ctx, count, *flags):
    """A server with a channel of so many messages, each 20 ms after the one before."""
    directory = ctx.directory()
    server = await ctx.fresh(*flags, data=directory)
    owner = await ctx.user(server)
    channel = ctx.name("crowded")
    await owner.call("channel.create", channel_url=channel)
    await server.end()
    fill(os.path.join(directory, "parley.sqlite"), channel, count)
    server = await ctx.fresh(*flags, data=directory)
    return server, channel


def fill(path, channel, count):
    begin = int(time.time() * 1000) - 3_600_000 - 20 * count
    with contextlib.closing(sqlite3.connect(path)) as database:
        number, = database.execute(
            "SELECT channel_id FROM channels WHERE url = ?", (channel,)).fetchone()
        database.executemany(
            "INSERT INTO messages (message_id, channel_id, seq, type, user_id, text, data,"
            " custom_type, mention_type, created_at)"
            " VALUES (?, ?, ?, 'MESG', ?, 'of some length', '', '', 'users', ?)",
            ((identifier(begin + 20 * n), number, n, "rare" if n == 7 else "common",
              begin + 20 * n) for n in range(1, count + 1)))
        database.execute(
            "UPDATE channels SET last_seq = ?1, message_count = ?1, last_created_at = ?2"
            " WHERE channel_id = ?3", (count, begin + 20 * count, number))
        database.commit()


def identifier(time_ms):
    return (time_ms - EPOCH) << 12


def ids(answer):
    return [message["message_id"] for message in answer["messages"]]


async def test_pages_say_whether_there_is_more(ctx):
    """has_previous and has_next say whether more lies before and after; the ends lead there."""
    server = await ctx.server("--limits-flood-messages", "0")
    channel, owner = await ctx.room(server, 0)
    sent = [(await owner.send(channel, f"m{n}", custom_type="even" if n % 2 == 0 else ""))[
        "message"]["message_id"] for n in range(12)]

    async def page(**params):
        answer = await owner.call("message.list", channel_url=channel, **params)
        return ids(answer), answer["has_previous"], answer["has_next"], answer

    assert (await page(prev_limit=12))[:3] == (sent, False, False)
    found, before, after, answer = await page(message_id=sent[6], prev_limit=2, next_limit=3)
    assert (found, before, after) == (sent[4:10], True, True)
    assert (answer["previous_from"], answer["next_from"]) == (sent[4], sent[9])
    found, before, _, _ = await page(
        message_id=answer["previous_from"], include=False, prev_limit=200)
    assert (found, before) == (sent[:4], False)
    found, before, after, answer = await page(
        message_id=answer["next_from"], include=False, prev_limit=0, next_limit=200)
    assert (found, before, after, answer["next_from"]) == (sent[10:], True, False, 0)
    found, before, after, _ = await page(custom_types=["even"], message_id=sent[2], prev_limit=1)
    assert (found, before, after) == ([sent[0], sent[2]], False, True)
    found, before, after, _ = await page(custom_types=["none"], prev_limit=5, next_limit=5)
    assert (found, before, after) == ([], False, False)
    # At no message at all, with nothing asked for, the page still says where to begin.
    _, before, after, answer = await page(message_ts=1, prev_limit=0, include=False)
    assert (before, after) == (False, True)
    found, *_ = await page(
        message_id=answer["next_from"], include=False, prev_limit=0, next_limit=3)
    assert found == sent[:3]


async def test_a_page_fits_in_an_answer(ctx):
    """However long messages are, a list holds at most 512 KiB and goes on where it ended."""
    # Without limits of time: on a busy machine they would cut pages before their bytes do, and charge
    # for them.
    server = await ctx.server(
        "--limits-flood-messages", "0", "--limits-throttle-messages", "0", "--limits-query-ms", "0",
        "--limits-calls-per-second", "0")
    channel, owner = await ctx.room(server, 0)
    waiting = []
    for n in range(120):
        waiting.append(await owner.ask(
            "message.send", channel_url=channel, message=f"{n}" + "\u20ac" * 2000,
            data="d" * 16_384))
    sent = [(await owner.result(one))["message"]["message_id"] for one in waiting]
    for direction in ("prev", "next"):
        found, place, pages = [], {}, 0
        if direction == "next":
            place = {"message_ts": 0, "include": False}
        while True:
            other = "next" if direction == "prev" else "prev"
            answer = await owner.call(
                "message.list", channel_url=channel,
                **{f"{direction}_limit": 200, f"{other}_limit": 0}, **place)
            size = len(owner.raw[-1].encode())
            assert size <= ANSWER_BYTES, size
            pages += 1
            if direction == "prev":
                found = ids(answer) + found
                more, end = answer["has_previous"], answer["previous_from"]
            else:
                found += ids(answer)
                more, end = answer["has_next"], answer["next_from"]
            if not more:
                break
            assert size > ANSWER_BYTES // 2, size
            place = {"message_id": end, "include": False}
        assert found == sent
        assert pages > 3, pages


async def test_channel_lists_fit_in_an_answer(ctx):
    """A page of channels with much data is shorter, and its token leads to the others."""
    server = await ctx.fresh()
    owner = await ctx.user(server)
    made = []
    for n in range(60):
        channel = ctx.name(f"wide{n}")
        await owner.call("channel.create", channel_url=channel, data="d" * 16_000)
        made.append(channel)
    found, token = [], ""
    while True:
        answer = await owner.call("channel.list", limit=100, token=token)
        assert len(owner.raw[-1].encode()) <= ANSWER_BYTES
        found += [channel["channel_url"] for channel in answer["channels"]]
        token = answer["next"]
        if not token:
            break
    assert found == made[::-1]


async def test_a_search_ends_in_time(ctx):
    """A filter that hardly anything fits answers in time with where to go on, up to the end."""
    server, channel = await many_messages(
        ctx, 60_000, "--limits-query-ms", "5", "--limits-calls-per-second", "0")
    user = await ctx.user(server)
    found, place, pages = [], {}, 0
    while True:
        # Two senders: one would have an index.
        answer = await user.call(
            "message.list", channel_url=channel, sender_ids=["rare", "nobody"], prev_limit=5, **place)
        found += ids(answer)
        pages += 1
        if not answer["has_previous"]:
            break
        end = answer["previous_from"]
        assert end > 0 and end != place.get("message_id")
        place = {"message_id": end, "include": False}
    assert len(found) == 1, found
    assert pages > 1, pages
    answer = await user.call("message.list", channel_url=channel, sender_ids=["rare"])
    assert ids(answer) == found
    status, total = await server.api("GET", f"/open_channels/{channel}/messages/total_count")
    assert (status, total) == (200, {"total": 60_000})
    metrics = (await server.get("/metrics"))[2].decode()
    cut = [line for line in metrics.splitlines()
           if line.startswith("parley_store_queries_cut_short_total ")]
    assert cut and float(cut[0].split()[1]) > 0, cut


async def test_a_list_without_filters_is_whole(ctx):
    """However short limits.query_ms is, a page of messages without filters has as many as are asked for, so that
    a client that pages by their times and ids alone reads every message."""
    server = await ctx.server(
        "--limits-flood-messages", "0", "--limits-throttle-messages", "0", "--limits-query-ms", "1",
        "--limits-calls-per-second", "0")
    channel, owner = await ctx.room(server, 0)
    waiting = [await owner.ask("message.send", channel_url=channel, message=f"{n}") for n in range(450)]
    sent = [(await owner.result(one))["message"]["message_id"] for one in waiting]
    for _ in range(20):
        found, place = [], {"message_ts": 0}
        while True:
            status, page = await server.api(
                "GET", f"/open_channels/{channel}/messages", prev_limit=0, next_limit=200, include="false",
                **place)
            assert status == 200, page
            found += ids(page)
            if len(page["messages"]) < 200:
                break
            place = {"message_id": found[-1]}
        assert found == sent, len(found)


async def test_nobody_waits_for_another_ones_searches(ctx):
    """While users search as much as they may, others open sessions and read within a few answers."""
    server, channel = await many_messages(ctx, 200_000, "--limits-calls-per-second", "0")
    attackers = [
        await ctx.user(server, f"attacker{n % 3}") for n in range(12)]
    answered = 0

    async def search(client):
        nonlocal answered
        while True:
            await client.call(
                "message.list", channel_url=channel, sender_ids=["nobody", "none"], prev_limit=200)
            answered += 1

    searches = [asyncio.create_task(search(client)) for client in attackers]
    try:
        while answered < 3:
            await asyncio.sleep(0.05)
        for _ in range(10):
            before = answered
            client = await Client.open(server, ctx.name("newcomer"))
            ctx.clients.append(client)
            await client.call("channel.get", channel_url=channel)
            opened = answered - before
            before = answered
            page = await client.call("message.list", channel_url=channel, prev_limit=20)
            listed = answered - before
            assert len(page["messages"]) == 20
            # In one queue with theirs, each would have waited for twelve answers.
            assert opened <= 6, opened
            assert listed <= 6, listed
        assert not any(task.done() for task in searches)
    finally:
        for task in searches:
            task.cancel()


async def test_refused_messages_cost_calls(ctx):
    """Refused messages use up the budget for calls; then 500910, until it has recovered."""
    server = await ctx.server()
    owner = await ctx.user(server)
    channel = ctx.name("locked")
    await owner.call("channel.create", channel_url=channel)
    outsider = await ctx.user(server)
    waiting = [
        await outsider.ask("message.send", channel_url=channel, message="x", req_id=f"r{n}")
        for n in range(900)]
    codes, last = [], None
    for one in waiting:
        try:
            await outsider.result(one)
        except Refused as refusal:
            codes.append(refusal.code)
            last = refusal
    assert len(codes) == 900
    assert 300 <= codes.count(900020), codes.count(900020)
    assert 500910 in codes
    # While it was not read, the connection's debt was paid off: not all is refused for its cost.
    assert last.code in (500910, 900020)
    # Another connection of the same user is not affected, nor are others.
    second = await ctx.user(server, outsider.user_id)
    async with refused(900020):
        await second.send(channel, "x")
    await owner.enter(channel)
    await owner.send(channel, "fine")
    # What was refused last has deepened the debt: ask again as told, until it is paid off.
    for _ in range(20):
        try:
            await outsider.send(channel, "x")
        except Refused as refusal:
            last = refusal
        if last.code != 500910:
            break
        await asyncio.sleep(last.data["retry_after_ms"] / 1000)
    assert last.code == 900020, last


async def test_made_up_tokens_are_refused(ctx):
    """A page token that no page gave is 400109, in every list."""
    server = await ctx.server()
    channel, owner, other = await ctx.room(server, 1)
    for path in (
            "/users", "/open_channels", f"/open_channels/{channel}/operators",
            f"/open_channels/{channel}/ban", f"/open_channels/{channel}/mute",
            "/parley/sessions", "/parley/previews"):
        for token in ("1", "zz", "00000000", secrets.token_hex(12)):
            status, answer = await server.api("GET", path, token=token)
            assert (status, answer["code"]) == (400, 400109), (path, token, answer)
    await owner.call("channel.add_operators", channel_url=channel, user_ids=[other.user_id])
    path = f"/open_channels/{channel}/operators"
    _, first = await server.api("GET", path, limit=1)
    _, second = await server.api("GET", path, limit=1, token=first["next"])
    assert [first["operators"][0]["user_id"], second["operators"][0]["user_id"]] == [
        owner.user_id, other.user_id]
    assert second["next"] == ""
    # A token belongs to its list.
    status, answer = await server.api("GET", "/users", token=first["next"])
    assert (status, answer["code"]) == (400, 400109)


async def test_names_without_regard_to_case(ctx):
    """name_contains and nickname_startswith compare by Unicode's full case folding."""
    server = await ctx.fresh()
    owner = await ctx.user(server, nickname="Straßer")
    channel = ctx.name("road")
    await owner.call("channel.create", channel_url=channel, name="Lange Straße")
    for part in ("STRASSE", "straße", "StraSSe", "STRAẞE"):
        answer = await owner.call("channel.list", name_contains=part)
        assert [one["channel_url"] for one in answer["channels"]] == [channel], part
    _, users = await server.api("GET", "/users", nickname_startswith="STRASS")
    assert [user["user_id"] for user in users["users"]] == [owner.user_id]
