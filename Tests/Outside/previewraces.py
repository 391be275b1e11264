"""What happens to a message while its page is being fetched."""

import asyncio
import random

from harness import eventually, fence
from remembered import FLAGS, look_up, preview_of, settled, updates_of, with_pages


async def held(pages, path, title="Held"):
    pages.add(path, title)
    return pages.hold(path), pages.url(path)


@with_pages
async def test_edited_to_the_same_link(ctx, pages):
    """An edit that keeps the link, made while its page is fetched, gets its preview once."""
    server = await ctx.server(*FLAGS)
    channel, owner, sender, viewer = await ctx.room(server, 2)
    gate, url = await held(pages, "/same")
    sent = (await sender.send(channel, f"one {url}"))["message"]
    edited = (await sender.call(
        "message.update", channel_url=channel, message_id=sent["message_id"],
        message=f"two {url}"))["message"]
    assert edited["og_tag"] is None
    gate.set()
    for client in (sender, viewer):
        await client.until(lambda: any(
            u["message"]["og_tag"] for u in updates_of(client, sent)), "the preview")
    await settled(server, url, channel, owner, sender, viewer)
    updates = [u["message"] for u in updates_of(viewer, sent) if u["message"]["og_tag"]]
    assert len(updates) == 1 and updates[0]["message"] == f"two {url}", updates
    assert updates[0]["updated_at"] == edited["updated_at"] > 0
    assert len(updates_of(sender, sent)) == 1 and pages.count("/same") == 1


@with_pages
async def test_edited_to_no_link(ctx, pages):
    """A text that loses its link while the page is fetched gets no preview."""
    server = await ctx.server(*FLAGS)
    channel, owner, sender, viewer = await ctx.room(server, 2)
    gate, url = await held(pages, "/gone")
    sent = (await sender.send(channel, url))["message"]
    await sender.call("message.update", channel_url=channel, message_id=sent["message_id"],
                      message="no link any more")
    gate.set()
    await settled(server, url, channel, owner, sender, viewer)
    assert not updates_of(sender, sent)
    assert [u["message"]["og_tag"] for u in updates_of(viewer, sent)] == [None]
    got = await viewer.call("message.get", channel_url=channel, message_id=sent["message_id"])
    assert got["message"]["og_tag"] is None


@with_pages
async def test_edited_there_and_back(ctx, pages):
    """A text that comes back to its first link has that link's preview in the end."""
    server = await ctx.server(*FLAGS)
    channel, owner, sender = await ctx.room(server, 1)
    (first, a), (second, b) = await held(pages, "/a", "A"), await held(pages, "/b", "B")
    sent = (await sender.send(channel, a))["message"]
    address = {"channel_url": channel, "message_id": sent["message_id"]}
    for text in (b, a):
        await sender.call("message.update", **address, message=text)
    second.set()
    await settled(server, b, channel, owner, sender)
    assert not updates_of(sender, sent)
    first.set()
    await preview_of(sender, sent)
    await settled(server, a, channel, owner, sender)
    assert [u["message"]["og_tag"]["og:title"] for u in updates_of(sender, sent)] == ["A"]


@with_pages
async def test_changed_in_other_ways(ctx, pages):
    """An edit of data alone while the page is fetched takes nothing from the preview's update."""
    server = await ctx.server(*FLAGS)
    channel, owner, sender, viewer = await ctx.room(server, 2)
    gate, url = await held(pages, "/data")
    sent = (await sender.send(channel, url))["message"]
    await sender.call("message.update", channel_url=channel, message_id=sent["message_id"],
                      data="new data", custom_type="kind")
    gate.set()
    await preview_of(sender, sent)
    await settled(server, url, channel, owner, sender, viewer)
    last = updates_of(viewer, sent)[-1]["message"]
    assert last["og_tag"]["og:title"] == "Held"
    assert (last["data"], last["custom_type"]) == ("new data", "kind")
    assert len(updates_of(sender, sent)) == 1 and pages.count("/data") == 1


