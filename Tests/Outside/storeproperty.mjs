// Random interleavings of events, pages and losses against a naive model: `node storeproperty.mjs MODULE SEED ROUNDS`.
import assert from "node:assert/strict";

const [, , path, seed, rounds] = process.argv;
const { MessageList } = await import(path);

/** Repeatable random numbers below `limit`. */
function randomness(start) {
  let state = start >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** A server with one channel, whose events arrive later, in order, at a client that lists pages. */
class Model {
  constructor(random, limit) {
    this.random = random;
    this.list = new MessageList(limit);
    this.limit = limit;
    /** Each change with the state after it. */
    this.log = [new Map()];
    this.lastID = 0;
    this.delivered = 0;
    this.events = [];
    /** The client's own messages, whose answers are not in the order of events. */
    this.own = [];
    this.answered = 0;
    this.page = null;
    this.mustRefresh = false;
    for (let count = random(60); count > 0; count--) this.send();
    // The client enters here.
    this.delivered = this.events.length;
    this.own = [];
  }

  get now() { return this.log.at(-1); }

  change(event, edit) {
    const state = new Map(this.now);
    edit(state);
    this.log.push(state);
    this.events.push(event);
  }

  send() {
    const message = { message_id: (this.lastID += 1 + this.random(3)), version: 0 };
    const isOwn = this.random(5) === 0;
    this.change(isOwn ? [] : ["receive", message], (state) => state.set(message.message_id, message));
    if (isOwn) this.own.push([message, this.events.length]);
  }

  some() { return [...this.now.keys()][this.random(this.now.size)]; }

  update() {
    const id = this.some();
    if (id === undefined) return;
    const message = { message_id: id, version: this.now.get(id).version + 1 };
    this.change(["update", message], (state) => state.set(id, message));
  }

  remove() {
    const id = this.some();
    if (id !== undefined) this.change(["delete", id], (state) => state.delete(id));
  }

  deliver() {
    if (this.delivered === this.events.length) return;
    const [kind, value] = this.events[this.delivered++];
    if (kind) this.list[kind](value);
  }

  answerSend() {
    if (!this.own.length) return;
    const [message, place] = this.own.shift();
    this.answered = Math.max(this.answered, place);
    this.list.receive(message);
  }

  /** Events are lost, with the page that is on its way. */
  lose() {
    if (this.delivered === this.events.length) return;
    while (this.own.length) this.answerSend();
    this.delivered += 1 + this.random(this.events.length - this.delivered);
    if (this.page) this.list.cancel(this.page.handle);
    this.page = null;
    this.mustRefresh = true;
  }

  /** Begins a call; its answer is a state between the call and the answer. */
  begin() {
    if (this.page) return;
    const { floor, hasEarlier, hasLater } = this.list;
    let kind = ["earlier", "later", "latest", "refresh"][this.random(4)];
    if (this.mustRefresh || this.random(2)) kind = this.mustRefresh ? "refresh" : "earlier";
    if (kind === "earlier" && !hasEarlier || kind === "later" && !hasLater) return;
    if (kind === "refresh" && floor === null) {
      this.mustRefresh = false;
      return this.list.clear();
    }
    this.page = { kind, handle: this.list.begin(), from: Math.max(this.delivered, this.answered), count: 1 + this.random(8) };
  }

  answer() {
    // Events of everything in the answer have come before it.
    if (!this.page || this.page.from > this.delivered) return;
    const { kind, handle, from, count } = this.page;
    this.page = null;
    const state = this.log[from + this.random(this.delivered - from + 1)];
    const all = [...state.values()].sort((a, b) => a.message_id - b.message_id);
    const { floor, ceiling } = this.list;
    if (kind === "earlier") {
      const before = all.filter(({ message_id: id }) => id < (floor ?? Infinity));
      const messages = before.slice(-count);
      this.list.addEarlier(handle, messages, before.length > messages.length ? messages[0].message_id : 0);
    } else if (kind === "later") {
      const later = all.filter(({ message_id: id }) => id > ceiling);
      const messages = later.slice(0, count);
      const isEnd = later.length === messages.length;
      this.list.addLater(handle, messages, isEnd ? Infinity : messages.at(-1).message_id);
    } else {
      const isLive = kind === "latest" || ceiling === Infinity;
      const known = all.filter(({ message_id: id }) => id >= (kind === "latest" ? 0 : floor));
      const messages = isLive ? known.slice(-(kind === "latest" ? count : this.limit))
        : known.filter(({ message_id: id }) => id <= ceiling);
      const isAll = messages.length === known.length;
      const first = messages[0]?.message_id ?? floor ?? 0;
      const start = isLive ? (isAll && kind !== "latest" ? floor : all.length > messages.length ? first : 0) : floor;
      this.list.replace(handle, messages, start, isLive ? Infinity : ceiling);
      this.mustRefresh = false;
    }
  }

  step() {
    const roll = this.random(20);
    if (roll < 5) this.send();
    else if (roll < 7) this.update();
    else if (roll < 8) this.remove();
    else if (roll < 13) this.deliver();
    else if (roll < 14) this.answerSend();
    else if (roll < 17) this.begin();
    else if (roll < 19) this.answer();
    else if (this.random(4) === 0) this.lose();
    const ids = this.list.messages.map(({ message_id: id }) => id);
    assert.deepEqual(ids, [...new Set(ids)].sort((a, b) => a - b), "ordered, each once");
    assert.ok(ids.length <= this.limit, "bounded");
  }

  /** Everything has arrived: the list is what the server has between its two ends. */
  settle() {
    for (let tries = 0; (this.page || this.mustRefresh || this.own.length || this.delivered < this.events.length) && tries < 1000; tries++) {
      this.deliver();
      this.answerSend();
      this.answer();
      if (this.mustRefresh) this.begin();
    }
    const { list } = this;
    if (list.floor === null) return;
    const naive = [...this.now.values()].sort((a, b) => a.message_id - b.message_id)
      .filter(({ message_id: id }) => id >= list.floor && id <= list.ceiling);
    assert.deepEqual(list.messages, naive);
  }
}

for (let round = 0; round < Number(rounds); round++) {
  const number = Number(seed) + round;
  const random = randomness(number);
  for (let warm = 0; warm < 5; warm++) random(2);
  const model = new Model(random, 5 + random(40));
  try {
    for (let steps = 50 + random(300); steps > 0; steps--) model.step();
    model.settle();
  } catch (error) {
    console.error(`seed ${number}: ${error.stack}`);
    process.exit(1);
  }
}
console.log(`${rounds} rounds`);
