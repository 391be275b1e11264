"""Runs tests of real processes: finds the test functions of modules, and runs slices of modules side by side.

Each run.py gives its own options, modules and context in a subclass of Suite. Workers are forked when all
modules are imported, so a worker starts at once. A worker takes one slice after the other from the process that
plans, prints and counts.
"""

import argparse
import asyncio
import contextlib
import ctypes
import importlib
import inspect
import io
import json
import math
import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import time
import traceback
from collections import deque
from dataclasses import dataclass, field

import schemas
from harness import PATIENCE, Skipped, end_lasting

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, os.pardir, "Runner"))

from events import Events  # noqa: E402

# The option of prctl(2) that names the signal a process gets when its parent ends.
PR_SET_PDEATHSIG = 1
# Seconds that a worker may take to end the processes of a test, times PATIENCE.
TIDYING = 60


@dataclass
class Test:
    """One test function, with what it is run on if there are several (a bus, for instance)."""

    module: str
    name: str
    function: object
    variant: str = ""

    @property
    def identity(self):
        return f"{self.module}.{self.name}" + (f" ({self.variant})" if self.variant else "")

    @property
    def sentence(self):
        return " ".join((self.function.__doc__ or self.name).split())


@dataclass
class Outcome:
    """The end of one test: `passed`, `failed` or `skipped`, with the lines to print."""

    identity: str
    outcome: str
    text: str
    seconds: float = 0
    reason: str = ""


class Suite:
    """The options, modules and context of one run.py."""

    description = ""
    # Options without which nothing runs, though the tests can be listed.
    required = ["parleyd"]
    # Seconds that a test may take, times PATIENCE.
    limit = 180
    # Bytes printed of the message of a failure.
    longest_message = 9_000

    def add_options(self, parser):
        """Adds the options that only this suite has."""

    def modules(self, options):
        """The names of the modules that run with these options."""
        raise NotImplementedError

    def every_module(self):
        """The names of all modules; `--test` finds a test in any of them."""
        raise NotImplementedError

    def variants(self, options):
        """What each test is run on, in order."""
        return [""]

    def every_variant(self):
        """All that a test can be run on; `--test` finds a test on any of them."""
        return [""]

    def runs_on(self, test, options):
        """Whether a test runs on its variant with these options."""
        return True

    def prepared(self, options):
        """Prepares what all workers use, for the time of a with statement."""
        return contextlib.nullcontext()

    def context_key(self, test):
        """The tests of a worker with equal keys have one context in common, while none fails."""
        return test.module

    async def begin(self, options, key):
        """Makes the context of tests."""
        raise NotImplementedError

    def aim(self, context, test):
        """Adapts a context to the test that is next."""

    def notes(self, context):
        """Further lines that are printed after a failure."""
        return []

    # What runs.

    def found(self, modules, variants):
        tests = []
        for variant in variants:
            for module_name in modules:
                module = importlib.import_module(module_name)
                functions = [
                    (name, value) for name, value in vars(module).items()
                    if name.startswith("test_") and inspect.iscoroutinefunction(value)]
                functions.sort(key=lambda item: item[1].__code__.co_firstlineno)
                tests += [Test(module_name, name, value, variant) for name, value in functions]
        return tests

    def chosen(self, options):
        """The tests that run, in the order of their modules."""
        if not options.test:
            tests = self.found(self.modules(options), self.variants(options))
            return [test for test in tests
                    if options.only in test.identity and self.runs_on(test, options)]
        tests = self.found(self.every_module(), self.every_variant())
        if unknown := set(options.test) - {test.identity for test in tests}:
            sys.exit(f"There is no test {sorted(unknown)[0]!r}: see --list.")
        return [test for test in tests if test.identity in options.test and options.only in test.identity]


def slices(tests, durations, jobs):
    """Splits tests into parts of modules, the longest first: one worker is not left alone at the end."""
    known = [durations[test.identity] for test in tests if test.identity in durations]
    usual = sum(known) / len(known) if known else 1

    def weight(some):
        return sum(durations.get(test.identity, usual) for test in some)
    # With one worker a module stays whole.
    longest = weight(tests) / (4 * jobs) if jobs > 1 else math.inf
    modules = {}
    for test in tests:
        modules.setdefault((test.variant, test.module), []).append(test)
    parts = []
    for module in modules.values():
        aim = weight(module) / max(1, math.ceil(weight(module) / longest))
        part = []
        for test in module:
            # Closer to the aim without this one than with it.
            if part and weight(part) + weight([test]) / 2 > aim:
                parts.append(part)
                part = []
            part.append(test)
        parts.append(part)
    return sorted(parts, key=weight, reverse=True) if jobs > 1 else parts


# A worker's side.


