"""Uploads beside nginx's DAV PUT: CPU time of the servers, memory, and the wait of messages meanwhile.

That wait is mostly the disk's, which a bare `fdatasync` beside nginx shows under the same uploads.

Called by Scripts/bench --only uploads. Rounds are interleaved; ratios are medians of the rounds' own.
"""

import argparse
import http.client
import json
import os
import selectors
import shutil
import socket
import statistics
import subprocess
import sys
import time
from urllib.parse import urlsplit

MIB = 1 << 20
TICK = os.sysconf("SC_CLK_TCK")
NGINX = """
worker_processes 1;
daemon off;
error_log stderr;
pid {work}/nginx.pid;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  client_max_body_size 0;
  client_body_temp_path {work}/nginx-partial;
  server {{
    listen 127.0.0.1:{port};
    root {work}/nginx-files;
    location / {{ dav_methods PUT; }}
  }}
}}
"""


def processes(pid):
    """A process and its children."""
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [pid, *map(int, file.read().split())]


def cpu_seconds(pid):
    """The CPU time that a server has used, in user and kernel mode."""
    total = 0
    for one in processes(pid):
        with open(f"/proc/{one}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        total += int(fields[11]) + int(fields[12])
    return total / TICK


def resident_bytes(pid):
    total = 0
    for one in processes(pid):
        with open(f"/proc/{one}/status") as file:
            total += next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) * 1024
    return total


class Server:
    """A server as a child process, on a port of its own."""

    def __init__(self, command, port):
        self.port = port
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.pid = self.process.pid
        for _ in range(200):
            try:
                # nginx has no such file; parleyd says 503 until its store is open.
                if self.request("GET", "/readyz").status != 503:
                    return
            except OSError:
                pass
            time.sleep(0.05)
        raise SystemExit(f"{command[0]} does not listen")

    def stop(self):
        children = processes(self.pid)[1:]
        self.process.kill()
        self.process.wait()
        for child in children:
            try:
                os.kill(child, 9)
            except ProcessLookupError:
                pass

    def request(self, method, path, **fields):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(
            method, path, headers={name.replace("_", "-"): text for name, text in fields.items()})
        return connection.getresponse()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def parley(options):
    port = free_port()
    data = os.path.join(options.work, "parley-data")
    shutil.rmtree(data, ignore_errors=True)
    return Server(
        [options.parleyd, "--listen", f"127.0.0.1:{port}", "--data-dir", data, "--reactors", "1",
         "--unfurl-mode", "off", "--auth-mode", "open", "--limits-file-bytes",
         str(max(2 * options.size, 10**9)),
         "--limits-uploads-per-second", "0", "--limits-uploads-per-minute", "0",
         "--limits-uploads-per-user", "0", "--limits-flood-messages", "0", "--limits-user-flood-messages", "0",
         "--limits-throttle-messages", "0"], port)


def nginx(options):
    port = free_port()
    for name in ("nginx-partial", "nginx-files"):
        path = os.path.join(options.work, name)
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        # The worker is another user when the master is root.
        os.chmod(path, 0o777)
    os.chmod(options.work, 0o755)
    configuration = os.path.join(options.work, "nginx.conf")
    with open(configuration, "w") as file:
        file.write(NGINX.format(work=options.work, port=port))
    return Server(["nginx", "-c", configuration, "-p", options.work], port)


def create(server, size):
    """The path of a new upload."""
    answer = server.request(
        "POST", "/v1/files", Tus_Resumable="1.0.0", Parley_User="bench", Upload_Length=str(size))
    assert answer.status == 201, (answer.status, answer.read())
    return urlsplit(answer.getheader("Location")).path


def put(server, path, body):
    answer = subprocess.run(
        ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-H", "Expect:", "-T", body,
         f"http://127.0.0.1:{server.port}{path}"], check=True, capture_output=True, text=True).stdout
    assert answer == "201", answer


def cost_of_parley(options, body):
    server = parley(options)
    try:
        path = create(server, options.size)
        before, begin = cpu_seconds(server.pid), time.monotonic()
        put(server, path, body)
        return {"cpu": cpu_seconds(server.pid) - before, "seconds": time.monotonic() - begin}
    finally:
        server.stop()


def cost_of_nginx(options, body):
    """nginx does not make files durable: its file is synchronised here, and that is counted."""
    server = nginx(options)
    try:
        before, begin = cpu_seconds(server.pid), time.monotonic()
        put(server, "/file", body)
        mine = time.thread_time()
        with open(os.path.join(options.work, "nginx-files", "file"), "rb") as file:
            os.fsync(file.fileno())
        mine = time.thread_time() - mine
        return {"cpu": cpu_seconds(server.pid) - before + mine, "seconds": time.monotonic() - begin}
    finally:
        server.stop()


class Sender:
    """An upload that is sent at a pace."""

    def __init__(self, server, path, size, piece):
        self.rest = size
        self.piece = piece
        self.socket = socket.create_connection(("127.0.0.1", server.port))
        self.socket.sendall(
            f"PUT {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {size}\r\n\r\n".encode())
        self.socket.setblocking(False)

    def send(self, count):
        count = min(count, self.rest)
        while count > 0:
            try:
                sent = self.socket.send(self.piece[:min(count, len(self.piece))])
            except BlockingIOError:
                return
            self.rest -= sent
            count -= sent


