"""What survives kill -9, restarts and damaged files."""

import asyncio
import contextlib
import os
import random
import signal
import sqlite3

from files import download, upload
from harness import DEADLINE, PATIENCE, Refused, Server, eventually, fence, refused
from previewmetrics import metrics

FREE = ("--limits-flood-messages", "0", "--limits-throttle-messages", "0")


async def test_nothing_acknowledged_is_lost(ctx):
    """kill -9 in the midst of sending: every acknowledged message, edit and deletion is kept."""
    server = await ctx.fresh(*FREE)
    channel, owner, *senders = await ctx.room(server, 4)
    acknowledged, edited, deleted, attempted = {}, {}, set(), set()

    async def work(client, number):
        count = 0
        try:
            while True:
                text = f"{number}-{count}"
                attempted.add(text)
                sent = (await client.send(channel, text))["message"]
                acknowledged[sent["message_id"]] = text
                if count % 5 == 1:
                    attempted.add(text + " edited")
                    await client.call("message.update", channel_url=channel,
                                      message_id=sent["message_id"], message=text + " edited")
                    edited[sent["message_id"]] = text + " edited"
                if count % 7 == 2:
                    await client.call("message.delete", channel_url=channel,
                                      message_id=sent["message_id"])
                    deleted.add(sent["message_id"])
                count += 1
        except (ConnectionError, Exception) as end:
            if not isinstance(end, ConnectionError) and "Closed" not in type(end).__name__:
                raise
    working = [asyncio.create_task(work(c, n)) for n, c in enumerate(senders)]
    while len(acknowledged) < 150 + random.randrange(100):
        await asyncio.sleep(0.01)
    await server.kill()
    await asyncio.gather(*working)
    server = await ctx.fresh(*FREE, data=server.data)
    owner = await ctx.user(server, owner.user_id)
    stored, position = {}, None
    while True:
        where = {"message_id": position, "include": False} if position else {}
        page = (await owner.call("message.list", channel_url=channel, prev_limit=200,
                                 **where))["messages"]
        if not page:
            break
        stored |= {m["message_id"]: m["message"] for m in page}
        position = page[0]["message_id"]
    for number, text in acknowledged.items():
        if number in deleted:
            assert number not in stored, "a deleted message came back"
        elif number in stored:
            assert stored[number] in (edited.get(number, text), text + " edited"), number
        else:
            # Only a deletion that was under way, unacknowledged, may have taken it.
            assert int(text.split("-")[1]) % 7 == 2, f"{text} was lost"
    assert set(stored.values()) <= attempted


async def test_numbers_go_on_after_kill_9(ctx):
    """After kill -9 message_id, seq and created_at go on rising, and the epoch is the same."""
    server = await ctx.fresh(*FREE)
    channel, owner, sender = await ctx.room(server, 1)
    epoch = (await owner.enter(channel))["epoch"]
    last = None
    for n in range(20):
        last = await sender.send(channel, str(n))
    for _ in range(3):
        await server.kill()
        server = await ctx.fresh(*FREE, data=server.data)
        sender = await ctx.user(server, sender.user_id)
        state = await sender.enter(channel)
        assert state["epoch"] == epoch and state["seq"] == last["seq"]
        sent = await sender.send(channel, "after")
        assert sent["seq"] == last["seq"] + 1
        assert sent["message"]["message_id"] > last["message"]["message_id"]
        assert sent["message"]["created_at"] >= last["message"]["created_at"]
        last = sent


async def test_everything_is_as_it_was(ctx):
    """Users, channels and messages are the same after SIGTERM and a restart."""
    server = await ctx.fresh()
    channel, owner, sender = await ctx.room(
        server, 1, name="Name", data="D", custom_type="C", cover_url="https://a.example/c")
    await sender.call("user.update", nickname="Nick", metadata={"a": "b"})
    await sender.send(channel, "x", data="d", custom_type="c", req_id="q",
                      metaarray=[{"key": "k", "value": ["v"]}],
                      mentioned_user_ids=[owner.user_id])
    before = (await sender.call("message.list", channel_url=channel))["messages"]
    place = (await sender.call("channel.get", channel_url=channel))["channel"]
    assert await server.end() == 0
    server = await ctx.fresh(data=server.data)
    back = await ctx.user(server, sender.user_id)
    assert back.session["user"]["nickname"] == "Nick"
    assert back.session["user"]["metadata"] == {"a": "b"}
    assert (await back.call("message.list", channel_url=channel))["messages"] == before
    now = (await back.call("channel.get", channel_url=channel))["channel"]
    assert now == {**place, "participant_count": 0}, now


async def test_one_server_at_a_time(ctx):
    """A second server on the same data_dir is refused and names it; the first goes on."""
    server = await ctx.fresh()
    client = await ctx.user(server)
    try:
        second = await Server.start(ctx.parleyd, server.data, ctx.always)
        await second.kill()
    except AssertionError as refusal:
        assert "ended with 0" not in str(refusal) and server.data in str(refusal), refusal
    else:
        raise AssertionError("a second server started")
    await client.call("session.ping")


