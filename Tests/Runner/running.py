"""Runs the batches of a suite as processes, follows what they report, and ends those that hang."""

import contextlib
import json
import os
import re
import signal
import subprocess
import time

from outcomes import Outcome, Try
from suites import ROOT, Batch, Steps, target_of

# How often reports are looked for.
INTERVAL = 0.1
LOCATION = re.compile(r"/[^/]+\.swift:\d+:\d+$")


class Reports:
    """The reports of one process, as they come: tests that began and ended."""

    def __init__(self, path, is_serial=False):
        self.path = path
        self.is_serial = is_serial
        self.position = 0
        self.rest = b""
        # Of tests that have not ended: their issues and when they started. Issues of none have an empty id.
        self.issues = {}
        self.starts = {}
        open(path, "wb").close()

    def new(self):
        """The reports since the last call: (test, None) for one that began, else its try."""
        with open(self.path, "rb") as file:
            file.seek(self.position)
            data = file.read()
        self.position += len(data)
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            with contextlib.suppress(ValueError, KeyError, TypeError):
                yield from self.of(json.loads(line))

    def of(self, report):
        if "event" in report:
            yield from self.of_program(report)
        elif report.get("kind") == "event":
            yield from self.of_swift(report["payload"])

    @staticmethod
    def of_program(report):
        if report["event"] == "began":
            yield report["test"], None
        elif report["event"] == "ended":
            yield report["test"], Try(
                Outcome(report["outcome"]), float(report.get("seconds", 0)), report.get("reason") or "")

    def of_swift(self, payload):
        """The event stream of Swift Testing, version 0."""
        kind = payload["kind"]
        test = LOCATION.sub("", payload.get("testID") or "")
        at = payload["instant"]["absolute"]
        texts = "\n".join(message["text"] for message in payload.get("messages", []))
        if kind == "issueRecorded":
            if not payload["issue"].get("isKnown"):
                self.issues.setdefault(test, []).append(texts)
        elif kind == "testStarted" and self.is_serial:
            self.starts[test] = at
            yield test, None
        elif kind == "testCaseStarted":
            # Among others, a test that has started may wait for its turn until its first case starts. Only
            # tests with arguments report their cases.
            self.starts.setdefault(test, at)
        elif kind == "testSkipped":
            yield test, Try(Outcome.SKIPPED, 0, texts)
        elif kind == "testEnded":
            issues = self.issues.pop(test, [])
            yield test, Try(
                Outcome.FAILED if issues else Outcome.PASSED, at - self.starts.pop(test, at),
                "\n".join(issues))


