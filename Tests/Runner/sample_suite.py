"""A suite whose tests fail in each way, to try the runner with: sample_suite.py FOLDER [--list] [--test ID ...]
[--events FILE] [--jobs N] [--durations FILE]."""

import argparse
import json
import os
import signal
import sys
import time

TESTS = ["passing", "broken", "flaky", "crashing-once", "absent", "hanging", "last"]


def outcome_of(test, folder):
    """Runs a test: why it failed, or nothing."""
    first = os.path.join(folder, test)
    is_first = not os.path.exists(first)
    open(first, "w", encoding="utf-8").close()
    if test == "broken":
        return "Expected: 1\nfound 2"
    if test == "flaky" and is_first:
        return "fails every other time"
    if test == "crashing-once" and is_first:
        os.kill(os.getpid(), signal.SIGSEGV)
    if test == "hanging":
        time.sleep(3600)
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--without", default="")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--test", action="append")
    parser.add_argument("--events")
    options = parser.parse_args()
    tests = [test for test in TESTS if test not in options.without.split(",")]
    if options.list:
        print("\n".join(tests))
        return 0
    failed = 0
    for test in options.test or tests:
        report(options.events, {"event": "began", "test": test})
        if test == "absent":
            result = {"outcome": "skipped", "reason": "nothing to try it with"}
        else:
            reason = outcome_of(test, options.folder)
            result = {"outcome": "failed" if reason else "passed", "reason": reason}
            failed += bool(reason)
        print(f"{result['outcome']}: {test}", flush=True)
        report(options.events, {"event": "ended", "test": test, "seconds": 0.5, **result})
    return 1 if failed else 0


def report(path, event):
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(event) + "\n")


if __name__ == "__main__":
    sys.exit(main())
