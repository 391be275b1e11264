"""Messages of another system: imported before, between and after others, once, and by no one noticed."""

import asyncio
import json
import os
import time

from sendbird_platform_sdk import models

from calls import FLAGS, PUSHES, Caller
from grouptotals import settled, watch
from harness import eventually, fence
from sendbird import GROUP, Client
from webhooks import Receiver
from webhooks import flags as webhook_flags

PAST, MINUTE = 1_546_300_800_000, 60_000


def old(author, text, timestamp, **members):
    """A message of the past; without an author an admin message."""
    kind = {"message_type": "MESG", "user_id": author} if author else {"message_type": "ADMM"}
    return {**kind, "message": text, "timestamp": timestamp, **members}


class Target:
    """A channel of either kind that messages are imported into."""

    def __init__(self, caller, url, kind="open_channels"):
        self.caller, self.url, self.path = caller, url, f"/{kind}/{url}/messages"

    async def migrate(self, *messages, **members):
        answer = await self.caller.call("POST", f"/migration/{self.url}", {"messages": messages, **members})
        assert answer == {}, answer

    async def refused(self, code, messages, *words, **members):
        answer = await self.caller.send("POST", f"/v3/migration/{self.url}", {"messages": messages, **members})
        assert (answer.status, answer.code) == (400, code), answer
        for word in words:
            assert str(word) in answer.value["message"], answer

    async def list(self, **query):
        page = await self.caller.call("GET", self.path, **{"message_ts": 0, "next_limit": 200, **query})
        return page["messages"]

    async def texts(self, **query):
        return [message["message"] for message in await self.list(**query)]


async def test_searches_list_imports_by_time(ctx):
    """Messages imported before, between and after others are found among them by time, on pages in both orders."""
    server = await ctx.fresh(*FLAGS)
    urls = [(await ctx.room(server, 0)) for _ in range(2)]
    (url, owner), (other, _) = urls
    async with Caller(server) as caller:
        await owner.send(url, "word live")
        for room, minutes in ((url, (30, 60, 10)), (other, (20, 90)), (url, (15, 70)), (other, (5, 61, 62))):
            await Target(caller, room).migrate(*(
                old(owner.user_id, f"word {minute}", PAST + minute * MINUTE) for minute in minutes))
        expected = [f"word {minute}" for minute in (5, 10, 15, 20, 30, 60, 61, 62, 70, 90, "live")]

        async def pages(query, expected):
            found, token = [], None
            while token != "":
                page = await caller.call(
                    "GET", "/search/messages", **query, query="word", limit=2, **({"token": token} if token else {}))
                found += [message["message"] for message in page["results"]]
                if page["total_count"] != len(expected):
                    return False
                token = page["end_cursor"] if page["has_next"] else ""
            return found == expected

        async def are_found():
            everywhere = await pages({"sort_field": "ts"}, expected[::-1])
            return everywhere and await pages({"sort_field": "ts", "reverse": "true"}, expected)
        await eventually(are_found, "the messages by time")
        inside = [f"word {minute}" for minute in (5, 20, 61, 62, 90)]
        assert await pages({"channel_url": other}, inside[::-1])
        assert await pages({"channel_url": other, "reverse": "true"}, inside)


async def test_messages_come_between_others(ctx):
    """Imported messages are listed by their times, found, counted, edited and deleted like others."""
    server = await ctx.fresh(*FLAGS)
    url, owner = await ctx.room(server, 0)
    async with Caller(server) as caller:
        target = Target(caller, url)
        live = (await owner.send(url, "live"))["message"]
        await target.migrate(
            old(owner.user_id, "three", PAST + 3 * MINUTE, custom_type="t", data="d"),
            old(None, "one", PAST), old(owner.user_id, "five", PAST + 5 * MINUTE))
        await target.migrate(
            {"message_type": "FILE", "user_id": owner.user_id, "url": "https://a.example/f.txt",
             "file_name": "f.txt", "file_size": 5, "timestamp": PAST + 4 * MINUTE},
            old(owner.user_id, "two", PAST + 2 * MINUTE,
                mentioned_user_ids=[owner.user_id], sorted_metaarray=[{"key": "k", "value": ["v"]}]))
        await target.migrate(old(owner.user_id, "newest", live["created_at"] + 1))
        listed = await target.list()
        assert [m["message"] for m in listed] == ["one", "two", "three", "", "five", "live", "newest"]
        ids = [m["message_id"] for m in listed]
        assert ids == sorted(set(ids)) and ids[0] > 0, ids
        assert listed[3]["file"]["name"] == "f.txt" and listed[2]["custom_type"] == "t", listed
        assert listed[1]["sorted_metaarray"] == [{"key": "k", "value": ["v"]}]
        assert [u["user_id"] for u in listed[1]["mentioned_users"]] == [owner.user_id]
        assert all("og_tag" not in m and m["updated_at"] == 0 for m in listed), listed
        assert (await caller.call("GET", f"{target.path}/total_count"))["total"] == 7
        assert await target.texts(message_id=ids[2], prev_limit=1, next_limit=1, include=True) == [
            "two", "three", ""]
        own = await owner.call("message.list", channel_url=url, message_ts=PAST, include=True, next_limit=1)
        assert [m["message"] for m in own["messages"]] == ["one", "two"], own

        async def are_found():
            page = await caller.call("GET", "/search/messages", query="three", channel_url=url)
            return [m["message"] for m in page["results"]] == ["three"]
        await eventually(are_found, "the message in a search")
        changed = await caller.call("PUT", f"{target.path}/{ids[0]}", {"message": "first"})
        assert changed["created_at"] == PAST and changed["updated_at"] > PAST
        await caller.call("DELETE", f"{target.path}/{ids[2]}")
        assert (await target.texts())[:3] == ["first", "two", ""]
        assert await target.texts(message_id=ids[2], prev_limit=1, next_limit=1) == ["two", ""]


