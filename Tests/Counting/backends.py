"""A PostgreSQL and a Redis of a run's own, from Debian's packages."""

import glob
import os
import pwd
import shutil
import signal
import socket
import subprocess
import time

from machine import CountingError, patient, run

START_SECONDS = 30


def missing():
    """The program that several servers need and this machine does not have; None if it has all."""
    if not postgresql_programs():
        return "PostgreSQL is not installed"
    return None if shutil.which("redis-server") else "Redis is not installed"


def postgresql_programs():
    found = glob.glob("/usr/lib/postgresql/*/bin")
    return max(found, key=lambda path: int(path.split("/")[-2]), default=None)


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Backends:
    """Both, while they are used in a `with`."""

    def __init__(self, folder):
        self.folder = folder / "postgresql"
        self.programs = postgresql_programs()
        self.postgresql_port, self.redis_port = free_port(), free_port()
        # PostgreSQL does not run as root.
        self.account = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] \
            if os.geteuid() == 0 else []
        self.processes = []

    @property
    def environment(self):
        """The settings of servers on them."""
        return {
            "PARLEY_STORE_URL": f"postgresql://parley@127.0.0.1:{self.postgresql_port}/postgres",
            "PARLEY_CLUSTER_BUS": f"redis://127.0.0.1:{self.redis_port}",
            "PARLEY_FILES_STORE": f"directory:{self.folder / 'files'}"}

    def __enter__(self):
        self.folder.mkdir()
        (self.folder / "files").mkdir()
        if self.account:
            self.folder.parent.chmod(0o711)
            os.chown(self.folder, *pwd.getpwnam("postgres")[2:4])
        run([*self.account, f"{self.programs}/initdb", "-D", self.folder / "data", "-U", "parley",
             "-A", "trust", "-E", "UTF8", "--locale=C"], cwd=self.folder)
        self.start([*self.account, f"{self.programs}/postgres", "-D", str(self.folder / "data"),
                    "-p", str(self.postgresql_port), "-c", "listen_addresses=127.0.0.1",
                    "-c", "unix_socket_directories="])
        self.start(["redis-server", "--port", str(self.redis_port), "--bind", "127.0.0.1",
                    "--save", "", "--appendonly", "no"])
        deadline = time.monotonic() + patient(START_SECONDS)
        for command in (
                [f"{self.programs}/pg_isready", "-q", "-h", "127.0.0.1",
                 "-p", str(self.postgresql_port)],
                ["redis-cli", "-p", str(self.redis_port), "ping"]):
            while subprocess.run(command, capture_output=True, check=False).returncode != 0:
                if time.monotonic() > deadline:
                    self.__exit__()
                    raise CountingError("PostgreSQL or Redis did not start")
                time.sleep(0.05)
        return self

    def start(self, command):
        self.processes.append(subprocess.Popen(
            command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL))

    def __exit__(self, *_):
        for process in self.processes:
            # SIGKILL would leave PostgreSQL's children and shared memory behind.
            process.send_signal(signal.SIGQUIT if process is self.processes[0] else signal.SIGKILL)
            process.wait()
