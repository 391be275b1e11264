"""The parts of the tests: what each runs, what it needs, and when."""

from dataclasses import dataclass

from suites import Program, Steps, SwiftTests

PYTHON = ".build/outside/bin/python3"
# The programs as they are packaged: one file that is called by three names.
PROGRAMS = ".build/tests/programs"
PARLEYD = f"{PROGRAMS}/parleyd"
# Two builds at once need a folder each. What debuggers and editors need takes time and is left out, except for the index
# of the tests, by which they are found.
DEBUG = ".build/tested"
DEBUG_BUILD = [
    "swift", "build", "--build-tests", "--scratch-path", DEBUG, "-debug-info-format", "none",
    "-Xswiftc", "-use-ld=lld",
    "-Xswiftc", "-index-ignore-system-modules"]
TESTS = f"{DEBUG}/debug/parleyPackageTests.xctest"
RELEASE_BUILD = ["swift", "build", "-c", "release", "--static-swift-stdlib", "--disable-index-store", "--product"]


# Of tests that start programs and databases, and wait for them.
USUAL_SECONDS = {
    "StoreTests": 0.6, "GatewayTests": 0.5, "IntegrationTests": 1.4, "ParleyCommandTests": 1.9,
    "ParleyClientIntegrationTests": 1.1, "ThumbnailerTests": 2, "BusTests": 1.4}


@dataclass
class Part:
    """What is run, listed and judged by one name."""

    name: str
    summary: str
    suite: object
    # Parts without whose success this one cannot run.
    needs: tuple = ()
    # What Scripts/packages installs for it: the names of its functions and lists.
    packages: tuple = ()
    idle_packages: tuple = ()
    needs_python: bool = False
    # Whether it runs beside the parts that are not, one after the other as those.
    is_beside: bool = False
    is_quick: bool = True


