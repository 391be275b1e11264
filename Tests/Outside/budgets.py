"""Every limit filled to its end: the size of what comes, and what the process holds meanwhile."""

import asyncio
import os
import time

import heaviest
import schemas
import tokens
from calls import PUSHES
from harness import PATIENCE, Refused, eventually
from heaviest import accepted
from pages import Pages
from wire import Memory, Sizes, Wire, mib

ANSWER, EVENT = 524_288, 65_536
MIB = 1_048_576
UNLIMITED = (
    "--limits-flood-messages", "0", "--limits-throttle-messages", "0",
    "--limits-calls-per-second", "0", "--groups-delivery-receipts", "true", *PUSHES)


def described(action):
    return {
        name for name, action_of in schemas.socket_operations() if action_of == action}


class World:
    """A channel with everything at its limit, its owner, an onlooker, and many heavy users."""

    @classmethod
    async def make(cls, ctx, server):
        world = cls()
        world.ctx, world.server, world.sizes = ctx, server, Sizes()
        world.owner = await world.wire("owner")
        world.heavy = await heaviest.profile(world.owner)
        world.channel = await world.room()
        world.onlooker = await world.wire("onlooker")
        await world.onlooker.call("channel.enter", channel_url=world.channel)
        names = [world.ctx.name("\U0001f600" * 70) for _ in range(104)]
        world.crowd = await heaviest.crowd(server, names, world.heavy)
        ctx.clients.extend(world.crowd)
        world.names = names
        return world

    async def wire(self, stem):
        wire = await Wire.open(self.server, self.ctx.name(stem), sizes=self.sizes)
        self.ctx.clients.append(wire)
        return wire

    async def room(self, **params):
        channel = self.ctx.name("room") + "c" * 80
        await self.owner.call("channel.create", channel_url=channel, **params)
        await self.owner.call("channel.enter", channel_url=channel)
        return channel

    async def return_owner(self):
        """The owner opens a session again, after its last was closed."""
        name = self.owner.user_id
        self.owner = await Wire.open(self.server, name, sizes=self.sizes)
        self.ctx.clients.append(self.owner)
        await self.owner.call("channel.enter", channel_url=self.channel)

    async def fill_channel(self, channel):
        """Gives a channel every member at its limit, and as many heavy operators as it takes."""
        async def update(**params):
            await self.owner.call("channel.update", channel_url=channel, **params)

        operators = [self.owner.user_id, *self.names]
        await heaviest.longest(lambda n: update(operator_ids=operators[:n]), 100)
        self.values = {}
        for name, limit, make in (
                ("name", 191, lambda c, n: c * n), ("cover_url", 2048, heaviest.link),
                ("data", 16_384, lambda c, n: c * (n // len(c.encode()))),
                ("custom_type", 128, lambda c, n: c * n)):
            self.values[name] = await heaviest.heaviest(
                lambda v, name=name: update(**{name: v}), limit, make)

    async def fenced(self):
        """What was told in the channel has come to the onlooker."""
        seen = self.onlooker.events["message.deleted"]
        sent = await self.owner.call("message.send", channel_url=self.channel, message="fence")
        await self.owner.call("message.delete", channel_url=self.channel,
                              message_id=sent["message"]["message_id"])
        await self.onlooker.until(
            lambda: self.onlooker.events["message.deleted"] > seen, "the fence")


ORDERS = (
    ("message", "data", "metaarray", "mentioned", "custom_type"),
    ("mentioned", "metaarray", "data", "message", "custom_type"),
    ("metaarray", "message", "mentioned", "data"))


async def sends(w):
    for members in ORDERS:
        message, _ = await heaviest.message(
            w.owner, w.channel, members=members, mentioned=w.names[:100])
        w.largest = message["message_id"]
    await w.owner.call(
        "message.send", channel_url=w.channel, **LARGEST_FILE)


LARGEST_FILE = {
    "message_type": "FILE", "url": heaviest.link("\U0001f600", 2048),
    "file_name": "\U0001f600" * 255, "data": "\U0001f600" * 4096}


async def creates_files(w):
    """Uploads with the longest of names, one of which sends a message when it is complete."""
    w.file = (await w.owner.call(
        "file.create", size=1, name="\U0001f600" * 255, type="a" * 128,
        message={"channel_url": w.channel, "message": "\u0001" * 5000}))["file"]["file_id"]


async def sends_files(w):
    await w.owner.call(
        "message.send_files", channel_url=w.channel, files=[LARGEST_FILE] * 9)


async def updates(w):
    """Messages that are full already: then who is mentioned grows, then they are changed."""
    light = [w.ctx.name("light") for _ in range(100)]
    wires = await heaviest.crowd(w.server, light)
    w.ctx.clients.extend(wires)
    grown = []
    for members in ORDERS:
        message, _ = await heaviest.message(
            w.owner, w.channel, members=["mentioned", *members], mentioned=light)
        grown.append(message["message_id"])
    for wire in wires:
        await wire.call("user.update", nickname=w.heavy["nickname"],
                        profile_url=w.heavy["profile_url"])
    for number in grown:
        await w.owner.call("message.update", channel_url=w.channel, message_id=number,
                           custom_type="t")
        await w.owner.call("message.get", channel_url=w.channel, message_id=number)
        if await accepted(w.owner.call(
                "message.update", channel_url=w.channel, message_id=number, message="\u0001" * 5000,
                mention_type="users", mentioned_user_ids=w.names[:10])):
            await w.owner.call("message.get", channel_url=w.channel, message_id=number)


async def metaarrays(w):
    """Keys with as many values as go, added call by call to a message that is full of text."""
    message, _ = await heaviest.message(w.owner, w.channel, members=["message", "data"])
    w.poll = message["message_id"]
    for n in range(10):
        key = f"{n}" + "\u0001" * 127
        if not await accepted(w.owner.call(
                "message.create_metaarray_keys", channel_url=w.channel, message_id=w.poll,
                keys=[key])):
            break


async def values(w):
    for n in range(10):
        key = f"{n}" + "\u0001" * 127

        async def add(count, key=key):
            await w.owner.call(
                "message.add_metaarray_values", channel_url=w.channel, message_id=w.poll,
                values={key: [f"{v:02}" + "\u0001" * 188 for v in range(count)]})
        await heaviest.longest(add, 100)


async def removes(w):
    await w.owner.call(
        "message.remove_metaarray_values", channel_url=w.channel, message_id=w.poll,
        values={"0" + "\u0001" * 127: ["00" + "\u0001" * 188]})


async def deletes_keys(w):
    message = await w.owner.call("message.get", channel_url=w.channel, message_id=w.poll)
    for part in message["message"]["sorted_metaarray"][-1:]:
        await w.owner.call("message.delete_metaarray_keys", channel_url=w.channel,
                           message_id=w.poll, keys=[part["key"]])
    # A message that is full of text may have had no room for a key.
    small = await w.owner.call("message.send", channel_url=w.channel, message="x",
                               metaarray=[{"key": "k", "value": ["v"]}])
    await w.owner.call("message.delete_metaarray_keys", channel_url=w.channel,
                       message_id=small["message"]["message_id"], keys=["k"])


async def lists_messages(w):
    for limits in ({"prev_limit": 200}, {"prev_limit": 200, "next_limit": 200},
                   {"message_ts": 0, "next_limit": 200}, {"prev_limit": 200, "reverse": True}):
        await w.owner.call("message.list", channel_url=w.channel, **limits)


async def creates_channels(w):
    async def create(count):
        await w.owner.call(
            "channel.create", channel_url=w.ctx.name("full"), operator_ids=w.names[:count])
    most = await heaviest.longest(create, 100)
    for _ in range(12):
        for character in heaviest.CHARACTERS:
            if await accepted(w.owner.call(
                    "channel.create", channel_url=w.ctx.name("full"), name=character * 191,
                    cover_url=heaviest.link(character, 2048),
                    data=character * (16_384 // len(character.encode())),
                    custom_type=character * 128, operator_ids=w.names[:most])):
                break


async def changes_channel(w):
    await w.fill_channel(w.channel)


async def operators(w, method):
    async def change(count):
        await w.owner.call(method, channel_url=w.channel, user_ids=w.names[:count])
    await heaviest.longest(change, 100 if method.endswith("remove_operators") else 99)


async def restricts(w, method, **params):
    for name in w.names[100:102]:
        async def restrict(description, name=name):
            await w.owner.call(method, channel_url=w.channel, user_id=name,
                               description=description, **params)
        await heaviest.heaviest(restrict, 2048)


async def releases(w, method):
    for name in w.names[100:102]:
        await w.owner.call(method, channel_url=w.channel, user_id=name)


async def enters(w):
    """Everybody enters and leaves; a recovery of all that went before is asked for."""
    here = await w.owner.call("channel.enter", channel_url=w.channel)
    for back in (1, 10, 100, 300):
        await w.owner.call("channel.enter", channel_url=w.channel, recover={
            "epoch": here["epoch"], "seq": max(0, here["seq"] - back)})
    for wire in w.crowd:
        await wire.call("channel.enter", channel_url=w.channel)


async def exits(w):
    for wire in w.crowd[:8]:
        await wire.call("channel.exit", channel_url=w.channel)
    await w.owner.call("channel.exit", channel_url=w.channel)
    await w.owner.call("channel.enter", channel_url=w.channel)


async def lists_participants(w):
    await w.owner.call("channel.participants", channel_url=w.channel, limit=100)


async def lists_channels(w):
    for limit in (10, 100):
        await w.owner.call("channel.list", limit=limit)


async def deletes_channel(w):
    channel = await w.room()
    await w.onlooker.call("channel.enter", channel_url=channel)
    await w.fill_channel(channel)
    await w.owner.call("channel.delete", channel_url=channel)


async def deletes_message(w):
    await w.owner.call("message.delete", channel_url=w.channel, message_id=w.poll)


async def creates_group(w):
    """A group of heavy members whose fields are filled; a user may name no more than a hundred in a minute."""
    w.group = w.ctx.name("group") + "c" * 80
    await w.owner.call(
        "group.create", channel_url=w.group, user_ids=[w.onlooker.user_id, *w.names[:96]],
        operator_ids=[w.owner.user_id, w.onlooker.user_id, *w.names[:90]], is_public=True)
    await heaviest.message(w.owner, w.group, members=["message", "data", "metaarray"])


async def changes_group(w):
    for name, limit, make in (
            ("name", 191, lambda c, n: c * n), ("cover_url", 2048, heaviest.link),
            ("data", 16_384, lambda c, n: c * (n // len(c.encode()))),
            ("custom_type", 128, lambda c, n: c * n), ("access_code", 50, lambda c, n: c * n)):
        await heaviest.heaviest(
            lambda v, name=name: w.owner.call("group.update", channel_url=w.group, **{name: v}), limit, make)
    await w.owner.call("group.update", channel_url=w.group, access_code="")


async def lists_members(w):
    await w.owner.call("group.members", channel_url=w.group, limit=100)


async def reads_elsewhere(w):
    """On one connection of a user, of which its other connection and the other members hear."""
    w.tablet = await Wire.open(w.server, w.onlooker.user_id, sizes=w.sizes)
    w.ctx.clients.append(w.tablet)
    sent = await w.owner.call("message.send", channel_url=w.group, message="x")
    w.unread = sent["message"]["message_id"]
    await w.onlooker.call("group.mark_read", channel_url=w.group, message_id=w.unread)
    await w.tablet.until(lambda: w.tablet.events["group.unread"], "group.unread")
    await w.owner.until(lambda: w.owner.events["group.read"], "group.read")


async def delivers(w):
    await w.onlooker.call("group.mark_delivered", channels=[{"channel_url": w.group, "message_id": w.unread}])
    sent = await w.owner.call("message.send", channel_url=w.group, message="x")
    mark = {"channel_url": w.group, "message_id": sent["message"]["message_id"]}
    await w.onlooker.call("group.mark_delivered", channels=[mark])
    await w.owner.until(lambda: w.owner.events["group.delivered"], "group.delivered")


async def recovers(w):
    group = (await w.owner.call("group.get", channel_url=w.group))["channel"]
    position = {"channel_url": w.group, "epoch": group["epoch"], "seq": max(0, group["seq"] - 300)}
    await w.owner.call("group.recover", channels=[position])


async def watches_totals(w):
    await w.tablet.call("group.watch_totals", on=True)
    await w.tablet.until(lambda: w.tablet.events["group.totals"], "group.totals")
    await w.tablet.call("group.watch_totals", on=False)


async def hides(w):
    await w.onlooker.call("group.hide", channel_url=w.group)
    await w.tablet.until(lambda: w.tablet.events["group.hidden"], "group.hidden")


async def unhides(w):
    await w.onlooker.call("group.unhide", channel_url=w.group)
    await w.tablet.until(lambda: w.tablet.events["group.unhidden"], "group.unhidden")


async def types(w):
    await w.onlooker.call("group.typing", channel_url=w.group, is_typing=True)
    await w.owner.until(lambda: w.owner.events["group.typing"], "group.typing")


async def blocks(w):
    for name in w.names[:100]:
        await w.owner.call("user.block", user_id=name)


async def unblocks(w):
    for name in w.names[:100]:
        await w.owner.call("user.unblock", user_id=name)


async def invites(w):
    """By another operator, who has named nobody; there is room for one more, and for one who has to accept."""
    w.asked = await w.wire("asked")
    await w.asked.call("user.preferences", auto_accept_invitations=False)
    await w.onlooker.call(
        "group.invite", channel_url=w.group, user_ids=[*w.names[95:97], w.asked.user_id])


async def joins(w):
    w.joiner = await w.wire("joiner")
    await w.joiner.call("group.join", channel_url=w.group)


async def leaves(w):
    await w.joiner.call("group.leave", channel_url=w.group)


async def declines(w):
    await w.asked.call("group.decline", channel_url=w.group)


async def translates(w):
    try:
        await w.owner.call("message.translate", channel_url=w.channel, message_id=w.largest,
                           target_langs=[f"en-{n:03}" for n in range(10)])
    except Refused as refusal:
        assert refusal.code == 400111, refusal


async def opens(w):
    again = await Wire.connect(w.server, sizes=w.sizes)
    w.ctx.clients.append(again)
    session = await again.call(
        "session.open", user_id=w.owner.user_id, nickname=w.heavy["nickname"])
    assert session["user"]["metadata"] == w.heavy["metadata"]


async def refreshes(w):
    """A session of 30 s, told at once that it ends; refreshed with the longest of tokens."""
    server = await w.ctx.server(*tokens.FLAGS)
    name, now = w.ctx.name(), int(time.time())
    wire = await Wire.connect(server, sizes=w.sizes)
    w.ctx.clients.append(wire)
    await wire.call("session.open", user_id=name, access_token=tokens.token(name, exp=now + 30))
    await wire.until(lambda: wire.events["session.expiring"], "session.expiring")
    await wire.call("session.refresh", access_token=tokens.token(
        name, exp=now + 600, filler="x" * 5800))


async def closes(w):
    wire = await w.wire("leaver")
    await wire.call("session.close")


async def calls(w, method, **params):
    await w.owner.call(method, channel_url=w.channel, **params)


async def fetches_previews(w):
    w.pages.add("/fetched", "\U0001f600" * 1024, og__site_name="\U0001f600" * 1024,
                og__description="\U0001f600" * 4096, og__image="https://a.example/" + "i" * 2000)
    await w.owner.call("preview.fetch", url=w.pages.url("/fetched"), fetch_id="f" * 64)


async def batches(w):
    """The largest of calls a hundredfold; recoveries, lists and pages together."""
    here = await w.owner.call("channel.enter", channel_url=w.channel)
    recover = {"epoch": here["epoch"], "seq": max(0, here["seq"] - 20)}
    for call in (
            ("message.get", {"channel_url": w.channel, "message_id": w.largest}),
            ("channel.get", {"channel_url": w.channel}),
            ("message.list", {"channel_url": w.channel, "prev_limit": 200}),
            ("channel.enter", {"channel_url": w.channel, "recover": recover}),
            ("channel.participants", {"channel_url": w.channel, "limit": 100}),
            ("channel.list", {"limit": 100})):
        await w.owner.ask_batch([call] * 100)


# For each method of AsyncAPI the largest calls, in an order in which they can follow one another.
CASES = {
    "session.open": opens,
    "session.ping": lambda w: w.owner.call("session.ping"),
    "session.refresh": refreshes,
    "session.background": lambda w: w.owner.call("session.background", on=False),
    "push.register": lambda w: w.owner.call(
        "push.register", type="huawei", token="t" * 4096, device_id="\U0001f600" * 128),
    "push.tokens": lambda w: w.owner.call("push.tokens"),
    "push.preferences": lambda w: w.owner.call("push.preferences", push_sound="\U0001f600" * 128, dnd_schedules=[
        {"day_of_week": day, "time_windows": [{"start_hour": 1, "end_hour": 2}] * 10} for day in (
            "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")]),
    "push.unregister": lambda w: w.owner.call("push.unregister", all=True),
    "session.close": closes,
    "user.update": lambda w: heaviest.profile(w.owner),
    "user.get": lambda w: w.owner.call("user.get", user_id=w.owner.user_id),
    "channel.create": creates_channels,
    "message.send": sends,
    "message.send_files": sends_files,
    "file.create": creates_files,
    "file.get": lambda w: w.owner.call("file.get", file_id=w.file),
    "file.list": lambda w: w.owner.call("file.list", limit=100),
    "file.cancel": lambda w: w.owner.call("file.cancel", file_id=w.file),
    "message.update": updates,
    "message.create_metaarray_keys": metaarrays,
    "message.add_metaarray_values": values,
    "message.remove_metaarray_values": removes,
    "message.get": lambda w: calls(w, "message.get", message_id=w.largest),
    "message.translate": translates,
    "message.list": lists_messages,
    "preview.fetch": fetches_previews,
    "preview.cancel": lambda w: w.owner.call("preview.cancel", fetch_id="f" * 64),
    "channel.update": changes_channel,
    "channel.get": lambda w: calls(w, "channel.get"),
    "channel.remove_operators": lambda w: operators(w, "channel.remove_operators"),
    "channel.add_operators": lambda w: operators(w, "channel.add_operators"),
    "channel.freeze": lambda w: calls(w, "channel.freeze"),
    "channel.unfreeze": lambda w: calls(w, "channel.unfreeze"),
    "channel.mute": lambda w: restricts(w, "channel.mute"),
    "channel.unmute": lambda w: releases(w, "channel.unmute"),
    "channel.ban": lambda w: restricts(w, "channel.ban"),
    "channel.unban": lambda w: releases(w, "channel.unban"),
    "channel.enter": enters,
    "channel.participants": lists_participants,
    "batch": batches,
    "channel.exit": exits,
    "channel.list": lists_channels,
    "group.create": creates_group,
    "group.update": changes_group,
    "group.get": lambda w: w.owner.call("group.get", channel_url=w.group, members_limit=100),
    "group.members": lists_members,
    "group.list": lambda w: w.owner.call("group.list", limit=100, members_limit=100),
    "group.changes": lambda w: w.owner.call("group.changes", since=int(time.time() * 1000) - 600_000),
    "message.changes": lambda w: w.owner.call(
        "message.changes", channel_url=w.channel, since=int(time.time() * 1000) - 600_000, limit=100),
    "message.report": lambda w: w.owner.call(
        "message.report", channel_url=w.channel, message_id=w.largest, category="custom", custom_category="ö" * 50,
        description="ö" * 1000),
    "user.report": lambda w: w.owner.call(
        "user.report", channel_url=w.channel, user_id=w.owner.user_id, category="spam", description="ö" * 1000),
    "channel.report": lambda w: w.owner.call("channel.report", channel_url=w.channel, category="spam"),
    "message.search": lambda w: w.owner.call("message.search", query="a", limit=100),
    "group.mark_read": reads_elsewhere,
    "group.mark_unread": lambda w: w.onlooker.call("group.mark_unread", channel_url=w.group, message_id=w.unread),
    "group.unread": lambda w: w.onlooker.call("group.unread"),
    "group.mark_delivered": delivers,
    "group.recover": recovers,
    "group.watch_totals": watches_totals,
    "group.receipts": lambda w: w.owner.call("group.receipts", channel_url=w.group),
    "group.typing": types,
    "group.hide": hides,
    "group.unhide": unhides,
    "group.set_preference": lambda w: w.onlooker.call(
        "group.set_preference", channel_url=w.group, count_preference="unread_message_count_only"),
    "group.reset_history": lambda w: w.onlooker.call("group.reset_history", channel_url=w.group),
    "user.preferences": lambda w: w.owner.call("user.preferences"),
    "user.block": blocks,
    "user.blocked": lambda w: w.owner.call("user.blocked", limit=100),
    "user.unblock": unblocks,
    "group.invite": invites,
    "group.accept": lambda w: w.owner.call("group.accept", channel_url=w.group),
    "group.decline": declines,
    "group.remove": lambda w: w.owner.call("group.remove", channel_url=w.group, user_ids=w.names[90:97]),
    "group.join": joins,
    "group.leave": leaves,
    "group.delete": lambda w: w.owner.call("group.delete", channel_url=w.group),
    "message.delete_metaarray_keys": deletes_keys,
    "message.delete": deletes_message,
    "channel.delete": deletes_channel,
}


async def previews(w, pages):
    """A message that is full but for its preview, and the largest of previews."""
    for number, character in enumerate(("\U0001f600", '&quot;', "&#1;")):
        path = f"/p{number}"
        pages.add(path, character * 1024, og__description=character * 4096,
                  og__image="https://a.example/" + "i" * 2000,
                  og__url="https://a.example/" + "u" * 2000,
                  og__image__alt=character * 4096)
        seen = w.onlooker.events["message.updated"]
        await heaviest.message(
            w.owner, w.channel, members=["data", "metaarray", "mentioned"], mentioned=w.names,
            message=f"{pages.url(path)} " + "\u0001" * 4900)
        await w.onlooker.until(
            lambda: w.onlooker.events["message.updated"] > seen, "the preview's update")


async def other_events(w):
    """What calls alone do not bring about."""
    await w.owner.until(lambda: w.owner.events["session.file_key"], "session.file_key")
    await w.server_call("PUT", f"/parley/limits/channels/{w.channel}",
                        {"throttle": {"messages": 1, "window_ms": 1000}})
    for n in range(4):
        await w.owner.call("message.send", channel_url=w.channel, message=f"{n}")
    await w.onlooker.until(lambda: w.onlooker.events["channel.throttled"], "channel.throttled")
    watcher = await Wire.connect(w.server, sizes=w.sizes)
    issued = await w.server_call("POST", "/parley/tickets", None)
    await watcher.call("session.open", ticket=issued.value["ticket"])
    await watcher.call("channel.enter", channel_url=w.channel)
    for n in range(4):
        await w.owner.call("message.send", channel_url=w.channel, message=f"{n}")
    await watcher.until(lambda: watcher.events["message.withheld"], "message.withheld")
    made = await w.owner.call("group.create", is_super=True)
    await w.owner.call("group.invite", channel_url=made["channel"]["channel_url"], user_ids=[w.onlooker.user_id])
    await w.owner.until(lambda: w.owner.events["group.member_count"], "group.member_count")
    outsider = await w.wire("outsider")
    for number, members in enumerate(ORDERS):
        # Mentions of absent users are counted by sender: each order has one of its own.
        teller = await w.wire(f"teller {number}")
        await teller.call("channel.enter", channel_url=w.channel)
        seen = outsider.events["mention.received"]
        await heaviest.message(
            teller, w.channel, members=["mentioned", *members],
            mentioned=[outsider.user_id])
        await outsider.until(
            lambda seen=seen: outsider.events["mention.received"] > seen, "mention.received")


async def measure(ctx):
    from calls import Caller
    pages = await Pages.start()
    server = await ctx.fresh(
        *UNLIMITED, "--unfurl-allow-addresses", "127.0.0.0/8", "--unfurl-allow-ports",
        str(pages.port), "--files-key-seconds", "20")
    try:
        w = await World.make(ctx, server)
        w.pages = pages
        async with Caller(server) as caller:
            w.server_call = lambda *call: caller.send(call[0], f"/v3{call[1]}", call[2])
            failures, started = {}, time.monotonic()
            for method, case in [*CASES.items(), ("previews", lambda w: previews(w, pages)),
                                 ("events", other_events)]:
                begun = time.monotonic()
                if begun - started > 100 * PATIENCE:
                    failures[method] = "not reached in time"
                    continue
                try:
                    async with asyncio.timeout(25 * PATIENCE):
                        await case(w)
                except Exception as failure:
                    failures[method] = f"{type(failure).__name__}: {failure}"[:300]
                    if not w.owner.is_open:
                        await w.return_owner()
                if os.environ.get("PARLEY_TEST_FIGURES"):
                    print(f"     {method}: {time.monotonic() - begun:.1f} s", flush=True)
        if not failures:
            await server.end()
            await eventually(lambda: _draining(w), "server.draining")
    finally:
        pages.close()
    return w.sizes, failures


async def _draining(w):
    return w.sizes.events["server.draining"]


_measured = None


async def measured(ctx):
    global _measured
    if _measured is None:
        _measured = await measure(ctx)
    return _measured


def above(sizes, limit):
    return {name: size for name, size in sorted(sizes.items()) if size > limit}


async def test_every_method_and_event_has_a_case(ctx):
    """What AsyncAPI names has a case here, and each case does what it is meant to do."""
    methods = described("receive")
    assert set(CASES) == methods, f"without a case, or without a method: {set(CASES) ^ methods}"
    sizes, failures = await measured(ctx)
    assert not failures, failures
    assert not methods - set(sizes.answers), f"never answered: {methods - set(sizes.answers)}"
    events = described("send")
    assert set(sizes.events) == events, f"not seen: {events ^ set(sizes.events)}"


async def test_the_largest_answers(ctx):
    """No answer and no batch of answers is larger than 512 KiB, whatever is filled to its end."""
    sizes, _ = await measured(ctx)
    assert not above(sizes.answers, ANSWER), above(sizes.answers, ANSWER)


async def test_the_largest_events(ctx):
    """No event is larger than 64 KiB, whatever is filled to its end, then grows."""
    sizes, _ = await measured(ctx)
    assert not above(sizes.events, EVENT), above(sizes.events, EVENT)


async def hold(memory, seconds, condition=lambda: False):
    """Waits until a condition holds, no longer than this, since what is looked at is a peak."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends and not condition():
        await asyncio.sleep(0.05)
    return memory.growth


def figure(text):
    if os.environ.get("PARLEY_TEST_FIGURES"):
        print(f"     {text}", flush=True)


async def listener(ctx, server, channel):
    """Somebody else, who is answered all the while."""
    wire = await Wire.open(server, ctx.name("other"))
    ctx.clients.append(wire)
    await wire.call("channel.enter", channel_url=channel)
    return wire


async def mentioning_world(ctx, *flags):
    """A channel of short messages that mention as many heavy users as they may."""
    server = await ctx.fresh(*UNLIMITED, *flags)
    owner = await Wire.open(server, ctx.name("owner"))
    ctx.clients.append(owner)
    heavy = await heaviest.profile(owner)
    names = [ctx.name() for _ in range(100)]
    for wire in await heaviest.crowd(server, names, heavy):
        await accepted(wire.call("user.update", metadata=heavy["metadata"]))
        await wire.close()
    channel = ctx.name("room")
    await owner.call("channel.create", channel_url=channel)
    await owner.call("channel.enter", channel_url=channel)
    most = await heaviest.longest(
        lambda n: owner.call("message.send", channel_url=channel, message="x",
                             mentioned_user_ids=names[:n]), 100)
    total = 0
    while total < 32 * MIB and owner.answered < 400:
        before = owner.bytes_read
        await owner.call("message.send", channel_url=channel, message="x",
                         mentioned_user_ids=names[:most])
        total += owner.bytes_read - before
    return server, channel, owner


async def test_a_page_of_messages(ctx):
    """Pages of messages that mention all they may cost the process no more than their bytes."""
    server, channel, owner = await mentioning_world(ctx)
    other = await listener(ctx, server, channel)
    memory = Memory(server)
    await owner.call("message.list", channel_url=channel, prev_limit=200)
    figure(f"one page: {mib(owner.sizes.answers['message.list'])}, grew {mib(memory.growth)}")
    assert memory.growth < 12 * MIB, f"one page: grew by {mib(memory.growth)}"
    size = await owner.ask_batch(
        [("message.list", {"channel_url": channel, "prev_limit": 200})] * 100)
    figure(f"a batch of 100: {mib(size)}, grew {mib(memory.growth)}")
    assert size <= ANSWER, f"a batch is answered with {mib(size)}"
    assert memory.growth < 16 * MIB, f"a batch: grew by {mib(memory.growth)}"
    await other.call("session.ping")


async def test_clients_that_do_not_read(ctx):
    """Twenty connections that ask for pages and read none hold about what may wait for each."""
    server, channel, _ = await mentioning_world(ctx)
    other = await listener(ctx, server, channel)
    name = ctx.name("deaf")
    deaf = [await Wire.open(server, name, receive_buffer=4096) for _ in range(20)]
    ctx.clients.extend(deaf)
    memory = Memory(server)
    for wire in deaf:
        wire.stop_reading()
        for _ in range(100):
            wire.fire("message.list", channel_url=channel, prev_limit=200)
    grown = await hold(memory, 5, lambda: memory.growth > 200 * MIB)
    figure(f"20 deaf connections: grew {mib(grown)}")
    assert grown < 20 * 2.5 * MIB, f"20 connections: grew by {mib(grown)}"
    await other.call("session.ping")


async def changed_world(ctx):
    """A channel whose last 300 events are changes of a message as large as may be."""
    server = await ctx.fresh(*UNLIMITED)
    owner = await Wire.open(server, ctx.name("owner"))
    ctx.clients.append(owner)
    channel = ctx.name("room")
    await owner.call("channel.create", channel_url=channel)
    await owner.call("channel.enter", channel_url=channel)
    message, _ = await heaviest.message(owner, channel, members=["metaarray", "data", "message"])
    key, number = message["sorted_metaarray"][0]["key"], message["message_id"]
    here = await owner.call("channel.enter", channel_url=channel)
    for n in range(148):
        for method in ("message.remove_metaarray_values", "message.add_metaarray_values"):
            value = message["sorted_metaarray"][0]["value"][0]
            owner.fire(method, channel_url=channel, message_id=number, values={key: [value]})
        if n % 20 == 19:
            await owner.call("session.ping")
    await owner.call("session.ping")
    now = await owner.call("channel.enter", channel_url=channel)
    figure(f"{now['seq'] - here['seq']} events, each {owner.sizes.answers['message.send']} bytes")
    return server, channel, owner, {"epoch": here["epoch"], "seq": here["seq"]}


async def test_pipelined_recoveries(ctx):
    """Recoveries one behind the other, of the largest events, for a client that does not read."""
    server, channel, _, recover = await changed_world(ctx)
    other = await listener(ctx, server, channel)
    deaf = await Wire.open(server, ctx.name("deaf"), receive_buffer=4096)
    ctx.clients.append(deaf)
    memory = Memory(server)
    deaf.stop_reading()
    for _ in range(28):
        deaf.fire("channel.enter", channel_url=channel, recover=recover)
    grown = await hold(memory, 4, lambda: memory.growth > 400 * MIB)
    figure(f"28 recoveries, unread: grew {mib(grown)}")
    assert grown < 12 * MIB, f"grew by {mib(grown)}"
    await other.call("session.ping")


async def test_a_batch_of_recoveries(ctx):
    """A hundred recoveries in a batch are answered within the budget of one answer."""
    server, channel, owner, recover = await changed_world(ctx)
    memory = Memory(server)
    asked = asyncio.create_task(owner.ask_batch(
        [("channel.enter", {"channel_url": channel, "recover": recover})] * 100))
    grown = await hold(memory, 8, lambda: asked.done() or memory.growth > 400 * MIB)
    figure(f"a batch of 100 recoveries: grew {mib(grown)}")
    assert grown < 16 * MIB, f"grew by {mib(grown)}"
    assert await asked <= ANSWER, mib(asked.result())


async def test_sends_of_ephemeral_channels(ctx):
    """What an ephemeral channel remembers of its sends is bounded in bytes."""
    server = await ctx.fresh("--limits-flood-messages", "20", "--limits-throttle-messages", "0")
    wire = await Wire.open(server, ctx.name("sender"))
    ctx.clients.append(wire)
    rooms = [ctx.name("brief") for _ in range(10)]
    for room in rooms:
        await wire.call("channel.create", channel_url=room, is_ephemeral=True)
        await wire.call("channel.enter", channel_url=room)
    _, params = await heaviest.message(
        wire, rooms[0], members=["metaarray", "data", "message"])
    memory, began = Memory(server), time.monotonic()
    sent = 0
    while time.monotonic() - began < 6 and memory.growth < 300 * MIB:
        for room in rooms:
            waiting = [wire.ask("message.send", channel_url=room, **params, req_id=f"{sent}-{n}")
                       for n in range(5)]
            sent += len(waiting)
            for part in waiting:
                async with asyncio.timeout(30 * PATIENCE):
                    await part
    await asyncio.sleep(0.5)
    figure(f"{sent} sends of {wire.sizes.answers['message.send']} bytes: holds {mib(memory.held)}")
    assert memory.held < 48 * MIB, f"{sent} sends: holds {mib(memory.held)}"


async def setting_exists(ctx, name):
    _, output, errors = await ctx.run(ctx.parleyd, "--help")
    return name.encode() in output + errors


async def test_memory_of_the_process(ctx):
    """Over limits.memory_bytes those that hold most are closed with 1013, and nobody else.

    A connection that does not take the close frame in time just ends.
    """
    assert await setting_exists(ctx, "limits.memory_bytes"), "there is no limits.memory_bytes"
    server = await ctx.fresh(
        *UNLIMITED, "--limits-memory-bytes", str(24 * MIB), "--limits-outbound-bytes",
        str(16 * MIB))
    owner = await Wire.open(server, ctx.name("owner"))
    ctx.clients.append(owner)
    channel, quiet = ctx.name("loud"), ctx.name("quiet")
    for room in (channel, quiet):
        await owner.call("channel.create", channel_url=room)
    await owner.call("channel.enter", channel_url=channel)
    others = [await listener(ctx, server, quiet) for _ in range(5)]
    deaf = []
    for _ in range(2):
        name = ctx.name("deaf")
        deaf += [await Wire.open(server, name, receive_buffer=4096) for _ in range(10)]
    ctx.clients.extend(deaf)
    for wire in deaf:
        await wire.call("channel.enter", channel_url=channel)
        wire.stop_reading()
    memory, began = Memory(server), time.monotonic()
    for n in range(300):
        await owner.call("message.send", channel_url=channel, message=f"{n}", data="d" * 16_000)
        await owner.call("message.send", channel_url=channel, message=f"{n} " + "m" * 4900,
                         data="d" * 16_000)
        if time.monotonic() - began > 15 * PATIENCE or memory.growth > 120 * MIB:
            break
    grown = memory.growth
    _, _, metrics = await server.get("/metrics")
    figure(" ".join(line for line in metrics.decode().splitlines()
                    if line.startswith("parley_held_bytes")))
    for wire in deaf:
        wire.read_on()
    for wire in others:
        await wire.call("session.ping")
    await owner.call("session.ping")
    await hold(memory, 10 * PATIENCE, lambda: any(not wire.is_open for wire in deaf))
    codes = [wire.close_code for wire in deaf if not wire.is_open]
    figure(f"{len(deaf)} deaf connections: grew {mib(grown)}, {len(codes)} closed with {set(codes)}")
    assert codes and set(codes) <= {1013, None}, codes
    assert grown < 72 * MIB, f"grew by {mib(grown)}"
    assert all(wire.is_open for wire in others)
