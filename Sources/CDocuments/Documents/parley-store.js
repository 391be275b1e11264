// @ts-self-types="./parley-store.d.ts"
/**
 * The messages of a channel or a group of parley.js as one ordered list, kept current by its events.
 *
 * Imports nothing. Types and public members are described in parley-store.d.ts, use in Browser.md.
 */

const PAGE_SIZE = 50;
/** Messages in memory, unless the application wants another number. */
const LIMIT = 1000;
/** The largest page of the protocol. */
const LARGEST_PAGE = 200;
const RATE_LIMITED = 500910;
const ATTEMPTS = 6;
/** Changes that are remembered. */
const RECORD_LIMIT = 512;

const idOf = ({ message_id: id }) => id;
/** The positions where a page begins and ends: 0 and `Infinity` are the ends of the history. */
const floorOf = (answer) => (answer.has_previous ? answer.previous_from : 0);
const ceilingOf = (answer) => (answer.has_next ? answer.next_from : Infinity);
const after = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Messages in the order of their ids: a part of the history without gaps, whose later end may be the live one.
 *
 * Pages are as old as their calls, or newer, and never ahead of events: what events have changed while a page was on
 * its way wins over the page.
 */
export class MessageList {
  #limit;
  #messages = [];
  /** Everything from this position on is known: null before the first page, and 0 for the whole history. */
  #floor = null;
  /** Everything up to this position is known. */
  #ceiling = Infinity;
  #pages = new Set();
  /** The latest updates and deletions (null): an answer to a send may come after those of its message. */
  #recent = new Map();

