"""Tests of the guard itself: that it counts right, and that it fails when it should."""

import contextlib
import io
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

import run
import thresholds
from cases import Case, costs
from machine import ALLOCATIONS, INSTRUCTIONS, SYSTEM_CALLS, Counted, build, uncounted


class Deliberate(unittest.TestCase):
    """A program whose counts are known."""

    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory(prefix="parley-counting-")
        cls.folder = Path(cls.holder.name)
        build(cls.folder)
        cls.under_valgrind = SYSTEM_CALLS not in uncounted()

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def run_counted(self, iterations, calls, under_valgrind):
        counted = Counted(self.folder, self.folder, under_valgrind)
        subprocess.run(
            [*counted.prefix, self.folder / "deliberate", str(iterations), str(calls)],
            env=counted.environment, check=True)
        names = "allocations frees live_bytes marked_allocations marked_frees marked_bytes marks"
        values = struct.unpack("2Qq2QqQ", counted.counters.read_bytes()[:56])
        return dict(zip(names.split(), values)), counted

    def test_allocations(self):
        """Every block that is asked for is counted once, and every one given back."""
        counts, _ = self.run_counted(10, 10, under_valgrind=False)
        self.assertEqual(counts["marks"], 2)
        self.assertEqual(counts["marked_allocations"], 1000 + 10 + 20 + 30 + 5 + 1)
        self.assertEqual(counts["marked_frees"], 1000 + 10 + 20 + 30 + 5)
        self.assertIn(counts["marked_bytes"], range(64, 81))
        self.assertEqual((counts["live_bytes"], counts["frees"]), (0, counts["allocations"]))

    def test_instructions_and_system_calls(self):
        """A longer loop and more calls make exactly as much of a difference as they should."""
        if not self.under_valgrind:
            self.skipTest("there is no valgrind that runs here")
        totals = []
        for step in (1, 2, 3):
            counts, counted = self.run_counted(1000 * step, 700 * step, under_valgrind=True)
            self.assertEqual(counts["marked_allocations"], 1066)
            totals.append(counted.totals(2))
        calls = [total[SYSTEM_CALLS] for total in totals]
        self.assertEqual([calls[1] - calls[0], calls[2] - calls[1]], [700, 700])
        instructions = [total[INSTRUCTIONS] for total in totals]
        self.assertEqual(instructions[1] - instructions[0], instructions[2] - instructions[1])
        self.assertGreater(instructions[1] - instructions[0], 3 * 1000)


class Costs(unittest.TestCase):
    def test_slope(self):
        """What grows with the subscribers is the delivery's, the rest is the message's."""
        case = Case("some", "plain", "ephemeral", (100, 500), (1,), 10)
        phases = [
            {"subscribers": size, "in_flight": 1, "messages": 10, "dump": f"dump.{size}",
             INSTRUCTIONS: 10 * (5000 + 150 * size), SYSTEM_CALLS: 10 * (3 + size), ALLOCATIONS: 40}
            for size in (100, 500)]
        found = {key: amount for key, (amount, _) in costs(case, phases).items()}
        self.assertEqual(found, {
            ("some/1/delivery", INSTRUCTIONS): 150, ("some/1/message", INSTRUCTIONS): 5000,
            ("some/1/delivery", SYSTEM_CALLS): 1, ("some/1/message", SYSTEM_CALLS): 3,
            ("some/1/delivery", ALLOCATIONS): 0, ("some/1/message", ALLOCATIONS): 4})


    def test_whole(self):
        """With several messages on their way each delivery bears its share of the message."""
        case = Case("some", "plain", "ephemeral", (10, 50), (16,), 1)
        phases = [
            {"subscribers": size, "in_flight": 16, "messages": 16, "dump": "dump.1",
             ALLOCATIONS: 16 * (25 + size)} for size in (10, 50)]
        self.assertEqual(costs(case, phases), {("some/16/delivery", ALLOCATIONS): (1.5, "dump.1")})


