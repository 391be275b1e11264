"""History that a back end imports over the Platform API: messages with their own times."""

import asyncio
import time

from calls import FLAGS, Caller
from files import upload
from harness import eventually, fence
from webhooks import Receiver
from webhooks import flags as webhook_flags

# The first of January 2019, and a minute.
PAST, MINUTE = 1_546_300_800_000, 60_000


def draft(author, text, created_at, **members):
    """A message of the past; without an author an admin message."""
    kind = {"message_type": "MESG", "user_id": author} if author else {"message_type": "ADMM"}
    return {**kind, "message": text, "created_at": created_at, **members}


class Channel:
    """A channel that history is imported into."""

    def __init__(self, caller, url):
        self.caller, self.url, self.path = caller, url, f"/open_channels/{url}/messages"

    async def send(self, body):
        return await self.caller.call("POST", self.path, body)

    async def refused(self, code, body, *words, name="created_at"):
        answer = await self.caller.send("POST", "/v3" + self.path, body)
        assert (answer.status, answer.code) == (400, code), answer
        for word in (f"'{name}'", *words):
            assert str(word) in answer.value["message"], answer
        return answer

    async def list(self, **query):
        page = await self.caller.call("GET", self.path, **{"message_ts": 0, "next_limit": 200, **query})
        return page["messages"]

    async def texts(self, **query):
        return [message["message"] for message in await self.list(**query)]


async def test_history_keeps_its_times(ctx):
    """Imported messages keep their times, are listed by them, and live messages come after them."""
    server = await ctx.server(*FLAGS)
    url, owner = await ctx.room(server, 0)
    async with Caller(server) as caller:
        channel = Channel(caller, url)
        sent = [
            await channel.send(draft(owner.user_id, "one", PAST)),
            await channel.send(draft(None, "two", PAST)),
            await channel.send({
                "message_type": "FILE", "user_id": owner.user_id, "url": "https://a.example/f",
                "message": "three", "created_at": PAST + MINUTE}),
            await channel.send(draft(owner.user_id, "four", PAST + 2 * MINUTE, custom_type="t"))]
        assert [m["created_at"] - PAST for m in sent] == [0, 0, MINUTE, 2 * MINUTE], sent
        ids = [message["message_id"] for message in sent]
        assert ids == sorted(set(ids)), ids
        assert all(message["updated_at"] == 0 for message in sent), sent
        now = await owner.send(url, "now")
        assert now["message"]["message_id"] > ids[-1]
        assert abs(now["message"]["created_at"] / 1000 - time.time()) < 600
        assert await channel.texts() == ["one", "two", "three", "four", "now"]
        assert await channel.texts(
            message_ts=PAST + MINUTE, prev_limit=1, next_limit=1) == ["two", "three", "four"]
        assert await channel.texts(
            message_ts=PAST + 1, prev_limit=9, next_limit=0) == ["one", "two"]
        assert await channel.texts(
            message_id=ids[1], prev_limit=1, next_limit=2) == ["one", "two", "three", "four"]
        assert await channel.texts(custom_types="t") == ["four"]
        listed = (await owner.call(
            "message.list", channel_url=url, message_ts=PAST, include=True, prev_limit=0,
            next_limit=2))["messages"]
        assert [message["message"] for message in listed] == ["one", "two", "three", "four"], listed
        assert (await caller.call("GET", f"{channel.path}/total_count"))["total"] == 5
        # An edit is of now.
        changed = await caller.call("PUT", f"{channel.path}/{ids[0]}", {"message": "first"})
        assert changed["created_at"] == PAST and changed["updated_at"] > PAST + 365 * 24 * 60 * MINUTE


