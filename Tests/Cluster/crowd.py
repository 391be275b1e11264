"""Clients that use channels in all documented ways while servers fail, and report everything to a ledger."""

import asyncio
import contextlib
import time

from cluster import MANY_CALLS, Roamer
from harness import DEADLINE, PATIENCE, Refused
from ledger import Ledger
from websockets.exceptions import ConnectionClosed, WebSocketException

# The limits hold in the squares; in the halls everything is shown to everyone.
FLAGS = MANY_CALLS
UNLIMITED = {"flood": {"messages": 0}, "throttle": {"messages": 0}}
AWAY = (OSError, TimeoutError, ConnectionClosed, WebSocketException)
# An answer after which the same may be asked again.
PASSING = {500901, 400501, 500910, 900020}
# 900050, 900041, 400750: frozen, muted, banned. 900200: flooding.
BARRED = {900050, 900041, 400750, 900200}
# Seconds in which a call of unknown outcome may still be carried out: servers keep for 10 s what they have for
# one another.
LATE = 10 + 5 * PATIENCE


def is_unknown(refusal):
    return refusal.code == 500901 and (refusal.data or {}).get("outcome") == "unknown"


class Person(Roamer):
    """A roamer whose connections are each held against the rules, and that finds out by itself when its server
    hangs."""

    rest = 0.1

    def __init__(self, crowd, user_id, ledger, first=0, is_operator=False):
        self.crowd, self.ledger, self.is_operator = crowd, ledger, is_operator
        self.stay = None
        self.heard_ms = 0
        self.is_leaving = False
        # Codes of connections that were not closed by this client.
        self.closed_by_servers = []
        # Calls of which it is not known whether they were carried out.
        self.unknown = 0
        super().__init__(crowd.cluster, user_id, ledger.channel, first)

    def _take(self, answer):
        self.stay = self.ledger.entered(
            self.user_id, answer, self.position, self.is_operator, self.stay)
        self.stay.server = self.client.server.name
        self.position = {"epoch": answer["epoch"], "seq": self.stay.position}

    def _note(self, value):
        stay, self.heard_ms = self.stay, self.crowd.now_ms()
        body = value.get("params") or value.get("result") or value
        stay.trace.append(f"{self.heard_ms:.0f} {value.get('method', 'answer')} "
                          f"{body.get('seq', '')} {str(body)[:60] if 'error' in body else ''}")
        if "method" in value:
            params = value["params"]
            if params.get("channel_url") == self.channel:
                self.ledger.shown(stay, value, self.heard_ms)
            if value["method"] == "channel.user_banned" and (
                    params["user"]["user_id"] == self.user_id):
                self.hang_up()
        else:
            result = value.get("result")
            if isinstance(result, dict) and "message" in result and "seq" in result:
                self.ledger.answered(stay, result, self.heard_ms)
        self.position["seq"] = stay.position

    async def _follow(self):
        self.is_leaving = False
        watching = asyncio.ensure_future(self._watch(self.client))
        try:
            await super()._follow()
            if not self.is_leaving:
                self.closed_by_servers.append(self.client.closed)
        finally:
            watching.cancel()
            # A notice of what was withheld comes a second after, and later from a slow server.
            self.ledger.left(self.stay, self.heard_ms - 1000 - 1000 * PATIENCE)

    async def _watch(self, client):
        """Pings, as no server that hangs closes anything."""
        with contextlib.suppress(*AWAY, Refused):
            while True:
                await asyncio.sleep(1)
                async with asyncio.timeout(4 * PATIENCE):
                    await client.call("session.ping")
        self.hang_up()

    def hang_up(self):
        """Ends the connection without a word, as a client whose network is gone."""
        self.is_leaving = True
        if self.client:
            self.client.socket.transport.abort()

    @property
    def is_in(self):
        return self.entered.is_set()

    async def once(self, method, /, **params):
        """Calls once; None if it is not known whether the call was carried out."""
        await self.entered.wait()
        try:
            async with asyncio.timeout(15 * PATIENCE):
                return await self.client.call(method, channel_url=self.channel, **params)
        except Refused as refusal:
            if is_unknown(refusal):
                return None
            raise
        except AWAY:
            return None

    async def insist(self, method, /, **params):
        """Calls until it is answered for certain; None if what it is about is not there any more."""
        while True:
            try:
                answer = await self.once(method, **params)
                if answer is not None:
                    return answer
                self.unknown += 1
            except Refused as refusal:
                if refusal.code == 400201:
                    return None
                if refusal.code not in PASSING | {400108}:
                    raise
            await asyncio.sleep(0.1)

    async def say(self, text, req_id=None):
        """Sends a message: the answer; None if it may be stored, the refusal if it is not."""
        await self.entered.wait()
        self.stay.asked.add(text)
        try:
            return await self.once("message.send", message=text, **(
                {"req_id": req_id} if req_id else {}))
        except Refused as refusal:
            if refusal.code not in PASSING | BARRED:
                raise
            return refusal


