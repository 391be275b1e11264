"""The programs that run tests, and how each is asked for a list, for all tests, and for one alone."""

import os
import re
import subprocess

from outcomes import Outcome

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir))
# How long each test took the last time, in seconds.
DURATIONS = os.path.join(ROOT, ".build", "tests", "durations.json")


class ListingFailed(Exception):
    """The program of a suite could not say which tests it has."""


def printed(command):
    """What a program prints that must succeed."""
    done = subprocess.run(
        command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        check=False)
    if done.returncode != 0:
        tail = (done.stderr.strip() or done.stdout.strip())[-2000:]
        raise ListingFailed(f"{' '.join(command[:3])} … ended with {done.returncode}: {tail}")
    return done.stdout


class Batch:
    """Tests that one process runs."""

    def __init__(self, tests, weight=1.0, is_whole=False, is_serial=False):
        self.tests = list(tests)
        self.weight = weight
        # Whether these are all tests of their types or of the suite, so that not each has to be named.
        self.is_whole = is_whole
        # Whether they run one at a time, since a process that ran several of them has not come to its end.
        self.is_serial = is_serial


class Steps:
    """Commands that run one after the other, each of them a test. The result of the same command is the same
    again, so that none is tried twice."""

    is_repeatable = False
    reports_beginnings = True
    environment = {}
    workers = 1
    # How many seconds a test may take, times the patience, before its process is ended.
    longest = 3600

    def __init__(self, steps, skipping_status=None):
        self.steps = steps
        # The exit status of a command that says why it cannot run here.
        self.skipping_status = skipping_status

    def list(self):
        return list(self.steps)

    def batches(self, tests, _durations, is_all):
        return [Batch([test]) for test in tests]

    def command(self, batch, _events):
        return self.steps[batch.tests[0]]

    def outcome(self, status):
        if status == 0:
            return Outcome.PASSED
        return Outcome.SKIPPED if status == self.skipping_status else Outcome.FAILED


class Program:
    """A suite whose program speaks the runner's options: --list, --test, --events."""

    is_repeatable = True
    reports_beginnings = True
    environment = {}
    workers = 1

    def __init__(self, *command, jobs=None, longest=400):
        self.words = list(command)
        self.jobs = jobs
        self.longest = longest

    def list(self):
        return printed([*self.words, "--list"]).splitlines()

    def batches(self, tests, _durations, is_all):
        return [Batch(tests, is_whole=is_all)]

    def command(self, batch, events):
        words = [*self.words, "--events", events]
        if self.jobs and len(batch.tests) > 1:
            words += ["--jobs", str(self.jobs)]
            if os.path.exists(DURATIONS):
                words += ["--durations", DURATIONS]
        if not batch.is_whole:
            for test in batch.tests:
                words += ["--test", test]
        return words


class SwiftTests:
    """The tests of all Swift targets, which are one program.

    Each target runs in processes of its own, so that tests which block their threads hold up no others, and a
    process runs only a few tests at a time, so that none waits for its turn while its time runs.

    Swift Testing reports all tests of a process as started at once. Which one runs is only known of a process
    that runs one at a time."""

    is_repeatable = True
    reports_beginnings = False

    def __init__(
            self, program, workers=5, width=3, usual=None, only="", environment=None, longest=240):
        self.longest = longest
        # The seconds of a test whose duration is not known, by its target.
        self.usual = usual or {}
        self.program = os.path.join(ROOT, program)
        self.workers = workers
        self.width = width
        self.only = only
        self.environment = environment or {}

    def list(self):
        # Lines other than these are what tests print while they are found.
        text = printed([self.program, "--testing-library", "swift-testing", "--list-tests"])
        return [
            line for line in text.splitlines()
            if re.match(r"\w+\.\S", line) and line.startswith(self.only)]

    def batches(self, tests, durations, is_all):
        """The tests of each target, those of a long one divided, the longest first."""
        targets = {}
        for test in tests:
            targets.setdefault(target_of(test), []).append(test)

        def length(test):
            return durations.get(test) or self.usual.get(target_of(test), 0.1)

        total = sum(map(length, tests))
        found = []
        for of_target in targets.values():
            for slice_ in sliced(of_target, length, total / (3 * self.workers)):
                found.append(Batch(slice_, sum(map(length, slice_)), is_all))
        return sorted(found, key=lambda batch: -batch.weight)

    def command(self, batch, events):
        words = [
            self.program, "--testing-library", "swift-testing", "--event-stream-version", "0",
            "--event-stream-output-path", events]
        if batch.is_serial:
            words.append("--no-parallel")
        else:
            words += ["--experimental-maximum-parallelization-width", str(self.width)]
        for pattern in self.patterns(batch):
            words += ["--filter", pattern]
        return words

    @staticmethod
    def patterns(batch):
        """Regular expressions that match the tests of a batch and no others.

        Each test is compared with each of them, so that whole types are named where that is possible."""
        if batch.is_whole:
            target = target_of(batch.tests[0])
            names = {type_of(test).split(".", 1)[1] for test in batch.tests}
            return [rf"^{target}\.({'|'.join(map(re.escape, sorted(names)))})(/|$)"]
        return ["^" + re.escape(test) + "(/|$)" for test in batch.tests]


def sliced(tests, length, most):
    """The tests in groups of which none takes much longer than `most`; tests of one type stay together, as
    they may share what takes long to start."""
    groups, current, sum_ = [], [], 0.0
    for of_type in by_type(tests).values():
        long = sum(map(length, of_type))
        if current and sum_ + long > most:
            groups.append(current)
            current, sum_ = [], 0.0
        current += of_type
        sum_ += long
    return [*groups, current] if current else groups


def by_type(tests):
    found = {}
    for test in tests:
        found.setdefault(type_of(test), []).append(test)
    return found


def target_of(test):
    return test.split(".", 1)[0]


def type_of(test):
    return test.rpartition("/")[0] or test