class Run:
    """One batch in a process of its own."""

    def __init__(self, suite, batch, name, folder, settings):
        self.suite = suite
        self.batch = batch
        self.limit = suite.longest * settings.patience
        self.process_id = f"{target_of(batch.tests[0])} (process {name})"
        self.log = os.path.join(folder, name + ".log")
        self.reports = Reports(os.path.join(folder, name + ".events"), batch.is_serial)
        self.wanted = set(batch.tests)
        self.tries = {}
        self.begun = {}
        self.echoed = 0
        command = suite.command(batch, self.reports.path)
        self.begin(command, settings)

    def begin(self, command, settings):
        self.started = self.last = time.monotonic()
        with open(self.log, "ab") as log:
            log.write(f"$ {' '.join(command)[:2000]}\n".encode())
            log.flush()
            # In a session of its own, so that all that it has started can be ended.
            self.process = subprocess.Popen(
                command, cwd=ROOT, env={**settings.environment, **self.suite.environment},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)

    def follow(self):
        """Takes in what is new; whether the process has ended."""
        has_ended = self.process.poll() is not None
        for test, tried in self.reports.new():
            self.last = time.monotonic()
            if test not in self.wanted:
                continue
            if tried is None:
                self.begun[test] = self.last
            else:
                self.begun.pop(test, None)
                self.tries[test] = tried
        if not has_ended:
            self.end_if_hanging()
        return has_ended

    def end_if_hanging(self):
        # Without a report for so long, each test that runs has taken longer.
        if time.monotonic() - self.last > self.limit:
            reason = f"no end after {self.limit:.0f} s"
            # Of a few that are left, all others have had their turn.
            are_running = tuple(self.begun) if self.knows_running else self.left
            if self.knows_running or len(are_running) <= self.suite.width:
                for test in are_running:
                    self.fail(test, reason)
            else:
                self.blame_process(reason)
            self.end()

    @property
    def knows_running(self):
        """Whether each test is reported when it begins to run."""
        return self.suite.reports_beginnings or self.batch.is_serial

    @property
    def left(self):
        """The tests without an outcome."""
        return tuple(test for test in self.batch.tests if test not in self.tries)

    def blame_process(self, reason):
        """Remembers an end of the process of which any test that is left may be the cause."""
        self.tries[self.process_id] = Try(Outcome.FAILED, 0, reason, self.left)

    def fail(self, test, reason, suspects=()):
        seconds = time.monotonic() - self.begun.pop(test, self.last)
        self.tries[test] = Try(Outcome.FAILED, seconds, reason, suspects)

    def end(self):
        """Ends the process and all that it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def echo(self, console):
        """Prints what it has printed since the last call."""
        with open(self.log, "rb") as file:
            file.seek(self.echoed)
            data = file.read()
        whole = data[:data.rfind(b"\n") + 1]
        self.echoed += len(whole)
        if whole:
            console.line(whole.decode(errors="replace").rstrip("\n"))

    def finish(self):
        """The tests that the process has left without an outcome, to be run by another one."""
        status = self.process.wait()
        # What it started must not outlive it.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        if isinstance(self.suite, Steps):
            return self.finish_step(status)
        how = f"signal {-status}" if status < 0 else f"status {status}"
        suspects = tuple(self.begun)
        for test in suspects:
            self.fail(test, f"its process ended with {how} before it did\n{self.tail()}", suspects)
        if self.left and not self.knows_running and self.process_id not in self.tries:
            self.blame_process(f"ended with {how} before all tests did\n{self.tail()}")
        self.judge_rest(status)
        if self.left and not self.tries:
            # A process that runs nothing would do so again.
            for test in self.left:
                self.fail(test, f"the process ended with {how} and ran no test\n{self.tail()}")
        return self.left

    def judge_rest(self, status):
        """A process that fails though its tests pass has failed outside of them."""
        issues = "\n".join(sum(self.reports.issues.values(), []))
        has_failed = any(tried.outcome is Outcome.FAILED for tried in self.tries.values())
        if issues or (status != 0 and self.tries and not has_failed):
            reason = issues or f"ended with status {status} though no test failed\n{self.tail()}"
            name = target_of(self.batch.tests[0])
            self.tries[f"{name} (outside of its tests)"] = Try(Outcome.FAILED, 0, reason)

    def finish_step(self, status):
        outcome = self.suite.outcome(status)
        reason = "" if outcome is Outcome.PASSED else self.tail(4000, of_failure=True)
        self.tries[self.batch.tests[0]] = Try(outcome, time.monotonic() - self.started, reason)
        return ()

    def tail(self, size=1500, of_failure=False):
        """The end of what it printed, or what it printed of the first failure."""
        with open(self.log, "rb") as file:
            text = file.read().decode(errors="replace")
        text = text.split("\n", 1)[-1]
        found = FAILURE.search(text) if of_failure else None
        return text[found.start():][:size] if found else text[-size:].lstrip()


# The first line that says of a failure which it is, of compilers and scripts.
FAILURE = re.compile(r"^.*(?:(?:^|: )error: |^FAIL ).*$", re.M)


class Settings:
    """What all processes of a part are given."""

    def __init__(self, patience):
        self.patience = patience
        self.environment = {
            **os.environ, "PARLEY_TEST_PATIENCE": str(patience),
            # A crash must end at once, not wait for a debugger's questions.
            "SWIFT_BACKTRACE": "interactive=no,color=no"}


def run_batches(suite, batches, folder, settings, is_stopped, progress):
    """Runs batches, as many at a time as the suite has workers; the tries of all tests by their ids."""
    waiting, running, tries, count = list(batches), [], {}, 0
    try:
        while (waiting or running) and not is_stopped():
            while waiting and len(running) < suite.workers:
                count += 1
                running.append(Run(suite, waiting.pop(0), f"{count}", folder, settings))
            time.sleep(INTERVAL)
            looked_at = list(running)
            for run in looked_at:
                if run.follow():
                    running.remove(run)
                    if missing := run.finish():
                        waiting.insert(0, Batch(missing, is_serial=True))
                    tries.update(run.tries)
            progress(len(tries) + sum(len(run.tries) for run in running), looked_at)
    finally:
        for run in running:
            run.end()
    return tries