class Bench:
    """The context of the tests of a worker, and what happens on it."""

    def __init__(self, suite, options):
        self.suite, self.options = suite, options
        self.context = self.key = None

    async def close(self):
        context, self.context = self.context, None
        if context:
            await context.close()

    async def end(self):
        await self.close()
        await end_lasting()

    async def aim(self, test):
        """Makes the context of a test, unless the test before had the same."""
        key = self.suite.context_key(test)
        if self.context is None or key != self.key:
            await self.close()
            self.key, self.context = key, await self.suite.begin(self.options, key)
        self.suite.aim(self.context, test)

    async def run(self, test):
        """Runs one test; its outcome."""
        began = time.monotonic()
        limit = self.suite.limit * PATIENCE
        clock = asyncio.timeout(limit)
        said = io.StringIO()
        outcome, reason, details = "passed", "", []
        try:
            with contextlib.redirect_stdout(said):
                async with clock:
                    await self.aim(test)
                    await test.function(self.context)
            deviations = schemas.taken_deviations()
            assert not deviations, f"{len(deviations)} not as described: {' | '.join(deviations[:3])}"
        except Skipped as missing:
            outcome, reason = "skipped", str(missing)
        except Exception as failure:
            gap = getattr(test.function, "known", None)
            outcome, reason, details = ("skipped", f"known: {gap}", []) if gap else (
                "failed", *self.details(failure, clock.expired() and limit))
        finally:
            if self.context:
                await self.context.tidy()
            schemas.taken_deviations()
        if outcome == "failed":
            # A failed test may leave a server or a browser behind that the next one would find.
            await self.end()
        seconds = time.monotonic() - began
        line = {
            "passed": f"ok   {test.identity}: {test.sentence} ({seconds:.1f} s)",
            "skipped": f"skip {test.identity}: {test.sentence} Not run: {reason}.",
            "failed": "\n".join([f"FAIL {test.identity}: {test.sentence}", *details]).replace("\n", "\n     "),
        }[outcome]
        return Outcome(test.identity, outcome, f"{said.getvalue()}{line}\n", seconds, reason)

    def details(self, failure, limit):
        """The first line of a failure, and the lines to print."""
        problem = f"no end after {limit:g} s" if limit else f"{type(failure).__name__}: {failure}"
        notes = self.suite.notes(self.context) if self.context else []
        return problem.split("\n")[0][:500], [
            problem[:self.suite.longest_message], f"at {place_of(failure)}", *notes]


def place_of(failure):
    """The innermost lines of the tests that a failure passed through."""
    frames = traceback.extract_tb(failure.__traceback__)
    tests = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    ours = [frame for frame in frames if os.path.abspath(frame.filename).startswith(tests)
            and frame.filename != __file__]
    return " < ".join(
        f"{os.path.basename(frame.filename)}:{frame.lineno}" for frame in reversed(ours[-5:]))