  constructor(limit = LIMIT) { this.#limit = limit; }

  get messages() { return this.#messages; }
  get hasEarlier() { return this.#floor !== 0; }
  get hasLater() { return this.#ceiling !== Infinity; }
  get floor() { return this.#floor; }
  get ceiling() { return this.#ceiling; }
  get limit() { return this.#limit; }

  // Events

  receive(received) {
    const id = idOf(received);
    const message = this.#recent.has(id) ? this.#recent.get(id) : received;
    for (const { changes } of this.#pages) if (!changes.has(id)) changes.set(id, message);
    if (!message || id > this.#ceiling || id < this.#floor || this.#has(id)) return;
    this.#put([message]);
    this.#trimFront();
  }

  update(message) {
    const id = idOf(message);
    if (this.#recent.get(id) === null) return;
    this.#remember(id, message);
    for (const { changes } of this.#pages) changes.set(id, message);
    if (!this.#covers(id)) return;
    this.#put([message]);
    this.#trimFront();
  }

  delete(id) {
    for (const { changes } of this.#pages) changes.set(id, null);
    if (this.#has(id)) this.#messages = this.#messages.filter((message) => idOf(message) !== id);
    this.#remember(id, null);
  }

  #remember(id, message) {
    this.#recent.delete(id);
    this.#recent.set(id, message);
    if (this.#recent.size > RECORD_LIMIT) this.#recent.delete(this.#recent.keys().next().value);
  }

  // Pages

  /** Begins a page before its call; `cancel` and each of the others end it. */
  begin() {
    const page = { floor: this.#floor, changes: new Map() };
    this.#pages.add(page);
    return page;
  }

  cancel(page) { this.#pages.delete(page); }

  /** Adds the messages between a position and the first one, and drops the last ones if they are too many. */
  addEarlier(page, messages, floor) {
    // Later messages have pushed the first ones out meanwhile: the page would leave a gap.
    if (page.floor !== this.#floor) return this.cancel(page);
    // Live messages from before the first page may have gaps.
    if (page.floor === null) this.#messages = this.#messages.filter((message) => idOf(message) >= floor);
    this.#floor = floor;
    this.#end(page, messages);
    if (this.#messages.length <= this.#limit) return;
    this.#messages = this.#messages.slice(0, this.#limit);
    this.#ceiling = idOf(this.#messages.at(-1));
  }

  /** Adds the messages between the last one and a position, `Infinity` if these are the latest. */
  addLater(page, messages, ceiling) {
    this.#ceiling = ceiling;
    this.#end(page, messages);
    this.#trimFront();
  }

  /** Adds messages that were left out of the live ones. */
  fill(page, messages) {
    this.#end(page, messages);
    this.#trimFront();
  }

  /** Puts a part of the history in the place of the present one. */
  replace(page, messages, floor, ceiling) {
    [this.#messages, this.#floor, this.#ceiling] = [[], floor, ceiling];
    this.#end(page, messages);
    this.#trimFront();
  }

  /** Forgets everything: what comes is the beginning of a list. */
  clear() { [this.#messages, this.#floor, this.#ceiling] = [[], null, Infinity]; }

  #has(id) { return this.#messages[this.#place(id)]?.message_id === id; }

  /** Whether a message with this id is in this part of the history. */
  #covers(id) {
    return id <= this.#ceiling && id >= (this.#floor ?? this.#messages[0]?.message_id ?? Infinity);
  }

  #end(page, messages) {
    this.#pages.delete(page);
    const found = new Map(messages.map((message) => [idOf(message), message]));
    for (const [id, message] of page.changes) if (message) found.set(id, message); else found.delete(id);
    this.#put([...found.values()].filter((message) => this.#covers(idOf(message))));
  }

  /** The index of the first message that is not before this one. */
  #place(id) {
    let [low, high] = [0, this.#messages.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#messages[middle].message_id < id) low = middle + 1; else high = middle;
    }
    return low;
  }

  /** Makes another array, so that those that were handed out stay as they are. */
  #put(messages) {
    if (messages.length === 0) return;
    if (messages.length === 1) {
      const id = idOf(messages[0]);
      this.#messages = this.#messages.toSpliced(this.#place(id), this.#has(id) ? 1 : 0, messages[0]);
      return;
    }
    const all = new Map([...this.#messages, ...messages].map((message) => [idOf(message), message]));
    this.#messages = [...all.values()].sort((a, b) => idOf(a) - idOf(b));
  }

  #trimFront() {
    if (this.#messages.length <= this.#limit) return;
    this.#messages = this.#messages.slice(-this.#limit);
    this.#floor = idOf(this.#messages[0]);
  }
}

/** Repeats a call that was one of too many. */
async function patiently(call) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (error.code !== RATE_LIMITED || attempt >= ATTEMPTS) throw error;
      await after(error.data.retry_after_ms ?? 1000 * attempt);
    }
  }
}

/** The snapshot of a store before its first page, for a channel that is not there yet. */
export const noMessages = Object.freeze({
  messages: [], pending: [], hasEarlier: false, hasLater: false, isLoading: true, withheld: 0, unread: 0,
  unreadMentions: 0, receipts: Object.freeze({ read: {}, delivered: {} }), error: null, ended: null,
});

const stores = new WeakMap();

/** The store of a channel that all parts of an application share; `options` are those of its first use. */
export function storeOf(channel, options) {
  if (!stores.has(channel)) stores.set(channel, new MessageStore(channel, options));
  return stores.get(channel);
}

export class MessageStore {
  channel;
  #list;
  #pageSize;
  #isGroup;
  #snapshot = null;
  #listeners = new Set();
  #willNotify = false;
  #off = [];
  #error = null;
  #ended = null;
  #receipts = { read: {}, delivered: {} };
  #hasReceipts = false;
  /** Whether the first page is wanted. */
  #hasBegun = false;
  /** How often events were missed, and how many of these times have been made good. */
  #gapCount = 0;
  #refreshed = 0;
  /** Messages that were withheld, and not listed since. */
  #gaps = [];
  /** Calls are made one after another. */
  #work = Promise.resolve();
  /** Those that wait or are under way, by kind. */
  #loads = new Map();

  constructor(channel, { limit = LIMIT, pageSize = PAGE_SIZE } = {}) {
    if (typeof channel?.list !== "function" || !channel.parley) {
      throw new TypeError("a channel or group of parley.js is expected");
    }
    this.channel = channel;
    this.#list = new MessageList(limit);
    this.#pageSize = pageSize;
    this.#isGroup = typeof channel.markRead === "function";
    this.#listen();
  }

  // What applications see

  get messages() { return this.getSnapshot().messages; }

  getSnapshot = () => {
    this.#snapshot ??= Object.freeze({
      messages: this.#list.messages, pending: this.#pending(),
      hasEarlier: this.#list.hasEarlier, hasLater: this.#list.hasLater, isLoading: this.#loads.size > 0,
      withheld: this.#gaps.reduce((sum, { withheld }) => sum + withheld, 0),
      unread: this.channel.unread ?? 0, unreadMentions: this.channel.unreadMentions ?? 0,
      receipts: this.#receipts, error: this.#error, ended: this.#ended,
    });
    return this.#snapshot;
  };

  subscribe = (listener) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readBy(message) { return this.#reached(this.#receipts.read, message); }
  deliveredTo(message) { return this.#reached(this.#receipts.delivered, message); }

  loadEarlier(count = this.#pageSize) {
    return this.#load("earlier", async (page) => {
      const { floor } = this.#list;
      if (floor === 0) return this.#list.cancel(page);
      const answer = await this.#call(floor === null ? { prev_limit: count, next_limit: count }
        : { message_id: floor, include: false, prev_limit: count, next_limit: 0 });
      const from = floorOf(answer);
      // Messages may be dated after the clock of the server.
      if (floor === null && answer.has_next) this.#list.replace(page, answer.messages, from, ceilingOf(answer));
      else this.#list.addEarlier(page, answer.messages, from);
      if (!this.#hasReceipts) this.#loadReceipts();
    });
  }

  /** Loads the first page, once. */
  begin() {
    this.#hasBegun = true;
    return this.#list.floor === null ? this.loadEarlier() : Promise.resolve();
  }

  loadLater(count = this.#pageSize) {
    return this.#load("later", async (page) => {
      if (!this.#list.hasLater) return this.#list.cancel(page);
      const { ceiling } = this.#list;
      const answer = await this.#call({ message_id: ceiling, include: false, prev_limit: 0, next_limit: count });
      this.#list.addLater(page, answer.messages, ceilingOf(answer));
    });
  }

  /** Goes back to the live end, where earlier pages have dropped it. */
  loadLatest() {
    return this.#load("latest", async (page) => {
      const answer = await this.#call({ prev_limit: this.#pageSize, next_limit: this.#pageSize });
      this.#list.replace(page, answer.messages, floorOf(answer), ceilingOf(answer));
      this.#gaps = [];
    });
  }

  /** Lists the messages that were withheld to keep the channel readable. */
  loadWithheld() {
    return this.#load("withheld", async (page) => {
      const gaps = this.#gaps;
      const found = [];
      for (const { first_message_id: first, last_message_id: last } of gaps) {
        const { messages } = await this.#forward(first, last);
        found.push(...messages.filter((message) => idOf(message) <= last));
      }
      this.#list.fill(page, found);
      this.#gaps = this.#gaps.filter((gap) => !gaps.includes(gap));
    });
  }

  /** Lists the loaded part of the history again. The store does so itself after events were missed. */
  refresh() {
    return this.#load("refresh", async (page) => {
      const { floor, ceiling } = this.#list;
      const gapCount = this.#gapCount;
      this.#gaps = [];
      if (floor === null) {
        this.#list.cancel(page);
        this.#refreshed = gapCount;
        return this.#list.clear();
      }
      const found = ceiling === Infinity ? await this.#backward(floor) : await this.#forward(floor, ceiling);
      this.#list.replace(page, found.messages, found.floor, found.ceiling);
      this.#refreshed = gapCount;
    });
  }

  close() {
    for (const off of this.#off.splice(0)) off();
    this.#listeners.clear();
    if (stores.get(this.channel) === this) stores.delete(this.channel);
  }

  // Calls

  #call(params) { return patiently(() => this.channel.list(params)); }

  /** One call of each kind at a time: lists ask again while they are scrolled. */
  #load(kind, call) {
    if (this.#loads.has(kind)) return this.#loads.get(kind);
    const load = this.#work.then(async () => {
      const page = this.#list.begin();
      try {
        await call(page);
        this.#error = null;
      } catch (error) {
        this.#list.cancel(page);
        this.#error = error;
        throw error;
      } finally {
        this.#loads.delete(kind);
        this.#changed();
      }
    });
    this.#work = load.catch(() => {});
    this.#loads.set(kind, load);
    this.#changed();
    return load;
  }

  /** The latest messages back to a position, as far as there is room. */
  async #backward(floor) {
    let answer = await this.#call({ prev_limit: LARGEST_PAGE, next_limit: LARGEST_PAGE });
    const [ceiling, messages] = [ceilingOf(answer), answer.messages];
    while (answer.has_previous && answer.previous_from > floor && messages.length < this.#list.limit) {
      answer = await this.#call({
        message_id: answer.previous_from, include: false, prev_limit: LARGEST_PAGE, next_limit: 0 });
      messages.unshift(...answer.messages);
    }
    return { messages, floor: floorOf(answer), ceiling };
  }

  /** The messages from a position to another one, as far as there is room. */
  async #forward(floor, ceiling) {
    const messages = [];
    let from = floor ? { message_id: floor, include: true } : { message_ts: 1 };
    for (;;) {
      const answer = await this.#call({ ...from, prev_limit: 0, next_limit: LARGEST_PAGE });
      messages.push(...answer.messages);
      const isEnd = !answer.has_next || answer.next_from >= ceiling || messages.length >= this.#list.limit;
      if (isEnd) return { messages, floor, ceiling: ceilingOf(answer) };
      from = { message_id: answer.next_from, include: false };
    }
  }

  async #loadReceipts() {
    const { channel } = this;
    const most = channel.parley.session?.features?.groups?.receipts ?? 0;
    if (!this.#isGroup || !channel.isMember || channel.info.is_super || channel.info.member_count > most) return;
    try {
      const { read, delivered } = await patiently(() => channel.receipts());
      this.#hasReceipts = true;
      this.#receipts = { read, delivered };
      this.#changed();
    } catch {
      // The group may have grown; the next page asks again.
    }
  }

  // Events

  #listen() {
    const { channel } = this;
    this.#on(channel, {
      received: (message) => this.#list.receive(message),
      updated: (message) => this.#list.update(message),
      deleted: (id) => this.#list.delete(id),
      throttled: (gap) => { this.#gaps = [...this.#gaps, gap]; },
    });
    this.#on(channel, this.#isGroup ? {
      recovered: ({ isComplete }) => {
        this.#catchUp(!isComplete);
        if (this.#hasReceipts) this.#loadReceipts();
      },
      lost: ({ error }) => this.#end(error),
      unread: () => {},
      read: (reads) => this.#take("read", reads),
      delivered: (reads) => this.#take("delivered", reads),
      member: (change, { user }) => { if (change === "left") this.#forget(user?.user_id); },
    } : {
      recovered: () => this.#catchUp(false),
      lost: () => this.#catchUp(true),
      left: ({ error }) => this.#end(error),
    });
    const own = (entry) => {
      // At once: the event comes right after it.
      if (entry.message && entry.channelUrl === channel.url) this.#list.receive(entry.message);
    };
    this.#on(channel.parley.outbox, { change: own, progress: () => {} });
  }

