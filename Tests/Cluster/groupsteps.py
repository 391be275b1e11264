"""What a user with several devices and the other members do in many groups, as a seed decides."""

import asyncio
import contextlib
import random
from collections import Counter
from dataclasses import dataclass

from crowd import AWAY, is_unknown
from groupdevice import Device
from groupown import OwnSteps, passing
from grouptruth import Truth, mentions
from harness import PATIENCE, Client, Refused

GROUPS = 300
HOURS = 8
STEPS = 300
# What happens in a day, and how often.
STEPS_OF_FRIENDS = {
    "send": 30, "mention": 8, "mention_all": 4, "back_end": 8, "silent": 2, "admin": 3, "delete": 8, "edit": 8,
    "rename": 2, "remove": 2, "invite": 4}
STEPS_OF_USER = {
    "read": 14, "read_earlier": 4, "read_present": 3, "read_several": 1, "read_everything": 0.3, "unread": 5, "hide": 3,
    "archive": 2, "unhide": 3, "prefer": 3, "say": 8, "say_edit": 2, "say_delete": 2, "reset": 1,
    "answer_invitation": 4, "leave_group": 0.7, "choose": 0.5}
STEPS_OF_DEVICES = {"drop": 2, "sleep": 1, "away": 1.5, "back": 4, "reinstall": 0.5}


@dataclass(frozen=True)
class Step:
    """One thing that happens; the numbers choose the group, the message and the rest."""

    kind: str
    group: float
    which: float
    dice: float

    def of(self, choices, number=None):
        return choices[int((self.which if number is None else number) * len(choices))]


def plan(seed):
    """The steps of each hour."""
    dice = random.Random(seed)
    kinds = {**STEPS_OF_FRIENDS, **STEPS_OF_USER, **STEPS_OF_DEVICES}
    return [[
        # Most happens in few groups.
        Step(kind, dice.random() ** 3, dice.random(), dice.random())
        for kind in dice.choices(list(kinds), kinds.values(), k=STEPS)] for _ in range(HOURS)]


class Friend:
    """Another member, who makes calls over one connection to any server."""

    def __init__(self, cluster, user_id, place):
        self.cluster, self.user_id, self.place = cluster, user_id, place
        self.client, self.gate = None, asyncio.Lock()

    async def connected(self):
        async with self.gate:
            while self.client is None or self.client.closed is not None:
                servers = self.cluster.living
                if not servers:
                    await asyncio.sleep(0.1)
                    continue
                server = servers[self.place % len(servers)]
                self.place += 1
                self.client = None
                with contextlib.suppress(Refused, AssertionError, *AWAY):
                    async with asyncio.timeout(4 * PATIENCE):
                        self.client = await Client.open(server, self.user_id, groups=False)
                await asyncio.sleep(0.02)
            return self.client

    async def once(self, method, **params):
        """Calls once; None if it is not known whether the call was carried out."""
        client = await self.connected()
        try:
            async with asyncio.timeout(6 * PATIENCE):
                return await client.call(method, **params)
        except Refused as refusal:
            if is_unknown(refusal):
                return None
            raise
        except AWAY:
            client.socket.transport.abort()
            return None

    async def insist(self, method, **params):
        """Calls until it is answered for certain."""
        while True:
            with passing():
                if (answer := await self.once(method, **params)) is not None:
                    return answer
            await asyncio.sleep(0.05)

    async def leave(self):
        if self.client:
            self.client.socket.transport.abort()