class Crowd:
    """The people of all channels, who can be made to pause."""

    def __init__(self, ctx, cluster):
        self.ctx, self.cluster = ctx, cluster
        self.people, self.ledgers, self.tasks = [], [], []
        self.gate = asyncio.Event()
        self.under_way = {}
        self.number = 0
        self.faults = []
        # Of this round: the last acknowledgement of each channel, and the longest times.
        self.acknowledgements = {}
        self.longest_gap = self.longest_call = 0.0
        self.sent = 0

    @staticmethod
    def now_ms():
        return time.time() * 1000

    # Setting up

    async def gather(self, halls=3, squares=1):
        owner = await self.ctx.user(self.cluster.servers[0])
        for place in range(halls + squares):
            is_square = place >= halls
            server = self.cluster.servers[place % len(self.cluster.servers)]
            channel = await self.cluster.channel_at(server, owner)
            if not is_square:
                status, answer = await server.api(
                    "PUT", f"/parley/limits/channels/{channel}", UNLIMITED)
                assert status == 200, answer
            ledger = Ledger(channel, has_limits=is_square)
            self.ledgers.append(ledger)
            if is_square:
                await self.fill_square(ledger, owner)
            else:
                await self.fill_hall(ledger, owner)
        await owner.leave()
        async with asyncio.timeout(DEADLINE * 4):
            await asyncio.gather(*(person.entered.wait() for person in self.people))
        self.gate.set()

    def person(self, ledger, user_id=None, **options):
        person = Person(self, user_id or self.ctx.name("person"), ledger,
                        first=len(self.people), **options)
        self.people.append(person)
        return person

    async def operator(self, ledger, owner):
        """A person who is an operator of the channel."""
        name = self.ctx.name("operator")
        await (await self.ctx.user(self.cluster.servers[0], name)).leave()
        await owner.call("channel.add_operators", channel_url=ledger.channel, user_ids=[name])
        return self.person(ledger, name, is_operator=True)

    async def fill_hall(self, ledger, owner):
        operator = await self.operator(ledger, owner)
        careful, careless, editor, victim, restless = (self.person(ledger) for _ in range(5))
        self.person(ledger, careful.user_id)
        self.start(self.sends_carefully(careful, 0.15), self.sends_carelessly(careless, 0.2),
                   self.changes(editor, 0.3), self.sends_carelessly(victim, 0.25),
                   self.moderates(operator, victim), self.posts(ledger, 0.5),
                   self.wanders(restless, 1.5))

    async def fill_square(self, ledger, owner):
        await self.operator(ledger, owner)
        loud, hasty, restless = (self.person(ledger) for _ in range(3))
        self.person(ledger)
        again = self.person(ledger, loud.user_id)
        self.start(self.sends_carelessly(loud, 0.12), self.sends_carelessly(again, 0.12),
                   self.sends_carefully(hasty, 0.15), self.wanders(restless, 2))

    def start(self, *activities):
        self.tasks += [asyncio.ensure_future(activity) for activity in activities]

    # What people do. Each step waits at the gate, and is known to be under way.

    @contextlib.asynccontextmanager
    async def step(self, what):
        await self.gate.wait()
        self.number += 1
        number = self.number
        self.under_way[number] = (what, time.monotonic())
        try:
            yield
        except Refused as refusal:
            self.faults.append(f"{what} was refused: {refusal}")
            raise
        finally:
            del self.under_way[number]

    def acknowledged(self, ledger, began, text=None, user=None):
        now = time.monotonic()
        if user:
            ledger.accepted(user, text, began, now)
        self.sent += 1
        self.longest_call = max(self.longest_call, now - began)
        last = self.acknowledgements.get(ledger.channel)
        if last is not None:
            self.longest_gap = max(self.longest_gap, now - last)
        self.acknowledgements[ledger.channel] = now

    async def sends_carefully(self, person, pause):
        """Repeats each message under one req_id until it is acknowledged."""
        number = 0
        while True:
            number += 1
            text = f"{person.user_id} {number}"
            async with self.step(text):
                began = time.monotonic()
                await self.sends_surely(person, text)
                self.acknowledged(person.ledger, began)
            await asyncio.sleep(pause)

    async def sends_surely(self, person, text):
        while not isinstance(answer := await person.say(text, req_id=text), dict):
            await asyncio.sleep(0.1)
        return answer

    async def sends_carelessly(self, person, pause):
        """Sends each message once, whatever comes of it."""
        number = 0
        stem = f"{person.user_id}.{id(person) % 9973}"
        while True:
            number += 1
            text = f"{stem} {number}"
            async with self.step(text):
                began = time.monotonic()
                answer = await person.say(text)
                if isinstance(answer, Refused):
                    person.ledger.refused[text] = f"{answer}, {began:.3f} to {time.monotonic():.3f}"
                elif answer:
                    self.acknowledged(person.ledger, began, text, person.user_id)
            await asyncio.sleep(pause)

    async def changes(self, person, pause):
        """Sends, changes what it sent twice, and deletes every third."""
        number = 0
        while True:
            number += 1
            text = f"{person.user_id} {number}"
            async with self.step(f"changes of {text}"):
                message_id = (await self.sends_surely(person, text))["message"]["message_id"]
                for edit in range(2):
                    await person.entered.wait()
                    await self.change(person, message_id, f"{text} edit {edit}")
                if number % 3 == 0:
                    person.ledger.deleted.add(message_id)
                    await person.insist("message.delete", message_id=message_id)
            await asyncio.sleep(pause)

    async def change(self, person, message_id, text):
        while True:
            await person.entered.wait()
            person.ledger.changing(person.stay, message_id, text)
            with contextlib.suppress(Refused):
                if await person.once("message.update", message_id=message_id, message=text):
                    return
            await asyncio.sleep(0.1)

    async def moderates(self, operator, victim):
        """Bans, mutes and freezes, and takes it back."""
        name, number, late = victim.user_id, 0, {}
        while True:
            number += 1
            how, who = (
                ("ban", {"user_id": name}), ("mute", {"user_id": name}), ("freeze", {}))[number % 3]
            await self.takes_back(operator, late)
            async with self.step(f"{how} in {operator.channel}"):
                unknown = operator.unknown
                await operator.insist(f"channel.{how}", **who)
                bar = operator.ledger.barred(who.get("user_id"), time.monotonic())
                if operator.unknown > unknown:
                    late[how] = who, time.monotonic() + LATE
                await asyncio.sleep(0.3)
                bar["until"] = time.monotonic()
                await operator.insist(f"channel.un{how}", **who)
            await asyncio.sleep(0.8)

    async def takes_back(self, operator, late):
        """Takes back what an earlier call did that was repeated, as long as that may be and everyone waits."""
        while late and not self.gate.is_set():
            for how, (who, until) in list(late.items()):
                await operator.insist(f"channel.un{how}", **who)
                if time.monotonic() > until:
                    del late[how]
            await asyncio.sleep(0.5)

    async def posts(self, ledger, pause):
        """Sends over the Platform API of one server after the other."""
        number, name = 0, self.people[0].user_id
        while True:
            number += 1
            text = f"api {ledger.channel} {number}"
            async with self.step(text):
                servers = self.cluster.living
                if not servers:
                    await asyncio.sleep(pause)
                    continue
                began = time.monotonic()
                with contextlib.suppress(*AWAY, EOFError, ValueError):
                    async with asyncio.timeout(15 * PATIENCE):
                        status, answer = await servers[number % len(servers)].api(
                            "POST", f"/open_channels/{ledger.channel}/messages",
                            {"message_type": "MESG", "user_id": name, "message": text})
                    if status == 200:
                        self.acknowledged(ledger, began)
                        ledger.posted(answer)
            await asyncio.sleep(pause)

    async def wanders(self, person, pause):
        """Goes to another server, and closes the connection behind it or not."""
        number = 0
        while True:
            number += 1
            async with self.step(f"{person.user_id} wanders"):
                if person.is_in:
                    if number % 2:
                        person.hang_up()
                    else:
                        person.is_leaving = True
                        with contextlib.suppress(*AWAY):
                            await asyncio.wait_for(person.client.socket.close(), 1)
            await asyncio.sleep(pause)

    # Rounds

    def begin_round(self):
        self.acknowledgements = {ledger.channel: time.monotonic() for ledger in self.ledgers}
        self.longest_gap = self.longest_call = 0.0
        for person in self.people:
            person.closed_by_servers = []
        self.gate.set()

    def failed(self):
        """What is wrong whatever comes: refusals that nothing explains, activities that ended."""
        ended = [repr(task.exception()) for task in self.tasks
                 if task.done() and not task.cancelled() and task.exception()]
        return [*self.faults, *ended]

    def forgive(self):
        """Forgets what was broken, to go on."""
        self.faults = []
        for ledger in self.ledgers:
            ledger.broken = []
            ledger.settle()
        for person in self.people:
            person.hang_up()

    async def leave(self):
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        await asyncio.gather(*(person.leave() for person in self.people))
