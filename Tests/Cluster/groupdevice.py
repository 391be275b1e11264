"""A device of a user with many groups, which knows nothing but what is documented for clients."""

import asyncio
import contextlib

from crowd import AWAY, PASSING, is_unknown
from groupcatchup import CatchingUp
from groupcounts import View, clock
from harness import PATIENCE, Client, Refused


class Line(Client):
    """A connection whose values are used in the order in which they came, answers among events."""

    def __init__(self, socket):
        self.device, self.uses = None, {}
        super().__init__(socket)

    def _tell(self):
        super()._tell()
        for value in self.inbox:
            try:
                self._use(value)
            except Exception as failure:
                self.device.broken.append(f"{self.device.name}: {failure!r} on {str(value)[:300]}")
                raise
        # A connection that lasts would keep everything.
        for kept in (self.inbox, self.events, self.raw):
            kept.clear()

    def _use(self, value):
        if "method" in value:
            self.device.take(value["method"], value["params"])
        elif (use := self.uses.pop(value.get("id"), None)) and "result" in value:
            use(value["result"])

    async def ask_and_use(self, method, use, params):
        """Calls, and uses the answer before anything that comes after it."""
        number = next(self.numbers)
        self.answers[number] = waiting = asyncio.get_running_loop().create_future()
        self.uses[number] = use
        await self.write({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return await self.result(waiting)


class Device(CatchingUp):
    """One device: connects to any server, counts by itself, goes away and comes back."""

    def __init__(self, cluster, user_id, name, dice):
        self.cluster, self.user_id, self.name, self.dice = cluster, user_id, name, dice
        self.place = dice.randrange(1000)
        self.line, self.views, self.totals = None, {}, None
        self.token, self.ready_token = None, None
        # What is wrong whatever comes.
        self.broken = []
        self.is_wanted, self.is_settled, self.is_asleep, self.doing = True, False, False, "nothing yet"
        self.changes, self.tasks = asyncio.Event(), set()
        # Of this connection: events by group and number, groups whose membership has ended, and those with an event
        # for each list that is being read.
        self.passed, self.ended, self.noticed = {}, set(), []
        self.stays = self.recovered = self.reread = 0
        # The last steps, for the report of a failure.
        self.trace = []
        self.running = asyncio.ensure_future(self._run())

    # Coming and going.

    async def _run(self):
        while True:
            servers = self.cluster.living
            if not self.is_wanted or not servers:
                self.doing = "away"
                await asyncio.sleep(0.02)
                continue
            server = servers[self.place % len(servers)]
            self.place += 1
            self.passed, self.ended, self.noticed, self.ready_token = {}, set(), [], None
            watching = None
            try:
                async with asyncio.timeout(10 * PATIENCE):
                    self.doing = f"opening a session on {server.name}"
                    self.note(self.doing)
                    self.line = await Line.connect(server)
                    self.line.device = self
                    await self.line.call("session.open", user_id=self.user_id)
                    self.doing = f"waiting for group.ready on {server.name}"
                    await self.line.until(lambda: self.ready_token, "group.ready")
                self.stays += 1
                watching = asyncio.ensure_future(self._watch(self.line))
                await asyncio.wait([self.line.reading])
            except (Refused, AssertionError, *AWAY):
                pass
            except Exception as failure:
                self.broken.append(f"{self.name}: {failure!r}")
                raise
            finally:
                self.is_settled, self.is_asleep, self.totals = False, False, None
                for task in [*self.tasks, *([watching] if watching else [])]:
                    task.cancel()
                for view in self.views.values():
                    view.is_held, view.is_fresh, view.kept = True, False, []
                if line := self.line:
                    self.note(f"closed with {line.closed}")
                    self.line = None
                    line.socket.transport.abort()
            await asyncio.sleep(0.05)

    async def _watch(self, line):
        """Hangs up when the server does: it closes nothing then."""
        with contextlib.suppress(*AWAY, Refused):
            while True:
                await asyncio.sleep(1)
                if not self.is_asleep:
                    async with asyncio.timeout(4 * PATIENCE):
                        await line.call("session.ping")
        self.hang_up()

    def hang_up(self):
        """Ends the connection without a word, as a phone whose network is gone."""
        if self.line:
            self.line.socket.transport.abort()

    def go_away(self):
        self.is_wanted = False
        self.hang_up()

    def come_back(self, forgets=False):
        """Comes back; a client that was installed again knows nothing."""
        if forgets and self.line is None:
            self.token, self.views = None, {}
        self.is_wanted = True

    def sleep(self):
        """Reads nothing, with the connection open."""
        if self.line:
            self.is_asleep = True
            self.line.socket.transport.pause_reading()

    def wake(self):
        if self.line and self.is_asleep:
            self.is_asleep = False
            self.line.socket.transport.resume_reading()

    async def leave(self):
        self.is_wanted = False
        self.running.cancel()
        await asyncio.gather(self.running, return_exceptions=True)

    # Calls.

    async def call(self, method, use=None, **params):
        """Calls until it is answered for certain; a connection that ends, ends this too."""
        line = self.line
        while True:
            if line is None or line is not self.line:
                raise ConnectionError("gone")
            try:
                async with asyncio.timeout(12 * PATIENCE):
                    return await line.ask_and_use(method, use, params)
            except Refused as refusal:
                if refusal.code not in PASSING or refusal.code == 900020:
                    raise
                await asyncio.sleep((refusal.data or {}).get("retry_after_ms", 50) / 1000)
            except TimeoutError:
                self.hang_up()
                raise

    async def change(self, method, url, **params):
        """Calls once: the answer; None if it is not known whether the call was carried out."""
        line = self.line
        if line is None:
            raise ConnectionError("gone")

        def use(result):
            if method == "message.send":
                self._arrive(url, "own", {"seq": result["seq"], "message": result["message"]})
            elif "channel" in result and result["channel"].get("my"):
                self._arrive(url, "answer", result)
            elif "my" in result:
                self._arrive(url, "answer", {"my": result["my"]})
        try:
            async with asyncio.timeout(12 * PATIENCE):
                return await line.ask_and_use(method, use, {"channel_url": url, **params})
        except Refused as refusal:
            if is_unknown(refusal):
                return None
            raise
        except AWAY:
            return None

    # Events.

    def take(self, method, params):
        url = params.get("channel_url")
        if method == "group.ready":
            self.ready_token = params["token"]
            self.note("group.ready")
            self.is_settled = False
            for view in self.views.values():
                view.is_held = True
            if not any(task.get_name() == "catching up" for task in self.tasks):
                self._begin(self._catch_up(), "catching up")
        elif method == "group.totals":
            self.totals = params
        elif url is not None:
            self._check(url, method, params)
            for urls in self.noticed:
                urls.add(url)
            self._arrive(url, method, params)
        self._tell()

    def _check(self, url, method, params):
        """Holds the order of one connection: each event once, nothing after the end of the membership."""
        if method == "group.lost":
            self.ended.add(url)
            self.passed.pop(url, None)
            return
        if url in self.ended:
            if method not in ("group.invited", "group.joined"):
                self.broken.append(f"{self.name}: {method} after group.lost of {url}: {params}")
            self.ended.discard(url)
        seq = params.get("seq")
        if seq is None or method == "message.updated":
            return
        last = self.passed.get(url, 0)
        if seq <= last:
            self.broken.append(f"{self.name}: {method} {seq} of {url} after {last} on one connection")
        self.passed[url] = max(last, seq)

    def _arrive(self, url, method, params):
        view = self.views.get(url)
        if method == "group.lost":
            self.views.pop(url, None)
        elif view is None:
            view = self.views[url] = View(self.user_id)
            view.doubt = "new"
            view.kept.append((method, params))
            if self.is_settled:
                self._restore([url])
        elif view.is_held:
            view.kept.append((method, params))
        elif view.is_joined and params.get("seq") and self._has_gap(view, method, params["seq"]):
            view.kept.append((method, params))
            view.note("gap", params)
            self._restore([url], [url])
        else:
            self._apply(view, url, method, params)

    def _has_gap(self, view, method, seq):
        return method != "answer" and seq > view.seq + 1

    def _apply(self, view, url, method, params):
        seq = params.get("seq")
        is_news = seq is None or seq > view.seq
        counts = view.counts
        if method == "answer":
            if "channel" in params:
                if self._change_state(view, params["channel"]):
                    view.is_fresh = False
                else:
                    view.take(params["channel"])
            else:
                view.take_own(params["my"], method)
            return
        if method in ("group.unread", "group.hidden", "group.unhidden"):
            return view.take_own(params["my"], method)
        if method == "own":
            # It may have been recovered before the answer came.
            view.list(params["message"])
            counts.answered(params["message"])
        elif method == "message.updated":
            # Comes late where it was held back.
            if seq > view.counted_seq:
                counts.updated(params["message"], params.get("former_mentions"))
        elif not is_news:
            return
        elif method == "message.received":
            view.show(params["message"])
            counts.received(params["message"])
        elif method == "message.deleted":
            # One that a server has read from the log lacks what is needed, and group.ready follows.
            if "ordinal" in params and seq > view.counted_seq:
                counts.deleted(params)
        elif method == "group.joined" and params["user"]["user_id"] == self.user_id and not view.is_joined:
            view.doubt = "joined"
            self._restore([url])
        if seq is not None:
            view.seq = max(view.seq, seq)
        view.note(method, params)

    def _change_state(self, view, channel):
        """Begins a group once more when the user has joined it, or it is another one with this URL."""
        if view.is_known and (view.epoch, view.my["state"]) == (channel["epoch"], channel["my"]["state"]):
            return False
        view.begin(channel)
        return True

    # What the test looks at.

    def note(self, what):
        self.trace.append(f"{clock()} {what}")
        del self.trace[:-60]

    def _tell(self):
        self.changes.set()
        self.changes = asyncio.Event()

    def unquiet(self):
        """What it waits for."""
        if not self.is_settled or self.line is None:
            return [f"it is not ready: {self.doing}"]
        return [task.get_name() for task in self.tasks] + [
            f"{url} is held, {view.doubt}:\n  " + "\n  ".join(view.trace[-12:])
            for url, view in self.views.items() if view.is_held]
