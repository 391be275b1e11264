"""A parleyd of its own for each measurement."""

import os
import re
import subprocess
import time

from machine import CountingError, patient, run

START_SECONDS = 60
STOP_SECONDS = 30
# Nothing is withheld, nothing is looked up, and no ping falls into what is counted. The window of a user is in
# force and never full. Not every machine has io_uring, and valgrind would not count what it does.
SETTINGS = [
    "--reactors", "1", "--unfurl-mode", "off", "--limits-flood-messages", "0",
    "--limits-user-flood-messages", "1000", "--limits-user-flood-window-ms", "1",
    "--limits-ping-interval-ms", "3600000", "--fan-out-io-uring", "off",
    "--groups-max-members", "1000", "--search-mode", "off", "--limits-platform-calls-per-second", "0"]


class Server:
    """A process that is listening while it is used in a `with`."""

    def __init__(self, parleyd, folder, programs, throttle, prefix=(), environment=None, settings=()):
        self.log = folder / "server.log"
        self.command = [
            *prefix, str(parleyd), "--listen", "127.0.0.1:0", "--data-dir", str(folder / "data"),
            "--tls-listen", "127.0.0.1:0", "--tls-certificate", str(programs / "certificate.pem"),
            "--tls-private-key", str(programs / "key.pem"),
            "--limits-throttle-messages", str(throttle), *SETTINGS, *settings]
        # The programs refuse settings that they do not know, and these are the tests' own.
        self.environment = {
            name: text for name, text in (environment or os.environ).items()
            if not name.startswith("PARLEY_TEST_")}
        self.process = None

    def __enter__(self):
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                self.command, env=self.environment, stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT)
        deadline = time.monotonic() + patient(START_SECONDS)
        while " ready " not in self.said():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.__exit__()
                raise CountingError(f"parleyd did not start: {self.said()[-2000:]}")
            time.sleep(0.05)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(patient(STOP_SECONDS))
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def said(self):
        return self.log.read_text(encoding="utf-8", errors="replace")

    def port(self, transport):
        scheme = "wss" if transport == "tls" else "ws"
        return re.search(rf" {scheme}://127\.0\.0\.1:(\d+)", self.said()).group(1)

    def api_token(self):
        """The token that the server has made for its Platform API."""
        return (self.log.parent / "data" / "api-token").read_text(encoding="ascii").strip()

    def load(self, program, transport, options, ports=None, **more):
        """Runs a client against it, and against others when ports are given; returns what the client
        printed."""
        try:
            return run(
                [program, *options, "--port", ports or self.port(transport), "--server", self.process.pid],
                **more)
        except CountingError as error:
            raise CountingError(f"{error}; the server's log ends: {self.said()[-1000:]}") from None