class Steps(OwnSteps):
    """The groups, the people, and what is known of all that they do."""

    def __init__(self, ctx, cluster, seed):
        self.ctx, self.cluster, self.seed = ctx, cluster, seed
        self.user_id = ctx.name("ada")
        dice = random.Random(seed)
        self.friends = {name: Friend(cluster, name, number) for number, name in enumerate(
            ctx.name(stem) for stem in ("ben", "cleo", "dan", "eve", "fay"))}
        self.devices = [Device(cluster, self.user_id, name, random.Random(dice.random()))
                        for name in ("phone", "tablet", "laptop")]
        self.groups, self.number, self.dice = [], 0, dice
        self.done, self.broken = Counter(), []
        # What chaos calls its crowd.
        self.people = self.devices

    async def begin(self):
        for friend in self.friends.values():
            await friend.connected()
        names, limit = list(self.friends), asyncio.Semaphore(8)

        async def make(number):
            members = self.dice.sample(names, self.dice.choice((1, 1, 2, 3, 5)))
            url = self.ctx.name(f"group{number}")
            self.groups.append(Truth(url, members[0], members, self.user_id))
            async with limit:
                status, made = await self.cluster.servers[number % 3].api("POST", "/group_channels", {
                    "channel_url": url, "user_ids": [*members, self.user_id], "operator_ids": [members[0]],
                    "is_super": number % 40 == 7, "custom_type": ("", "work", "home")[number % 3]})
            assert status == 200, made
        await asyncio.gather(*(make(number) for number in range(GROUPS)))
        # Of each group that will be at rest, one message.
        await asyncio.gather(*(self.send(Step("send", 0, self.dice.random(), 1), group) for group in self.groups[::3]))

    async def end(self):
        for one in (*self.devices, *self.friends.values()):
            await one.leave()

    # Steps. Each takes what was acknowledged into the truth.

    async def carry_out(self, steps):
        for step in steps:
            try:
                if step.kind in STEPS_OF_DEVICES:
                    self.move(step)
                else:
                    group = self.groups[int(step.group * len(self.groups))]
                    await getattr(self, step.kind)(step, group)
                self.done[step.kind] += 1
            except ConnectionError:
                # No device is connected.
                self.done["skipped"] += 1

    def text(self):
        self.number += 1
        return f"message {self.number}"

    async def posted(self, group, sending, by=None):
        """Takes a message that is sent; a coroutine that gives the message, None if it may be stored."""
        before = group.hidden
        group.begun += 1
        try:
            message = await sending
        finally:
            group.done += 1
        if message:
            group.add(message)
        else:
            group.has_unknown = True
        if message is None or message["ordinal"]:
            # It shows the group again; what overlaps has no known order.
            is_shown = message and by != self.user_id and before == group.hidden
            if group.hidden == "hidden_allow_auto_unhide" or before == "hidden_allow_auto_unhide":
                group.hidden = "unhidden" if is_shown and before == "hidden_allow_auto_unhide" else None

    async def send(self, step, group, **params):
        friend = self.friends[step.of(group.friends)]
        text = self.text()

        async def sending():
            call = friend.once if step.dice < 0.1 else friend.insist
            with passing():
                answer = await call("message.send", channel_url=group.url, message=text, req_id=text, **params)
                return answer and answer["message"]
        await self.posted(group, sending())

    async def mention(self, step, group):
        await self.send(step, group, mentioned_user_ids=[self.user_id])

    async def mention_all(self, step, group):
        await self.send(step, group, mention_type="channel")

    async def platform(self, method, path, body):
        """The answer to a call of the Platform API; None if it may have been carried out."""
        while not (servers := self.cluster.living):
            await asyncio.sleep(0.1)
        server = self.dice.choice(servers)
        try:
            async with asyncio.timeout(12 * PATIENCE):
                status, answer = await server.api(method, path, body)
        except (EOFError, ValueError, *AWAY):
            return None
        if status >= 500:
            return None
        assert status == 200, answer
        return answer

    async def post(self, step, group, **body):
        answer = self.platform("POST", f"/group_channels/{group.url}/messages", {"message": self.text(), **body})

        async def sending():
            message = await answer
            # Its members are those of the documented API: the ordinal is read.
            return message and (await self.friends[group.operator].insist(
                "message.get", channel_url=group.url, message_id=message["message_id"]))["message"]
        await self.posted(group, sending())

    async def back_end(self, step, group):
        mention = {"mention_type": "users", "mentioned_user_ids": [self.user_id]} if step.dice < 0.3 else {}
        await self.post(step, group, message_type="MESG", user_id=step.of(group.friends), **mention)

    async def silent(self, step, group):
        await self.post(step, group, message_type="MESG", user_id=group.operator, is_silent=True)

    async def admin(self, step, group):
        await self.post(step, group, message_type="ADMM", mention_type="channel" if step.dice < 0.5 else "users")

    async def delete(self, step, group):
        if known := group.countable():
            sent = step.of(known[-12:])
            sent.is_deleted = None
            with passing():
                if await self.friends[group.operator].once(
                        "message.delete", channel_url=group.url, message_id=sent.identity) is not None:
                    sent.is_deleted = True
                return
            sent.is_deleted = False

    async def edit(self, step, group):
        known = [sent for sent in group.countable() if sent.sender in self.friends]
        if known:
            sent = step.of(known[-12:])
            sent.edits += 1
            was_known, edits, sent.mentions = sent.mentions is not None, sent.edits, None
            changes = step.of([
                {"mention_type": "channel"}, {"mention_type": "users", "mentioned_user_ids": [self.user_id]},
                {"mention_type": "users", "mentioned_user_ids": []}], step.dice)
            with passing(400201):
                answer = await self.friends[sent.sender].once(
                    "message.update", channel_url=group.url, message_id=sent.identity, **changes)
                # Edits that run at the same time have no known order.
                if answer and was_known and edits == sent.edits:
                    sent.mentions = mentions(answer["message"], self.user_id)

    async def rename(self, step, group):
        with passing():
            await self.friends[group.operator].once("group.update", channel_url=group.url, name=self.text())

    async def remove(self, step, group):
        async with group.own:
            if group.state in ("joined", "invited"):
                with passing():
                    group.note("removing")
                    answer = await self.friends[group.operator].once(
                        "group.remove", channel_url=group.url, user_ids=[self.user_id])
                    group.left()
                    if answer is None:
                        group.unsure("state", "position", "floor")

    async def invite(self, step, group):
        gone = [other for other in self.groups if other.state == "none"]
        if not gone:
            return
        group = step.of(gone)
        async with group.own:
            if group.state != "none":
                return
            still = group.still()
            with passing():
                answer = await self.friends[group.operator].once(
                    "group.invite", channel_url=group.url, user_ids=[self.user_id])
                if answer is None:
                    return group.unsure("state", "position", "floor", "hidden", "preference")
                if self.user_id in answer["joined"]:
                    group.joined(answer["channel"]["last_ordinal"], still)
                elif self.user_id in answer["invited"]:
                    group.note("invited")
                    group.state = "invited"
                else:
                    self.broken.append(f"{group.url}: an invitation is skipped: {answer}")

    # Devices.

    def move(self, step):
        device = step.of(self.devices)
        if step.kind == "drop":
            device.hang_up()
        elif step.kind == "sleep":
            device.sleep()
        elif step.kind == "away":
            device.go_away()
        else:
            device.wake()
            device.come_back(forgets=step.kind == "reinstall")
