"""Runs the tests of several servers: run.py --parleyd PATH [--bus redis|postgresql] [--only TEXT] [--test ID] [--jobs N].

The module `itself` tries the harness with one server on SQLite; --all runs the checks of clusters too, --sound
those without faults, --quick those of `sound` and one fault, and --single those that need no faults with one server
in place of three. Faults are tried on Redis, and on notifications alone those that differ there; with --bus all are.
The program parley is looked for beside parleyd, unless it is named.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "Outside"))

from cluster import ClusterContext  # noqa: E402
from suite import Suite, main, programs_beside  # noqa: E402

BUSES = ["redis", "postgresql"]
HARNESS = ["itself"]
SOUND = ["sound", "groupsound", "shared", "reporting", "hooking", "streaming", "migrated", "dailyquotas"]
CLUSTERS = [*SOUND, "failures", "groupfaults", "groupday", "pushes", "keys", "partitions", "exports"]
# Faults that a cluster on notifications meets in another way than one on Redis.
ON_BOTH = {
    "test_the_home_is_killed", "test_a_zombie", "test_cut_off_from_postgresql",
    "test_the_broker_restarts", "test_postgresql_crashes", "test_a_drain_under_load",
    "test_a_call_whose_home_dies", "test_lists_of_servers_that_differ",
}
# The fault of a quick run.
QUICK_FAULT = "test_the_home_is_killed"


class ClusterSuite(Suite):
    """Tests of several servers on one PostgreSQL and one bus."""

    description = __doc__
    limit = 300
    longest_message = 3_000

    def add_options(self, parser):
        parser.add_argument("--parleyd", metavar="PATH", help="the server's executable")
        parser.add_argument("--parley", metavar="PATH", help="the command line's executable")
        parser.add_argument("--bus", choices=BUSES, help="one bus, not both")
        parser.add_argument(
            "--quick", action="store_true",
            help=f"run itself, sound and {QUICK_FAULT} on one bus, by default Redis")
        parser.add_argument("--all", action="store_true", help="run the checks of clusters too")
        parser.add_argument("--sound", action="store_true", help="run those of clusters without faults")
        parser.add_argument("--single", action="store_true", help="one server on SQLite stands for all")
        parser.add_argument(
            "--older", metavar="PATH",
            help="parleyd of an older version, to run beside this one; default: this one speaks as one")

    def modules(self, options):
        if options.quick:
            return [*HARNESS, "sound", "groupsound", "failures"]
        return HARNESS + (CLUSTERS if options.all else SOUND if options.single or options.sound else [])

    def every_module(self):
        return HARNESS + CLUSTERS

    def variants(self, options):
        buses = [options.bus] if options.bus else BUSES
        return buses[:1] if options.single or options.quick else buses

    def every_variant(self):
        return BUSES

    def runs_on(self, test, options):
        """Whether a test checks something else on its bus than on the first."""
        if options.quick and test.module == "failures":
            return test.name == QUICK_FAULT
        return test.variant == (options.bus or BUSES[0]) or test.module == "sound" or test.name in ON_BOTH

    def context_key(self, test):
        # PostgreSQL and Redis are started once by each worker.
        return None

    async def begin(self, options, key):
        programs = [*programs_beside(options, "parley"), os.devnull]
        context = ClusterContext(programs, BUSES[0], options.single)
        context.older = options.older and os.path.abspath(options.older)
        try:
            await context.begin()
        except BaseException:
            await context.close()
            raise
        return context

    def aim(self, context, test):
        context.bus = test.variant

    def notes(self, context):
        return [f"{getattr(server, 'name', '')}: " + " | ".join(list(server.lines)[-3:])
                for server in context.running]


if __name__ == "__main__":
    sys.exit(main(ClusterSuite()))
