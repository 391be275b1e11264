"""Tests of the guard itself: that it counts right, and that it fails when it should."""

import contextlib
import io
import json
import os
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

import control
import run
import thresholds
from cases import Case, costs
from events import Events
from machine import (
    ALLOCATIONS, INSTRUCTIONS, SYSTEM_CALLS, Counted, CountingError, build, uncounted)
from processes import side_by_side


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


def phase(subscribers, in_flight, messages, dump="dump.1", seconds=1, pause_ms=0, **counts):
    units = {"instructions": INSTRUCTIONS, "calls": SYSTEM_CALLS, "allocations": ALLOCATIONS}
    return {"subscribers": subscribers, "in_flight": in_flight, "messages": messages, "dump": dump,
            "seconds": seconds, "pause_ms": pause_ms,
            **{units[name]: count for name, count in counts.items()}}


class Costs(unittest.TestCase):
    def test_slope(self):
        """What grows with the subscribers is the delivery's, the rest is the message's."""
        case = Case("some", "plain", "ephemeral", (100, 500), (1,), 10, 1)
        phases = [
            phase(size, 1, 10, instructions=10 * (5000 + 150 * size), calls=10 * (3 + size),
                  allocations=40) for size in case.subscribers]
        found = {key: amount for key, (amount, _) in costs(case, phases).items()}
        self.assertEqual(found, {
            ("some/1/delivery", INSTRUCTIONS): 150, ("some/1/message", INSTRUCTIONS): 5000,
            ("some/1/delivery", SYSTEM_CALLS): 1, ("some/1/message", SYSTEM_CALLS): 3,
            ("some/1/delivery", ALLOCATIONS): 0, ("some/1/message", ALLOCATIONS): 4})

    def test_whole(self):
        """With several messages on their way each delivery bears its share of the message."""
        case = Case("some", "plain", "ephemeral", (10, 50), (16,), 1, 1)
        phases = [phase(size, 16, 16, allocations=16 * (25 + size)) for size in (10, 50)]
        self.assertEqual(costs(case, phases), {("some/16/delivery", ALLOCATIONS): (1.5, "dump.1")})


class Control(unittest.TestCase):
    """The cost of a message does not depend on how long it takes."""

    def test_rate(self):
        """What a phase with pauses costs more, for each second that it takes longer."""
        paused = phase(10, 1, 5, seconds=4, instructions=9000, calls=20, allocations=7)
        steady = [phase(10, 1, 5, seconds=seconds, instructions=count, calls=21, allocations=7)
                  for seconds, count in ((1, 2900), (2, 3000), (3, 9999))]
        rates = {unit: control.rate(paused, steady, unit) for unit in control.UNITS}
        self.assertEqual(rates, {INSTRUCTIONS: 3000, SYSTEM_CALLS: 0, ALLOCATIONS: 0})
        self.assertEqual(control.rate(phase(10, 1, 5, seconds=1, instructions=9000), steady, INSTRUCTIONS), 0)

    def test_subtraction(self):
        """The cost of as many seconds is subtracted as a phase lasted; no count becomes negative."""
        slow = phase(10, 1, 5, seconds=3, instructions=56000, calls=10, allocations=7)
        self.assertEqual(
            control.without_time(slow, {INSTRUCTIONS: 2000, SYSTEM_CALLS: 4}),
            phase(10, 1, 5, seconds=3, instructions=50000, calls=0, allocations=7))

    def test_typical(self):
        """The median of each unit, the lower one of two in the middle."""
        repetitions = [phase(10, 1, 5, instructions=count, calls=10 - count) for count in (3, 1, 2, 9)]
        self.assertIs(control.typical(repetitions, INSTRUCTIONS), repetitions[2])
        self.assertIs(control.typical(repetitions, SYSTEM_CALLS), repetitions[0])

    def test_speed(self):
        """Machines of different speeds, and a timer in one repetition, give the same costs."""
        case = Case("some", "plain", "durable", (10,), (1, 16), 5, 3)

        def found(seconds):
            def counted(in_flight, number, timer, pause):
                time = seconds + pause
                return phase(10, in_flight, 5 * in_flight, f"dump.{number}", time, pause_ms=1000 * pause,
                             instructions=5 * in_flight * 1000 + 2000 * time + timer)
            return costs(case, [
                *(counted(in_flight, number, timer, 0) for in_flight in case.in_flight
                  for number, timer in enumerate((0, 0, 300))), counted(1, 9, 0, 3)])

        for seconds in (0.5, 2, 8):
            self.assertEqual(found(seconds), {
                (f"some/{in_flight}/message", INSTRUCTIONS): (1000, "dump.1") for in_flight in (1, 16)})


