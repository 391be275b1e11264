"""Counts what a delivery costs the server, and fails when it is more than thresholds.txt allows.

    run.py --parleyd PATH [--only NAMES] [--test ID]... [--events FILE] [--keep FOLDER]
    run.py --list [--only NAMES] [--test ID]...

PATH is a release build. NAMES are IDs separated by commas; "idle" is all idle cases. --list prints
the IDs of the cases that would run. FILE gets one line of JSON when a case begins and one when it
ends. FOLDER keeps the profiles that the counts come from (.build/counts).

Two cases run side by side, since a server under valgrind uses one core.
"""

import argparse
import shutil
import signal
import sys
import tempfile
import time
from collections import namedtuple
from pathlib import Path

import thresholds
from backends import missing
from cases import CASES, IDLE, count_deliveries, count_memory
from cluster_cases import PLACES, count_cluster
from processes import side_by_side
from machine import (
    HERE, SYSTEM_CALLS, CountingError, build, make_certificate, uncounted, without_debug_information)

sys.path.append(str(HERE.parent / "Runner"))

from events import Events  # noqa: E402

CASES_BY_NAME = {case.name: case for case in CASES}
# The longest case comes first, so that the last one to end is short.
IDS = ["cluster", *CASES_BY_NAME, *(f"idle-{transport}" for transport in IDLE)]
GROUPS = {"idle": [f"idle-{transport}" for transport in IDLE]}

# The programs and the folder of one case. The folder of a run holds the programs and one folder for
# each case; `readable` is a copy of the server that valgrind can read.
Bench = namedtuple("Bench", "parleyd readable programs folder under_valgrind")
# `costs` is empty when the case failed before its end.
Outcome = namedtuple("Outcome", "name verdict seconds costs failures")


