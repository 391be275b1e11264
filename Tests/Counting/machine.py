"""What this machine can count, and the C programs that do it."""

import os
import platform
import shutil
import subprocess
from pathlib import Path

import dumps

HERE = Path(__file__).resolve().parent
BENCHMARKS = HERE.parent / "Benchmarks"
FLAGS = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror"]
CLIENT_PARTS = ["fanout", "connections", "websocket", "server-usage"]
LOAD_PARTS = [
    "load-client", "idle", "ack", "latency", "openings", "calls", "sessions", "reading", "durable", "chatter",
    "previews", *CLIENT_PARTS]
LIBRARIES = ["-lssl", "-lcrypto", "-lz"]
COUNTERS_SIZE = 4096
# Of each mark that a client wants: the wait of the interposer's thread.
MARK_CALLS = 1
ALLOCATIONS, SYSTEM_CALLS, INSTRUCTIONS = "allocations", "system-calls", "instructions"


# How many times longer the waits of tests are on this machine than on a fast one.
PATIENCE = float(os.environ.get("PARLEY_TEST_PATIENCE", 1))


class CountingError(Exception):
    """Something other than what is counted went wrong."""


def patient(seconds):
    """A limit of a wait, adapted to the machine."""
    return seconds * PATIENCE


def run(command, **options):
    """Runs a program that must succeed; returns what it printed."""
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise CountingError(f"{Path(command[0]).name} failed: {done.stderr.strip()[-2000:]}")
    return done.stdout


def build(into):
    """Compiles interposer, clients and the program that the counting is tested with."""
    client = [HERE / "count-client.c", *(BENCHMARKS / f"{part}.c" for part in CLIENT_PARTS)]
    load = [BENCHMARKS / f"{part}.c" for part in LOAD_PARTS]
    for target, sources, options in [
            ("interposer.so", [HERE / "interposer.c"], ["-shared", "-fPIC"]),
            ("deliberate", [HERE / "deliberate.c"], ["-fno-builtin"]),
            ("count-client", client, LIBRARIES),
            ("load-client", load, LIBRARIES)]:
        run(["cc", *FLAGS, "-o", into / target, *sources, *options])


def make_certificate(folder):
    run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
         "-days", "2", "-subj", "/CN=localhost", "-keyout", folder / "key.pem",
         "-out", folder / "certificate.pem"])


def without_debug_information(parleyd, folder):
    """A copy that valgrind can read: some of its releases stumble over what swiftc writes."""
    copy = folder / "parleyd"
    run(["objcopy", "--strip-debug", parleyd, copy])
    return copy


def uncounted():
    """The units that cannot be counted or judged here, each with the reason."""
    if not shutil.which("valgrind"):
        reason = "there is no valgrind"
        return {INSTRUCTIONS: reason, SYSTEM_CALLS: reason}
    try:
        run(["valgrind", "--quiet", "--tool=callgrind", "--callgrind-out-file=/dev/null", "true"])
    except CountingError as error:
        reason = f"valgrind does not run here ({error})"
        return {INSTRUCTIONS: reason, SYSTEM_CALLS: reason}
    if platform.machine() != "x86_64":
        return {INSTRUCTIONS: f"the thresholds are for x86-64, and this is {platform.machine()}"}
    return {}


class Counted:
    """How a program is run so that it is counted, and where the counts are found."""

    def __init__(self, folder, programs, under_valgrind, name="program"):
        self.folder = folder
        self.counters = folder / "counters"
        self.dump = folder / f"dump.{name}"
        self.counters.write_bytes(bytes(COUNTERS_SIZE))
        self.environment = {
            **os.environ, "COUNTERS_FILE": str(self.counters), "SWIFT_BACKTRACE": "enable=no",
            "LD_PRELOAD": str(programs / "interposer.so")}
        self.prefix = [
            "valgrind", "--quiet", "--tool=callgrind", "--collect-systime=yes", "--instr-atstart=no",
            f"--callgrind-out-file={self.dump}"] if under_valgrind else []

    def dump_of(self, mark):
        """The file with what happened between a mark and the one before."""
        return self.dump.with_name(f"{self.dump.name}.{mark}")

    def totals(self, mark):
        """Instructions and system calls between a mark and the one before."""
        if not self.prefix:
            return {}
        instructions, system_calls = dumps.totals(self.dump_of(mark))
        return {INSTRUCTIONS: instructions, SYSTEM_CALLS: system_calls}
