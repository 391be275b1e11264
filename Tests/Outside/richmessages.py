"""Previews that a client makes: a custom_type and data of its own, passed through."""

import base64
import json
import os

from harness import eventually, fence, refused
from remembered import FLAGS, look_up, updates_of, with_pages

KIND = "SENDBIRD_DESK_RICH_MESSAGE"


def payload(**members):
    return base64.b64encode(json.dumps(members, ensure_ascii=False).encode()).decode()


def payloads():
    """Data as clients make it, up to the limit of 16,384 bytes, and texts that invite mistakes."""
    full = base64.b64encode(os.urandom(12_288)).decode()
    assert len(full) == 16_384
    wrapped = base64.encodebytes(os.urandom(9_000)).decode()
    assert "\n" in wrapped
    return {
        "padded": payload(type="URL_PREVIEW", body={"title": "T", "url": "https://a.com/?a=b&c"}),
        "one pad": payload(x="a"), "two pads": payload(x="ab"), "no pad": payload(x="abc"),
        "full": full, "wrapped": wrapped, "windows lines": wrapped.replace("\n", "\r\n")[:16_384],
        "unicode": "é漢字👩\u200d💻\u202e\u0001\u2028" * 100,
        "full of unicode": "👩" * 4_096,
        "plain JSON": json.dumps({"a": [1, {"b": "\\\"</script>"}]}),
        "spaces": "  a \t b \n\n ", "escapes": "\\u0041\\n\\\\ \" ' / \b\f", "url-safe": "-_-_==",
    }


@with_pages
async def test_a_client_describes_its_own_link(ctx, pages):
    """The type and the data pass through to answer, event, get, list and a restart unchanged."""
    server = await ctx.fresh(*FLAGS)
    channel, owner, sender, viewer = await ctx.room(server, 2)
    sent = {}
    for name, data in payloads().items():
        message = (await sender.send(channel, f"about {name}"))["message"]
        sent[message["message_id"]] = data
        address = {"channel_url": channel, "message_id": message["message_id"]}
        answer = (await sender.call(
            "message.update", **address, custom_type=KIND, data=data))["message"]
        assert (answer["custom_type"], answer["data"]) == (KIND, data), name
        assert answer["message"] == f"about {name}" and answer["updated_at"] > 0
    await fence(channel, owner, sender, viewer)

    async def check(client):
        for number, data in sent.items():
            got = await client.call("message.get", channel_url=channel, message_id=number)
            assert (got["message"]["custom_type"], got["message"]["data"]) == (KIND, data)
        listed = await client.call("message.list", channel_url=channel, prev_limit=100)
        assert {m["message_id"]: m["data"] for m in listed["messages"]} == sent
    for number, data in sent.items():
        (update,) = updates_of(viewer, {"message_id": number})
        assert (update["message"]["custom_type"], update["message"]["data"]) == (KIND, data)
        assert not updates_of(sender, {"message_id": number})
    await check(viewer)
    await server.kill()
    server = await ctx.fresh(*FLAGS, data=server.data)
    await check(await ctx.user(server))


@with_pages
async def test_an_unchanged_text_is_not_looked_up_again(ctx, pages):
    """With the same text, or none, an update starts no fetch and leaves the preview as it is."""
    server = await ctx.server(
        *FLAGS, "--unfurl-cache-ttl-seconds", "0", "--unfurl-cache-min-ttl-seconds", "0")
    channel, owner, sender, viewer = await ctx.room(server, 2)
    pages.add("/page", "The gateway's own")
    url = pages.url("/page")
    message = (await sender.send(channel, f"see {url}"))["message"]
    await viewer.until(lambda: updates_of(viewer, message), "the preview")
    tag = updates_of(viewer, message)[0]["message"]["og_tag"]
    address = {"channel_url": channel, "message_id": message["message_id"]}
    for number, texts in enumerate(({}, {"message": f"see {url}"}, {}), 1):
        data = payload(number=number)
        answer = (await sender.call(
            "message.update", **address, **texts, custom_type=KIND, data=data))["message"]
        assert answer["og_tag"] == tag and answer["data"] == data, answer
    # Updates in quick succession are one, with the newest state.
    await viewer.until(
        lambda: updates_of(viewer, message)[-1]["message"]["data"] == payload(number=3),
        "the last update")
    await fence(channel, owner, sender, viewer)
    told = [update["message"] for update in updates_of(viewer, message)][1:]
    states = [payload(number=n) for n in (1, 2, 3)]
    assert [m["data"] for m in told] == [s for s in states if s in [m["data"] for m in told]]
    assert all(m["og_tag"] == tag for m in told)
    assert pages.count("/page") == 1