class Cases(unittest.TestCase):
    """The interface that all suites have."""

    def names(self, *words):
        return run.read_arguments(["--list", *words]).names

    def test_selection(self):
        """--only and --test add up, in the order of the list; "idle" is all three cases."""
        self.assertEqual(self.names(), run.IDS)
        self.assertEqual(self.names("--only", "idle,tls", "--test", "cluster", "--test", "plain"),
                         ["cluster", "tls", "plain", "idle-plain", "idle-tls", "idle-stream"])
        with contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit):
            self.names("--test", "plian")
        self.assertIn("unknown case plian", said.getvalue())

    def test_owners(self):
        """Each threshold belongs to a case, and each case has a threshold."""
        allowed = thresholds.read((run.HERE / "thresholds.txt").read_text(encoding="utf-8"))
        self.assertEqual({run.owner(case) for case, _ in allowed}, set(run.IDS))

    def events(self, name, measure):
        """The events of a case, with `measure` in place of what it does."""
        with tempfile.TemporaryDirectory() as folder, \
                contextlib.redirect_stdout(io.StringIO()):
            path = Path(folder) / "events"
            bench = run.Bench(None, None, None, Path(folder) / name, False)
            allowed = thresholds.read("plain/1/message allocations 5\ntls/1/message allocations 1")
            original, run.measure = run.measure, measure
            try:
                outcome = run.judged(name, bench, allowed, {}, Events(path))
            finally:
                run.measure = original
            events = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        self.assertEqual(events[0], {"event": "began", "test": name})
        self.assertEqual((events[1]["event"], events[1]["test"]), ("ended", name))
        self.assertGreaterEqual(events[1]["seconds"], 0)
        return outcome, events[1]["outcome"], events[1].get("reason")

    def test_events(self):
        """A case that passes, one that costs too much, and one that breaks off."""
        def broken(_, __):
            raise CountingError("parleyd did not start:\nport taken")

        def costing(amount):
            return lambda _, __: {("plain/1/message", ALLOCATIONS): (amount, None)}
        _, *ended = self.events("plain", costing(5))
        self.assertEqual(ended, ["passed", None])
        _, *ended = self.events("plain", costing(6))
        self.assertEqual(ended, [
            "failed", "plain/1/message: 6.000 allocations, where at most 5 are allowed"])
        outcome, *ended = self.events("plain", broken)
        self.assertEqual((ended, outcome.costs), (["failed", "parleyd did not start:"], {}))


class Processes(unittest.TestCase):
    def test_results(self):
        """Each task has its result, whichever ends first."""
        self.assertEqual(sorted(side_by_side(pow, [(2, 3), (3, 2), (5, 1)])), [(0, 8), (1, 9), (2, 5)])

    def test_broken_process(self):
        """A process that ends without a result has None, and the others have theirs."""
        self.assertEqual(
            sorted(side_by_side(lambda number: number or os._exit(1), [(1,), (0,), (2,)])),
            [(0, 1), (1, None), (2, 2)])


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

    def test_report(self):
        """The last line is the verdict, after the way to the profile."""
        measured = {("plain/1/delivery", SYSTEM_CALLS): (1.0, "dump.plain.4")}

        def reported(most):
            failures = thresholds.failures({("plain/1/delivery", SYSTEM_CALLS): 1.0}, most)
            outcomes = [
                run.Outcome("plain", "failed" if failures else "passed", 1, measured, failures),
                run.Outcome("cluster", "skipped", 0, {}, ["Redis is not installed"])]
            with contextlib.redirect_stdout(io.StringIO()) as said:
                is_well = run.report(outcomes, most, {}, Path("counts"))
            return is_well, said.getvalue()

        is_well, said = reported({("plain/1/delivery", SYSTEM_CALLS): 0.0})
        self.assertFalse(is_well)
        self.assertIn("callgrind_annotate --sort=sysCount,Ir --tree=caller counts/dump.plain.4", said)
        self.assertTrue(said.endswith("\n0 passed, 1 failed\n"))
        is_well, said = reported({("plain/1/delivery", SYSTEM_CALLS): 1.0})
        self.assertTrue(is_well)
        self.assertIn("skipped: cluster: Redis is not installed.", said)
        self.assertTrue(said.endswith("\n1 passed, 0 failed\n"))

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
