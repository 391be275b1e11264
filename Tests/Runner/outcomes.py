"""What is known of each test of a run, and how two tries of one test are judged."""

from dataclasses import dataclass, field
from enum import Enum

# More tests than these that pass only at the second try show that the run cannot be trusted.
MOST_UNSTABLE = 3


class Outcome(Enum):
    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass
class Try:
    """One run of one test."""

    outcome: Outcome
    seconds: float = 0
    # The first line says what failed or why the test was skipped.
    reason: str = ""
    # Tests that ran in a process when it ended: any of them may have ended it.
    suspects: tuple = ()

    @property
    def first_line(self):
        return next((line.strip() for line in self.reason.splitlines() if line.strip()), "")


@dataclass
class Test:
    """A test with its tries: the one among others, and after a failure the one alone."""

    id: str
    tries: list = field(default_factory=list)
    # Where both outputs of a test that failed are kept.
    file: str = ""

    @property
    def passed(self):
        return bool(self.tries) and self.tries[-1].outcome is Outcome.PASSED

    @property
    def failed(self):
        return bool(self.tries) and self.tries[-1].outcome is Outcome.FAILED

    @property
    def skipped(self):
        return bool(self.tries) and self.tries[-1].outcome is Outcome.SKIPPED

    @property
    def seconds(self):
        return self.tries[0].seconds if self.tries else 0


def unstable(tests):
    """The tests that failed among others and passed alone.

    Of tests that ran together in a process that ended, one that fails again explains the end for all."""
    failed_again = {test.id for test in tests if test.failed}
    return [
        test for test in tests
        if test.passed and len(test.tries) > 1 and not failed_again.intersection(test.tries[0].suspects)]


def judge_processes(tests, ids):
    """The tests without the processes that came to no end and whose end one of their tests explains.

    A process whose tests all passed when they ran one at a time is unstable like a test."""
    failed = {test.id for test in tests if test.failed}
    judged = []
    for test in tests:
        suspects = test.tries[0].suspects
        if test.id not in ids and suspects:
            if failed.intersection(suspects):
                continue
            test.tries.append(Try(Outcome.PASSED, reason="what was left passed, one test at a time"))
        judged.append(test)
    return judged


@dataclass
class PartResult:
    """The tests of a part, and why it could not begin or end, if so."""

    name: str
    tests: list
    seconds: float = 0
    problem: str = ""

    @property
    def unstable(self):
        return unstable(self.tests)

    @property
    def failed(self):
        return [test for test in self.tests if test.failed]

    @property
    def is_well(self):
        return not self.problem and not self.failed


def is_green(results):
    """Whether a run as a whole passes."""
    count = sum(len(result.unstable) for result in results)
    return all(result.is_well for result in results) and count <= MOST_UNSTABLE