@with_pages
async def test_described_before_the_page_came(ctx, pages):
    """A description made while the page is fetched stays when the preview comes."""
    server = await ctx.server(*FLAGS)
    channel, owner, sender, viewer = await ctx.room(server, 2)
    pages.add("/slow", "Slow")
    gate = pages.hold("/slow")
    text = f"see {pages.url('/slow')}"
    message = (await sender.send(channel, text))["message"]
    data = payload(title="mine")
    await sender.call(
        "message.update", channel_url=channel, message_id=message["message_id"],
        message=text, custom_type=KIND, data=data)
    gate.set()
    await sender.until(lambda: updates_of(sender, message), "the preview")
    await fence(channel, owner, sender, viewer)
    for client in (sender, viewer):
        last = updates_of(client, message)[-1]["message"]
        assert last["og_tag"]["og:title"] == "Slow"
        assert (last["custom_type"], last["data"]) == (KIND, data)
    assert len(updates_of(sender, message)) == 1 and pages.count("/slow") == 1


@with_pages
async def test_described_and_rewritten(ctx, pages):
    """A description that comes with another text gets that text's preview."""
    server = await ctx.server(*FLAGS)
    channel, owner, sender = await ctx.room(server, 1)
    pages.add("/one", "One")
    pages.add("/two", "Two")
    message = await look_up(server, channel, owner, sender, pages.url("/one"))
    await look_up(server, channel, owner, sender, pages.url("/two"))
    address = {"channel_url": channel, "message_id": message["message_id"]}
    answer = (await sender.call(
        "message.update", **address, message=pages.url("/two"), custom_type=KIND,
        data=payload(x=1)))["message"]
    assert answer["og_tag"]["og:title"] == "Two" and answer["data"] == payload(x=1)


async def test_one_byte_too_many(ctx):
    """Data of 16,385 bytes is refused with 400110 and changes nothing."""
    server = await ctx.server(*FLAGS)
    channel, owner, sender = await ctx.room(server, 1)
    message = (await sender.send(channel, "plain", data="before"))["message"]
    address = {"channel_url": channel, "message_id": message["message_id"]}
    for data in ("x" * 16_385, "é" * 8_193, "👩" * 4_096 + "x"):
        async with refused(400110, field="data"):
            await sender.call("message.update", **address, custom_type=KIND, data=data)
    got = (await owner.call("message.get", **address))["message"]
    assert (got["data"], got["custom_type"], got["updated_at"]) == ("before", "", 0)


@with_pages
async def test_sent_with_the_message(ctx, pages):
    """A message may bring its description along; its link is looked up all the same."""
    server = await ctx.server(*FLAGS)
    channel, _, sender, viewer = await ctx.room(server, 2)
    pages.add("/along", "Along")
    data = payload(title="mine")
    message = (await sender.send(
        channel, pages.url("/along"), custom_type=KIND, data=data))["message"]
    await viewer.until(lambda: updates_of(viewer, message), "the preview")
    updated = updates_of(viewer, message)[0]["message"]
    assert (updated["custom_type"], updated["data"]) == (KIND, data)
    assert updated["og_tag"]["og:title"] == "Along"

    async def known():
        got = await viewer.call(
            "message.get", channel_url=channel, message_id=message["message_id"])
        return got["message"]["og_tag"]
    await eventually(known, "the stored preview")