PARTS = [
    Part(
        "lint", "the formatter's rules, purity of the pure cores, the language, pages that repeat the code",
        Steps({
            "formatting": [
                "swift", "format", "lint", "--strict", "--parallel", "--recursive", "Sources", "Tests",
                "Package.swift"],
            "purity": ["Scripts/purity"],
            "generated pages": ["Scripts/generate", "--check", "map", "limits", "types"],
            "top level": ["Scripts/lint", "top-level"],
            "language": ["Scripts/lint", "language"],
            "foundation": ["Scripts/lint", "foundation"],
            "portable": ["Scripts/lint", "portable"],
            "apple": ["Scripts/apple", "ios"],
            "runner": ["python3", "-m", "unittest", "discover", "-s", "Tests/Runner"],
        })),
    Part(
        "build", "everything, tests too, with warnings as errors; the documentation's list of settings",
        Steps({
            "compilation": DEBUG_BUILD,
            "settings page": [
                "Scripts/generate", "--check", "--parleyd", f"{DEBUG}/debug/parleyd", "settings"],
        })),
    Part(
        "unit", "unit, property and integration tests of all Swift targets, with all fuzz corpora replayed",
        SwiftTests(TESTS, usual=USUAL_SECONDS), needs=("build",),
        packages=("thumbnail_packages",), idle_packages=("postgresql", "redis-server")),
    Part(
        "clocks", "the same client against a server whose clock is wrong, or set while it runs",
        Program(PYTHON, "Tests/Outside/run.py", "--clocks", "--parleyd", f"{DEBUG}/debug/parleyd"),
        # Clocks are faked for a program that is parleyd alone.
        needs=("build",), idle_packages=("faketime",), needs_python=True),
    Part(
        "release", "the release build, as it is packaged",
        Steps({
            "parley-thumbnail": [*RELEASE_BUILD, "parley-thumbnail"],
            "parley-programs": [*RELEASE_BUILD, "parley-programs"],
            "names": ["Scripts/packages", "names", ".build/release/parley-programs", PROGRAMS],
            "debian package": ["Scripts/package-debian"],
        }), packages=("dpkg-dev",), is_beside=True),
    Part(
        "outside", "a client that knows only the documented protocol, against the server as a process",
        Program(PYTHON, "Tests/Outside/run.py", "--parleyd", PARLEYD, jobs=4), needs=("release",),
        packages=(
            "chromium", "node-typescript", "node-react", "node-react-dom", "node-ws", "curl", "jq", "openssl", "sqlite3", "thumbnail_packages"),
        idle_packages=("translation_packages",), needs_python=True, is_beside=True),
    Part(
        "cluster", "the same client against three servers on PostgreSQL and Redis: no faults, a killed server",
        Program(PYTHON, "Tests/Cluster/run.py", "--parleyd", PARLEYD, "--quick", jobs=2),
        needs=("release",), idle_packages=("postgresql", "redis-server", "faketime"),
        needs_python=True, is_beside=True),
    Part(
        "counts", "instructions, system calls and allocations of each delivery against their thresholds",
        Program("python3", "Tests/Counting/run.py", "--parleyd", PARLEYD, longest=900),
        needs=("release",), packages=("counting_packages",),
        idle_packages=("postgresql", "redis-server"), is_beside=True),
    Part(
        "package", "the Debian package, installed on a copy of this machine",
        Program(PYTHON, "Tests/Deploy/run.py", "--package", ".build/debian", "--quick", longest=900),
        needs=("release",), packages=("openssl", "mandoc", "zsh", "fish"),
        needs_python=True, is_beside=True),
    Part(
        "faults", "three servers with each fault alone, over Redis and over notifications",
        Program(PYTHON, "Tests/Cluster/run.py", "--parleyd", PARLEYD, "--all", jobs=2),
        # Clocks are faked for a program that is parleyd alone.
        needs=("build", "release"), idle_packages=("postgresql", "redis-server", "faketime"),
        needs_python=True, is_quick=False),
    Part(
        "attacks", "the same client with one user at its limits: the others are served",
        Program(PYTHON, "Tests/Outside/run.py", "--attacks", "--parleyd", PARLEYD),
        needs=("release",), packages=("thumbnail_packages",), needs_python=True, is_quick=False),
    Part(
        "chaos", "random faults of a fixed seed, one after the other and several at once",
        Steps({
            f"seed {seed} over {bus}": [
                "env", f"PARLEYD={PARLEYD}", "Scripts/chaos", "--seed", str(seed), "--faults", "60", "--bus", bus]
            for seed, bus in ((1, "redis"), (2, "postgresql"))}, skipping_status=77),
        needs=("release",), idle_packages=("postgresql", "redis-server"), needs_python=True,
        is_quick=False),
    Part(
        "deploy", "what is in Deploy: the package in a clean Debian, booted units, proxies, rules, dashboard",
        Program(
            PYTHON, "Tests/Deploy/run.py", "--package", ".build/debian", "--roots", ".build/deploy", longest=900),
        needs=("release",), packages=(
            "debootstrap", "mmdebstrap", "skopeo", "umoci", "systemd-container", "openssl", "strace", "mandoc", "zsh", "fish"),
        idle_packages=("nginx-light", "haproxy", "prometheus"), needs_python=True, is_quick=False),
    Part(
        "fuzz", "every parser on inputs that differ from its corpus, many times more than in unit",
        SwiftTests(
            TESTS, only="FuzzingTests.",
            environment={"PARLEY_TEST_MUTATIONS": "20000"}, longest=3600),
        needs=("build",), is_quick=False),
    Part(
        "conformance", "the 517 cases of the Autobahn suite",
        Program("Scripts/conformance", longest=1200), packages=("python3-venv", "gcc"), is_quick=False),
]
BY_NAME = {part.name: part for part in PARTS}


def with_needs(names):
    """The parts of these names and those that they need, in their order."""
    wanted = set(names)
    for part in reversed(PARTS):
        if part.name in wanted:
            wanted.update(part.needs)
    return [part for part in PARTS if part.name in wanted]