async def test_no_one_notices(ctx):
    """Neither participants, nor recoveries, webhooks, flood windows or mentioned users notice an import."""
    async with Receiver() as receiver:
        server = await ctx.fresh(
            *[flag for flag in webhook_flags(receiver) if "flood" not in flag], *FLAGS,
            "--limits-flood-messages", "2", "--limits-flood-window-ms", "600000")
        url, owner, viewer, away = await ctx.room(server, 2)
        state = await away.enter(url)
        await away.leave()
        async with Caller(server) as caller:
            now = int(time.time() * 1000)
            await Target(caller, url).migrate(*[
                old(owner.user_id, f"http://127.0.0.1:9/{number}", now - number,
                    mentioned_user_ids=[viewer.user_id]) for number in range(9)])
            for text in ("first", "second"):
                await owner.send(url, text)
            await fence(url, owner, viewer)
            texts = [e["params"]["message"]["message"] for e in viewer.told("message.received", channel_url=url)]
            assert texts == ["first", "second"], texts
            again = await ctx.user(server, away.user_id)
            entered = await again.enter(url, recover={"epoch": state["epoch"], "seq": state["seq"]})
            recovered = [e["params"]["message"]["message"] for e in entered["events"]
                         if e["method"] == "message.received"]
            assert recovered == ["first", "second"] and entered["recovered"], entered
            assert not viewer.told("mention.received")
            await receiver.until(lambda: "second" in receiver.texts(url))
            assert receiver.texts(url) == ["first", "second"]


async def test_a_group_counts_none_as_unread(ctx):
    """Unread totals stay in a group; the flags move the read positions forward and back."""
    server = await ctx.fresh(*FLAGS, "--groups-totals-ms", "100")
    ann, bob = await ctx.users(server, 2)
    url = ctx.name("group")
    await ann.call("group.create", channel_url=url, user_ids=[bob.user_id])
    sent = [(await ann.send(url, text))["message"] for text in ("one", "two", "three")]
    await watch(bob)
    await settled(bob, 3, 1, 0)
    async with Caller(server) as caller:
        target = Target(caller, url, "group_channels")
        await target.migrate(
            old(ann.user_id, "old", PAST), old(bob.user_id, "own", PAST + 1),
            old(ann.user_id, "between", sent[1]["created_at"], mentioned_user_ids=[bob.user_id]))
        await settled(bob, 3, 1, 0)
        assert (await target.texts())[:2] == ["old", "own"] and len(await target.texts()) == 6
        await target.migrate(
            old(ann.user_id, "read", sent[1]["created_at"], dedup_id="1"), update_read_ts=True)
        await settled(bob, 1 if sent[2]["created_at"] > sent[1]["created_at"] else 0, 1, 0)
        await bob.call("group.mark_read", channel_url=url)
        await settled(bob, 0, 0, 0)
        await target.migrate(old(ann.user_id, "back", sent[0]["created_at"] - 1), rewind_read_ts=True)
        await settled(bob, 3, 1, 0)
        # Who has read less stays there.
        await target.migrate(old(ann.user_id, "later", sent[2]["created_at"]), rewind_read_ts=True)
        await settled(bob, 3, 1, 0)
        await bob.send(url, "answer")
        await settled(bob, 0, 0, 0)
        page = await caller.call("GET", f"/users/{bob.user_id}/my_group_channels", show_empty=True)
        assert page["channels"][0]["last_message"]["message"] == "answer", page


