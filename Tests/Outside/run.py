"""Runs the outside tests: run.py --parleyd PATH [--only TEXT] [--test ID] [--jobs N] [--reactors N].

The programs parley and parley-unfurl are looked for beside parleyd, unless they are named.
"""

import sys

from harness import Context
from suite import Suite, main, programs_beside

MODULES = [
    "sessions", "tokens", "keysets", "keyfetches", "rpc", "channels", "channelorders", "presence", "moderation", "groups", "groupmessages", "groupreading",
    "groupendpoints", "grouplists", "grouptyping", "groupreceipts", "groupdeliveries", "groupsettings", "groupchanges", "grouprecovery", "grouptotals",
    "messagechanges", "searching", "exporting", "privacy", "groupblocks", "groupsuper", "groupmentions", "groupmetrics", "push",
    "messages", "listing", "streams", "parleystreams", "chatstreams",
    "queries", "importing", "migrating", "metaarrays", "sizes", "rights", "limits", "quotas", "throttling", "pacing", "recovery", "detecting",
    "extracting", "previews", "previewraces", "fetching", "remembering",
    "richmessages", "unfurlers", "unfurlservice", "explaining", "previewmetrics",
    "webhooks", "hooks", "traces", "reports", "wordfilter", "retaining",
    "deflate", "demandedpreviews", "previewpictures", "hostile", "hostilepages",
    "racing", "persistence", "files", "uploads", "covers", "parleyjs", "parleystore", "parleymock", "parleyhooks", "parleypackage",
    "parleygroups", "parleyunread",
    "parleyreceipts",
    "parleypush", "pagepush", "pushcommands",
    "pushing",
    "pagechat",
    "pagefiles", "pagegroups", "pagesearch", "apipage", "sealing", "thumbnails", "depots",
    "translations",
    "operations", "reloading", "apitokens", "problems", "observers", "dashboard", "dashboardchannels",
    "dashboardmoderation", "dashboardreports", "dashboardexports", "dashboardsearch", "dashboardaccess", "endpoints", "refusals", "exchanges",
    "limitrows", "commands", "edges", "doors", "documents", "examples", "schemadocuments", "schemafuzzing",
    "generated", "sendbird",
]

# One user at its limits, and what others notice of it. They want a release build: in another, parsing
# alone takes so long that it tells nothing about the limits.
ATTACKS = ["budgets", "fairness", "bystanders"]

# A wrong clock. They want a parleyd that is no other program too.
CLOCKS = ["clocks", "pushclocks"]


# Modules that make thumbnails, or look at all settings and endpoints. The servers of all others start without, in
# a third of the time.
THUMBNAILS = {
    "previewpictures", "files", "uploads", "covers", "parleyjs", "pagefiles", "apipage", "sealing", "thumbnails",
    "depots", "operations", "apitokens", "dashboard", "endpoints", "refusals", "exchanges", "commands", "documents",
    "examples", "schemadocuments", "schemafuzzing", "generated", "sendbird", *ATTACKS,
}


class OutsideSuite(Suite):
    """Tests of one gateway and its programs."""

    description = __doc__

    def add_options(self, parser):
        parser.add_argument("--parleyd", metavar="PATH", help="the server's executable")
        parser.add_argument("--parley", metavar="PATH", help="the command line's executable")
        parser.add_argument("--parley-unfurl", metavar="PATH", help="the unfurl service's executable")
        parser.add_argument(
            "--attacks", action="store_true", help="run the tests that attack, in place of the others")
        parser.add_argument(
            "--clocks", action="store_true", help="run the tests with a wrong clock, in place of the others")
        parser.add_argument("--reactors", type=int, help="passed on to every server")

    def modules(self, options):
        if options.clocks:
            return CLOCKS
        return ATTACKS if options.attacks else MODULES

    def every_module(self):
        return MODULES + ATTACKS + CLOCKS

    async def begin(self, options, key):
        programs = programs_beside(options, "parley", "parley-unfurl")
        always = ["--reactors", str(options.reactors)] if options.reactors else []
        if key not in THUMBNAILS:
            always += ["--thumbnails-mode", "off"]
        if key in ATTACKS:
            # What each call costs, again and again: a quota would end it.
            always += ["--limits-user-channels-per-day", "0"]
        return Context(programs, always)


if __name__ == "__main__":
    sys.exit(main(OutsideSuite()))
