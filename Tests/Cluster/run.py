"""Runs the tests of several servers: run.py --parleyd PATH [--bus redis|postgresql] [--only NAME] [--jobs N].

The module `itself` tries the harness with one server on SQLite; --all runs the checks of clusters too, --sound
those without faults, and --single those that need no faults with one server in place of three. Faults are tried on
Redis, and on notifications alone those that differ there; with --bus all are.
The program parley is looked for beside parleyd, unless it is named.
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

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "Outside"))

import schemas  # noqa: E402
from backends import Missing  # noqa: E402
from cluster import ClusterContext  # noqa: E402
from harness import PATIENCE  # noqa: E402

HARNESS = ["itself"]
SOUND = ["sound", "shared"]
CLUSTERS = [*SOUND, "failures", "partitions"]
# Faults that a cluster on notifications meets in another way than one on Redis.
ON_BOTH = {
    "test_the_home_is_killed", "test_a_zombie", "test_cut_off_from_postgresql",
    "test_the_broker_restarts", "test_postgresql_crashes", "test_a_drain_under_load",
    "test_a_call_whose_home_dies", "test_lists_of_servers_that_differ",
}


def tests_of(module):
    found = [
        (name, value) for name, value in vars(module).items()
        if name.startswith("test_") and inspect.iscoroutinefunction(value)]
    return sorted(found, key=lambda item: item[1].__code__.co_firstlineno)


def differs(module_name, name):
    """Whether a test says something else on the second bus."""
    return module_name == "sound" or name in ON_BOTH


async def run(context, name, test):
    started = time.monotonic()
    sentence = " ".join((test.__doc__ or name).split())
    try:
        async with asyncio.timeout(300 * PATIENCE):
            await test(context)
        deviations = schemas.taken_deviations()
        assert not deviations, f"{len(deviations)} not as described: {' | '.join(deviations[:3])}"
    except Missing as reason:
        print(f"skip {name}: {sentence} Not run: {reason}.", flush=True)
        return None
    except Exception as failure:
        frames = traceback.extract_tb(failure.__traceback__)[-5:]
        place = " < ".join(f"{os.path.basename(f.filename)}:{f.lineno}" for f in reversed(frames))
        print(f"FAIL {name}: {sentence}\n     {type(failure).__name__}: {str(failure)[:3000]}"
              f"\n     at {place}", flush=True)
        for server in context.running:
            print(f"     {getattr(server, 'name', '')}: " + " | ".join(list(server.lines)[-3:]),
                  flush=True)
        return False
    finally:
        await context.tidy()
        schemas.taken_deviations()
    print(f"ok   {name}: {sentence} ({time.monotonic() - started:.1f} s)", flush=True)
    return True


async def run_module(module_name, bus, programs, options):
    """Runs the tests of a module against servers on one bus; their outcomes."""
    tests = chosen_tests(module_name, bus, options)
    context = ClusterContext(programs, bus, options.single)
    context.older = options.older and os.path.abspath(options.older)
    try:
        await context.begin()
        return [await run(context, f"{module_name}.{name} ({bus})", test) for name, test in tests]
    finally:
        await context.close()


def chosen_tests(module_name, bus, options):
    return [
        (name, test) for name, test in tests_of(importlib.import_module(module_name))
        if options.only in f"{module_name}.{name}"
        and (bus == (options.bus or "redis") or differs(module_name, name))]


def captured(*arguments):
    """Runs the tests of a module in a process of the pool; what it prints, and their outcomes."""
    with contextlib.redirect_stdout(io.StringIO()) as text:
        outcomes = asyncio.run(run_module(*arguments))
    return text.getvalue(), outcomes


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parleyd", required=True, help="the server's executable")
    parser.add_argument("--parley", help="the command line's executable")
    parser.add_argument("--bus", choices=["redis", "postgresql"], help="one bus, not both")
    parser.add_argument("--all", action="store_true", help="the checks of clusters too")
    parser.add_argument("--sound", action="store_true", help="those of clusters without faults")
    parser.add_argument("--single", action="store_true", help="one server on SQLite stands for all")
    parser.add_argument("--older", help="parleyd of an older version, to run beside this one; else this one speaks as one")
    parser.add_argument("--only", default="", help="tests or modules whose name has this in it")
    parser.add_argument(
        "--jobs", type=int, default=1,
        help="modules that run side by side, each on servers of its own; each prints when it ends")
    options = parser.parse_args()
    beside = os.path.dirname(options.parleyd)
    programs = [os.path.abspath(path) for path in (
        options.parleyd, options.parley or os.path.join(beside, "parley"), os.devnull)]
    modules = HARNESS + (CLUSTERS if options.all else SOUND if options.single or options.sound else [])
    buses = [options.bus] if options.bus else ["redis", "postgresql"]
    chosen = [
        (module_name, bus, programs, options)
        for bus in (buses[:1] if options.single else buses) for module_name in modules
        if chosen_tests(module_name, bus, options)]
    outcomes = []
    if options.jobs > 1:
        # The longest first, so that none runs alone at the end.
        chosen.sort(key=lambda module: -len(chosen_tests(module[0], module[1], options)))
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
    print(f"{passed} passed, {failed} failed, {outcomes.count(None)} not run")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