@with_pages
async def test_edited_by_an_operator_then_deleted(ctx, pages):
    """An operator's edit counts like the author's; after the deletion nothing follows."""
    server = await ctx.server(*FLAGS)
    channel, owner, sender, viewer = await ctx.room(server, 2)
    gate, url = await held(pages, "/op")
    sent = (await sender.send(channel, "plain"))["message"]
    address = {"channel_url": channel, "message_id": sent["message_id"]}
    await owner.call("message.update", **address, message=f"now {url}")
    await pages.asked_for("/op")
    await owner.call("message.delete", **address)
    gate.set()
    await settled(server, url, channel, owner, sender, viewer)
    assert all(u["message"]["og_tag"] is None for u in updates_of(viewer, sent))
    kinds = [event["method"] for event in viewer.events
             if event["params"].get("message_id", event["params"].get("message", {}).get(
                 "message_id")) == sent["message_id"]]
    assert kinds[-1] == "message.deleted", kinds


@with_pages
async def test_the_author_has_left(ctx, pages):
    """The preview comes to those who are there, also when the author is gone."""
    server = await ctx.server(*FLAGS)
    channel, _, sender, viewer = await ctx.room(server, 2)
    gate, url = await held(pages, "/left")
    sent = (await sender.send(channel, url))["message"]
    await viewer.event("message.received", channel_url=channel)
    await sender.leave()
    gate.set()
    assert (await preview_of(viewer, sent))["og_tag"]["og:title"] == "Held"


@with_pages
async def test_the_channel_is_deleted(ctx, pages):
    """A channel deleted while a page is fetched ends that quietly."""
    server = await ctx.server(*FLAGS)
    channel, owner, sender = await ctx.room(server, 1)
    gate, url = await held(pages, "/channel")
    sent = (await sender.send(channel, url))["message"]
    await pages.asked_for("/channel")
    await owner.call("channel.delete", channel_url=channel)
    await sender.event("channel.deleted", channel_url=channel)
    gate.set()
    other, owner, viewer = await ctx.room(server, 1)
    await sender.enter(other)
    await settled(server, url, other, owner, viewer, sender)
    assert not updates_of(sender, sent)
    cached = (await sender.send(other, url))["message"]
    assert cached["og_tag"]["og:title"] == "Held" and pages.count("/channel") == 1


@with_pages
async def test_entering_while_fetching(ctx, pages):
    """Who enters while a page is fetched is told of the preview too."""
    server = await ctx.server(*FLAGS)
    channel, _, sender = await ctx.room(server, 1)
    gate, url = await held(pages, "/enter")
    sent = (await sender.send(channel, url))["message"]
    late = await ctx.user(server)
    await late.enter(channel)
    gate.set()
    assert (await preview_of(late, sent))["og_tag"]["og:title"] == "Held"


@with_pages
async def test_recovered_messages_have_their_previews(ctx, pages):
    """Who recovers gets messages as they are now, with their previews."""
    server = await ctx.server(*FLAGS)
    channel, owner, sender, viewer = await ctx.room(server, 2)
    place = await viewer.enter(channel)
    await viewer.leave()
    pages.add("/recovered", "Recovered")
    await look_up(server, channel, owner, sender, pages.url("/recovered"))
    viewer = await ctx.user(server, viewer.user_id)
    entered = await viewer.enter(
        channel, recover={"epoch": place["epoch"], "seq": place["seq"]})
    assert entered["recovered"]
    shown = [event["params"]["message"]["og_tag"] for event in entered["events"]
             if event["method"] == "message.received"]
    assert [tag["og:title"] for tag in shown] == ["Recovered"]


@with_pages
async def test_the_first_link_with_a_preview(ctx, pages):
    """Of several links those without a preview are passed over, up to three in all."""
    server = await ctx.server(*FLAGS)
    channel, owner, sender = await ctx.room(server, 1)
    pages.add("/third", "Third")
    pages.add("/fourth", "Fourth")
    urls = [pages.url(path) for path in ("/first", "/second", "/third", "/fourth")]
    sent = (await sender.send(channel, " ".join(urls)))["message"]
    assert (await preview_of(sender, sent))["og_tag"]["og:title"] == "Third"
    assert pages.asked == ["/first", "/second", "/third"]
    again = (await sender.send(channel, " ".join(urls)))["message"]
    assert again["og_tag"]["og:title"] == "Third"
    empty = " ".join([*urls[:2], pages.url("/none"), urls[3]])
    none = (await sender.send(channel, empty))["message"]
    await settled(server, pages.url("/none"), channel, owner, sender)
    assert not updates_of(sender, none) and pages.count("/fourth") == 0