async def test_participants_lack_nothing(ctx):
    """Who is in the channel receives what is imported, who was away recovers it, with the same numbers."""
    server = await ctx.server(*FLAGS)
    url, owner, viewer, away = await ctx.room(server, 2)
    state = await away.enter(url)
    await away.leave()
    async with Caller(server) as caller:
        channel = Channel(caller, url)
        for number in range(9):
            author = None if number % 3 else owner.user_id
            await channel.send(draft(author, str(number), PAST + number * MINUTE))
    await fence(url, owner, viewer)
    texts = [str(number) for number in range(9)]
    events = [event["params"] for event in viewer.told("message.received", channel_url=url)]
    assert [event["message"]["message"] for event in events] == texts, events
    assert [event["seq"] for event in events] == list(
        range(state["seq"] + 1, state["seq"] + 10)), events
    assert [event["ts"] for event in events] == [PAST + n * MINUTE for n in range(9)], events
    # The connections of the author learn of it too, for none of them has sent it.
    assert [message["message"] for message in owner.messages(url)] == texts
    again = await ctx.user(server, away.user_id)
    entered = await again.enter(url, recover={"epoch": state["epoch"], "seq": state["seq"]})
    recovered = [e["params"] for e in entered["events"] if e["method"] == "message.received"]
    assert entered["recovered"] is True and recovered == events, entered