async def test_twice_is_once(ctx):
    """An import that is repeated, at once and after a crash, imports nothing twice, nor what was deleted."""
    server = await ctx.fresh(*FLAGS)
    url, owner = await ctx.room(server, 0)
    history = [old(owner.user_id if n % 3 else None, str(n), PAST + n // 2 * MINUTE, dedup_id=f"old-{n}")
               for n in range(90)]
    async with Caller(server) as caller:
        target = Target(caller, url)
        await target.migrate(*history[:50])
        callers = [Caller(server) for _ in range(4)]
        await asyncio.gather(*(Target(one, url).migrate(*history[20:]) for one in callers))
        for one in callers:
            one.close()
        expected = [str(n) for n in range(90)]
        assert await target.texts() == expected
        listed = await target.list()
        await caller.call("DELETE", f"{target.path}/{listed[7]['message_id']}")
        running = asyncio.gather(*(
            target.migrate(old(None, f"x{n}", PAST - n - 1, dedup_id=f"x{n}")) for n in range(1)))
        await running
    await server.kill()
    server = await ctx.fresh(*FLAGS, data=server.data)
    async with Caller(server) as caller:
        target = Target(caller, url)
        await target.migrate(*history)
        assert await target.texts() == ["x0", *expected[:7], *expected[8:]]


async def test_a_crash_in_the_middle(ctx):
    """After a kill between calls and within one, each call is there whole or not at all."""
    server = await ctx.fresh(*FLAGS)
    url, owner = await ctx.room(server, 0)
    calls = [[old(None, f"{call} {n}", PAST + call * MINUTE + n, dedup_id=f"{call}-{n}") for n in range(50)]
             for call in range(40)]

    async def run(server):
        async with Caller(server) as caller:
            for messages in calls:
                await Target(caller, url).migrate(*messages)
    importing = asyncio.create_task(run(server))
    async with Caller(server) as caller:
        async def has_begun():
            return (await caller.call("GET", f"/open_channels/{url}/messages/total_count"))["total"] >= 100
        await eventually(has_begun, "the first calls")
    await server.kill()
    await asyncio.gather(importing, return_exceptions=True)
    server = await ctx.fresh(*FLAGS, data=server.data)
    async with Caller(server) as caller:
        total = (await caller.call("GET", f"/open_channels/{url}/messages/total_count"))["total"]
        assert total >= 100 and total % 50 == 0, total
        await run(server)
        total = (await caller.call("GET", f"/open_channels/{url}/messages/total_count"))["total"]
        assert total == 2000, total


async def test_refusals(ctx):
    """A refusal names the message and its member, and imports none of the messages."""
    server = await ctx.fresh(*FLAGS, "--store-retention-days", "10000")
    url, owner = await ctx.room(server, 0)
    banned = await ctx.user(server)
    async with Caller(server) as caller:
        target = Target(caller, url)
        right = old(owner.user_id, "x", PAST)
        soon = int(time.time() * 1000) + 90_000
        for code, wrong, name in (
                (400111, {**right, "timestamp": soon}, "timestamp"),
                (400111, {**right, "timestamp": -1}, "timestamp"),
                (400111, {**right, "timestamp": PAST // 1000}, "timestamp"),
                (400101, {**right, "timestamp": str(PAST)}, "timestamp"),
                (400201, {**right, "user_id": ctx.name("nobody")}, "user_id"),
                (400105, {**right, "message": ""}, "message"),
                (400110, {**right, "message": "x" * 5001}, "message"),
                (400105, {"message_type": "FILE", "user_id": owner.user_id, "timestamp": PAST}, "url"),
                (400111, {**right, "message_type": "GIF"}, "message_type")):
            await target.refused(code, [right, right, right, wrong], f"'messages[3].{name}'")
        await target.refused(400105, [], "'messages'")
        await target.refused(400203, [right] * 101, "'messages'")
        await target.refused(400103, [right, 7], "messages[1]")
        await target.refused(
            400920, [right], "'rewind_read_ts'", update_read_ts=True, rewind_read_ts=True)
        await target.refused(
            400111, [{**right, "timestamp": 200_000_000_000}], "messages[0].timestamp", "store.retention_days")
        await Target(caller, ctx.name("none")).refused(400201, [right])
        brief = ctx.name("room")
        await caller.call("POST", "/open_channels", {"channel_url": brief, "is_ephemeral": True})
        await Target(caller, brief).refused(400201, [right], "ephemeral")
        assert await target.texts() == []
        # History has no rights: bans and freezing are of now.
        await caller.call("PUT", f"/open_channels/{url}/freeze", {"freeze": True})
        await caller.call("POST", f"/open_channels/{url}/ban", {"user_id": banned.user_id, "seconds": 60})
        await target.migrate(old(banned.user_id, "then", PAST))
        assert await target.texts() == ["then"]


async def test_the_official_client(ctx):
    """The official client's call imports into open channels and groups."""
    server = await ctx.fresh(*FLAGS, *PUSHES)
    client, room, ada = Client(server), ctx.name("room"), ctx.name("ada")

    def talk():
        call = client.call
        call("users", "create_a_user", model="CreateAUserRequest", user_id=ada, nickname="Ada", profile_url="")
        call(GROUP, "create_a_group_channel", model="CreateAGroupChannelRequest", channel_url=room, 
             users=[models.SendbirdUser(user_id=ada)])
        for _ in range(2):
            call("messages", "migrate_messages", room, model="MigrateMessagesRequest", messages=[
                models.MigrateMessagesTextMessageRequest(ada, "one", PAST, dedup_id="1"),
                models.MigrateMessagesAdminMessageRequest("two", PAST + 1, dedup_id="2"),
                models.MigrateMessagesFileMessageRequest(
                    ada, "https://a.example/f", PAST + 2, dedup_id="3", file_name="f", file_size=7)],
                 update_read_ts=True)
        page = call("messages", "list_messages", GROUP, room, 0, 0, next_limit=9)
        assert [message["message"] for message in page.messages][:2] == ["one", "two"], page
        assert len(page.messages) == 3
    await asyncio.to_thread(talk)


async def test_the_command(ctx):
    """parley import reads what lists show, creates what is missing, names bad lines, and can be repeated."""
    server = await ctx.fresh(*FLAGS)
    folder = server.data
    first, second, ada = ctx.name("room"), ctx.name("group"), ctx.name("ada")

    def shown(number, url, **members):
        return {"message_id": 1000 + number, "type": "MESG", "channel_url": url, "message": f"m{number}",
                "user": {"user_id": ada, "nickname": "Ada"}, "created_at": PAST + number, "file": {},
                "channel_type": "group_channels" if url == second else "open_channels", **members}
    lines = [json.dumps(shown(n, first if n % 3 else second)) for n in range(350)]
    lines[7] = "{"
    lines[9] = json.dumps({**shown(9, first), "created_at": int(time.time() * 1000) + 600_000})
    lines[11] = json.dumps(shown(11, first, type="FILE", message="", file={
        "url": "https://a.example/f", "name": "f", "type": "text/plain", "size": 7}))
    path = os.path.join(folder, "history.ndjson")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n\n")

    access = ("--server", f"http://127.0.0.1:{server.port}", "--api-token", server.api_token)

    async def run(*arguments, text=""):
        code, out, err = await ctx.run(ctx.parley, "import", *arguments, *access, stdin=text.encode())
        return code, out.decode(), err.decode()
    code, out, err = await run(path, "--dry-run")
    assert code == 1 and "349 messages can be sent" in out and "line 8: not JSON" in err, (out, err)
    code, out, err = await run(path)
    assert code == 1 and "there is no channel" in err, (out, err)
    making = ("--create-users", "--create-channels")
    code, out, err = await run(path, *making)
    assert code == 1 and out == "348 messages imported or known already, 2 lines refused\n", (out, err)
    assert "line 10: 'messages[" in err and err.count("line ") == 2, err
    assert (await run(path, *making))[0] == 1
    async with Caller(server) as caller:
        totals = [(await caller.call("GET", f"/{kind}/{url}/messages/total_count"))["total"] for kind, url in (
            ("open_channels", first), ("group_channels", second))]
        assert totals == [232, 116], totals
        listed = await Target(caller, first).list(next_limit=12)
        assert listed[0]["message"] == "m1" and listed[0]["user"]["nickname"] == "Ada", listed
        assert [m["file"].get("size") for m in listed if m["type"] == "FILE"] == [7], listed
        code, out, err = await run("-", "--channel", first, "--stop-on-error", text="[]\n" + lines[0])
        assert code == 1 and out.startswith("0 messages") and "line 1" in err, (out, err)
        code, out, err = await run("-", "--channel", first, text=lines[0])
        assert (code, out) == (0, "1 messages imported or known already\n"), (out, err)
        assert (await Target(caller, first).texts())[0] == "m0"
