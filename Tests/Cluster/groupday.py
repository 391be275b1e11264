"""A day of a user with three devices in 300 groups, on servers that fail: when it is quiet, all numbers agree."""

import asyncio
import contextlib
import os
import time

import faults
from chaos import Site
from crowd import AWAY
from groupcounts import clock
from groupsound import CALM
from groupsteps import HOURS, Friend, Steps, plan
from grouptruth import my_state
from harness import DEADLINE, Refused

# Steps that are carried out at the same time.
HANDS = 8
FAULTS = (
    "kill", "halt", "drain", "crowd-hangs-up", "bus-cut", "bus-silent", "bus-reset", "subscribers-cut", "bus-restart",
    "listeners-cut", "store-cut", "store-reset", "sessions-end")
# The members of `my` that all devices have alike.
OWN = ("state", "role", "hidden_state", "count_preference")


class DaySite(Site):
    """The servers, with the flags of groups; one that has ended is replaced."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.trace = []

    @contextlib.asynccontextmanager
    async def damaged(self, fault):
        async with super().damaged(fault) as server:
            self.trace.append(f"{clock()} {fault} of {server.name} begins")
            yield server
            self.trace.append(f"{clock()} {fault} of {server.name} ends")

    async def join(self):
        server = await self.cluster.add(*CALM)
        self.trace.append(f"{clock()} {server.name} has started")
        return server

    def unexpected(self):
        return [f"{server.name} ended with {code}: {list(server.lines)[-5:]}" for server, code in self.ended
                if code not in self.expected.get(server, ())]


class Day(Steps):
    """One day: hours of steps and faults, and what has to hold after each."""

    def __init__(self, ctx, cluster, seed):
        super().__init__(ctx, cluster, seed)
        self.site = DaySite(ctx, cluster, self)

    async def pass_hour(self, number, steps, planned):
        began, left = time.monotonic(), iter(steps)
        hands = [asyncio.ensure_future(self.carry_out(left)) for _ in range(HANDS)]
        under_way = []
        for fault in planned:
            under_way.append(asyncio.ensure_future(faults.KINDS[fault.kind].inflict(self.site, fault)))
            await asyncio.sleep(fault.pause)
        await asyncio.gather(*hands, *under_way)
        worked = time.monotonic()
        await self.agree()
        print(f"hour {number}: {', '.join(map(str, planned))}; {worked - began:.0f} s, "
              f"quiet after {time.monotonic() - worked:.1f} s")

    def keep(self, failure):
        """Leaves what is wrong, and what servers logged."""
        folder = os.path.join(".build", "groupday", f"{self.ctx.bus}-{self.seed}")
        os.makedirs(folder, exist_ok=True)
        for server in [*self.site.log, *self.cluster.servers]:
            with open(os.path.join(folder, f"{server.name.replace(' ', '-')}.log"), "w", encoding="utf-8") as file:
                file.writelines(f"{line}\n" for line in server.lines)
        with open(os.path.join(folder, "failure"), "w", encoding="utf-8") as file:
            file.write(f"{failure}\n")
            file.writelines(f"{line}\n" for device in self.devices for line in (device.name, *device.trace))
            file.writelines(f"{line}\n" for line in self.site.trace)
        print(f"What is wrong and what servers logged: {folder}")

    # What holds whenever nothing happens.

    async def agree(self):
        """Waits until every device shows the server's numbers."""
        for device in self.devices:
            device.wake()
            device.come_back()
        unsettled = await asyncio.gather(*(self.settle(device) for device in self.devices))
        broken = [*self.broken, *sum(unsettled, []), *self.site.unexpected(),
                  *(text for device in self.devices for text in device.broken)]
        assert not broken, "\n".join(broken[:20])

    async def settle(self, device):
        """What a device still shows wrongly when it has had the time."""
        found = []
        try:
            async with asyncio.timeout(DEADLINE):
                while found := device.unquiet() or await self.differences(device):
                    await asyncio.sleep(0.1)
        except TimeoutError:
            return [f"{device.name}, {device.doing}:", *found, *device.trace[-4:]]
        return []

    async def differences(self, device):
        """What a device shows that the server does not have, and the other way round."""
        try:
            listed = {channel["channel_url"]: channel for channel in await self.listed(device.call)}
            totals = await device.call("group.unread")
        except (Refused, *AWAY) as failure:
            return [f"it cannot read its groups: {failure!r}"]
        if unquiet := device.unquiet():
            return unquiet
        found = [f"{url} is {'not ' if url in listed else ''}shown" for url in listed.keys() ^ device.views.keys()]
        if found:
            found += ["\n  ".join([group.url, str(listed.get(group.url)), *group.trace])
                      for group in self.groups if group.url in listed.keys() ^ device.views.keys()]
        for url in listed.keys() & device.views.keys():
            view, my = device.views[url], listed[url]["my"]
            shown = [*view.numbers(), view.counts.last, view.counts.read, *(view.my[name] for name in OWN)]
            wanted = [my["unread_message_count"], my["unread_mention_count"], listed[url]["last_ordinal"],
                      my["read_ordinal"], *(my[name] for name in OWN)]
            if my["state"] == "invited":
                # It receives no messages.
                shown[2:4] = wanted[2:4]
            if shown != wanted:
                home = await self.cluster.home(url)
                found.append(f"{url}, at home on {home.name}, shows {shown}, not {wanted}:\n  " + "\n  ".join(
                    [*view.trace[-8:], *next(group for group in self.groups if group.url == url).trace[-8:]]))
            found += [f"{url} shows {message['message_id']} twice:\n  " + "\n  ".join(view.trace)
                      for message in view.twice]
        sums = self.sums(listed.values())
        for what, numbers in (("group.unread", totals), ("group.totals", device.totals or {})):
            numbers = {name: numbers.get(name) for name in sums}
            if numbers != sums:
                found.append(f"{what} has {numbers}, not {sums}")
        return found

    async def listed(self, call):
        channels, token = [], {}
        while True:
            page = await call("group.list", hidden_mode="all", order="chronological", limit=100, **token)
            channels += page["channels"]
            if not page["next"]:
                return channels
            token = {"token": page["next"]}

    def sums(self, channels):
        shown = [c["my"] for c in channels if c["my"]["state"] == "joined" and c["my"]["hidden_state"] == "unhidden"]
        return {
            "unread_message_count": sum(my["unread_message_count"] for my in shown),
            "unread_mention_count": sum(my["unread_mention_count"] for my in shown),
            "unread_channel_count": sum(my["unread_message_count"] > 0 for my in shown),
            "invitation_count": sum(channel["my"]["state"] == "invited" for channel in channels)}

    # What holds at the end.

    async def conclude(self):
        """Holds the groups against what was acknowledged, and what devices have shown against the groups."""
        reader, found = Friend(self.cluster, self.user_id, 0), []
        self.friends[self.user_id] = reader
        listed = {channel["channel_url"]: channel["my"] for channel in await self.listed(reader.insist)}
        limit = asyncio.Semaphore(8)

        async def look(group):
            async with limit:
                found.extend(await self.wrong(group, reader.insist, listed.get(group.url)))
        await asyncio.gather(*(look(group) for group in self.groups))
        assert not found, f"{len(found)} faults:\n" + "\n".join(found[:20])

    async def wrong(self, group, call, my):
        log = await self.messages(self.friends[group.operator].insist, group.url)
        joined = my_state(my) == "joined"
        seen = await self.messages(call, group.url) if joined else []
        found = group.problems(log, seen, my)
        if joined:
            own = (await call("group.get", channel_url=group.url, members_limit=0))["channel"]["my"]
            if own != my:
                found.append(f"{group.url}: group.get has {own}, group.list {my}")
            for other in self.devices:
                view = other.views[group.url]
                missed = [message for message in seen if message["ordinal"] > view.first
                          and message["message_id"] not in view.shown]
                if missed:
                    found.append(f"{group.url}: {other.name} has missed {[m['ordinal'] for m in missed]}:\n  "
                                 + "\n  ".join(view.trace[-20:]))
        return found

    async def messages(self, call, url):
        found, place = [], {"message_ts": 1}
        while True:
            page = await call("message.list", channel_url=url, prev_limit=0, next_limit=100, **place)
            found += page["messages"]
            if not page["has_next"]:
                return found
            place = {"message_id": page["next_from"], "include": False}


