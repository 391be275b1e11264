"""How a device learns what has happened while it was away: changes or the list, missed events, single groups."""

import asyncio
import contextlib

from crowd import AWAY
from groupcounts import View
from harness import Refused

# Groups that are read at once.
READERS = 8


class CatchingUp:
    """The steps that the documentation asks for after group.ready and after a gap, of a device."""

    def _begin(self, work, name):
        async def carry_out():
            try:
                await work
            except (Refused, AssertionError, *AWAY) as failure:
                # The next connection does it.
                self.doing = f"{name} failed: {failure!r}"
                self.hang_up()
            finally:
                self.tasks.discard(task)
                self._tell()
        task = asyncio.ensure_future(carry_out())
        task.set_name(name)
        self.tasks.add(task)

    def _restore(self, urls, behind=()):
        for url in urls:
            self.views[url].is_held = True
        self._begin(self._read_again(urls, behind), f"restoring {urls}")

    async def _catch_up(self):
        """What the documentation asks for after group.ready; once more when another one came meanwhile."""
        while True:
            token = self.ready_token
            self.doing = "catching up"
            self.note(f"catching up, with token: {self.token is not None}")
            for view in self.views.values():
                view.is_held = True
            held = dict(self.views)
            if not self.token:
                await self._read_list()
                # An invited group that has risen meanwhile is on no page, and its messages do not come.
                self.token = token
            last = await self._read_changes()
            behind = [url for url, view in self.views.items()
                      if view.is_joined and view.counted_seq > view.seq]
            doubtful = [url for url, view in self.views.items() if view.doubt]
            await self._read_again([*{*held, *self.views, *behind, *doubtful}], behind)
            await self.call("group.watch_totals", on=True)
            if token == self.ready_token:
                break
        # Both are documented: the token of the connection, and that of the last page.
        self.token = last if last and self.dice.random() < 0.5 else token
        self.is_settled = True
        self.doing = "following"
        self.note(self.doing)
        # Groups whose first event came while the last of the others were read.
        if late := [url for url, view in self.views.items() if view.doubt == "new"]:
            self._restore(late)

    async def _read_changes(self):
        """Takes what has changed since the token; the last token, none if it was too old."""
        token = self.token
        while True:
            with self._noticing() as noticed:
                page = await self.call("group.changes", lambda page: self._adopt(page["updated"], noticed), token=token)
                for url in page["deleted"]:
                    if url in noticed:
                        self._doubt(url, "overtaken")
                    else:
                        self.views.pop(url, None)
            token = page["token"]
            if not page["has_more"]:
                return token

    async def _read_list(self):
        """Takes all groups, and drops those that are not listed."""
        listed, token = set(), {}
        order = self.dice.choice(["latest_last_message", "chronological", "channel_name_alphabetical"])
        with self._noticing() as noticed:
            while True:
                page = await self.call(
                    "group.list", lambda page: self._adopt(page["channels"], noticed), hidden_mode="all", limit=100,
                    order=order, **token)
                listed |= {channel["channel_url"] for channel in page["channels"]}
                if not page["next"]:
                    break
                token = {"token": page["next"]}
            for url in [*self.views]:
                if url in noticed:
                    self._doubt(url, "overtaken")
                elif url not in listed:
                    self.views.pop(url)

    @contextlib.contextmanager
    def _noticing(self):
        urls = set()
        self.noticed.append(urls)
        try:
            yield urls
        finally:
            if urls in self.noticed:
                self.noticed = [other for other in self.noticed if other is not urls]

    def _doubt(self, url, reason):
        if view := self.views.get(url):
            view.doubt = view.doubt or reason

    def _adopt(self, channels, noticed):
        for channel in channels:
            url = channel["channel_url"]
            if url in noticed:
                # A list may be older than events that came before it.
                self._doubt(url, "overtaken")
                continue
            view = self.views.get(url)
            if view is None:
                view = self.views[url] = View(self.user_id)
            self._take_answer(view, channel)

    def _take_answer(self, view, channel):
        """Takes an answer that is newer than all events that wait about the user's own part."""
        view.kept = [event for event in view.kept if event[0] != "answer" and "my" not in event[1]]
        view.doubt = "" if self._change_state(view, channel) or view.take(channel) else "older"

    async def _read_again(self, urls, behind):
        """Recovers groups that are behind, reads those in doubt, and goes on with the events that came meanwhile."""
        await self._recover([url for url in behind if url in self.views])
        limit = asyncio.Semaphore(READERS)

        async def read(url):
            async with limit:
                await self._read(url)
        await asyncio.gather(*(read(url) for url in urls if url in self.views and self.views[url].doubt))
        for url in urls:
            view = self.views.get(url)
            if view is None or not view.is_known:
                continue
            if view.is_fresh:
                # From here on, and what was kept.
                view.is_fresh = False
                view.seq = min([view.seq, *(params["seq"] - 1 for _, params in view.kept if params.get("seq"))])
            view.is_held = False
            kept, view.kept = view.kept, []
            for event in kept:
                self._arrive(url, *event)

    async def _read(self, url):
        """Reads one group, as long as the answer is older than what was received."""
        view = self.views[url]

        def use(result):
            channel = result["channel"]
            if self.views.get(url) is not view or "my" not in channel:
                return
            self._take_answer(view, channel)
        while view.doubt and self.views.get(url) is view:
            try:
                self.reread += 1
                result = await self.call("group.get", use, channel_url=url, members_limit=0)
                if "my" not in result["channel"]:
                    self.views.pop(url, None)
            except Refused as refusal:
                if refusal.code != 400201:
                    raise
                if self.views.get(url) is view:
                    del self.views[url]

    async def _recover(self, urls):
        """Shows what was missed; numbers are read after."""
        rest = urls
        while rest:
            asked, views = rest[:100], self.views
            positions = [{"channel_url": url, "epoch": views[url].epoch, "seq": views[url].seq}
                         for url in asked if url in views and views[url].is_joined]
            if not positions:
                return
            again, incomplete = [], []

            def use(result):
                for found in result["results"]:
                    url = found["channel_url"]
                    view = views.get(url)
                    if "error" in found or view is None:
                        self._doubt(url, "lost")
                    elif found.get("reason") == "budget":
                        again.append(url)
                    else:
                        self._take_recovered(view, found, incomplete)
            await self.call("group.recover", use, channels=positions)
            for url in incomplete:
                await self._list_missed(url)
            rest = [*again, *(url for url in rest[100:] if url in self.views)]

    def _take_recovered(self, view, found, incomplete):
        self.recovered += 1
        if not found["recovered"]:
            view.doubt = "not recovered"
            if found["epoch"] == view.epoch:
                incomplete.append(found["channel_url"])
        elif found["seq"] != view.counted_seq:
            view.doubt = "recovered"
        for event in found.get("events") or []:
            method, params = event["method"], event["params"]
            if method == "message.received" and params["message"]["message_id"] in view.shown:
                if params["seq"] > view.seq:
                    view.twice.append(params["message"])
            elif method == "message.received":
                view.show(params["message"])
            view.note(f"recovered {method}", params)
        # Events that came before the answer are in it, those of before the group was known too.
        view.epoch, view.seq, view.is_fresh = found["epoch"], found["seq"], False

    async def _list_missed(self, url):
        """Lists messages after the last one that was shown."""
        view = self.views.get(url)
        place = {"message_id": max(view.shown), "include": False} if view.shown else {"message_ts": 1}
        while True:
            page = await self.call(
                "message.list", channel_url=url, prev_limit=0, next_limit=100, **place)
            for message in page["messages"]:
                view.list(message)
            if not page["has_next"]:
                return
            place = {"message_id": page["next_from"], "include": False}