async def test_a_killed_server_leaves_no_lock(ctx):
    """After kill -9 the next server may use the data_dir at once."""
    server = await ctx.fresh()
    await server.kill()
    server = await ctx.fresh(data=server.data)
    await (await ctx.user(server)).call("session.ping")


def database(data):
    found = [os.path.join(data, name) for name in os.listdir(data)]
    for path in found:
        if os.path.isfile(path):
            with open(path, "rb") as file:
                if file.read(15) == b"SQLite format 3" and "cache" not in path \
                        and "preview" not in path:
                    return path
    raise AssertionError(f"no database in {found}")


async def test_a_damaged_database(ctx):
    """A database that is no database stops the start with an error that names the file."""
    server = await ctx.fresh()
    channel, owner = await ctx.room(server, 0)
    await owner.send(channel, "x")
    assert await server.end() == 0
    path = database(server.data)
    with open(path, "r+b") as file:
        file.write(b"this is not a database at all" * 40)
    try:
        await ctx.fresh(data=server.data)
    except AssertionError as refusal:
        assert "ended with 0" not in str(refusal)
        assert os.path.basename(path) in str(refusal) or server.data in str(refusal), refusal
        # No supervisor tries again.
        assert "ended with 78" in str(refusal), refusal
    else:
        raise AssertionError("the server started on a damaged database")


async def test_a_database_of_a_later_version(ctx):
    """The database is plain SQLite, whole after kill -9."""
    server = await ctx.fresh(*FREE)
    channel, owner = await ctx.room(server, 0)
    for n in range(30):
        await owner.send(channel, str(n))
    await server.kill()
    with sqlite3.connect(database(server.data)) as connection:
        assert connection.execute("pragma integrity_check").fetchone() == ("ok",)


async def test_a_data_dir_that_cannot_be_made(ctx):
    """A data_dir that cannot be made or is a file stops the start with an error that names it."""
    path = os.path.join(ctx.directory(), "file")
    with open(path, "w") as file:
        file.write("x")
    for place in (path, os.path.join(path, "below")):
        try:
            await ctx.fresh(data=place)
        except AssertionError as refusal:
            assert "ended with 0" not in str(refusal) and place in str(refusal), refusal
        else:
            raise AssertionError(f"started with {place}")


async def test_the_data_dir_is_made(ctx):
    """A data_dir that is missing is made, with those above it."""
    path = os.path.join(ctx.directory(), "a", "b")
    server = await ctx.fresh(data=path)
    await ctx.user(server)
    assert os.listdir(path)


async def test_the_api_token_is_kept(ctx):
    """Where the Platform API is served, its token is made once and readable to its owner only."""
    server = await ctx.fresh()
    path = os.path.join(server.data, "api-token")
    if not os.path.exists(path):
        assert (await server.get("/v3/users"))[0] == 404
        return
    assert os.stat(path).st_mode & 0o777 == 0o600, oct(os.stat(path).st_mode)
    with open(path) as file:
        first = file.read()
    assert len(first.strip()) >= 20
    await server.end()
    await ctx.fresh(data=server.data)
    with open(path) as file:
        assert file.read() == first


async def test_draining_stores_and_answers_what_was_accepted(ctx):
    """SIGTERM in the midst of sending: what was answered with a message is there afterwards."""
    server = await ctx.fresh(*FREE)
    channel, owner, *senders = await ctx.room(server, 3)
    waiting = []
    for n in range(200):
        for sender in senders:
            waiting.append(await sender.ask(
                "message.send", channel_url=channel, message=str(n)))
        if n == 100:
            server.process.send_signal(signal.SIGTERM)
    answered = []
    for part in waiting:
        try:
            answer = await asyncio.wait_for(part, DEADLINE)
        except ConnectionError:
            continue
        if "result" in answer:
            answered.append(answer["result"]["message"]["message_id"])
    for sender in senders:
        assert await sender.ended() == 1001
    assert await server.wait() == 0
    assert len(answered) >= 1
    server = await ctx.fresh(*FREE, data=server.data)
    owner = await ctx.user(server, owner.user_id)
    stored, position = set(), None
    while page := (await owner.call(
            "message.list", channel_url=channel, prev_limit=200,
            **({"message_id": position, "include": False} if position else {})))["messages"]:
        stored |= {m["message_id"] for m in page}
        position = page[0]["message_id"]
    assert set(answered) <= stored
    await owner.enter(channel)
    await fence(channel, owner, owner)


async def test_the_flood_window_outlives_restarts(ctx):
    """Over kill -9 and over SIGTERM no stretch of the window holds more sends than allowed."""
    window = round(2_000 * PATIENCE)
    flags = ("--limits-flood-messages", "5", "--limits-flood-window-ms", str(window),
             "--limits-throttle-messages", "0")
    server = await ctx.fresh(*flags)
    channel, owner, sender, other = await ctx.room(server, 2)
    for how in (signal.SIGKILL, signal.SIGTERM, signal.SIGKILL):
        await accepted(sender, channel, 4)
        await server.end(how)
        server = await ctx.fresh(*flags, data=server.data)
        owner, sender, other = [
            await ctx.user(server, client.user_id) for client in (owner, sender, other)]
        await sender.enter(channel)
        await other.enter(channel)
        await accepted(sender, channel, 4)
        await other.send(channel, "another's window")
    stored = (await owner.call("message.list", channel_url=channel, prev_limit=200))["messages"]
    times = [m["created_at"] for m in stored if m["user"]["user_id"] == sender.user_id]
    assert len(times) == 24
    gaps = [b - a for a, b in zip(times, times[5:])]
    assert all(gap >= window for gap in gaps), gaps
    assert min(gaps) < 2 * window, "the restarts took too long for this to tell anything"