async def test_a_day_of_a_user_in_many_groups(ctx):
    """Three devices in 300 groups show what the servers have, and the servers what was acknowledged, whatever fails."""
    seed = int(os.environ.get("PARLEY_TEST_SEED", "1"))
    print(f"seed {seed} (PARLEY_TEST_SEED)")
    kinds = os.environ.get("PARLEY_TEST_FAULTS", ",".join(FAULTS)).split(",")
    only = [name for name in kinds if faults.KINDS[name].bus in (None, ctx.bus)]
    rounds = faults.plan(seed, HOURS * 3, ctx.bus, only)[:HOURS]
    cluster = await ctx.cluster(3, *CALM)
    day = Day(ctx, cluster, seed)
    began = time.monotonic()
    try:
        await day.begin()
        await day.agree()
        print(f"morning after {time.monotonic() - began:.0f} s")
        for number, (steps, planned) in enumerate(zip(plan(seed), rounds), 1):
            await day.pass_hour(number, steps, planned)
        await day.conclude()
    except AssertionError as failure:
        day.keep(failure)
        raise
    finally:
        print(f"{time.monotonic() - began:.0f} s, {dict(day.done)}; " + "; ".join(
            f"{device.name}: {device.stays} stays, {device.recovered} recovered, {device.reread} read once more"
            for device in day.devices))
        await day.site.close()
        await day.end()
