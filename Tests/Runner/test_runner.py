"""Tests of the runner: each way in which a test can fail, told apart by real processes."""

import io
import json
import os
import sys
import tempfile
import unittest
import unittest.mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import main  # noqa: E402
import parts  # noqa: E402
import speed  # noqa: E402
from console import Console  # noqa: E402
from lane import Lane, Site  # noqa: E402
from outcomes import Outcome, PartResult, Test, Try, is_green, unstable  # noqa: E402
from parts import Part  # noqa: E402
from running import Reports  # noqa: E402
from suites import Batch, Program, Steps, SwiftTests  # noqa: E402


def by_id(result):
    return {test.id: test for test in result.tests}


class RunTests(unittest.TestCase):
    """Parts with the tests of sample_suite.py."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="parley-runner-")
        self.printed = io.StringIO()

    def run_parts(self, *parts_, patience=lambda: 1, **more):
        details = os.path.join(self.folder, "details")
        site = Site(Console(self.printed), details, patience=patience, **more)
        lane = Lane(parts_, site)
        lane.run()
        self.site = site
        return [site.results[part.name] for part in parts_]

    def sample(self, name="sample", without="hanging,crashing-once", longest=60, **more):
        state = os.path.join(self.folder, name)
        os.makedirs(state)
        words = [sys.executable, os.path.join(HERE, "sample_suite.py"), state, "--without", without]
        return Part(name, "", Program(*words, longest=longest), **more)

    def test_each_outcome_is_told_apart(self):
        [result] = self.run_parts(self.sample())
        tests = by_id(result)
        self.assertTrue(tests["passing"].passed and len(tests["passing"].tries) == 1)
        self.assertTrue(tests["broken"].failed and len(tests["broken"].tries) == 2)
        self.assertEqual(tests["broken"].tries[1].first_line, "Expected: 1")
        self.assertEqual([test.id for test in result.unstable], ["flaky"])
        self.assertTrue(tests["absent"].skipped)
        self.assertFalse(result.is_well)

    def test_an_unstable_test_leaves_the_run_green_and_both_outputs(self):
        [result] = self.run_parts(self.sample(without="hanging,crashing-once,broken"))
        self.assertTrue(result.is_well and is_green([result]))
        with open(by_id(result)["flaky"].file, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("flaky, among others: failed\nfails every other time", text)
        self.assertIn("flaky, alone: passed", text)
        self.assertIn("passed: flaky", text)

    def test_a_hanging_test_is_ended_and_those_after_it_run(self):
        # Each process must start within this time.
        sample = self.sample(without="crashing-once,broken,flaky", longest=3)
        [result] = self.run_parts(sample, patience=speed.current)
        tests = by_id(result)
        self.assertTrue(tests["hanging"].failed)
        self.assertTrue(tests["hanging"].tries[0].reason.startswith("no end after"))
        self.assertTrue(tests["last"].passed)

    def test_a_crash_is_a_failure_and_those_after_it_run(self):
        [result] = self.run_parts(self.sample(without="hanging,broken,flaky"))
        tests = by_id(result)
        self.assertIn("signal 11", tests["crashing-once"].tries[0].reason)
        self.assertEqual([test.id for test in result.unstable], ["crashing-once"])
        self.assertTrue(tests["last"].passed)

    def test_only_what_matches_is_run(self):
        [result] = self.run_parts(self.sample(), only="pass", filtered=["sample"])
        self.assertEqual(list(by_id(result)), ["passing"])

    def test_a_part_without_what_it_needs_is_not_run(self):
        needed = Part("needed", "", Steps({"fails": ["sh", "-c", "echo x; echo error: no room; exit 1"]}))
        results = self.run_parts(needed, self.sample(needs=("needed",)), self.sample("other"))
        self.assertEqual(results[0].failed[0].tries[0].first_line, "error: no room")
        self.assertEqual(len(results[0].failed[0].tries), 1)
        self.assertEqual((results[1].problem, results[1].tests), ("not run, since needed failed", []))
        self.assertTrue(results[2].tests)

    def test_a_suite_that_cannot_be_listed_is_a_failure(self):
        [result] = self.run_parts(Part("broken", "", Program("sh", "-c", "echo no module; exit 1")))
        self.assertIn("no module", result.problem)
        self.assertFalse(is_green([result]))

    def test_the_summary_names_each_failure_and_how_it_is_run_alone(self):
        results = self.run_parts(self.sample())
        self.assertFalse(main.summarize(Console(self.printed), results, 12))
        text = self.printed.getvalue()
        self.assertIn("sample: broken\n           Expected: 1\n           alone: Scripts/test sample --filter broken",
                      text)
        self.assertIn("Unstable: failed among others, passed alone:\n  sample: flaky", text)
        self.assertTrue(text.rstrip().endswith("3 passed, 1 failed, 1 skipped"))


class JudgementTests(unittest.TestCase):
    def flaky(self, name):
        return Test(name, [Try(Outcome.FAILED), Try(Outcome.PASSED)])

    def test_more_than_three_unstable_tests_are_red(self):
        self.assertTrue(is_green([PartResult("a", [self.flaky(n) for n in "abc"])]))
        self.assertFalse(is_green([
            PartResult("a", [self.flaky(n) for n in "ab"]), PartResult("b", [self.flaky(n) for n in "cd"])]))

    def test_company_of_a_test_that_ends_its_process_is_not_unstable(self):
        both = ("culprit", "company")
        culprit = Test("culprit", [Try(Outcome.FAILED, suspects=both), Try(Outcome.FAILED)])
        company = Test("company", [Try(Outcome.FAILED, suspects=both), Try(Outcome.PASSED)])
        self.assertEqual(unstable([culprit, company]), [])
        culprit.tries[1] = Try(Outcome.PASSED)
        self.assertEqual(unstable([culprit, company]), [culprit, company])

    def test_patience_is_one_on_a_quiet_machine_and_grows_with_slowness(self):
        self.assertEqual(speed.patience(speed.REFERENCE_SECONDS * 0.5), 1)
        self.assertEqual(speed.patience(speed.REFERENCE_SECONDS * 1.2), 1)
        self.assertEqual(speed.patience(speed.REFERENCE_SECONDS * 4), 8)


class SwiftSuiteTests(unittest.TestCase):
    def reports(self, *payloads):
        with tempfile.NamedTemporaryFile() as file:
            reports = Reports(file.name)
            with open(file.name, "a", encoding="utf-8") as stream:
                for payload in payloads:
                    stream.write(json.dumps({"version": 0, "kind": "event", "payload": payload}) + "\n")
            return list(reports.new())

    def payload(self, kind, at, test="M.S/t()/F.swift:3:4", **more):
        return {"kind": kind, "instant": {"absolute": at}, "testID": test, **more}

    def test_issues_belong_to_the_test_that_ends_after_them(self):
        issue = {"issue": {"isKnown": False}, "messages": [{"text": "Expectation failed"}, {"text": "1 == 2"}]}
        known = {"issue": {"isKnown": True}, "messages": [{"text": "known"}]}
        found = self.reports(
            self.payload("testStarted", 0.1), self.payload("testStarted", 0.1, "M.S/u()/F.swift:9:4"),
            self.payload("testCaseStarted", 1.0), self.payload("testCaseStarted", 1.5, "M.S/u()/F.swift:9:4"),
            self.payload("issueRecorded", 2.0, **issue),
            self.payload("issueRecorded", 2.0, "M.S/u()/F.swift:9:4", **known),
            self.payload("testEnded", 3.5), self.payload("testEnded", 4.0, "M.S/u()/F.swift:9:4"))
        self.assertEqual(found, [
            ("M.S/t()", Try(Outcome.FAILED, 2.5, "Expectation failed\n1 == 2")),
            ("M.S/u()", Try(Outcome.PASSED, 2.5))])

    def run_sample(self, *names, longest=60, width=2):
        folder = tempfile.mkdtemp(prefix="parley-runner-")
        suite = SwiftTests(
            os.path.join(HERE, "sample_swift_suite.py"), longest=longest, width=width,
            environment={
                "PARLEY_SAMPLE_FOLDER": folder, "PARLEY_SAMPLE_TESTS": " ".join(f"M.S/{name}()" for name in names)})
        with unittest.mock.patch.dict(os.environ, suite.environment):
            # Each process must start within the longest time.
            site = Site(Console(io.StringIO()), os.path.join(folder, "details"), patience=speed.current)
            Lane([Part("unit", "", suite)], site).run()
        with open(os.path.join(folder, "runs"), encoding="utf-8") as file:
            self.runs = file.read().split()
        return site.results["unit"]

    def failed(self, result):
        return [test.id for test in result.failed]

    def test_a_hanging_test_is_known_when_all_others_have_ended(self):
        result = self.run_sample("first", "hanging", *(f"t{n}" for n in range(5)), longest=1)
        self.assertEqual(self.failed(result), ["M.S/hanging()"])
        self.assertEqual(result.unstable, [])
        # Once among others, once alone.
        self.assertEqual(self.runs.count("M.S/hanging()"), 2)
        self.assertTrue(all(test.passed for test in result.tests if test.id != "M.S/hanging()"))

    def test_hanging_tests_that_hold_up_the_others_are_found_one_at_a_time(self):
        result = self.run_sample("hanging1", "hanging2", "last", "end", longest=1)
        self.assertEqual(sorted(self.failed(result)), ["M.S/hanging1()", "M.S/hanging2()"])
        self.assertEqual(sum(test.passed for test in result.tests), 2)

    def test_a_crash_is_blamed_on_its_test_alone(self):
        result = self.run_sample("first", "crashing", *(f"t{n}" for n in range(20)), width=3)
        self.assertEqual(self.failed(result), ["M.S/crashing()"])
        self.assertIn("signal 11", by_id(result)["M.S/crashing()"].tries[0].reason)
        self.assertEqual(result.unstable, [])
        self.assertEqual(len(result.tests), 22)

    def test_a_crash_among_others_is_unstable(self):
        result = self.run_sample("first", "crashingAmongOthers", "last")
        self.assertEqual(self.failed(result), [])
        self.assertEqual([test.id for test in result.unstable], ["M (process 1)"])
        self.assertTrue(main.summarize(Console(io.StringIO()), [result], 1))
        self.assertEqual(sum(test.passed for test in result.tests), 4)

    def test_an_issue_outside_of_tests_is_a_failure(self):
        script = os.path.join(tempfile.mkdtemp(prefix="parley-runner-"), "tests")
        ended = json.dumps({"kind": "event", "payload": self.payload("testEnded", 2.0, "M.S/t()")})
        with open(script, "w", encoding="utf-8") as file:
            file.write(f"""#!/bin/sh