async def work(suite, options, tests, connection):
    """Runs one slice of tests after the other, which comes as their ids."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    loop.add_signal_handler(signal.SIGTERM, task.cancel)
    bench = Bench(suite, options)
    try:
        while identities := connection.recv():
            for identity in identities:
                connection.send(("began", identity))
                connection.send(("ended", await bench.run(tests[identity])))
            connection.send(("idle", None))
    finally:
        await bench.end()


def worker_main(suite, options, tests, connection, others):
    # The ends of pipes that belong to the parent: with copies of them a worker would not see it end.
    for other in others:
        other.close()
    # Processes of a worker that hangs are killed with it. A worker that outlives its parent ends.
    os.setpgid(0, 0)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with contextlib.suppress(asyncio.CancelledError, KeyboardInterrupt, EOFError, BrokenPipeError):
        asyncio.run(work(suite, options, tests, connection))
    # Processes that a test has left behind.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.killpg(0, signal.SIGTERM)


# The side of the process that plans, prints and counts.


class Report:
    """Prints outcomes, counts them, and appends events to a file."""

    def __init__(self, path):
        self.counts = dict.fromkeys(["passed", "failed", "skipped"], 0)
        self.events = Events(path)

    def began(self, identity):
        self.events.began(identity)

    def ended(self, result):
        self.counts[result.outcome] += 1
        self.events.ended(result.identity, result.outcome, result.seconds, result.reason)
        print(result.text, end="", flush=True)

    def conclude(self):
        """Prints the last line; the exit status."""
        passed, failed, skipped = self.counts.values()
        print(f"{passed} passed, {failed} failed" + (f", {skipped} not run" if skipped else ""), flush=True)
        return 1 if failed or not passed else 0


@dataclass
class Worker:
    """A process that runs tests, and what is left to it of its slice."""

    process: object
    connection: object
    left: deque = field(default_factory=deque)
    # When the test that runs began.
    since: float | None = None


class Run:
    """One run of a suite by workers."""

    def __init__(self, suite, options, tests, report):
        self.suite, self.options, self.report = suite, options, report
        durations = {}
        if options.durations and os.path.exists(options.durations):
            with open(options.durations, encoding="utf-8") as file:
                durations = json.load(file)
        self.tests = {test.identity: test for test in tests}
        self.slices = deque(slices(tests, durations, options.jobs))
        self.workers = []

    def start_worker(self):
        fork = multiprocessing.get_context("fork")
        ours, theirs = fork.Pipe()
        others = [ours, *(worker.connection for worker in self.workers)]
        sys.stdout.flush()
        process = fork.Process(
            target=worker_main, args=(self.suite, self.options, self.tests, theirs, others))
        process.start()
        theirs.close()
        self.workers.append(worker := Worker(process, ours))
        self.hand_out(worker)

    def hand_out(self, worker):
        tests = self.slices.popleft() if self.slices else []
        worker.left.extend(tests)
        worker.connection.send([test.identity for test in tests])

    def run(self):
        try:
            for _ in range(min(self.options.jobs, len(self.slices))):
                self.start_worker()
            while self.workers:
                ready = multiprocessing.connection.wait(
                    [worker.connection for worker in self.workers], timeout=1)
                for worker in [worker for worker in self.workers if worker.connection in ready]:
                    self.take(worker)
                self.look_for_hung()
        finally:
            self.end_workers()

    def take(self, worker):
        """Handles one message of a worker, or its end."""
        try:
            kind, value = worker.connection.recv()
            if kind == "idle":
                self.hand_out(worker)
        except (EOFError, ConnectionError):
            self.gone(worker)
            return
        if kind == "began":
            worker.since = time.monotonic()
            self.report.began(value)
        elif kind == "ended":
            worker.left.popleft()
            worker.since = None
            self.report.ended(value)

    def gone(self, worker, reason=""):
        """A worker has ended: with a test under way that test failed, and another worker runs the others."""
        worker.process.join(TIDYING)
        # Servers of a worker that crashed.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(worker.process.pid, signal.SIGKILL)
        self.workers.remove(worker)
        worker.connection.close()
        if not worker.left:
            return
        test = worker.left.popleft()
        reason = reason or f"the process of the tests ended with {worker.process.exitcode}"
        seconds = time.monotonic() - worker.since if worker.since else 0
        if not worker.since:
            self.report.began(test.identity)
        text = f"FAIL {test.identity}: {test.sentence}\n     {reason}\n"
        self.report.ended(Outcome(test.identity, "failed", text, seconds, reason))
        if worker.left:
            self.slices.appendleft(list(worker.left))
        if self.slices:
            self.start_worker()

    def look_for_hung(self):
        """Kills workers whose test keeps them from looking at the clock."""
        limit = self.suite.limit * PATIENCE
        for worker in self.workers[:]:
            if worker.since and time.monotonic() - worker.since > limit + TIDYING * PATIENCE:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(worker.process.pid, signal.SIGKILL)
                self.gone(worker, f"no end after {limit:g} s")

    def end_workers(self):
        for worker in self.workers:
            worker.process.terminate()
            worker.connection.close()
        for worker in self.workers:
            worker.process.join(TIDYING)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(worker.process.pid, signal.SIGKILL)


def programs_beside(options, *names):
    """The paths of the server and, unless the options name them, of other programs beside it."""
    beside = os.path.dirname(options.parleyd)
    named = [getattr(options, name.replace("-", "_")) or os.path.join(beside, name) for name in names]
    return [os.path.abspath(path) for path in [options.parleyd, *named]]


def main(suite):
    """Runs what the command line asks for; the exit status."""
    parser = argparse.ArgumentParser(
        description=suite.description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="TEXT", help="run the tests whose id contains this text")
    parser.add_argument(
        "--test", action="append", default=[], metavar="ID",
        help="run only the test with this id; may be repeated")
    parser.add_argument("--list", action="store_true", help="print the ids of the tests, and run nothing")
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="run N modules, or parts of modules, side by side; default 1")
    parser.add_argument(
        "--events", metavar="FILE", help="append one JSON object a line for each test that begins or ends")
    parser.add_argument(
        "--durations", metavar="FILE",
        help="seconds of each test id, in JSON; the longest modules begin first; default: by number of tests")
    suite.add_options(parser)
    options = parser.parse_args()
    tests = suite.chosen(options)
    if options.list:
        print("".join(f"{test.identity}\n" for test in tests), end="")
        return 0
    for name in suite.required:
        if getattr(options, name) is None:
            parser.error(f"--{name} is required")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    report = Report(options.events)
    with suite.prepared(options):
        Run(suite, options, tests, report).run()
    return report.conclude()
