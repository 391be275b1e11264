"""Runs the tests. Called by Scripts/test, which has installed Python."""

import argparse
import json
import os
import shlex
import signal
import subprocess
import sys
import time

import speed
from console import Console
from lane import Lane, Site, described
from outcomes import MOST_UNSTABLE, is_green
from parts import BY_NAME, PARTS, with_needs
from suites import DURATIONS, ROOT

FOLDER = os.path.join(ROOT, ".build", "tests")


def usage():
    quick = "\n".join(f"  {part.name:<13}{part.summary}" for part in PARTS if part.is_quick)
    others = "\n".join(f"  {part.name:<13}{part.summary}" for part in PARTS if not part.is_quick)
    return f"""usage: Scripts/test [PART ...] [--filter TEXT] [--verbose]
       Scripts/test everything [--verbose]

Installs the Debian packages that are missing (as root or with sudo), then runs these parts, or those that are
named:

{quick}

`everything` runs these as well, which take more than an hour:

{others}

  --filter TEXT  of the named parts, only tests with TEXT in their id
  --verbose      print what the tests print

Each part that is named brings the ones that it needs. A part's details are in .build/tests/PART. A test that
fails runs once more, alone: one that passes then is unstable. The exit status is 1 if a test failed twice, a part could
not run, or more than {MOST_UNSTABLE} tests were unstable; 2 for wrong arguments.
"""


def parsed(arguments):
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("parts", nargs="*")
    parser.add_argument("--filter", default="")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--help", "-h", action="store_true")
    options = parser.parse_args(arguments)
    if options.help:
        print(usage(), end="")
        sys.exit(0)
    unknown = [name for name in options.parts if name not in BY_NAME and name != "everything"]
    if unknown:
        parser.exit(2, f"test: there is no part {unknown[0]}; see Scripts/test --help\n")
    if options.filter and not options.parts:
        parser.exit(2, "test: --filter needs the part whose tests it chooses, as in "
                       "Scripts/test unit --filter TEXT\n")
    return options


def chosen(options):
    if "everything" in options.parts:
        return PARTS
    names = options.parts or [part.name for part in PARTS if part.is_quick]
    return with_needs(names)


def install(parts):
    """Installs what the parts need, before any of them runs."""
    wanted = ["build_packages", "counting_packages", *(name for part in parts for name in part.packages)]
    idle = [name for part in parts for name in part.idle_packages]
    words = ["Scripts/packages", "install", *dict.fromkeys(wanted), "--idle", *dict.fromkeys(idle)]
    if any(part.needs_python for part in parts):
        words.append("--python")
    if subprocess.run(words, cwd=ROOT, check=False).returncode != 0:
        sys.exit("test: packages that the tests need could not be installed")


def lanes(parts, site):
    """The parts in two rows, which run at the same time."""
    return [Lane([part for part in parts if part.is_beside == is_beside], site)
            for is_beside in (False, True)]


def alone(part, test):
    return f"Scripts/test {part} --filter {shlex.quote(test.id)}"


def show_test(console, result, test, tried, what, place):
    """A test that failed: its first line, and how it is run alone."""
    console.line(f"  {result.name}: {test.id}")
    for text in (tried.first_line[:300], f"alone: {alone(result.name, test)}",
                 f"{what}: {os.path.relpath(place, ROOT)}"):
        console.line(f"           {text}")


def summarize(console, results, seconds):
    """The end of the run: each failure with what it is and how it is run alone."""
    console.line("\n==== Summary")
    for result in results:
        console.line(described(result))
    failed = [(result, test) for result in results for test in result.failed]
    unstable = [(result, test) for result in results for test in result.unstable]
    if failed:
        console.line("\nFailed:")
        for result, test in failed:
            show_test(console, result, test, test.tries[-1], "details", test.file)
    if unstable:
        console.line("\nUnstable: failed among others, passed alone:")
        for result, test in unstable:
            show_test(console, result, test, test.tries[0], "both outputs", test.file)
        if len(unstable) > MOST_UNSTABLE:
            console.line(f"FAILED: {len(unstable)} unstable tests, where at most {MOST_UNSTABLE} are accepted")
    for result in results:
        if result.problem:
            console.line(f"\n{result.name}: {result.problem}")
        for test in result.tests:
            if test.skipped and test.tries[-1].reason:
                console.line(f"not run: {result.name}: {test.id}: {test.tries[-1].first_line[:200]}")
    tests = [test for result in results for test in result.tests]
    is_well = is_green(results)
    console.line(f"\n{'Passed' if is_well else 'FAILED'} after {seconds:.0f} s. "
                 f"Details: {os.path.relpath(FOLDER, ROOT)}")
    console.line(f"{sum(test.passed for test in tests)} passed, {len(failed)} failed, "
                 f"{sum(test.skipped for test in tests)} skipped")
    return is_well


def remember(site, results):
    durations = dict(site.durations)
    durations.update(
        (test.id, round(test.seconds, 2)) for result in results for test in result.tests if test.seconds)
    with open(DURATIONS + ".new", "w", encoding="utf-8") as file:
        json.dump(durations, file)
    os.replace(DURATIONS + ".new", DURATIONS)


def main(arguments):
    options = parsed(arguments)
    started = time.monotonic()
    parts = chosen(options)
    os.makedirs(FOLDER, exist_ok=True)
    install(parts)
    console = Console()
    seconds = speed.measure()
    console.line(
        f"Machine: {os.cpu_count()} cores; work that takes {speed.REFERENCE_SECONDS} s on the reference takes "
        f"{seconds:.2f} s; limits of waits × {speed.patience(seconds):g}")
    site = Site(console, FOLDER, options.filter, options.parts, options.verbose)

    def stop(number, _):
        site.is_stopped.set()
        with site.ended:
            site.ended.notify_all()
        stop.number = number
    stop.number = 0
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    running = lanes(parts, site)
    for lane in running:
        lane.start()
    for lane in running:
        # In pieces, so that signals are taken.
        while lane.is_alive():
            lane.join(0.5)
    if stop.number:
        console.line(f"Stopped by signal {stop.number}.")
        return 128 + stop.number
    results = [site.results[part.name] for part in parts]
    remember(site, results)
    asked = [result for result in results if result.name in options.parts]
    if options.filter and not any(result.tests or result.problem for result in asked):
        console.line(f"test: no test of {', '.join(options.parts)} has {options.filter!r} in its id")
        return 2
    return 0 if summarize(console, results, time.monotonic() - started) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