case "$*" in *--list-tests*) echo 'M.S/t()'; exit 0;; esac
while [ "$1" != --event-stream-output-path ]; do shift; done
echo '{ended}' >> "$2"
exit 1
""")
        os.chmod(script, 0o755)
        folder = os.path.dirname(script)
        site = Site(Console(io.StringIO()), folder, patience=lambda: 1)
        Lane([Part("unit", "", SwiftTests(script))], site).run()
        tests = by_id(site.results["unit"])
        self.assertTrue(tests["M.S/t()"].passed)
        self.assertIn("though no test failed", tests["M (outside of its tests)"].tries[0].reason)
        self.assertFalse(site.results["unit"].is_well)

    def test_a_target_is_one_batch_unless_it_is_long(self):
        tests = [f"Long.T{n}/a()" for n in range(40)] + ["Short.T/a()", "Short.T/b()"]
        durations = {test: 10 if test.startswith("Long") else 1 for test in tests}
        batches = SwiftTests("none", workers=2).batches(tests, durations, is_all=True)
        self.assertEqual(sorted(sum((batch.tests for batch in batches), [])), sorted(tests))
        self.assertGreater(len(batches), 3)
        self.assertEqual(batches[-1].tests, ["Short.T/a()", "Short.T/b()"])

    def test_patterns_match_whole_types_or_single_tests(self):
        whole = Batch(["M.S/a()", "M.S/b()", "M.T/Inner/c()", "M.free()"], is_whole=True)
        self.assertEqual(SwiftTests.patterns(whole), [r"^M\.(S|T/Inner|free\(\))(/|$)"])
        self.assertEqual(SwiftTests.patterns(Batch(["M.S/a()"])), [r"^M\.S/a\(\)(/|$)"])


class PartsTests(unittest.TestCase):
    def test_parts_bring_what_they_need_in_order(self):
        self.assertEqual([part.name for part in parts.with_needs(["unit"])], ["build", "unit"])
        for part in parts.PARTS:
            for name in part.needs:
                self.assertIn(name, parts.BY_NAME)

    def test_every_part_is_in_the_help(self):
        for part in parts.PARTS:
            self.assertIn(f"  {part.name} ", main.usage())


if __name__ == "__main__":
    unittest.main()