@with_pages
async def test_data_holds_no_link(ctx, pages):
    """Only the text of a user message is looked at, not its data or custom type."""
    server = await ctx.server(*FLAGS)
    channel, owner, sender = await ctx.room(server, 1)
    pages.add("/x", "X")
    sent = (await sender.send(channel, "plain", data=pages.url("/x"),
                              custom_type=pages.url("/x")))["message"]
    pages.add("/later", "Later")
    await look_up(server, channel, owner, sender, pages.url("/later"))
    assert not updates_of(sender, sent) and pages.asked == ["/later"]


@with_pages
async def test_many_messages_at_once(ctx, pages):
    """Hundreds of messages with links of their own each get their own preview, in the end."""
    server = await ctx.server(*FLAGS)
    channel, owner, sender, viewer = await ctx.room(server, 2)
    for number in range(200):
        pages.add(f"/n{number}", f"Number {number}")
    waiting = [await sender.ask("message.send", channel_url=channel, message=pages.url(f"/n{n}"))
               for n in range(200)]
    sent = [(await sender.result(answer))["message"] for answer in waiting]
    for number, message in enumerate(sent):
        updated = await preview_of(viewer, message)
        assert updated["og_tag"]["og:title"] == f"Number {number}"
    await fence(channel, owner, sender, viewer)
    assert all(len(updates_of(client, message)) == 1
               for client in (sender, viewer) for message in sent)
    assert all(pages.count(f"/n{n}") == 1 for n in range(200))


@with_pages
async def test_against_the_model(ctx, pages):
    """After any sends, edits and deletions every message has its last text's preview, or none."""
    seed = random.randrange(1 << 32)
    chance = random.Random(seed)
    server = await ctx.server(*FLAGS)
    channel, owner, viewer, *senders = await ctx.room(server, 4)

    def slow(page):
        async def answering(_, writer):
            await asyncio.sleep(chance.random() / 10)
            writer.write(page)
            await writer.drain()
        return answering
    for number in range(12):
        pages.add(f"/m{number}", f"Number {number}")
        pages.script(f"/m{number}", slow(pages.pages[f"/m{number}"]))

    def any_text():
        number = chance.choice((None, 99, *range(12), *range(12)))
        if number is None:
            return "no link", None
        return (f"{chance.random()} see {pages.url(f'/m{number}')}.",
                None if number == 99 else f"Number {number}")

    async def busy(sender):
        texts = {}
        for _ in range(40):
            text, title = any_text()
            deed = chance.random()
            if deed < 0.5 or not texts:
                sent = (await sender.send(channel, text))["message"]
                texts[sent["message_id"]] = title
                continue
            number = chance.choice(list(texts))
            address = {"channel_url": channel, "message_id": number}
            if deed < 0.8:
                await sender.call("message.update", **address, message=text)
                texts[number] = title
            elif deed < 0.9:
                await sender.call("message.update", **address, data=text)
            else:
                await sender.call("message.delete", **address)
                del texts[number]
            await asyncio.sleep(chance.random() / 100)
        return texts
    wanted = {}
    for texts in await asyncio.gather(*(busy(sender) for sender in senders)):
        wanted |= texts

    def title_of(message):
        return message["og_tag"] and message["og_tag"]["og:title"]

    async def listed():
        got = await owner.call("message.list", channel_url=channel, prev_limit=200)
        return {m["message_id"]: title_of(m) for m in got["messages"]} == wanted
    await eventually(listed, f"every message's preview, seed {seed}")
    await fence(channel, owner, viewer)

    def told():
        state = {}
        for event in viewer.events:
            if event["method"] in ("message.received", "message.updated"):
                state[event["params"]["message"]["message_id"]] = title_of(
                    event["params"]["message"])
            elif event["method"] == "message.deleted":
                del state[event["params"]["message_id"]]
        return state
    # The last updates may be held back for a moment.
    await viewer.until(lambda: told() == wanted, f"every message's last state, seed {seed}")
    assert all(pages.count(f"/m{number}") <= 1 for number in range(12)), f"seed {seed}"