class Thresholds(unittest.TestCase):
    measured = {("plain/1/delivery", INSTRUCTIONS): 150.8, ("plain/1/delivery", ALLOCATIONS): 0.02}

    def failures(self, text, **more):
        return thresholds.failures(self.measured, thresholds.read(text), **more)

    def test_kept(self):
        """What is not more than is allowed is well."""
        self.assertEqual(self.failures(
            "# why\nplain/1/delivery instructions 150.8 # now\nplain/1/delivery allocations 1\n"), [])

    def test_exceeded(self):
        """A threshold of 0 fails, and the sentence says what, how many, and how many may be."""
        self.assertEqual(
            self.failures("plain/1/delivery instructions 0\nplain/1/delivery allocations 0"), [
                "plain/1/delivery: 150.800 instructions, where at most 0 are allowed",
                "plain/1/delivery: 0.020 allocations, where at most 0 are allowed"])

    def test_judgement(self):
        """The verdict is bad, and the way to the profile is shown."""
        measured = {("plain/1/delivery", SYSTEM_CALLS): (1.0, "dump.4")}
        allowed = {("plain/1/delivery", SYSTEM_CALLS): 0.0}
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            self.assertFalse(run.judge(measured, allowed, {}, Path("counts")))
            self.assertTrue(run.judge(measured, {key: 1.0 for key in allowed}, {}, Path("counts")))
        self.assertIn("callgrind_annotate --sort=sysCount,Ir --tree=caller counts/dump.4",
                      said.getvalue())

    def test_repetition(self):
        """What costs too much is counted again as a whole, alone, and at the most twice."""
        allowed = thresholds.read(
            "plain/1/delivery instructions 150\nidle/tls/connection bytes 10\n"
            "cluster-home/1/message allocations 5")
        calm = {("plain/1/delivery", INSTRUCTIONS): (150, "a"), ("idle/tls/connection", "bytes"): (9, None),
                ("cluster-home/1/message", ALLOCATIONS): (5, "b")}
        busy = {key: (2 * amount, dump) for key, (amount, dump) in calm.items()}

        def judged(*rounds):
            asked, rounds = [], list(rounds)

            def measure(names):
                asked.append(names)
                costs = rounds.pop(0)
                return {key: cost for key, cost in costs.items() if run.owner(key[0]) in names}
            with contextlib.redirect_stdout(io.StringIO()):
                costs = run.measure_calmly(measure, ["plain", "idle", "cluster"], allowed, {})
            return asked, costs

        asked, costs = judged(calm)
        self.assertEqual((len(asked), costs), (1, calm))
        asked, costs = judged({**calm, **dict([list(busy.items())[2]])}, calm)
        self.assertEqual((asked[1:], costs), ([["cluster"]], calm))
        asked, costs = judged(busy, busy, busy)
        self.assertEqual((asked, costs), ([["plain", "idle", "cluster"]] * 3, busy))

    def test_nothing_counted(self):
        """No number at all is no reason to pass."""
        self.assertEqual(len(thresholds.failures(
            {("a", ALLOCATIONS): float("nan")}, {("a", ALLOCATIONS): 1.0})), 1)

    def test_unknown(self):
        """What only one side knows of fails, unless this machine cannot count it."""
        text = "plain/1/delivery allocations 1\ntls/1/delivery system-calls 1"
        self.assertEqual(len(self.failures(text)), 2)
        self.assertEqual(self.failures(text, unmeasured_units=[SYSTEM_CALLS]), [
            "plain/1/delivery: 150.800 instructions, and no threshold says how many are allowed"])

    def test_file(self):
        """A line that is not understood, or is there twice, is named."""
        for text, sentence in [
                ("a instructions", "line 1 is not"), ("\na b c", "line 2 is not"),
                ("a b 1\na b 2", "line 2: a has b already")]:
            with self.assertRaisesRegex(thresholds.ThresholdsError, sentence):
                thresholds.read(text)

    def test_loose(self):
        """A threshold far above what is counted is pointed out."""
        allowed = thresholds.read("plain/1/delivery instructions 400")
        self.assertEqual(len(thresholds.loose(self.measured, allowed)), 1)


if __name__ == "__main__":
    unittest.main()
