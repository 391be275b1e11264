#!/usr/bin/env python3
"""A program with the options and the event stream of Swift Testing, whose tests fail in each way.

FOLDER and the tests that it is to have come from PARLEY_SAMPLE_FOLDER and PARLEY_SAMPLE_TESTS."""

import argparse
import json
import os
import re
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

FOLDER = os.environ["PARLEY_SAMPLE_FOLDER"]
TESTS = os.environ["PARLEY_SAMPLE_TESTS"].split()
WRITING = threading.Lock()


def run(test, is_serial):
    name = test.partition("/")[2]
    if name.startswith("hanging"):
        time.sleep(3600)
    if name.startswith("crashing") and not (is_serial and "AmongOthers" in name):
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGSEGV)
        # The signal may reach another thread a little later.
        time.sleep(3600)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--testing-library")
    parser.add_argument("--list-tests", action="store_true")
    parser.add_argument("--event-stream-version")
    parser.add_argument("--event-stream-output-path")
    parser.add_argument("--experimental-maximum-parallelization-width", type=int, default=1)
    parser.add_argument("--no-parallel", action="store_true")
    parser.add_argument("--filter", action="append", default=[])
    options = parser.parse_args()
    if options.list_tests:
        print("\n".join(TESTS))
        return 0

    def report(kind, test):
        payload = {"kind": kind, "instant": {"absolute": time.monotonic()}, "testID": f"{test}/F.swift:1:2"}
        with WRITING, open(options.event_stream_output_path, "a", encoding="utf-8") as file:
            file.write(json.dumps({"version": 0, "kind": "event", "payload": payload}) + "\n")

    def run_reported(test):
        if options.no_parallel:
            report("testStarted", test)
        with open(os.path.join(FOLDER, "runs"), "a", encoding="utf-8") as file:
            file.write(test + "\n")
        run(test, options.no_parallel)
        report("testEnded", test)

    tests = [test for test in TESTS if any(re.search(pattern, test) for pattern in options.filter)]
    if not options.no_parallel:
        for test in tests:
            report("testStarted", test)
    with ThreadPoolExecutor(options.experimental_maximum_parallelization_width) as pool:
        list(pool.map(run_reported, tests))
    return 0


if __name__ == "__main__":
    sys.exit(main())
