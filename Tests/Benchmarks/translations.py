#!/usr/bin/env python3
"""What translations cost those who want none, and those whose are remembered.

translations.py PARLEYD [--rounds N]: three ratios of rounds that take turns, so that the load of the machine is on
both sides.

  others   p99, over all rounds, of plain messages while another user's messages wait for a translator of 300 ms, by the same
           while those go without languages
  cached   the median of messages with remembered translations, by that of plain ones; the median of the rounds
  dead     the messages that wait for a translator that does not answer
"""

import argparse
import asyncio
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "Outside"))

from harness import Context  # noqa: E402
from translators import ScriptedTranslator  # noqa: E402

FLAGS = ["--limits-flood-messages", "0", "--limits-user-flood-messages", "0", "--limits-throttle-messages", "0"]


async def timed(client, channel, text, **params):
    began = time.perf_counter()
    await client.send(channel, text, **params)
    return time.perf_counter() - began


async def paced(client, channel, count):
    """The times of messages, 100 a second."""
    times = []
    for _ in range(count):
        times.append(await timed(client, channel, "plain"))
        await asyncio.sleep(0.01)
    return times


def p99(times):
    return sorted(times)[int(len(times) * 0.99)]


async def serve(delay):
    """A translator in a process of its own, so that its work is not in the times of the client."""
    service = await ScriptedTranslator.start()
    service.delay = delay
    print(service.port, flush=True)
    await asyncio.Event().wait()


async def others(ctx, rounds):
    process = await asyncio.create_subprocess_exec(
        sys.executable, __file__, "", "--serve", "0.3", stdout=asyncio.subprocess.PIPE)
    url = f"http://127.0.0.1:{int(await process.stdout.readline())}"
    server = await ctx.fresh("--unfurl-mode", "off", "--translation-mode", "libretranslate",
                             "--translation-url", url, *FLAGS)
    await asyncio.sleep(1)
    channel, owner, other = await ctx.room(server, 1)
    without, waiting = [], []

    async def beside(text, **wishes):
        ending = asyncio.Event()

        async def sending():
            answers, index = [], 0
            while not ending.is_set():
                index += 1
                answers.append(await other.ask(
                    "message.send", channel_url=channel, message=f"{text} {index}", **wishes))
                await asyncio.sleep(0.05)
            await asyncio.gather(*answers)
        task = asyncio.create_task(sending())
        times = await paced(owner, channel, 600)
        ending.set()
        await task
        return times
    for number in range(rounds):
        plain = await beside(f"plain {number}")
        translated = await beside(f"round {number}", translation_target_langs=["es"])
        without += plain
        waiting += translated
        print(f"  p99 {p99(plain) * 1e3:.2f} ms beside plain ones, {p99(translated) * 1e3:.2f} ms beside those "
              "that wait", flush=True)
    process.kill()
    await process.wait()
    # A round's p99 is its sixth worst message, mostly the machine's; over all rounds it is the server's.
    return p99(waiting) / p99(without)


async def cached(ctx, server, service, rounds):
    service.delay = 0
    channel, owner, _ = await ctx.room(server, 1)
    sent = await owner.send(channel, "The house", translation_target_langs=["es", "de"])
    while len(sent["message"]["translations"]) < 2:
        sent = await owner.send(channel, "The house", translation_target_langs=["es", "de"])
    ratios = []
    for _ in range(rounds):
        plain, translated = [], []
        for _ in range(150):
            plain.append(await timed(owner, channel, "The house"))
            translated.append(await timed(
                owner, channel, "The house", translation_target_langs=["es", "de"]))
        ratios.append(statistics.median(translated) / statistics.median(plain))
        print(f"  {statistics.median(plain) * 1e3:.2f} ms plain, "
              f"{statistics.median(translated) * 1e3:.2f} ms cached", flush=True)
    return statistics.median(ratios)


async def dead(ctx, server, service):
    channel, owner = await ctx.room(server, 0)
    service.dead = True
    times = [await timed(owner, channel, f"text {k}", translation_target_langs=["es"])
             for k in range(12)]
    print("  " + " ".join(f"{t:.2f}" for t in times) + " s")
    return sum(t > 1 for t in times)


async def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parleyd")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--serve", type=float, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve is not None:
        return await serve(options.serve)
    service = await ScriptedTranslator.start()
    ctx = Context([os.path.abspath(options.parleyd), "", ""], [])
    server = await ctx.fresh(*service.flags, *FLAGS)
    await asyncio.sleep(1)
    print("plain messages beside those that wait:", flush=True)
    print(f"others {await others(ctx, options.rounds):.3f}", flush=True)
    print("remembered translations:", flush=True)
    print(f"cached {await cached(ctx, server, service, options.rounds):.3f}", flush=True)
    print("a dead translator:", flush=True)
    print(f"dead   {await dead(ctx, server, service)} messages waited", flush=True)
    await ctx.tidy()
    await ctx.close()


asyncio.run(main())
