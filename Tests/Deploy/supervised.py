"""What a supervisor is told, by the packaged programs on a real datagram socket."""

import asyncio
import ctypes
import os
import secrets
import signal
import socket

from harness import DEADLINE, Server, Skipped, UnfurlService

PERIOD = 0.4
SEIZE, INTERRUPT, DETACH, ANY_CHILD = 0x4206, 0x4207, 17, 0x40000000


class Supervisor:
    """A socket in the abstract namespace, and what came to it."""

    def __init__(self):
        self.name = f"parley-deploy-{secrets.token_hex(8)}"
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(f"\0{self.name}")
        self.socket.setblocking(False)

    @property
    def environment(self):
        return {"NOTIFY_SOCKET": f"@{self.name}", "WATCHDOG_USEC": str(int(PERIOD * 1_000_000))}

    async def next(self):
        async with asyncio.timeout(DEADLINE):
            return (await asyncio.get_running_loop().sock_recv(self.socket, 4096)).decode()

    async def until(self, beginning):
        """The next notice that begins so; signs of life are passed over."""
        while not (notice := await self.next()).startswith(beginning):
            assert notice == "WATCHDOG=1", notice
        return notice

    def waiting(self):
        notices = []
        while True:
            try:
                notices.append(self.socket.recv(4096).decode())
            except BlockingIOError:
                return notices


async def life(ctx, supervisor, program):
    ctx.running.append(program)
    assert (await supervisor.next()).startswith("READY=1\n")
    assert await supervisor.next() == "WATCHDOG=1"
    program.process.send_signal(signal.SIGHUP)
    reloading = await supervisor.until("RELOADING=1\n")
    assert "\nMONOTONIC_USEC=" in reloading
    await supervisor.until("READY=1\n")
    assert await program.end() == 0
    assert "STOPPING=1\nSTATUS=draining" in supervisor.waiting()


async def test_the_gateway_tells_its_life(ctx):
    """parleyd says READY, signs of life, RELOADING and READY for SIGHUP, and STOPPING for SIGTERM."""
    supervisor = Supervisor()
    await life(ctx, supervisor, await Server.start(
        ctx.parleyd, ctx.directory(), [], supervisor.environment))


async def test_a_refused_reload_is_told(ctx):
    """After SIGHUP with an invalid file parleyd says READY, with a status that the previous settings hold."""
    supervisor = Supervisor()
    path = os.path.join(ctx.directory(), "parley.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write("{}")
    server = await ctx.fresh("--config", path, environment=supervisor.environment)
    await supervisor.until("READY=1\nSTATUS=serving")
    with open(path, "w", encoding="utf-8") as file:
        file.write("log.level: loud")
    server.process.send_signal(signal.SIGHUP)
    await supervisor.until("RELOADING=1\n")
    await supervisor.until("READY=1\nSTATUS=serving with the previous settings")


async def test_the_preview_service_tells_its_life(ctx):
    """parley-unfurl says the same."""
    supervisor = Supervisor()
    await life(ctx, supervisor, await UnfurlService.launch(
        ctx.parley_unfurl, [], supervisor.environment))


def thread_named(process, name):
    tasks = f"/proc/{process}/task"
    for task in os.listdir(tasks):
        with open(f"{tasks}/{task}/comm", encoding="utf-8") as file:
            if file.read().strip() == name:
                return int(task)
    raise AssertionError(f"no thread {name}")


def trace(request, thread):
    """ptrace(2) on one thread: the others run on."""
    library = ctypes.CDLL(None, use_errno=True)
    library.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    if library.ptrace(request, thread, None, None) != 0:
        raise Skipped(f"threads can't be stopped here: {os.strerror(ctypes.get_errno())}")


async def test_a_stuck_event_loop_misses_the_watchdog(ctx):
    """While one of two event loops is stopped no sign of life comes, though the rest of the process
    runs; when it goes on, signs come again."""
    supervisor = Supervisor()
    server = await ctx.fresh("--reactors", "2", environment=supervisor.environment)
    await supervisor.until("READY=1\n")
    assert await supervisor.next() == "WATCHDOG=1"
    thread = thread_named(server.process.pid, "reactor-1")
    trace(SEIZE, thread)
    trace(INTERRUPT, thread)
    os.waitpid(thread, ANY_CHILD)
    try:
        # One that was on its way may still come; then several periods pass in silence.
        await asyncio.sleep(PERIOD)
        supervisor.waiting()
        await asyncio.sleep(4 * PERIOD)
        assert supervisor.waiting() == []
    finally:
        trace(DETACH, thread)
    assert await supervisor.next() == "WATCHDOG=1"
