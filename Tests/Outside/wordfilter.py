"""The word filter: what it replaces and blocks, for whom, and when its rules take effect."""

from urllib.parse import quote

from groupendpoints import Back
from groups import FREE
from harness import eventually, refused

GLOBAL = "/applications/settings_global"


async def put(back, path=GLOBAL, **members):
    return (await back.call("PUT", path, {"profanity_filter": members}))["profanity_filter"]


async def test_words_are_replaced(ctx):
    """The answer, the event, the list and the edit have asterisks in place of words; admin messages keep theirs."""
    server = await ctx.fresh(*FREE)
    channel, owner, other = await ctx.room(server, 1)
    async with Back(server) as back:
        rules = {"keywords": ["bad", "worse*", "*worst", "愚か"], "type": 1}
        assert await put(back, **rules) == {**rules, "regex_filters": []}
        for text, shown in (
                ("a BAD, bád bäd ｂａｄ day", "a ***, *** *** *** day"), ("badly abad", "badly abad"),
                ("worsening worse", "********* *****"), ("myworst worsts", "******* worsts"),
                ("君は愚かだね", "君は**だね"), ("b\u200bad", "****"), ("ba\u0301d", "****"), ("nothing", "nothing")):
            sent = (await other.send(channel, text))["message"]
            assert sent["message"] == shown, (text, sent["message"])
            event = await owner.event("message.received")
            assert event["message"]["message"] == shown, event
            owner.events.clear()
        edited = await other.call("message.update", channel_url=channel, message_id=sent["message_id"], message="too bad")
        assert edited["message"]["message"] == "too ***"
        listed = (await owner.call("message.list", channel_url=channel))["messages"]
        assert listed[-1]["message"] == "too ***" and "BAD" not in str(listed)
        messages = f"/open_channels/{channel}/messages"
        mine = await back.call("POST", messages, {
            "message_type": "MESG", "user_id": other.user_id, "message": "bad"})
        assert mine["message"] == "***", mine
        notice = await back.call("POST", messages, {"message_type": "ADMM", "message": "bad"})
        assert notice["message"] == "bad", notice
        # Operators are no exception.
        assert (await owner.send(channel, "bad"))["message"]["message"] == "***"
        # A repeated send gets the same answer.
        first = await other.send(channel, "bad", req_id="r1")
        assert (await other.send(channel, "bad", req_id="r1"))["message"] == first["message"]
        await put(back, type=0)
        assert (await other.send(channel, "bad"))["message"]["message"] == "bad"


async def test_messages_are_blocked(ctx):
    """A message or an edit with a word is refused with 900060, and changes nothing; the rest passes."""
    server = await ctx.fresh(*FREE)
    channel, owner, other = await ctx.room(server, 1)
    fine = (await other.send(channel, "fine"))["message"]
    async with Back(server) as back:
        await put(back, keywords=["bad"], type=2)
        async with refused(900060, field="message"):
            await other.send(channel, "so Bad!")
        async with refused(900060):
            await other.call("message.update", channel_url=channel, message_id=fine["message_id"], message="bad")
        assert await back.code("POST", f"/open_channels/{channel}/messages", {
            "message_type": "MESG", "user_id": other.user_id, "message": "bad"}) == 900060
        assert (await other.send(channel, "badge"))["message"]["message"] == "badge"
        texts = [message["message"] for message in (await owner.call("message.list", channel_url=channel))["messages"]]
        assert texts == ["fine", "badge"], texts
        lines = (await server.get("/metrics"))[2].decode().splitlines()
        assert any(line.startswith('parley_refused_total{reason="filtered"} ') and not line.endswith(" 0") for line in lines)


async def test_custom_types(ctx):
    """The rules of a custom type replace those of the deployment, from the moment they are set or removed."""
    server = await ctx.fresh(*FREE)
    plain, writer = await ctx.room(server, 0)
    kids, _ = await ctx.room(server, 0, custom_type="kids club")
    await writer.enter(kids)
    path = f"/applications/settings_by_channel_custom_type/{quote('kids club')}"

    async def shown(channel, text):
        return (await writer.send(channel, text))["message"]["message"]

    async with Back(server) as back:
        await put(back, keywords=["bad"], type=1)
        assert (await back.call("GET", path))["profanity_filter"]["keywords"] == ["bad"]
        assert await shown(kids, "bad drat") == "*** drat"
        # Parts that are not given are those of the deployment at first.
        assert await put(back, path, keywords=["drat"]) == {"keywords": ["drat"], "regex_filters": [], "type": 1}
        assert await shown(kids, "bad drat") == "bad ****"
        assert await shown(plain, "bad drat") == "*** drat"
        await put(back, path, type=0)
        assert await shown(kids, "bad drat") == "bad drat"
        answer = await back.call("DELETE", path)
        assert answer["profanity_filter"]["keywords"] == ["bad"], answer
        assert await shown(kids, "bad drat") == "*** drat"
        # A channel that gets another type gets its rules.
        await put(back, path, keywords=["drat"])
        await back.call("PUT", f"/open_channels/{plain}", {"custom_type": "kids club"})

        async def is_other():
            return await shown(plain, "bad drat") == "bad ****"
        await eventually(is_other)


async def test_persistence_and_commands(ctx):
    """Rules survive a killed server; `parley filter` shows, sets and removes them."""
    server = await ctx.fresh(*FREE)
    access = ("--server", f"http://127.0.0.1:{server.port}", "--api-token", server.api_token)

    async def run(*arguments):
        _, output, errors = await ctx.run(ctx.parley, "filter", *arguments, *access)
        return (output + errors).decode()

    assert "off" in await run("show")
    assert "2 words" in await run("set", "--kind", "replace", "--word", "bad", "--word", "worse*")
    await server.kill()
    server = await ctx.fresh(*FREE, data=server.data)
    access = ("--server", f"http://127.0.0.1:{server.port}", "--api-token", server.api_token)
    assert "worse*" in await run("show")
    channel, owner = await ctx.room(server, 0)
    assert (await owner.send(channel, "bad worst"))["message"]["message"] == "*** worst"
    assert "refused" in await run("set", "--kind", "block", "--custom-type", "kids")
    assert "asterisks" in await run("remove", "--custom-type", "kids")
    assert "with '*' only at its beginning or its end" in await run("set", "--word", "a*b")


async def test_the_longest_texts(ctx):
    """The longest text with 500 words of the greatest length is answered, and keeps its number of characters."""
    server = await ctx.fresh(*FREE)
    channel, owner = await ctx.room(server, 0)
    async with Back(server) as back:
        words = ["a" * n + "*" for n in range(1, 100)] + ["*" + "é" * n for n in range(1, 100)]
        words += [f"{n}".rjust(100, "c") for n in range(500 - len(words))]
        await put(back, keywords=words, type=1)
        path = "/applications/settings_global"
        for code, wrong in ((400203, [*words, "d"]), (400110, ["d" * 101])):
            assert await back.code("PUT", path, {"profanity_filter": {"keywords": wrong}}) == code
        for text in ("a" * 5000, "a " * 2500, "é" * 5000, "b" * 5000, "ß" * 5000):
            shown = (await owner.send(channel, text))["message"]["message"]
            assert len(shown) == 5000, len(shown)
            assert set(shown) <= ({"*", " "} if text[0] in "aé" else {text[0]}), shown[:50]
