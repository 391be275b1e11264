"""Search: words, phrases, scripts, who finds what, changes, pages, and building the index."""

import asyncio
import time

from groups import FREE, code, group
from harness import eventually


async def page(client, query, **params):
    """A page of found messages; a user may search five times a second."""
    while True:
        if await code(client, "message.search", query=query, limit=1) != 500910:
            break
        await asyncio.sleep(0.2)
    await asyncio.sleep(0.45)
    return await client.call("message.search", query=query, **params)


async def found(client, query, **params):
    return [message["message_id"] for message in (await page(client, query, **params))["messages"]]


async def awaited(client, query, ids, **params):
    """Waits until the index has followed, and checks that it was in time."""
    start = time.monotonic()
    await eventually(lambda: same(client, query, ids, params))
    assert time.monotonic() - start < 10, query


async def same(client, query, ids, params):
    return await found(client, query, **params) == ids


async def test_words_are_found(ctx):
    """Words, beginnings, phrases, accents, width, scripts without spaces, emoji and syntax."""
    server = await ctx.server(*FREE)
    user = await ctx.user(server)
    url = ctx.name("words")
    await user.call("channel.create", channel_url=url)
    await user.call("channel.enter", channel_url=url)
    texts = ["Smart throttling works", "Café crème", "祝你新年快乐", "สวัสดีครับ", "ok 👍🏽", "ＷＩＤＥ", "NEAR(x* \"y) ^z & | !"]
    ids = [(await user.send(url, text))["message"]["message_id"] for text in texts]
    await awaited(user, "NEAR", [ids[6]], channel_url=url)
    for query, place in (
            ("throttl", 0), ("\"smart throttling\"", 0), ("\"smart thr", 0), ("CAFE creme", 1), ("新", 2), ("新年", 2),
            ("年快乐", 2), ("สวัส", 3), ("👍", 4), ("wide", 5), ("x* ^z", 6), ("\"throttling smart\"", None), ("?!", None), ("年新", None)):
        assert await found(user, query, channel_url=url) == ([] if place is None else [ids[place]]), query
    await user.call("message.update", channel_url=url, message_id=ids[0], message="changed entirely")
    await awaited(user, "entirely", [ids[0]], channel_url=url)
    assert await found(user, "throttling", channel_url=url) == []
    await user.call("message.delete", channel_url=url, message_id=ids[1])
    assert await found(user, "cafe", channel_url=url) == []


async def test_strangers_find_nothing(ctx):
    """Groups that a user has not joined, and messages from before it joined, are not counted either."""
    server = await ctx.server(*FREE)
    url, creator, member = await group(ctx, server, 1)
    stranger = await ctx.user(server)
    word = ctx.name("word").replace("-", "").replace("_", "")
    first = (await creator.send(url, f"{word} one"))["message"]["message_id"]
    await awaited(member, word, [first])
    answer = await page(stranger, word)
    assert answer["messages"] == [] and answer["total_count"] == 0
    assert await code(stranger, "message.search", query=word, channel_url=url) == 400201
    await creator.call("group.invite", channel_url=url, user_ids=[stranger.user_id])
    second = (await creator.send(url, f"{word} two"))["message"]["message_id"]
    await awaited(stranger, word, [second])
    await awaited(creator, word, [second, first], channel_url=url)
    assert await found(creator, f"{word} two", channel_url=url) == [second]


async def test_refusals_and_pages(ctx):
    """Bad parameters are refused, rates hold, and pages have each message once."""
    server = await ctx.server(*FREE)
    user = await ctx.user(server)
    url = ctx.name("pages")
    await user.call("channel.create", channel_url=url)
    await user.call("channel.enter", channel_url=url)
    ids = [(await user.send(url, f"needle {n}"))["message"]["message_id"] for n in range(25)]
    await awaited(user, "needle", ids[::-1], channel_url=url, limit=100)
    listed, token = [], None
    while token != "":
        answer = await page(user, "needle", channel_url=url, limit=10, token=token)
        assert answer["total_count"] == 25 and "partial" not in answer
        listed += [message["message_id"] for message in answer["messages"]]
        token = answer["next"]
    assert listed == ids[::-1]
    assert await found(user, "needle", channel_url=url, reverse=True, limit=3) == ids[:3]
    await asyncio.sleep(1)
    for params, number in (
            ({}, 400105), ({"query": "x" * 129}, 400110), ({"query": "x", "limit": 101}, 400113), ({"query": "x", "order": "none"}, 400111)):
        assert await code(user, "message.search", **params) == number, params
    assert await code(user, "message.search", query="x", token="none") == 400109
    await asyncio.sleep(1.2)
    codes = await asyncio.gather(*(code(user, "message.search", query="x") for _ in range(12)))
    assert 500910 in codes and set(codes) - {500910} in ({0}, {None}), codes
    assert user.session["features"]["search"] is True


