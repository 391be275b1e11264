"""Inflicts random faults on a cluster under load, one after the other and several at once, and holds the rules of every
channel against all that its clients asked for and were shown. A seed decides the faults: the same seed inflicts
the same ones. Servers that end are replaced, as by a supervisor.
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import signal
import statistics
import sys
import time
from collections import deque

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "Outside"))

import faults  # noqa: E402
import schemas  # noqa: E402
from cluster import ClusterContext  # noqa: E402
from crowd import AWAY, FLAGS, Crowd  # noqa: E402
from harness import PATIENCE, Skipped  # noqa: E402

# How long everything may take to be well again when the last fault of a round is mended.
RECOVERY = 30 * PATIENCE
# A round that takes longer to be well leaves what servers logged.
SLOW = 5 * PATIENCE


class Broken(Exception):
    """Rules that do not hold."""


class Site:
    """The cluster and what is under way against it."""

    def __init__(self, ctx, cluster, crowd):
        self.ctx, self.cluster, self.crowd = ctx, cluster, crowd
        self.size = len(cluster.servers)
        self.time = time.monotonic
        self.hurt = []
        self.expected = {}
        self.locks = {"redis": asyncio.Lock(), "postgresql": asyncio.Lock()}
        self.ended = []
        self.starting = 0
        self.log = []
        self.keeping = asyncio.ensure_future(self._keep())

    async def _keep(self):
        """Starts a server in place of each that has ended."""
        while True:
            await asyncio.sleep(0.2)
            for server in [s for s in self.cluster.servers if s.process.returncode is not None]:
                self.cluster.servers.remove(server)
                self.ended.append((server, server.process.returncode))
                self.log.append(server)
                for wire in filter(None, (server.store_wire, server.bus_wire)):
                    await wire.close()
            while len(self.cluster.servers) + self.starting < self.size:
                self.starting += 1
                asyncio.ensure_future(self._replace())

    async def _replace(self):
        # As a supervisor does, after a second, and again when the start fails.
        try:
            await asyncio.sleep(1)
            with contextlib.suppress(AssertionError, OSError, TimeoutError):
                await self.join()
        finally:
            self.starting -= 1

    async def join(self):
        server = await self.cluster.add(*FLAGS)
        server.lines = deque(server.lines, maxlen=50_000)
        return server

    def may_end(self, server, code):
        self.expected.setdefault(server, set()).add(code)

    @contextlib.asynccontextmanager
    async def damaged(self, fault):
        """A server that nothing else is wrong with, if there is one."""
        living = self.cluster.living
        while not living:
            await asyncio.sleep(0.1)
            living = self.cluster.living
        whole = [server for server in living if server not in self.hurt] or living
        server = whole[fault.choice % len(whole)]
        self.hurt.append(server)
        try:
            yield server
        finally:
            self.hurt.remove(server)

    @contextlib.asynccontextmanager
    async def alone(self, backend):
        async with self.locks[backend]:
            yield

    async def query(self, sql):
        with contextlib.suppress(AssertionError):
            await self.ctx.postgresql.query(self.cluster.database, sql)

    async def close(self):
        self.keeping.cancel()
        await asyncio.gather(self.keeping, return_exceptions=True)


class Run:
    """The rounds of one seed."""

    def __init__(self, options, ctx):
        self.options, self.ctx = options, ctx
        self.site = self.crowd = None
        self.done = 0
        # Of each kind, when it was alone: the longest pause of a channel and the longest call.
        self.pauses = {}
        self.counts = {}
        self.failures, self.well_after, self.was_slow = [], 0.0, False

    async def go(self, rounds):
        cluster = await self.ctx.cluster(self.options.servers, *FLAGS)
        self.crowd = Crowd(self.ctx, cluster)
        await self.crowd.gather()
        self.site = Site(self.ctx, cluster, self.crowd)
        for server in cluster.servers:
            server.lines = deque(server.lines, maxlen=50_000)
        began = time.monotonic()
        try:
            for number, planned in enumerate(rounds, 1):
                if self.options.duration and time.monotonic() - began > self.options.duration:
                    break
                try:
                    await self.round(number, planned, len(rounds))
                except Broken as failure:
                    self.failures.append(f"round {number}: {failure}")
                    self.keep(f"round-{number}")
                    if not self.options.keep_going:
                        raise
                    print(f"FAILED: {failure}", flush=True)
                    self.crowd.forgive()
            if self.failures:
                raise Broken(f"{len(self.failures)} rounds failed")
        finally:
            await self.site.close()
            await self.crowd.leave()

    async def round(self, number, planned, total):
        began = time.monotonic()
        print(f"round {number}/{total}  {', '.join(map(str, planned)):60} ", end="", flush=True)
        self.crowd.begin_round()
        self.site.ended, self.was_slow = [], False
        under_way = []
        for fault in planned:
            under_way.append(asyncio.ensure_future(
                faults.KINDS[fault.kind].inflict(self.site, fault)))
            self.counts[fault.kind] = self.counts.get(fault.kind, 0) + 1
            await asyncio.sleep(fault.pause)
        await asyncio.gather(*under_way)
        healed = time.monotonic()
        await self.recover(healed)
        self.check_ends(planned)
        if self.was_slow:
            print(f"[see {self.keep(f'round-{number}')}] ", end="", flush=True)
        self.done += len(planned)
        pause, call = self.crowd.longest_gap, self.crowd.longest_call
        name = planned[0].kind if len(planned) == 1 else "several at once"
        self.pauses.setdefault(name, []).append((pause, call, self.well_after))
        print(f"pause {pause:4.1f} s  call {call:4.1f} s  whole after {self.well_after:4.1f} s  ok "
              f"({time.monotonic() - began:.0f} s)", flush=True)

    async def recover(self, healed):
        """Waits until everything is well, then holds the rules; a reason that lasts is a broken one."""
        await self.settle(self.unwell, "servers are not whole")
        await self.settle(lambda: self.silent(healed), "channels are silent")
        self.well_after = time.monotonic() - healed
        self.crowd.gate.clear()
        await self.settle(self.busy, "calls are not answered")
        marks = {}
        for ledger in self.crowd.ledgers:
            await self.settle(lambda ledger=ledger: self.unmarked(ledger, marks), "no mark")
        await self.settle(self.broken, "rules do not hold")
        for ledger in self.crowd.ledgers:
            ledger.settle()

    async def settle(self, reasons, what):
        """Waits until a coroutine function gives no reasons."""
        began = time.monotonic()
        end = began + RECOVERY
        told = SLOW
        while found := await reasons() or self.final():
            if time.monotonic() - began > told:
                told *= 2
                self.was_slow = True
                print(f"[{what} for {time.monotonic() - began:.0f} s: {found[0]}] ", end="",
                      flush=True)
            if final := self.final():
                raise Broken("rules do not hold:\n  " + "\n  ".join(final[:30]))
            if time.monotonic() > end:
                raise Broken(f"{what}:\n  " + "\n  ".join(found[:30]))
            await asyncio.sleep(0.1)

    def final(self):
        """What is wrong whatever comes."""
        return [*self.crowd.failed(), *(
            sentence for ledger in self.crowd.ledgers for sentence in ledger.broken)]

    async def unwell(self):
        """Servers that are missing, not ready, or see others than there are."""
        site, size = self.site, self.options.servers
        living = site.cluster.living
        found = []
        if len(living) != size or site.starting:
            found.append(f"{len(living)} of {size} servers live")
        for server in living:
            try:
                states = [s["state"] for s in (await server.cluster_status())["servers"]]
                if states.count("live") != size or not await server.is_ready():
                    found.append(f"{server.name} sees {states}, ready {await server.is_ready()}")
            except (*AWAY, AssertionError, EOFError, ValueError) as failure:
                found.append(f"{server.name}: {failure!r}")
        return found

    async def silent(self, since):
        times = self.crowd.acknowledgements
        return [f"nothing was acknowledged in {ledger.channel} since the last fault was mended"
                for ledger in self.crowd.ledgers if times.get(ledger.channel, 0) < since]

    async def busy(self):
        now = time.monotonic()
        outside = [f"{person.user_id} is not in {person.channel}: {person.doing}"
                   for person in self.crowd.people if not person.is_in]
        return outside + [f"{what}: {now - began:.1f} s"
                          for what, began in self.crowd.under_way.values()]

    async def unmarked(self, ledger, marks):
        """Changes the channel, which everyone in it is shown whatever is withheld."""
        servers = self.site.cluster.living
        with contextlib.suppress(*AWAY, EOFError, ValueError):
            mark = f"mark {time.monotonic()}"
            status, answer = await random.choice(servers).api(
                "PUT", f"/open_channels/{ledger.channel}", {"data": mark})
            if status == 200:
                marks[ledger.channel] = mark
                return []
            return [f"{ledger.channel}: {answer}"]
        return ["no answer"]

    async def broken(self):
        found = []
        for ledger in self.crowd.ledgers:
            try:
                ledger.news(await self.listed(ledger))
                found += await self.absent(ledger)
            except (*AWAY, AssertionError, EOFError, ValueError) as failure:
                found.append(f"{ledger.channel}: {failure!r}")
            found += [f"{person.user_id} at {person.stay.position} is behind {ledger.last}"
                      for person in self.crowd.people
                      if person.ledger is ledger and person.stay.position < ledger.last]
            found += ledger.problems()
        return found

    async def listed(self, ledger):
        """The messages since the last one listed."""
        found = []
        last = ledger.latest[0]
        server = random.choice(self.site.cluster.living)
        while True:
            place = {"message_id": last, "include": "false"} if last else {"message_ts": 0}
            status, page = await server.api(
                "GET", f"/open_channels/{ledger.channel}/messages", prev_limit=0, next_limit=200,
                **place)
            assert status == 200, page
            found += page["messages"]
            if not page["messages"]:
                return found
            last = found[-1]["message_id"]

    async def absent(self, ledger):
        """Differences between the people in a channel and its participants, on each server."""
        inside = {person.user_id for person in self.crowd.people if person.ledger is ledger}
        found = []
        for server in self.site.cluster.living:
            status, page = await server.api(
                "GET", f"/open_channels/{ledger.channel}/participants", limit=100)
            _, view = await server.api("GET", f"/open_channels/{ledger.channel}")
            names = {user["user_id"] for user in page.get("participants", [])}
            if names != inside or view.get("participant_count") != len(inside):
                found.append(f"{ledger.channel}: {server.name} counts {view.get('participant_count')} "
                             f"of {len(inside)}; wrongly in {names - inside}, "
                             f"missing {inside - names}")
        return found

    def check_ends(self, planned):
        """How servers and connections ended."""
        quiet = not any(faults.KINDS[fault.kind].closes for fault in planned)
        for server, code in self.site.ended:
            expected = self.site.expected.get(server, set())
            if code not in expected:
                raise Broken(f"{server.name} ended with {code}: {list(server.lines)[-5:]}")
            if quiet:
                raise Broken(f"{server.name} ended with {code}, and nothing was done to it")
        closed = [(person.user_id, person.closed_by_servers) for person in self.crowd.people
                  if person.closed_by_servers]
        if quiet and closed:
            raise Broken(f"connections were closed: {closed}")
        deviations = schemas.taken_deviations()
        if deviations:
            raise Broken(f"not as described: {deviations[:3]}")

    def table(self):
        lines = [f"{'fault':18}{'times':>6}{'alone':>6}   longest pause (median)   longest call   "
                 "whole after at most"]
        for name in sorted({*self.counts, *self.pauses}):
            alone = self.pauses.get(name, [])
            times = self.counts.get(name, len(alone))
            line = f"{name:18}{times:6}{len(alone):6}"
            if alone:
                pauses, calls, waits = zip(*alone)
                line += (f"   {max(pauses):9.1f} s ({statistics.median(pauses):4.1f} s)"
                         f"   {max(calls):10.1f} s   {max(waits):17.1f} s")
            lines.append(line)
        return "\n".join(lines)

    @property
    def folder(self):
        return self.options.keep or os.path.join(".build", "chaos", str(self.options.seed))

    def keep(self, name):
        """Writes the log lines of all servers and what clients were shown; the folder."""
        folder = os.path.join(self.folder, name)
        os.makedirs(folder, exist_ok=True)
        for server in [*self.site.log, *self.site.cluster.servers]:
            path = os.path.join(folder, server.name.replace(" ", "-") + ".log")
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(line + "\n" for line in server.lines)
        for ledger in self.crowd.ledgers:
            with open(os.path.join(folder, ledger.channel + ".json"), "w", encoding="utf-8") as file:
                json.dump({"events": {seq: vars(event) for seq, event in sorted(
                    ledger.events.items())}, "stays": [
                        {**vars(stay), "seen": sorted(stay.seen)} for stay in ledger.stays]},
                    file, default=list, indent=1)
        return folder


def duration(text):
    return float(text[:-1]) * {"s": 1, "m": 60, "h": 3600}[text[-1]]


def parsed():
    kinds = "\n".join(f"  {name:16} {made.sentence}" + (f" ({made.bus})" if made.bus else "")
                      for name, made in faults.KINDS.items())
    parser = argparse.ArgumentParser(
        prog="Scripts/chaos", description=__doc__, epilog=f"kinds of faults:\n{kinds}",
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, help="which faults; a random one by default")
    parser.add_argument("--faults", type=int, default=100, help="how many; 100 by default")
    parser.add_argument("--duration", type=duration,
                        help="begin no fault after this time, as 90s, 10m or 1h")
    parser.add_argument("--bus", choices=["redis", "postgresql"], default="redis")
    parser.add_argument("--servers", type=int, default=3, help="3 by default")
    parser.add_argument("--only", default="", help="kinds of faults, separated by commas")
    parser.add_argument("--rounds", help="of the seed's rounds these alone, as 7 or 3-9")
    parser.add_argument("--keep-going", action="store_true",
                        help="go on after a round that failed; a rule may then be broken again by what was "
                             "broken before")
    parser.add_argument("--keep", help="a folder for the servers' log lines")
    parser.add_argument("--log-level", default="info", help="of the servers; info by default")
    parser.add_argument("--parleyd", required=True, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.only = [name for name in options.only.split(",") if name]
    for name in options.only:
        if name not in faults.KINDS:
            parser.error(f"there is no kind of fault {name}")
    if options.seed is None:
        options.seed = random.randrange(1 << 31)
    return options


async def main(options):
    rounds = faults.plan(options.seed, options.faults, options.bus, options.only)
    if options.rounds:
        first, _, last = options.rounds.partition("-")
        rounds = rounds[int(first) - 1:int(last or first)]
    again = (f"Scripts/chaos --seed {options.seed} --bus {options.bus} --faults {options.faults} "
             f"--servers {options.servers}")
    if options.only:
        again += f" --only {','.join(options.only)}"
    print(f"seed {options.seed}: {sum(map(len, rounds))} faults in {len(rounds)} rounds on "
          f"{options.servers} servers over {options.bus}", flush=True)
    task = asyncio.current_task()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    context = ClusterContext([os.path.abspath(options.parleyd), "", ""], options.bus, False)
    context.always = ["--log-level", options.log_level]
    run = Run(options, context)
    status = 0
    try:
        await context.begin()
        await run.go(rounds)
        print(f"All rules hold after {run.done} faults and {run.crowd.sent} messages.")
    except asyncio.CancelledError:
        print(f"\nEnded after {run.done} faults; until then all rules held.")
        status = 130
    except Skipped as missing:
        print(f"Not run: {missing}.")
        status = 77
    except Exception as failure:
        print(f"\nFAILED after {run.done} faults: {type(failure).__name__}: {failure}\n"
              f"Once more: {again}")
        status = 1
        if run.failures:
            print(f"What servers logged and clients were shown: {run.folder}")
        elif run.site:
            print(f"What servers logged and clients were shown: {run.keep('end')}")
    finally:
        if run.pauses:
            print(run.table())
        await context.tidy()
        await context.close()
    return status


if __name__ == "__main__":
    try:
        sys.exit(asyncio.run(main(parsed())))
    except KeyboardInterrupt:
        sys.exit(130)
