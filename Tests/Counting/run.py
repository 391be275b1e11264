"""Counts what a delivery costs the server, and fails when it is more than thresholds.txt allows.

    run.py --parleyd PATH [--only NAMES] [--keep FOLDER]

PATH is a release build. NAMES, with commas: plain, deflate, tls, durable, durable-one,
throttle, idle, cluster. FOLDER keeps the profiles that the counts come from (.build/counts).

On a busy machine more of what the server does at certain times falls between two messages, and more
of its threads find nothing to do: a case that costs too much is counted again, twice at most.
"""

import argparse
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

import thresholds
from backends import missing
from cases import CASES, IDLE, MEMORY, count_deliveries, count_memory
from cluster_cases import PLACES, count_cluster
from machine import (
    HERE, SYSTEM_CALLS, CountingError, build, make_certificate, uncounted)
from server import without_debug_information

NAMES = [*(case.name for case in CASES), "idle", "cluster"]
REPETITIONS = 2


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parleyd", type=Path, required=True)
    parser.add_argument("--only", default=",".join(NAMES))
    parser.add_argument("--keep", type=Path, default=HERE.parent.parent / ".build" / "counts")
    arguments = parser.parse_args()
    arguments.only = arguments.only.split(",")
    for name in arguments.only:
        if name not in NAMES:
            parser.error(f"there is no case {name}; there are {', '.join(NAMES)}")
    return arguments


def owner(case):
    """The name by which a case is asked for."""
    first = case.split("/")[0]
    return next((name for name in NAMES if first == name or first in parts(name)), first)


def parts(name):
    return [f"{name}-{part}" for part in PLACES] if name == "cluster" else []


def measure_calmly(measure, names, allowed, skipped):
    """The costs of all cases: whole cases are counted again, so that no unit of one is from a calm
    moment and another from a busy one."""
    costs = measure(names)
    for _ in range(REPETITIONS):
        amounts = {key: amount for key, (amount, _) in costs.items()}
        over = {failure.partition(":")[0] for failure in
                thresholds.failures(amounts, allowed, skipped)}
        again = [name for name in names if name in map(owner, over)]
        if not again:
            break
        print(f"  counted again, since they cost too much: {', '.join(again)}", flush=True)
        costs.update(measure(again))
    return costs


def measure(parleyd, folder, names, skipped):
    """What every case costs: the amount, and the dump that it is from."""
    found = {}
    if any(case.name in names for case in CASES):
        under_valgrind = SYSTEM_CALLS not in skipped
        readable = without_debug_information(parleyd, folder) if under_valgrind else parleyd
        found.update(count_deliveries(readable, folder, folder, names, under_valgrind))
    if "idle" in names:
        for transport in IDLE:
            found.update(count_memory(parleyd, folder, folder, transport))
    if "cluster" in names:
        under_valgrind = SYSTEM_CALLS not in skipped
        readable = without_debug_information(parleyd, folder) if under_valgrind else parleyd
        found.update(count_cluster(readable, folder, folder, under_valgrind))
    return {key: cost for key, cost in found.items() if key[1] not in skipped}


def keep(folder, into):
    into.mkdir(parents=True, exist_ok=True)
    for old in into.glob("dump.*"):
        old.unlink()
    for dump in folder.glob("dump.*"):
        shutil.move(dump, into / dump.name)


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


def judge(costs, allowed, skipped, folder):
    amounts = {key: amount for key, (amount, _) in costs.items()}
    show(costs, allowed)
    for sentence in thresholds.loose(amounts, allowed):
        print(f"note: {sentence}")
    for unit, reason in skipped.items():
        print(f"skipped: {unit} were not judged: {reason}.")
    failures = thresholds.failures(amounts, allowed, skipped)
    for failure in failures:
        print(f"FAIL {failure}")
    for hint in hints(failures, costs, folder):
        print(f"     look closer at {hint}")
    if failures:
        print(f"     {HERE / 'thresholds.txt'} says how a threshold is changed")
    return not failures


def end(number, _):
    # As an exception, it lets go of the server and the folder.
    sys.exit(128 + number)


def main():
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    arguments = read_arguments()
    started = time.monotonic()
    allowed = thresholds.read((HERE / "thresholds.txt").read_text(encoding="utf-8"))
    if "cluster" in arguments.only and (reason := missing()):
        arguments.only.remove("cluster")
        print(f"skipped: several servers were not counted: {reason}.")
    wanted = {each for name in arguments.only for each in (name, *parts(name))}
    allowed = {
        (case, unit): most for (case, unit), most in allowed.items()
        if case.split("/")[0] in wanted}
    skipped = uncounted()
    with tempfile.TemporaryDirectory(prefix="parley-counts-") as folder:
        try:
            build(Path(folder))
            make_certificate(Path(folder))
            costs = measure_calmly(
                lambda names: measure(arguments.parleyd, Path(folder), names, skipped),
                arguments.only, allowed, skipped)
        except CountingError as error:
            print(f"FAIL {error}")
            return False
        finally:
            keep(Path(folder), arguments.keep)
    is_well = judge(costs, allowed, skipped, arguments.keep)
    print(f"{'All' if is_well else 'Not all'} is as it should be, after "
          f"{time.monotonic() - started:.0f} s.")
    return is_well


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