def memory(options):
    """What an upload adds to the resident memory while its bytes come."""
    server = parley(options)
    try:
        size, count, piece = 64 * MIB, 32, bytes(65536)
        put_one = Sender(server, create(server, MIB), MIB, piece)
        put_one.send(MIB)
        time.sleep(1)
        before = resident_bytes(server.pid)
        senders = [Sender(server, create(server, size), size, piece) for _ in range(count)]
        largest = before
        for _ in range(60):
            for sender in senders:
                sender.send(MIB)
            largest = max(largest, resident_bytes(server.pid))
            time.sleep(0.01)
        came = sum(size - sender.rest for sender in senders)
        assert came > count * 8 * MIB, f"only {came} bytes came"
        return {"bytes": (largest - before) / count, "megabytes": came / 1e6}
    finally:
        server.stop()


def waits(options, count):
    """The p99 of acknowledgements while so many uploads come at 1 MB/s each."""
    server = parley(options)
    return p99_beside(
        options, server, [create(server, 10**9) for _ in range(count)],
        [options.load_client, "ack", "--dialect", "parley", "--port", str(server.port),
         "--server", str(server.pid), "--timeout", "120", "--connections", "1", "--rate", "50",
         "--seconds", str(options.seconds)])


def bare_waits(options, count):
    """The p99 of writes to the disk, as many a second, while nginx takes as many uploads."""
    return p99_beside(
        options, nginx(options), [f"/file{index}" for index in range(count)],
        [options.disk_sync, options.work, str(options.seconds), "50"])


def p99_beside(options, server, paths, command):
    """The p99 that a command measures while uploads come at 1 MB/s each."""
    client = None
    try:
        size, piece = 10**9, bytes(100_000)
        senders = [Sender(server, path, size, piece) for path in paths]
        client = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        next_turn = time.monotonic()
        while client.poll() is None:
            for sender in senders:
                sender.send(100_000)
            next_turn += 0.1
            time.sleep(max(0, next_turn - time.monotonic()))
        sent = sum(size - sender.rest for sender in senders)
        answer = json.loads(client.stdout.read())
        return {"p99_us": answer["p99_us"], "megabytes": sent / 1e6}
    finally:
        if client and client.poll() is None:
            client.kill()
        server.stop()


def ratio(above, below):
    ratios = [a / b for a, b in zip(above, below)]
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parleyd", required=True)
    parser.add_argument("--load-client", required=True)
    parser.add_argument("--disk-sync", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--size", type=int, default=1024 * MIB)
    parser.add_argument("--uploads", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=8)
    parser.add_argument("--only", default="cpu,memory,ack")
    options = parser.parse_args()
    options.work = os.path.realpath(options.work)
    body = os.path.join(options.work, "body")
    with open(body, "wb") as file:
        block = os.urandom(MIB)
        for _ in range(options.size // MIB):
            file.write(block)
        os.fsync(file.fileno())
    only = options.only.split(",")
    records = {name: [] for name in ("parley", "nginx", "memory", "quiet", "busy", "bare_quiet", "bare_busy")}

    def keep(name, record):
        records[name].append(record)
        print(f"  {name}: {json.dumps(record)}", file=sys.stderr)

    for _ in range(options.rounds):
        if "cpu" in only:
            keep("parley", cost_of_parley(options, body))
            keep("nginx", cost_of_nginx(options, body))
        if "memory" in only:
            keep("memory", memory(options))
        if "ack" in only:
            keep("quiet", waits(options, 0))
            keep("busy", waits(options, options.uploads))
            keep("bare_quiet", bare_waits(options, 0))
            keep("bare_busy", bare_waits(options, options.uploads))

    def of(name, member):
        return [record[member] for record in records[name]]

    print("| measured | Parley | nginx | ratio |")
    print("| --- | --- | --- | --- |")
    if "cpu" in only:
        for member, words in (("cpu", "CPU"), ("seconds", "elapsed")):
            ours, theirs = of("parley", member), of("nginx", member)
            print(f"| {words}, one PUT of {options.size // MIB} MiB | {statistics.median(ours):.2f} s |"
                  f" {statistics.median(theirs):.2f} s | {ratio(ours, theirs)} |")
    if "memory" in only:
        print(f"| resident memory of an upload | {statistics.median(of('memory', 'bytes')) / MIB:.2f} MiB | | |")
    if "ack" in only:
        quiet, busy = of("quiet", "p99_us"), of("busy", "p99_us")
        bare_quiet, bare_busy = of("bare_quiet", "p99_us"), of("bare_busy", "p99_us")
        rate = statistics.median(of("busy", "megabytes")) / (options.seconds + 1)

        def milliseconds(times):
            return f"{statistics.median(times) / 1e3:.2f} ms"

        print(f"| p99 of acknowledgements; of a bare fdatasync | {milliseconds(quiet)} | {milliseconds(bare_quiet)} | |")
        print(f"| the same beside {options.uploads} uploads ({rate:.0f} MB/s) | {milliseconds(busy)} | {milliseconds(bare_busy)} |"
              f" {ratio(busy, bare_busy)} |")
        print(f"| beside uploads, by without | {ratio(busy, quiet)} | {ratio(bare_busy, bare_quiet)} | |")


if __name__ == "__main__":
    main()
