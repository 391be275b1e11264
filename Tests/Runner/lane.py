"""Runs parts one after the other: their tests, and each that failed once more, alone."""

import json
import os
import re
import shutil
import threading
import time

import speed
from outcomes import PartResult, Test, judge_processes
from running import Settings, run_batches
from suites import DURATIONS, Batch, ListingFailed

# More failures than these have one cause; trying each again alone would take long and say nothing new.
MOST_RETRIED = 12


class Site:
    """What all parts of a run share: where their details go, what is asked for, and who has ended."""

    def __init__(self, console, folder, only="", filtered=(), is_verbose=False, patience=speed.current):
        self.console = console
        self.folder = folder
        # Of these parts only tests with this in their id are run.
        self.only = only
        self.filtered = filtered
        self.is_verbose = is_verbose
        # Measures the factor of all limits at the start of a part.
        self.patience = patience
        self.results = {}
        self.is_stopped = threading.Event()
        self.ended = threading.Condition()
        self.durations = read_durations()

    def await_part(self, name):
        """The result of a part that another lane runs."""
        with self.ended:
            self.ended.wait_for(lambda: name in self.results or self.is_stopped.is_set())
            return self.results.get(name)

    def finish(self, result):
        with self.ended:
            self.results[result.name] = result
            self.ended.notify_all()


def read_durations():
    try:
        with open(DURATIONS, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return {}


class PartRun:
    """One part in its folder."""

    def __init__(self, part, site):
        self.part, self.site = part, site
        self.folder = os.path.join(site.folder, part.name)
        self.started = time.monotonic()
        self.result = PartResult(part.name, [])

    def run(self):
        try:
            self.try_tests()
        except ListingFailed as failure:
            self.result.problem = str(failure)
        except OSError as failure:
            self.result.problem = f"could not be run: {failure}"
        self.result.seconds = time.monotonic() - self.started
        self.site.console.progress(self.part.name, None, 0, 0)
        return self.result

    def try_tests(self):
        for name in self.part.needs:
            needed = self.site.await_part(name)
            if needed is None or not needed.is_well:
                self.result.problem = f"not run, since {name} failed"
                return
        self.started = time.monotonic()
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        suite = self.part.suite
        self.settings = Settings(self.site.patience())
        all_ids = suite.list()
        only = self.site.only if self.part.name in self.site.filtered else ""
        ids = [id_ for id_ in all_ids if only in id_]
        if not ids:
            return
        batches = suite.batches(ids, self.site.durations, is_all=len(ids) == len(all_ids))
        tries = self.run_batches(batches, self.folder, len(ids))
        tests = [Test(id_, [tried]) for id_, tried in tries.items()]
        for test in tests:
            if test.failed:
                self.keep(test)
        self.result.tests = judge_processes(tests, ids)
        # What failed outside of tests has no test that could be run again.
        failed = [test for test in self.result.failed if test.id in ids]
        if suite.is_repeatable and len(failed) <= MOST_RETRIED:
            self.retry(failed)

    def run_batches(self, batches, folder, count):
        def progress(done, running):
            self.site.console.progress(self.part.name, done, count, time.monotonic() - self.started)
            if self.site.is_verbose:
                for run in running:
                    run.echo(self.site.console)
        return run_batches(
            self.part.suite, batches, folder, self.settings, self.site.is_stopped.is_set, progress)

    def retry(self, failed):
        """Runs each test that failed once more, with nothing else of its part beside it."""
        for number, test in enumerate(failed, 1):
            folder = os.path.join(self.folder, f"again-{number}")
            os.makedirs(folder)
            tries = self.run_batches([Batch([test.id], is_serial=True)], folder, 1)
            if again := tries.get(test.id):
                test.tries.append(again)
                self.keep(test, os.path.join(folder, "1.log"))

    def keep(self, test, log=None):
        """Writes what is known of a test that failed into a file of its own."""
        name = re.sub(r"[^\w.()-]+", "_", test.id)[:150]
        test.file = os.path.join(self.folder, f"{name}.txt")
        with open(test.file, "a", encoding="utf-8") as file:
            place = "among others" if log is None else "alone"
            file.write(f"{test.id}, {place}: {test.tries[-1].outcome.value}\n{test.tries[-1].reason}\n")
            if log:
                with open(log, encoding="utf-8", errors="replace") as output:
                    shutil.copyfileobj(output, file)
            file.write("\n")


class Lane(threading.Thread):
    """Parts one after the other."""

    def __init__(self, parts, site):
        super().__init__(daemon=True)
        self.parts, self.site = parts, site

    def run(self):
        for part in self.parts:
            if self.site.is_stopped.is_set():
                return
            result = PartRun(part, self.site).run()
            self.site.console.line(described(result))
            self.site.finish(result)


def described(result):
    """The line of a part that has ended."""
    counts = []
    passed = sum(test.passed for test in result.tests)
    skipped = [test for test in result.tests if test.skipped]
    for count, what in (
            (passed, "passed"), (len(result.failed), "failed"), (len(result.unstable), "unstable"),
            (len(skipped), "not run")):
        if count:
            counts.append(f"{count:,} {what}")
    state = "passed" if result.is_well else "FAILED"
    problem = f": {result.problem.splitlines()[0][:200]}" if result.problem else ""
    return f"{state}  {result.name:<12}{result.seconds:6.0f} s  {', '.join(counts)}{problem}"