  #on(source, listeners) {
    for (const [name, listener] of Object.entries(listeners)) {
      const heard = (...values) => {
        listener(...values);
        this.#changed();
      };
      source.on(name, heard);
      this.#off.push(() => source.off(name, heard));
    }
  }

  /** After a reconnection: failures are in the snapshot, and the next one tries again. */
  #catchUp(isGap) {
    if (isGap) this.#gapCount++;
    // Events may be missed while it is under way.
    if (this.#refreshed < this.#gapCount) this.refresh().then(() => this.#catchUp(false), () => {});
    if (this.#hasBegun) this.begin().catch(() => {});
  }

  #end(error) {
    this.#ended = { error };
    for (const off of this.#off.splice(0)) off();
    if (stores.get(this.channel) === this) stores.delete(this.channel);
    this.#changed();
  }

  #take(kind, reads) {
    const times = { ...this.#receipts[kind] };
    for (const { user_id: id, read_at: at } of reads) times[id] = Math.max(at, times[id] ?? 0);
    this.#receipts = { ...this.#receipts, [kind]: times };
  }

  #forget(userId) {
    const without = ({ [userId]: _, ...rest }) => rest;
    this.#receipts = { read: without(this.#receipts.read), delivered: without(this.#receipts.delivered) };
  }

  #reached(times, { created_at: at, user }) {
    const isOther = (id) => id !== this.channel.parley.userId && id !== user?.user_id;
    return Object.keys(times).filter((id) => times[id] >= at && isOther(id));
  }

  /** The messages that are not sent, as they are now: entries of the outbox change. */
  #pending() {
    const isOwn = ({ channelUrl, state }) =>
      channelUrl === this.channel.url && (state === "pending" || state === "failed");
    return this.channel.parley.outbox.entries.filter(isOwn).map((entry) => Object.freeze({
      id: entry.id, state: entry.state === "failed" ? "failed" : "waiting", params: entry.params, file: entry.file,
      createdAt: entry.createdAt, uploaded: entry.uploaded, error: entry.error,
      retry: () => entry.retry(), discard: () => entry.discard(),
    }));
  }

  /** Once for all events of a turn. */
  #changed() {
    this.#snapshot = null;
    if (this.#willNotify) return;
    this.#willNotify = true;
    queueMicrotask(() => {
      this.#willNotify = false;
      for (const listener of [...this.#listeners]) {
        try {
          listener();
        } catch (error) {
          (globalThis.reportError ?? console.error)(error);
        }
      }
    });
  }
}