async def accepted(client, channel, count):
    """Sends until so many were accepted, waiting as long as told."""
    while count:
        try:
            await client.send(channel, "x")
            count -= 1
        except Refused as refusal:
            assert refusal.code == 900200, refusal
            await asyncio.sleep(refusal.data["retry_after_ms"] / 1000)


async def test_messages_past_their_retention(ctx):
    """store.retention_days removes old messages with their files at the start; the rest stays."""
    server = await ctx.fresh(*FREE)
    channel, owner = await ctx.room(server, 0)
    epoch = (await owner.enter(channel))["epoch"]
    files = [
        (await upload(server, channel, b"content", user_id=owner.user_id))[1] for _ in range(2)]
    sent = [(await owner.send(channel, str(n)))["message"]["message_id"] for n in range(700)]
    await server.end()
    old = [files[0]["message_id"], *sent[:650]]
    with contextlib.closing(sqlite3.connect(database(server.data))) as connection, connection:
        connection.executemany(
            "UPDATE messages SET created_at = created_at - 31 * 86400000 WHERE message_id = ?",
            [(number,) for number in old])
    server = await ctx.fresh(
        *FREE, "--store-retention-days", "30", "--store-deletion-hold-seconds", "0", data=server.data)

    async def expired():
        return (await metrics(server)).get('parley_messages_total{outcome="expired"}') == len(old)
    await eventually(expired, "the removal of old messages")

    async def gone():
        return (await download(server, files[0]["file"]["url"]))[0] == 404
    await eventually(gone, "the removal of a file")
    assert (await download(server, files[1]["file"]["url"]))[0] == 200
    reader = await ctx.user(server, "reader")
    entered = await reader.enter(channel, recover={"epoch": epoch, "seq": 500})
    assert entered["recovered"], entered
    recovered = [event["params"]["message"]["message_id"] for event in entered["events"]]
    assert recovered == sent[650:], recovered
    listed = await reader.call(
        "message.list", channel_url=channel, message_ts=0, prev_limit=0, next_limit=100)
    assert [m["message_id"] for m in listed["messages"]] == [files[1]["message_id"], *sent[650:]]


async def test_another_program_locks_the_database(ctx):
    """While another program holds the lock for writing, sends wait, and none is refused."""
    server = await ctx.fresh(*FREE)
    channel, owner = await ctx.room(server, 0)
    path = os.path.join(server.data, "parley.sqlite")
    for _ in range(5):
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            waiting = [await owner.ask("message.send", channel_url=channel, message=f"{n}")
                       for n in range(5)]
            await asyncio.sleep(0.2)
            other.execute("ROLLBACK")
        for one in waiting:
            await owner.result(one)
    assert (await server.get("/readyz"))[0] == 200


async def test_what_is_not_kept_does_not_wait_for_the_database(ctx):
    """While the database takes no writes, messages of an ephemeral channel are delivered."""
    server = await ctx.fresh(*FREE)
    kept, author = await ctx.room(server, 0)
    channel, owner, viewer = await ctx.room(server, 1, is_ephemeral=True)
    path = os.path.join(server.data, "parley.sqlite")
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        waiting = await author.ask("message.send", channel_url=kept, message="kept")
        for n in range(5):
            sent = await owner.send(channel, f"{n}")
            await viewer.event("message.received", channel_url=channel, seq=sent["seq"])
        other.execute("ROLLBACK")
    await author.result(waiting)


async def test_the_database_is_taken_away(ctx):
    """When the database's file is moved away under the server it takes no messages, is not ready and says why
    once; it goes on when the file is back."""
    server = await ctx.fresh(*FREE)
    channel, owner = await ctx.room(server, 0)
    await owner.send(channel, "before")
    path = os.path.join(server.data, "parley.sqlite")
    os.rename(path, path + ".away")

    async def unready():
        status, _, body = await server.get("/readyz")
        return status == 503 and b"removed or moved" in body
    await eventually(unready, "503 of /readyz")
    async with refused(500901):
        await owner.send(channel, "meanwhile")
    assert len([line for line in server.lines if "the store cannot write" in line]) == 1
    os.rename(path + ".away", path)

    async def ready():
        return (await server.get("/readyz"))[0] == 200
    await eventually(ready, "200 of /readyz")
    await owner.send(channel, "after")
    answer = await owner.call("message.list", channel_url=channel, prev_limit=10)
    assert [m["message"] for m in answer["messages"]] == ["before", "after"], answer