async def test_times_never_go_back(ctx):
    """A time before the newest message, of the future or in seconds is refused, and says what is expected."""
    server = await ctx.server(*FLAGS)
    url, owner = await ctx.room(server, 0)
    async with Caller(server) as caller:
        channel = Channel(caller, url)
        await channel.send(draft(None, "one", PAST))
        await channel.refused(400113, draft(None, "x", PAST - 1), PAST - 1, PAST)
        soon = int((time.time() + 3600) * 1000)
        await channel.refused(400113, draft(None, "x", soon), soon)
        for wrong in (PAST // 1000, 0, 2**53):
            await channel.refused(400113, draft(None, "x", wrong), wrong)
        await channel.refused(400106, draft(None, "x", -1), -1)
        await channel.refused(400101, draft(None, "x", str(PAST)))
        await channel.send(draft(None, "two", PAST))
        now = (await owner.send(url, "now"))["message"]
        await channel.refused(
            400113, draft(None, "x", PAST + MINUTE), PAST + MINUTE, now["created_at"])
        await caller.call("DELETE", f"{channel.path}/{now['message_id']}")
        await channel.refused(400113, draft(None, "x", PAST + MINUTE), now["created_at"])
        assert await channel.texts() == ["one", "two"]


async def test_an_import_is_run_again(ctx):
    """An import that is run again, after others have sent and after a crash, imports nothing twice."""
    server = await ctx.fresh(*FLAGS)
    url, owner = await ctx.room(server, 0)
    history = [
        draft(None if number % 4 == 0 else owner.user_id, str(number), PAST + number // 2 * MINUTE,
              dedup_id=f"old-{number}") for number in range(12)]
    async with Caller(server) as caller:
        channel = Channel(caller, url)

        async def run(channel):
            answers = [await channel.send(body) for body in history]
            return [(a["message_id"], a["message"], a["created_at"]) for a in answers]
        first = await run(channel)
        assert len(set(first)) == len(history)
        assert (await channel.send(history[-1]))["message_id"] == first[-1][0]
        # At once, over one connection each.
        callers = [Caller(server) for _ in range(4)]
        same = {**draft(None, "same", PAST + 60 * MINUTE), "dedup_id": "same"}
        answers = await asyncio.gather(*(Channel(one, url).send(same) for one in callers))
        for one in callers:
            one.close()
        assert len({answer["message_id"] for answer in answers}) == 1, answers
        await owner.send(url, "now")
        assert await run(channel) == first
        # Another time is another message, and comes too late.
        await channel.refused(400113, {**history[3], "created_at": PAST + 7 * MINUTE})
    await server.kill()
    server = await ctx.fresh(*FLAGS, data=server.data)
    async with Caller(server) as caller:
        channel = Channel(caller, url)
        assert await run(channel) == first
        assert await channel.texts() == [str(number) for number in range(12)] + ["same", "now"]


async def test_an_import_disturbs_nobody(ctx):
    """An import is not posted to webhooks, counts in no flood window, mentions nobody and fetches no preview."""
    async with Receiver() as receiver:
        server = await ctx.fresh(
            *[flag for flag in webhook_flags(receiver) if "flood" not in flag], *FLAGS,
            "--limits-flood-messages", "2", "--limits-flood-window-ms", "600000")
        url, owner = await ctx.room(server, 0)
        absent = await ctx.user(server)
        async with Caller(server) as caller:
            channel = Channel(caller, url)
            for number in range(4):
                sent = await channel.send(draft(
                    owner.user_id, f"http://127.0.0.1:9/{number}", PAST,
                    mentioned_user_ids=[absent.user_id]))
                assert "og_pending" not in sent and "og_tag" not in sent, sent
                assert [user["user_id"] for user in sent["mentioned_users"]] == [absent.user_id]
            explained = await caller.call(
                "GET", "/parley/limits/explain", user_id=owner.user_id, channel_url=url)
            assert explained["flood"]["used"] == 0 and not explained["refusals"], explained
            await channel.send({
                "message_type": "ADMM", "message": "now", "mentioned_user_ids": [absent.user_id]})
        for text in ("first", "second"):
            await owner.send(url, text)
        await receiver.until(lambda: "second" in receiver.texts(url))
        assert receiver.texts(url) == ["now", "first", "second"]
        await absent.event("mention.received", channel_url=url)
        assert [e["params"]["message"]["message"] for e in absent.told("mention.received")] == ["now"]


async def test_who_may_not_be_imported(ctx):
    """Bans, unknown authors and contents are judged as for other messages; ephemeral channels keep nothing."""
    server = await ctx.server(*FLAGS)
    url, owner = await ctx.room(server, 0)
    banned = await ctx.user(server)
    async with Caller(server) as caller:
        channel = Channel(caller, url)

        async def refused(code, body, path=channel.path):
            answer = await caller.send("POST", "/v3" + path, body)
            assert answer.code == code, answer
        await caller.call("PUT", f"/open_channels/{url}/freeze", {"freeze": True})
        await caller.call("POST", f"/open_channels/{url}/ban", {
            "user_id": banned.user_id, "seconds": 60})
        await refused(400750, draft(banned.user_id, "x", PAST))
        await refused(400201, draft(ctx.name("nobody"), "x", PAST))
        await refused(400105, draft(owner.user_id, "", PAST))
        await refused(400110, draft(None, "x" * 1001, PAST))
        await refused(400920, draft(
            owner.user_id, "x", PAST, translation_target_langs=["es"]))
        brief = ctx.name("room")
        await caller.call("POST", "/open_channels", {"channel_url": brief, "is_ephemeral": True})
        await refused(
            400201, draft(owner.user_id, "x", PAST), f"/open_channels/{brief}/messages")
        assert (await channel.send(draft(owner.user_id, "one", PAST)))["created_at"] == PAST


async def test_what_would_be_removed_at_once_is_refused(ctx):
    """With store.retention_days, a message past that age is refused, and a younger one imported."""
    server = await ctx.fresh(*FLAGS, "--store-retention-days", "30")
    url, _ = await ctx.room(server, 0)
    day, now = 24 * 60 * MINUTE, int(time.time() * 1000)
    async with Caller(server) as caller:
        channel = Channel(caller, url)
        await channel.refused(
            400113, draft(None, "x", now - 31 * day), now - 31 * day, "store.retention_days")
        await channel.send(draft(None, "one", now - 29 * day))
        assert await channel.texts() == ["one"]


async def test_a_file_of_the_past(ctx):
    """A form with a file and a time is imported; one that is refused leaves no file."""
    server = await ctx.fresh(*FLAGS, "--unfurl-mode", "off")
    url, owner = await ctx.room(server, 0)
    status, sent = await upload(
        server, url, b"old", user_id=owner.user_id, created_at=str(PAST), send_push="false")
    assert (status, sent["created_at"], sent["file"]["size"]) == (200, PAST, 3), sent
    status, answer = await upload(
        server, url, b"older", user_id=owner.user_id, created_at=str(PAST - 1))
    assert (status, answer["code"]) == (400, 400113), answer
    status, answer = await upload(
        server, url, b"x", user_id=owner.user_id, is_silent="true")
    assert (status, answer["code"]) == (400, 400111) and "'is_silent'" in answer["message"], answer
    async with Caller(server) as caller:
        async def one_is_left():
            usage = await caller.call("GET", "/parley/files/usage", user_id=owner.user_id)
            return (usage["files"], usage["bytes"]) == (1, 3)
        await eventually(one_is_left, "the removal of the refused files")