def read_arguments(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parleyd", type=Path, help="a release build of the server")
    parser.add_argument("--list", action="store_true", help="print the IDs of the cases and exit")
    parser.add_argument("--only", default="", help="IDs, separated by commas (default: all)")
    parser.add_argument(
        "--test", action="append", default=[], metavar="ID", help="run this case; may be repeated")
    parser.add_argument("--events", type=Path, help="append an event to this file for each case")
    parser.add_argument("--keep", type=Path, default=HERE.parent.parent / ".build" / "counts")
    arguments = parser.parse_args(words)
    names = [*filter(None, arguments.only.split(",")), *arguments.test]
    asked = {name for each in names for name in GROUPS.get(each, [each])}
    if unknown := sorted(asked - set(IDS)):
        parser.error(f"unknown case {unknown[0]}; expected one of {', '.join(IDS)}")
    if not arguments.list and not arguments.parleyd:
        parser.error("--parleyd is missing; expected the path of a release build")
    arguments.names = [name for name in IDS if not asked or name in asked]
    return arguments


def owner(case):
    """The ID of the test that a threshold's case belongs to."""
    first, _, rest = case.partition("/")
    if first == "idle":
        return f"idle-{rest.partition('/')[0]}"
    return "cluster" if first in (f"cluster-{part}" for part in PLACES) else first


def allowed_of(name, allowed):
    return {(case, unit): most for (case, unit), most in allowed.items() if owner(case) == name}


def measure(name, bench):
    """The cost of each unit of a case: the amount, and the dump that shows it."""
    if name == "cluster":
        return count_cluster(bench)
    if name in CASES_BY_NAME:
        return count_deliveries(CASES_BY_NAME[name], bench)
    return count_memory(name.removeprefix("idle-"), bench)


def judged(name, bench, allowed, skipped, events):
    """Runs and judges a case."""
    started = time.monotonic()
    events.began(name)
    costs, failures, reason = {}, [], missing() if name == "cluster" else None
    if reason:
        verdict, failures = "skipped", [reason]
    else:
        try:
            bench.folder.mkdir()
            costs = {key: cost for key, cost in measure(name, bench).items() if key[1] not in skipped}
            amounts = {key: amount for key, (amount, _) in costs.items()}
            failures = thresholds.failures(amounts, allowed_of(name, allowed), skipped)
        except (CountingError, OSError) as error:
            failures = [str(error)]
        verdict = "failed" if failures else "passed"
    seconds = time.monotonic() - started
    events.ended(name, verdict, seconds, failures[0] if failures else None)
    print(f"  {verdict} {name}: {seconds:.0f} s", flush=True)
    return Outcome(name, verdict, seconds, costs, failures)


def keep(folder, names, into):
    into.mkdir(parents=True, exist_ok=True)
    for name in names:
        for old in [*into.glob(f"dump.{name}.*"), *into.glob(f"phases.{name}.json")]:
            old.unlink()
        for kept in [*folder.glob(f"{name}/dump.*"), *folder.glob(f"{name}/phases.*")]:
            shutil.move(kept, into / kept.name)


def show(costs, allowed):
    print(f"\n{'':26}{'':14}{'counted':>12}{'allowed':>12}")
    for (case, unit), (amount, _) in costs.items():
        most = f"{allowed[case, unit]:,g}" if (case, unit) in allowed else "-"
        print(f"{case:26}{unit:14}{amount:12,.3f}{most:>12}")


def hints(failures, costs, folder):
    """Where to look closer, for the cases that failed."""
    for (case, unit), (_, dump) in costs.items():
        if dump and any(failure.startswith(f"{case}: ") and unit in failure for failure in failures):
            sort = " --sort=sysCount,Ir" if unit == SYSTEM_CALLS else ""
            yield (f"{case}, {unit}: callgrind_annotate{sort} --tree=caller {folder}/{dump} |"
                   " swift demangle --simplified")


def report(outcomes, allowed, skipped, folder):
    """Prints all costs and verdicts; returns whether no case failed."""
    costs = {key: cost for outcome in outcomes for key, cost in outcome.costs.items()}
    show(costs, allowed)
    amounts = {key: amount for key, (amount, _) in costs.items()}
    for sentence in thresholds.loose(amounts, allowed):
        print(f"note: {sentence}")
    for unit, reason in skipped.items():
        print(f"skipped: {unit} were not judged: {reason}.")
    failures = []
    for outcome in outcomes:
        for sentence in outcome.failures:
            if outcome.verdict == "skipped":
                print(f"skipped: {outcome.name}: {sentence}.")
            else:
                failures.append(sentence)
                print(f"FAIL {outcome.name}: {sentence}")
    for hint in hints(failures, costs, folder):
        print(f"     look closer at {hint}")
    if failures:
        print(f"     {HERE / 'thresholds.txt'} says how a threshold is changed")
    verdicts = [outcome.verdict for outcome in outcomes]
    print(f"{verdicts.count('passed')} passed, {verdicts.count('failed')} failed")
    return not failures


def end(number, _):
    # As an exception, which stops the servers and removes the folder.
    sys.exit(128 + number)


def failed(name, reason, events):
    """The outcome of a case that could not judge itself."""
    events.ended(name, "failed", 0, reason)
    return Outcome(name, "failed", 0, {}, [reason])


def run_all(arguments, folder, allowed, skipped):
    """The outcomes of all cases, in the order in which they were asked for."""
    events = Events(arguments.events)
    try:
        build(folder)
        make_certificate(folder)
        under_valgrind = SYSTEM_CALLS not in skipped
        readable = without_debug_information(arguments.parleyd, folder) if under_valgrind \
            else arguments.parleyd
    except CountingError as error:
        return [failed(name, str(error), events) for name in arguments.names]
    tasks = [
        (name, Bench(arguments.parleyd, readable, folder, folder / name, under_valgrind),
         allowed, skipped, events)
        for name in arguments.names]
    outcomes = {}
    try:
        for place, outcome in side_by_side(judged, tasks):
            name = arguments.names[place]
            outcomes[place] = outcome or failed(name, "its process ended without a result", events)
    finally:
        keep(folder, arguments.names, arguments.keep)
    return [outcomes[place] for place in sorted(outcomes)]


def main():
    arguments = read_arguments()
    if arguments.list:
        print("\n".join(arguments.names))
        return True
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    allowed = thresholds.read((HERE / "thresholds.txt").read_text(encoding="utf-8"))
    skipped = uncounted()
    with tempfile.TemporaryDirectory(prefix="parley-counts-") as folder:
        # The account of PostgreSQL passes through it.
        Path(folder).chmod(0o711)
        outcomes = run_all(arguments, Path(folder), allowed, skipped)
    return report(outcomes, allowed, skipped, arguments.keep)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