async def test_the_index_is_built_over_kill_9(ctx):
    """Messages from before search was on are found after it was turned on and the server was killed."""
    server = await ctx.fresh(*FREE, "--search-mode", "off")
    user = await ctx.user(server)
    await user.call("channel.create", channel_url="ancient")
    await user.call("channel.enter", channel_url="ancient")
    ids = [(await user.send("ancient", f"ancient {n}"))["message"]["message_id"] for n in range(30)]
    assert "search" not in user.session["features"]
    assert await code(user, "message.search", query="ancient") == 400920
    for _ in range(2):
        await server.kill()
        server = await ctx.fresh(*FREE, data=server.data)
    user = await ctx.user(server)
    await awaited(user, "ancient", ids[::-1], limit=100)
    assert "partial" not in await page(user, "ancient")


async def test_lists_are_filtered(ctx):
    """Messages by mention, file, link, edit and time, on the WebSocket and the Platform API; channels by being frozen."""
    server = await ctx.server(*FREE)
    user, other = await ctx.user(server), await ctx.user(server)
    url = ctx.name("filters")
    await user.call("channel.create", channel_url=url)
    for one in (user, other):
        await one.call("channel.enter", channel_url=url)
    sent = [(await user.call("message.send", channel_url=url, **params))["message"] for params in (
        {"message": "plain"}, {"message": "see HTTPS://parley.example/x"},
        {"message": "you", "mentioned_user_ids": [other.user_id]}, {"message": "all", "mention_type": "channel"},
        {"message_type": "FILE", "url": "https://parley.example/a.png", "file_name": "a.png"})]
    plain, link, one, everybody, file = (message["message_id"] for message in sent)
    await user.call("message.update", channel_url=url, message_id=one, message="you there")
    edited = (await user.call("message.get", channel_url=url, message_id=one))["message"]["updated_at"]
    cases = (
        ({"mentioned_user_id": other.user_id}, [one, everybody]), ({"mentioned_user_id": "somebody"}, [everybody]),
        ({"has_file": True}, [file]), ({"has_file": False, "has_link": False}, [plain, one, everybody]), ({"has_link": True}, [link]),
        ({"updated_since": edited}, [one]), ({"updated_since": edited + 1}, []),
        ({"from_ts": sent[3]["created_at"], "to_ts": sent[3]["created_at"], "mentioned_user_id": other.user_id}, [everybody]),
        ({"to_ts": sent[0]["created_at"] - 1}, []))
    for params, ids in cases:
        answer = await user.call("message.list", channel_url=url, prev_limit=100, **params)
        assert [message["message_id"] for message in answer["messages"]] == ids, params
        query = {name: str(value).lower() if isinstance(value, bool) else value for name, value in params.items()}
        status, answer = await server.api(
            "GET", f"/open_channels/{url}/messages", message_ts=9007199254740991, prev_limit=100, next_limit=0, **query)
        assert status == 200, answer
        assert [message["message_id"] for message in answer["messages"]] == ids, params
    assert await code(user, "message.list", channel_url=url, from_ts=2, to_ts=1) == 400920
    await user.call("channel.freeze", channel_url=url)
    for frozen, urls in ((True, [url]), (False, [])):
        listed = await user.call("channel.list", url_contains=url, frozen=frozen)
        assert [channel["channel_url"] for channel in listed["channels"]] == urls
    assert await code(user, "channel.list", frozen=True, show_frozen=False) == 400920
