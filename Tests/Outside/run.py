"""Runs the outside tests: run.py --parleyd PATH [--only NAME] [--jobs N] [--reactors N].

The programs parley and parley-unfurl are looked for beside parleyd, unless they are named.
"""

import argparse
import asyncio
import concurrent.futures
import contextlib
import importlib
import inspect
import io
import os
import sys
import time
import traceback

import schemas
from harness import PATIENCE, Context

MODULES = [
    "sessions", "tokens", "rpc", "channels", "presence", "moderation", "messages", "listing",
    "queries", "metaarrays", "sizes", "rights", "limits", "throttling", "pacing", "recovery", "detecting",
    "extracting", "previews", "previewraces", "fetching", "remembering",
    "richmessages", "unfurlers", "unfurlservice", "explaining", "previewmetrics",
    "webhooks",
    "deflate", "demandedpreviews", "previewpictures", "hostile", "hostilepages",
    "racing", "persistence", "files", "uploads", "covers", "parleyjs", "pagechat", "pagefiles", "apipage", "sealing", "thumbnails", "depots",
    "translations",
    "operations", "apitokens", "observers", "dashboard", "endpoints", "refusals",
    "exchanges",
    "limitrows", "commands", "edges", "doors", "documents", "examples", "schemadocuments", "schemafuzzing",
    "generated", "sendbird",
]

# One user at its limits, and what others notice of it. They want a release build: in another, parsing
# alone takes so long that it tells nothing about the limits.
ATTACKS = ["budgets", "fairness", "bystanders"]


def tests_of(module):
    found = [
        (name, value) for name, value in vars(module).items()
        if name.startswith("test_") and inspect.iscoroutinefunction(value)]
    return sorted(found, key=lambda item: item[1].__code__.co_firstlineno)


async def run(context, name, test):
    started = time.monotonic()
    sentence = " ".join((test.__doc__ or name).split())
    try:
        async with asyncio.timeout(180 * PATIENCE):
            await test(context)
        deviations = schemas.taken_deviations()
        assert not deviations, f"{len(deviations)} not as described: {' | '.join(deviations[:3])}"
    except Exception as failure:
        problem = f"{type(failure).__name__}: {failure}"
        frames = [f for f in traceback.extract_tb(failure.__traceback__) if "Outside" in f.filename]
        place = " < ".join(
            f"{os.path.basename(f.filename)}:{f.lineno}" for f in reversed(frames[-4:]))
        if reason := getattr(test, "known", None):
            print(f"open {name}: {sentence} Known: {reason}.", flush=True)
            return None
        print(f"FAIL {name}: {sentence}\n     {problem[:9000]}\n     at {place}", flush=True)
        return False
    finally:
        await context.tidy()
        schemas.taken_deviations()
    print(f"ok   {name}: {sentence} ({time.monotonic() - started:.1f} s)", flush=True)
    return True


def programs_of(options):
    beside = os.path.dirname(options.parleyd)
    paths = (
        options.parleyd, options.parley or os.path.join(beside, "parley"),
        options.parley_unfurl or os.path.join(beside, "parley-unfurl"))
    return [os.path.abspath(path) for path in paths]


async def run_module(module_name, programs, always, only):
    """Runs the tests of a module; their outcomes."""
    module = importlib.import_module(module_name)
    print(f"# {module_name}: {' '.join((module.__doc__ or '').split())}", flush=True)
    context = Context(programs, always)
    try:
        return [
            await run(context, f"{module_name}.{name}", test)
            for name, test in tests_of(module) if only in f"{module_name}.{name}"]
    finally:
        await context.close()


def captured(*arguments):
    """Runs the tests of a module in a process of the pool; what it prints, and their outcomes."""
    with contextlib.redirect_stdout(io.StringIO()) as text:
        outcomes = asyncio.run(run_module(*arguments))
    return text.getvalue(), outcomes


def has_tests(module_name, only):
    module = importlib.import_module(module_name)
    return any(only in f"{module_name}.{name}" for name, _ in tests_of(module))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parleyd", required=True, help="the server's executable")
    parser.add_argument("--only", default="", help="tests or modules whose name has this in it")
    parser.add_argument(
        "--attacks", action="store_true", help="the tests that attack, in place of the others")
    parser.add_argument(
        "--jobs", type=int, default=1, help="modules that run side by side; each prints when it ends")
    parser.add_argument("--reactors", type=int, help="passed on to every server")
    parser.add_argument("--parley", help="the command line's executable")
    parser.add_argument("--parley-unfurl", help="the unfurl service's executable")
    options = parser.parse_args()
    always = ["--reactors", str(options.reactors)] if options.reactors else []
    chosen = [
        (name, programs_of(options), always, options.only)
        for name in (ATTACKS if options.attacks else MODULES) if has_tests(name, options.only)]
    outcomes = []
    if options.jobs > 1:
        with concurrent.futures.ProcessPoolExecutor(options.jobs, max_tasks_per_child=1) as pool:
            for ended in concurrent.futures.as_completed(
                    [pool.submit(captured, *module) for module in chosen]):
                text, results = ended.result()
                print(text, end="", flush=True)
                outcomes += results
    else:
        for module in chosen:
            outcomes += asyncio.run(run_module(*module))
    passed, failed = outcomes.count(True), outcomes.count(False)
    if gaps := outcomes.count(None):
        print(f"{gaps} known gaps")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
