// @ts-self-types="./parley.d.ts"
/**
 * A client of the Parley gateway for browsers, Node 20 and later, and Deno.
 *
 * It reconnects, enters its channels and reads its groups again, recovers missed events, and keeps messages
 * that wait for the connection in an outbox. Types and public members are described in parley.d.ts, use in Browser.md.
 */

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** A connection that lasted this long ends a series of failures. */
const STABLE_MS = 10_000;
const OPENING_MS = 20_000;
/** A handshake that takes this long may be blocked. */
const HANDSHAKE_MS = 5_000;
const PING_INTERVAL_MS = 25_000;
const PING_TIMEOUT_MS = 10_000;
/** The time limit of answers, and of the first session. */
const ANSWER_MS = 60_000;
/** The time limit of the application's fetch of a token or ticket. */
const TOKEN_MS = 15_000;
/** The least time between two fetches of a token. */
const TOKEN_PAUSE_MS = 5_000;
/** The server recognizes a repeated `req_id` for ten minutes. */
const IDENTITY_MS = 540_000;
/** Failures in a row after which a call of the library itself is given up. */
const ATTEMPTS = 6;
/** An upload without any progress for this long is cut, and continues on another connection. */
const STALL_MS = 30_000;
/** Bytes of a request where the progress within one cannot be observed. */
const PIECE_BYTES = 1 << 20;
/** The time limit of such a request. */
const PIECE_MS = 300_000;
/** Entries of a record of what was seen, in each channel. */
const RECORD_LIMIT = 512;
/** Between calls about typing. */
const TYPING_MS = 2_000;
/** Between calls about what was delivered. */
const DELIVERY_MS = 1_000;
/** Groups in a call for missed events, or about what was delivered. */
const GROUPS_LIMIT = 100;
/** Lists of groups whose next page may be asked for. */
const LISTINGS_LIMIT = 32;
/** Messages of a group that are listed after a reconnection, and those of a page. */
const MISSED_LIMIT = 1000;
const PAGE_LIMIT = 200;

const Code = {
  internalRPC: -32603, expired: 400109, missing: 400201, exists: 400202, deactivated: 400300, badToken: 400302,
  banned: 400750,
  userFull: 400500, full: 400501, internal: 500901, rateLimited: 500910, outside: 900020, flood: 900200,
};
const TEMPORARY = new Set([
  Code.internalRPC, Code.userFull, Code.full, Code.internal, Code.rateLimited,
]);
/** Another connection would end in the same way. */
const FINAL_CLOSES = new Set([1000, 1002, 1003, 1007, 1008, 1009, 1010, 4003]);
const UNAUTHORIZED = 4002;
/** Methods that change nothing, or nothing twice, and may be repeated after a lost connection. */
const READS = /^push\.|\.(get|list|changes|members|participants|ping|fetch|search|translate|unread|blocked|receipts|recover)$/;
/** Methods whose events are numbered, and not sent to the caller. */
const OWN_EVENTS = /^(message\.(update|\w+_metaarray_\w+)|group\.(update|invite|accept|join|remove)|channel\.\w+)$/;
/** No call waits for them: their answers may come after those of later calls. */
const SLOW = /^(preview\.fetch|message\.translate)$/;
const namesIn = (text) => text.split(/\s+/);
/** Events of channels of both kinds. */
const SHARED_EVENTS = namesIn(`message.received message.updated message.deleted channel.changed channel.deleted
  channel.frozen channel.unfrozen channel.user_muted channel.user_unmuted channel.user_banned channel.user_unbanned
  channel.operators_changed channel.throttled`);
const CHANNEL_EVENTS = namesIn(
  "message.withheld channel.user_entered channel.user_exited channel.participant_count");
const GROUP_EVENTS = namesIn(`group.invited group.joined group.declined group.left group.member_count group.lost
  group.unread group.hidden group.unhidden group.read group.delivered group.typing`);
const SESSION_EVENTS = namesIn(
  "mention.received group.ready group.totals session.expiring session.file_key server.draining");
const shortName = (method) => method.replace(/^\w+\.(user_)?/, "");

/** A refusal of the server, or with `code` 0 one of the library: `data.reason` has its kind. */
export class ParleyError extends Error {
  constructor(code, message, data = {}) {
    super(message);
    this.name = "ParleyError";
    this.code = code;
    this.data = data;
  }
}

/** The connection ended before the answer came. */
class Lost extends ParleyError {
  constructor(isSent) {
    super(0, "the connection was lost before the answer came", { reason: "lost" });
    this.isSent = isSent;
  }
}

const misuse = (words) => new ParleyError(0, words, { reason: "invalid" });
const timeout = (words) => new ParleyError(0, words, { reason: "timeout" });
const closedError = (words = "the client is closed") => new ParleyError(0, words, { reason: "closed" });
const leftError = () => new ParleyError(0, "the channel was left", { reason: "left" });
/** The end of a channel, or of being in it, by the reason that an event gives. */
function ending(reason) {
  const [code, text] = {
    deleted: [Code.missing, "the channel was deleted"], banned: [Code.banned, "banned from the channel"],
  }[reason] ?? [Code.outside, "no longer a member of the group"];
  return new ParleyError(code, text, { reason });
}
/** An error of the application or the platform as one of the library's. */
const wrapped = (error) => (error instanceof ParleyError ? error : Object.assign(
  new ParleyError(0, String(error?.message ?? error), { reason: "failed" }), { cause: error }));
const refusal = ({ code, message, data }) => new ParleyError(code, message, data ?? {});
const after = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
/** Whether the server may have forgotten a `req_id` that was first sent then. */
const isForgotten = (firstSent) => firstSent > 0 && Math.abs(Date.now() - firstSent) > IDENTITY_MS;
/** Grows twofold; half of it is random, so that clients dropped together return apart. */
const backoff = (attempt) => {
  const ceiling = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempt, 10));
  return ceiling / 2 + Math.random() * ceiling / 2;
};
/** Repeats a call of the library itself that was one of too many. */
async function patiently(call) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (error.code !== Code.rateLimited || attempt >= ATTEMPTS) throw error;
      await after(error.data.retry_after_ms ?? backoff(attempt));
    }
  }
}
/** An address of the web; `null` for anything else. */
function webAddress(text) {
  try {
    const address = new URL(text);
    return /^https?:$/.test(address.protocol) ? address : null;
  } catch {
    return null;
  }
}
/** Half a character of UTF-16, which is no text on the wire, becomes U+FFFD. */
const wellFormed = (text) => text.replace(/\p{Surrogate}/gu, "\ufffd");
/** The same for all texts in a value: JSON has a half as an escape. */
const wellFormedJSON = (value) => JSON.stringify(value).replace(
  /\\(?:u(d[89a-f]..)|.)/g, (escape, half) => (half ? "\ufffd" : escape));
/** Node 20 has no WebSocket of its own; bundlers must not look for the package. */
const findWebSocket = async (name = "ws") => globalThis.WebSocket ??
  import(/* @vite-ignore */ /* webpackIgnore: true */ name).then(({ WebSocket }) => WebSocket, () => null);
/** `crypto.randomUUID` is missing on pages without encryption. */
const randomID = () => crypto.getRandomValues(new Uint32Array(4)).join("-");

/** Calls a function of the application: its fault must not stop the others, nor the connection. */
function notify(listener, ...values) {
  try {
    listener?.(...values);
  } catch (error) {
    (globalThis.reportError ?? console.error)(error);
  }
}

/** Ends a wait with the signal's reason when the signal is aborted. */
function abortable(promise, signal) {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** Ends a wait for something that may never come. */
function limited(promise, ms, words) {
  let timer;
  const end = new Promise((_, reject) => { timer = setTimeout(() => reject(timeout(words)), ms); });
  return Promise.race([promise, end]).finally(() => clearTimeout(timer));
}

/** The promise of a message, which reports when its outcome is looked at. */
class Delivery extends Promise {
  static get [Symbol.species]() { return Promise; }

  then(...actions) {
    this.seen?.();
    return super.then(...actions);
  }

  /** The same outcome, of which nothing is reported. */
  get quiet() { return super.then(); }
}

function together(sends) {
  const all = new Delivery((resolve) => resolve(Promise.all(sends.map((send) => send.quiet ?? send))));
  all.seen = () => sends.forEach((send) => send.seen?.());
  all.quiet.catch(() => {});
  return all;
}

/** A message that cannot be sent: a caller that does not wait for it must not end the process. */
const refused = (error) => together([Promise.reject(error)]);

// What the classes of this module call on each other, and nobody else.
const emit = Symbol("emit");
const take = Symbol("take");
const begin = Symbol("begin");
const entered = Symbol("entered");
const hold = Symbol("hold");
const readAgain = Symbol("readAgain");
const drop = Symbol("drop");
const ended = Symbol("ended");
const leave = Symbol("leave");
const answered = Symbol("answered");
const report = Symbol("report");
const keep = Symbol("keep");
const reach = Symbol("reach");
const ready = Symbol("ready");
const owner = Symbol("owner");
const add = Symbol("add");
const pump = Symbol("pump");
const settleByEvent = Symbol("settleByEvent");
const abandon = Symbol("abandon");
const end = Symbol("end");
const reopen = Symbol("reopen");
const whenOpen = Symbol("whenOpen");
const presentWire = Symbol("wire");
const channelAt = Symbol("channelAt");
const held = Symbol("held");
const base = Symbol("base");
const inside = Symbol("inside");
const isLeft = Symbol("isLeft");
const isNews = Symbol("isNews");
const apply = Symbol("apply");
const noticed = Symbol("noticed");
const received = Symbol("received");
const pause = Symbol("pause");
const resume = Symbol("resume");
const missingBefore = Symbol("missingBefore");
const recoverGap = Symbol("recoverGap");
const scope = Symbol("scope");

class Emitter {
  #listeners = new Map();
  #names;

  constructor(names) { this.#names = new Set(names); }

  on(name, listener) {
    if (!this.#names.has(name)) throw misuse(`no event "${name}", but ${[...this.#names].join(", ")}`);
    if (typeof listener !== "function") throw misuse(`the listener of "${name}" is not a function`);
    if (!this.#listeners.has(name)) this.#listeners.set(name, new Set());
    this.#listeners.get(name).add(listener);
    return this;
  }

  off(name, listener) {
    this.#listeners.get(name)?.delete(listener);
    return this;
  }

  [emit](name, ...values) {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) notify(listener, ...values);
  }
}

export const messageTypes = () => ({
  dataOf({ custom_type: type, data }, name) {
    try {
      return type === name ? JSON.parse(data) : undefined;
    } catch {
      return undefined;
    }
  },
  withData: (name, value) => ({ custom_type: name, data: JSON.stringify(value) }),
});

/** One WebSocket: a request gives a promise of its answer, everything else is an event. */
class Wire {
  #socket;
  #pending = new Map();
  #lastID = 0;
  /** The latest call that was answered. */
  #answeredID = 0;
  #handlers;
  messageLimit = Infinity;

  /** @param handlers `opened(wire)`, `event(method, params)`, `closed(code, reason)`, `sign()`, `log` */
  constructor(WebSocket, url, handlers) {
    this.#handlers = handlers;
    this.#socket = new WebSocket(url, "parley.v1");
    this.#socket.onopen = () => handlers.opened(this);
    this.#socket.onmessage = ({ data }) => this.#receive(data);
    this.#socket.onclose = ({ code, reason }) => this.#end(code, reason || undefined);
    // Browsers close after an error; Node leaves it out when the connection was not made.
    this.#socket.onerror = () => setTimeout(() => this.drop(), 100);
  }

  /** @param took is called with the result before anything that came after it is looked at. */
  call(method, params = {}, took = undefined) {
    if (!this.isOpen) return Promise.reject(new Lost(false));
    const request = { jsonrpc: "2.0", id: ++this.#lastID, method, params };
    const text = wellFormedJSON(request);
    // A larger one would cost the connection.
    if (text.length * 3 > this.messageLimit && new TextEncoder().encode(text).length > this.messageLimit) {
      return Promise.reject(new ParleyError(
        400110, `the request is longer than ${this.messageLimit} bytes`, { field: "params" }));
    }
    notify(this.#handlers.log, "sent", request, method);
    this.#socket.send(text);
    return new Promise((resolve, reject) => {
      const late = () => this.#settle(request.id)?.reject(timeout(`${method} was not answered`));
      this.#pending.set(request.id, { method, took, resolve, reject, timer: setTimeout(late, ANSWER_MS) });
    });
  }

  get isOpen() { return this.#socket.readyState === 1; }

  #receive(text) {
    this.#handlers.sign();
    try {
      for (const item of [JSON.parse(text)].flat()) {
        if (item.method === undefined) {
          this.#answer(item);
        } else {
          notify(this.#handlers.log, "received", item, item.method);
          this.#handlers.event(item.method, item.params ?? {});
        }
      }
    } catch {
      // No JSON-RPC: calls are settled by the loss.
      this.drop();
    }
  }

  #answer(response) {
    if (response.id == null && !response.error) throw new TypeError("no answer");
    const id = response.id ?? this.#unnamed();
    if (id > this.#answeredID) this.#answeredID = id;
    const request = this.#settle(id);
    notify(this.#handlers.log, "received", response, request?.method);
    if (!request) return;
    if (response.error) return request.reject(refusal(response.error));
    try {
      request.took?.(response.result);
      request.resolve(response.result);
    } catch (error) {
      request.reject(wrapped(error));
    }
  }

  /**
   * The call that a refusal without an id answers: answers come in the order of the calls, except for those of calls
   * that wait, such as a mark beyond its pace, once a later call is answered.
   */
  #unnamed() {
    const calls = [...this.#pending].filter(([, { method }]) => method !== "session.ping");
    return (calls.find(([id, { method }]) => id > this.#answeredID && !SLOW.test(method)) ?? calls[0])?.[0];
  }

  #settle(id) {
    const request = this.#pending.get(id);
    this.#pending.delete(id);
    clearTimeout(request?.timer);
    return request;
  }

  /** Ends at once: the closing handshake of a dead peer would take a minute. */
  drop() {
    this.#socket.close(1000);
    this.#end(1006);
  }

  /** Ends at our own wish, which is not reported. */
  discard() {
    this.#handlers.closed = () => {};
    this.drop();
  }

  #end(code, reason) {
    this.#socket.onopen = this.#socket.onmessage = this.#socket.onclose = null;
    const { closed } = this.#handlers;
    this.#handlers.closed = () => {};
    for (const id of [...this.#pending.keys()]) this.#settle(id).reject(new Lost(true));
    closed(code, reason);
  }
}

/** A session with a gateway that is kept open, with its channels and groups. */
export class Parley extends Emitter {
  outbox;
  groups;
  push;
  #url;
  #options;
  #state = "waiting";
  #error = null;
  /** The last failure, also while another attempt is under way. */
  #failure;
  #retryAt = null;
  #session = null;
  #fileKey = null;
  #wire = null;
  /** The number of the current attempt to connect. */
  #turn = 0;
  #attempt = 0;
  // By `performance.now`, since the clock of the machine may be set.
  #openedAt = Infinity;
  #returnAt = 0;
  #timer = 0;
  #guard = 0;
  #handshake = 0;
  /** In place of a WebSocket: streams, or what falls back to them. */
  #fallback;
  #pulse = 0;
  #deadline;
  #token;
  /** When the last fetch of a token began, by `performance.now`. */
  #fetchedAt = -Infinity;
  #renewal = 0;
  #isRenewed = false;
  #isInBackground = false;
  /** Those of both kinds, which share one set of URLs. */
  #channels = new Map();
  /** The entries under way, by channel. */
  #entries = new Map();
  #waiters = [];
  #online = () => { if (this.#state === "waiting") this.#connect(); };
  #visible = () => {
    if (globalThis.document?.visibilityState === "visible" && this.#state === "open") this.#beat();
    this.#followPage();
  };

  constructor(url, options) {
    super([
      "state", "session", "latency", ...SHARED_EVENTS, ...CHANNEL_EVENTS, ...GROUP_EVENTS, ...SESSION_EVENTS,
    ]);
    const { userId, ticket, token } = options ?? {};
    const address = webAddress(String(url ?? globalThis.location?.origin).replace(/^ws/i, "http"));
    if (!address) throw misuse(`no address of a gateway, such as https://chat.example: ${url}`);
    if (ticket != null && typeof ticket !== "function") throw misuse("ticket is not a function");
    if (ticket == null && typeof userId !== "string") throw misuse("userId is missing, or not a text");
    if (userId && userId !== wellFormed(userId)) throw misuse("userId has half a character");
    if (token && !/^[sf]/.test(typeof token)) throw misuse("token is neither a text nor a function");
    this.#url = address;
    this.#url.search = this.#url.hash = "";
    this.#url.pathname = this.#url.pathname.replace(/\/$/, "");
    this.#options = options;
    this.groups = new Groups(this);
    this.push = new Push(this);
    this.outbox = new Outbox(this, options.outbox === "persistent");
    this.#listen();
    // Later, so that what is listened for is not missed.
    queueMicrotask(() => { if (this.#turn === 0) this.#connect(); });
  }

  get state() { return this.#state; }
  get retryAt() { return this.#retryAt; }
  get error() { return this.#error; }
  get session() { return this.#session; }
  get user() { return this.#session?.user ?? null; }
  get userId() { return this.#options.userId; }
  get channels() { return this[held](Channel); }

  #listen() {
    globalThis.addEventListener?.("online", this.#online);
    globalThis.document?.addEventListener("visibilitychange", this.#visible);
    this.#followPage();
  }

  #followPage() {
    if (this.#options.background !== "visibility" || !globalThis.document) return;
    this.background(document.visibilityState === "hidden").catch(() => {});
  }

  async background(on = true) {
    const isNews = on !== this.#isInBackground;
    this.#isInBackground = on;
    if (isNews && this.#state === "open") await this.#reportBackground();
  }

  /** Each session begins in the foreground; a lost report is repeated by the next one. */
  async #reportBackground() {
    try {
      await this.#wire.call("session.background", { on: this.#isInBackground });
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
    }
  }

  connect() {
    if (this.#state === "waiting" || this.#state === "closed") {
      this.#listen();
      this.outbox[reopen]();
      this.#attempt = 0;
      this.#isRenewed = false;
      this.#connect();
    }
    return this[whenOpen](ANSWER_MS).then(() => this.#session);
  }

  close() {
    const error = closedError();
    this.outbox[leave](error);
    this.#finish(error);
  }

  async call(method, params = {}, { signal, [apply]: took } = {}) {
    const fetchID = method === "preview.fetch" && signal ? params.fetch_id ?? randomID() : null;
    if (fetchID) params = { ...params, fetch_id: fetchID };
    for (let firstSent = 0, losses = 0, lost; ;) {
      const wire = await abortable(this[whenOpen](ANSWER_MS), signal);
      if (isForgotten(firstSent)) throw lost;
      const now = Date.now();
      try {
        return await abortable(wire.call(method, params, took), signal);
      } catch (error) {
        const isRead = READS.test(method);
        // The server would go on fetching, and count it.
        if (fetchID && signal.aborted) wire.call("preview.cancel", { fetch_id: fetchID }).catch(() => {});
        if (!(error instanceof Lost && (!error.isSent || isRead || params.req_id))) throw error;
        if (error.isSent && ++losses >= ATTEMPTS) throw error;
        if (error.isSent && !isRead) [firstSent, lost] = [firstSent || now, error];
      }
    }
  }

  async block(userId) { await this.call("user.block", { user_id: userId }); }
  async unblock(userId) { await this.call("user.unblock", { user_id: userId }); }
  blocked(params) { return this.call("user.blocked", params); }
  preferences() { return this.call("user.preferences"); }
  prefer(choices) { return this.call("user.preferences", choices); }

  enter(url, { create, recover } = {}) {
    if (typeof url !== "string") return Promise.reject(misuse("the URL of a channel is not a text"));
    const known = this.#channels.get(url);
    if (known instanceof Group) return Promise.reject(misuse("the channel is a group, which is not entered"));
    if (known?.[inside]) return Promise.resolve(known);
    if (this.#entries.has(url)) return this.#entries.get(url);
    const entry = this.#enter(known ?? new Channel(this, url), create, recover).finally(() => {
      // After `exit` it may be that of another one.
      if (this.#entries.get(url) === entry) this.#entries.delete(url);
    });
    this.#entries.set(url, entry);
    return entry;
  }

  async #enter(channel, create, recover) {
    const params = { channel_url: channel.url, ...(recover && { recover }) };
    for (let isCreated = false, losses = 0; ;) {
      const wire = await this[whenOpen]();
      // Reconnecting has entered it.
      if (channel[inside]) return channel;
      if (channel[isLeft]) throw leftError();
      try {
        await wire.call("channel.enter", params, (result) => {
          if (channel[isLeft]) return this.#exit(wire, channel);
          this.#channels.set(channel.url, channel);
          channel[entered](result, recover);
        });
        if (channel[isLeft]) throw leftError();
        this.outbox[pump]();
        return channel;
      } catch (error) {
        if (error instanceof Lost && (!error.isSent || ++losses < ATTEMPTS)) continue;
        if (error.code !== Code.missing || !create || isCreated) throw error;
        isCreated = await this.#create(channel.url, create);
      }
    }
  }

  /** It was left while it was entered: the server has the user in it. */
  #exit(wire, { url }) {
    wire.call("channel.exit", { channel_url: url }).catch(() => {});
  }

  async #create(url, members) {
    try {
      await this.call("channel.create", { ...(members === true ? {} : members), channel_url: url });
    } catch (error) {
      // Someone else was quicker, or this client before the connection was lost.
      if (error.code !== Code.exists && !(error instanceof Lost)) throw error;
      return error.code === Code.exists;
    }
    return true;
  }

  /** The sender can make the address name any host, which would receive the key, and the address of each reader. */
  fileURL(file, part = file) {
    const address = this.#fileAddress(file, part);
    const key = this.#keyOf(file);
    if (address && key) address.searchParams.set("auth", key);
    return address?.href ?? "";
  }

  fileRequest(file, part = file) {
    const address = this.#fileAddress(file, part);
    const key = this.#keyOf(file);
    return address && new Request(address, { headers: key ? { "Parley-File-Key": key } : {} });
  }

  #keyOf(file) {
    return file.file_id && file.require_auth ? this.#fileKey?.key : undefined;
  }

  #fileAddress(file, { url }) {
    let address = webAddress(url);
    if (!address || !file.file_id) return address;
    const bases = [this.#url.href, this.#session?.features?.files?.base];
    if (address.username || !bases.some((base) => webAddress(base)?.origin === address.origin)) {
      const start = address.pathname.lastIndexOf("/files/");
      address = new URL(this[base] + (start < 0 ? "/" : address.pathname.slice(start)));
    }
    return address;
  }

  // Connecting

  async #connect() {
    const turn = ++this.#turn;
    this.#stopTimers();
    this.#wire?.discard();
    this.#wire = null;
    this.#leaveAll();
    this.#become("connecting");
    try {
      await this.#findToken();
    } catch (error) {
      if (turn === this.#turn) this.#pause(wrapped(error));
      return;
    }
    if (turn !== this.#turn) return;
    await this.#fallBack();
    const WebSocket = this.#fallback ?? this.#options.WebSocket ?? await findWebSocket();
    if (turn !== this.#turn) return;
    if (!WebSocket) {
      return this.#finish(closedError("there is no WebSocket: install the package ws, or pass one in the options"));
    }
    let wire;
    try {
      wire = new Wire(WebSocket, `${this[base].replace(/^http/, "ws")}/v1/ws`, {
        opened: (line) => this.#begin(line),
        event: (method, params) => this.#take(method, params),
        closed: (code, reason) => this.#lost(code, reason),
        sign: () => { this.#deadline = clearTimeout(this.#deadline); },
        log: this.#options.log,
      });
    } catch (error) {
      // A page with encryption may not connect without it.
      return this.#finish(closedError(error.message));
    }
    this.#wire = wire;
    this.#guard = setTimeout(() => wire.drop(), OPENING_MS);
    this.#handshake = setTimeout(() => wire.isOpen || this.#fallBack(2, wire), HANDSHAKE_MS);
  }

  /** Loads the way around blocked WebSockets after failed handshakes, or within an hour of such ones. */
  async #fallBack(failures, wire) {
    const { WebSocket, transport } = this.#options;
    if (WebSocket || this.#fallback || transport === "websocket") return;
    try {
      const isForced = transport === "stream";
      if (!isForced && !failures && !(window.localStorage[`parley.streams ${this[base]}`] > Date.now())) return;
      const { StreamSocket, automaticSocket } = await limited(import("./parley-streams.js"), TOKEN_MS);
      this.#fallback = isForced ? StreamSocket : automaticSocket(await findWebSocket(), failures);
      if (wire?.isOpen === false) wire.drop();
    } catch {
      // Without storage or the module, WebSockets remain.
    }
  }

  async #findToken() {
    const { token, ticket } = this.#options;
    // A ticket opens one session.
    if (ticket) this.#token = await limited(ticket(), TOKEN_MS, "the ticket was not fetched in time");
    else if (typeof token !== "function") this.#token = token;
    else this.#token ??= await this.#fetchToken();
  }

  async #fetchToken() {
    this.#fetchedAt = performance.now();
    return limited(this.#options.token(), TOKEN_MS, "the token was not fetched in time");
  }

  async #begin(wire) {
    const { userId, nickname, profileUrl, ticket } = this.#options;
    try {
      const session = await wire.call("session.open", ticket ? { ticket: this.#token } : {
        user_id: userId, access_token: this.#token, nickname, profile_url: profileUrl,
      }, (result) => this.#takeSession(result));
      wire.messageLimit = session.limits?.message_bytes ?? Infinity;
      await Promise.all(this.channels.map((channel) => this.#enterAgain(wire, channel)));
      if (wire !== this.#wire) return;
      this.#settle(session);
    } catch (error) {
      if (wire === this.#wire && !(error instanceof Lost)) this.#refused(error);
    }
  }

  #takeSession(session) {
    this.#session = session;
    this.#fileKey = session.file_key ?? null;
    this[emit]("session", session);
  }

  async #enterAgain(wire, channel) {
    const { position } = channel;
    try {
      await wire.call(
        "channel.enter", { channel_url: channel.url, ...(position && { recover: position }) },
        (result) => (channel[isLeft] ? this.#exit(wire, channel) : channel[entered](result, position)));
    } catch (error) {
      if (error instanceof Lost) throw error;
      if (channel[isLeft]) return;
      if (TEMPORARY.has(error.code) && ++channel.failures < ATTEMPTS) throw error;
      this[drop](channel, error);
    }
  }

  #settle(session) {
    clearTimeout(this.#guard);
    this.#openedAt = performance.now();
    this.#isRenewed = false;
    this.#pulse = setInterval(() => this.#beat(), session.ping_interval_ms || PING_INTERVAL_MS);
    this.#beat();
    if (this.#isInBackground) this.#reportBackground().catch(() => {});
    for (const settle of this.#waiters.splice(0)) settle();
    // Last, since a listener may close the client.
    this.#become("open");
    this.outbox[pump]();
  }

  #refused(error) {
    this.#wire.discard();
    if (error.code === Code.badToken) this.#unauthorized(error);
    else if (TEMPORARY.has(error.code)) this.#pause(error, error.data.retry_after_ms);
    else this.#finish(error);
  }

  /** A token that was fetched before is fetched anew, once in a row. */
  #unauthorized(error) {
    const { token, ticket } = this.#options;
    if (!ticket && typeof token !== "function" || this.#isRenewed) return this.#finish(error);
    this.#isRenewed = true;
    this.#token = undefined;
    this.#pause(error);
  }

  #lost(code, words = `the connection was closed (${code})`) {
    if (code === UNAUTHORIZED) {
      this.#unauthorized(new ParleyError(Code.badToken, words, { close: code }));
    } else if (FINAL_CLOSES.has(code)) {
      this.#finish(new ParleyError(0, words, { reason: "closed", close: code }));
    } else {
      const isFirst = this.#attempt === 0 && this.#state === "connecting";
      if (code === 1006 && this.#state === "connecting") {
        this.#fallBack(1);
        if (!this.#session) words = `no connection to ${this.#url.href}: is it the address of a gateway?`;
      }
      this.#pause(new ParleyError(0, words, { reason: "lost", close: code }));
      if (isFirst) this.#explain();
    }
  }

  /** Of a refused upgrade only the failure is visible; the same request by hand has the words. */
  async #explain() {
    const turn = this.#turn;
    try {
      // A POST has an Origin, as the upgrade has; a GET of the same origin would have none.
      const answer = await fetch(`${this[base]}/v1/ws`, { method: "POST" });
      if (answer.status !== 403) return;
      const error = refusal(await answer.json());
      if (turn === this.#turn && this.#state === "waiting") this.#finish(error);
    } catch {
      // There is no answer, or none that this page may read.
    }
  }

  #pause(error, atLeast = 0) {
    this.#stopTimers();
    if (performance.now() - this.#openedAt > STABLE_MS) this.#attempt = 0;
    this.#openedAt = Infinity;
    // A draining server has spread its clients already.
    const announced = this.#returnAt - performance.now();
    const wait = announced > 0 ? announced : Math.max(atLeast, backoff(this.#attempt));
    this.#attempt++;
    this.#schedule(wait);
    this.#leaveAll();
    this.#become("waiting", error);
  }

  #schedule(wait) {
    clearTimeout(this.#timer);
    this.#retryAt = Date.now() + wait;
    this.#timer = setTimeout(() => this.#connect(), wait);
  }

  #finish(error) {
    globalThis.removeEventListener?.("online", this.#online);
    globalThis.document?.removeEventListener("visibilitychange", this.#visible);
    this.#turn++;
    this.#stopTimers();
    this.#wire?.discard();
    this.#wire = null;
    this.#leaveAll();
    [this.#state, this.#error] = ["closed", error];
    for (const settle of this.#waiters.splice(0)) settle(error);
    this.outbox[end](error);
    // Last, since a listener may connect again.
    this.#become("closed", error);
  }

  #leaveAll() {
    for (const channel of this.#channels.values()) channel[inside] = false;
  }

  #stopTimers() {
    for (const timer of [this.#timer, this.#guard, this.#handshake, this.#deadline, this.#renewal]) clearTimeout(timer);
    clearInterval(this.#pulse);
    this.#deadline = undefined;
    this.#retryAt = null;
  }

  #become(state, error = null) {
    this.#state = state;
    this.#error = error;
    this.#failure = error?.message ?? this.#failure;
    this[emit]("state", { state, error, retryAt: this.#retryAt });
  }

  /** A page cannot send WebSocket pings, and would notice a silent network minutes later. */
  async #beat() {
    const wire = this.#wire;
    const started = performance.now();
    // An earlier ping without an answer has its own.
    this.#deadline ??= setTimeout(() => wire.drop(), PING_TIMEOUT_MS);
    try {
      await wire.call("session.ping");
      this[emit]("latency", performance.now() - started);
    } catch {
      // The loss is reported by the socket; a refusal is an answer too.
    }
  }

  // Events

  #take(method, params) {
    const channel = this.#channels.get(params.channel_url);
    if (channel && method !== "mention.received") return this.#takeOf(channel, method, params);
    if (method === "server.draining") this.#drain(params);
    if (method === "session.expiring") this.#planRenewal(performance.now() + params.expires_at - params.ts);
    if (method === "session.file_key") this.#fileKey = params.file_key;
    if (method === "group.ready") this.groups[ready](this.#wire, params.token);
    this.groups[noticed](params.channel_url);
    this[emit](method, params);
  }

  #takeOf(channel, method, params) {
    channel[take](method, params);
    const error = channel[ended](method, params);
    if (error) this[drop](channel, error);
  }

  #drain({ reconnect_after_ms: wait }) {
    this.#returnAt = performance.now() + (wait ?? 0);
    this.#schedule(wait ?? 0);
    this.#become(this.#state);
  }

  /** Fetches another token after two thirds of the time of this one: the server may announce its end at once. */
  #planRenewal(end) {
    if (typeof this.#options.token !== "function") return;
    const due = this.#fetchedAt + Math.max(TOKEN_PAUSE_MS, (end - this.#fetchedAt) * 2 / 3);
    clearTimeout(this.#renewal);
    // Too late, the session ends with 4002, and the next one begins with another token.
    if (due <= end) this.#renewal = setTimeout(() => this.#renew(end), Math.max(0, due - performance.now()));
  }

  async #renew(end) {
    const wire = this.#wire;
    try {
      const fresh = await this.#fetchToken();
      const isNew = fresh !== this.#token;
      // If the connection is gone, the next session opens with it.
      this.#token = fresh;
      if (isNew) return void await wire.call("session.refresh", { access_token: fresh }, (result) => {
        if (result.file_key) this.#take("session.file_key", { ts: Date.now(), ...result });
      });
    } catch (error) {
      if (!(error instanceof Lost)) this.#token = undefined;
    }
    if (wire === this.#wire) this.#planRenewal(end);
  }

  // For the classes of this module

  get [base]() { return this.#url.href.replace(/\/$/, ""); }
  get [presentWire]() { return this.#state === "open" && this.#wire.isOpen ? this.#wire : null; }
  get [scope]() { return `${this[base]} ${this.userId}`; }
  [channelAt](url) { return this.#channels.get(url); }
  [held](kind) { return [...this.#channels.values()].filter((channel) => channel instanceof kind); }
  [hold](channel) { this.#channels.set(channel.url, channel); }

  /** Ends a channel that the server no longer has for this user. */
  [drop](channel, error) {
    if (this.#channels.get(channel.url) !== channel) return;
    this.#channels.delete(channel.url);
    channel[leave](error);
    this.outbox[abandon](error, channel.url);
  }

  [leave](channel) {
    if (this.#channels.get(channel.url) !== channel) return;
    this.#channels.delete(channel.url);
    this.#entries.delete(channel.url);
    channel[leave](null);
    this.outbox[abandon](leftError(), channel.url);
  }

  /** Waits for a session: without a limit once there was one, since it comes back. */
  [whenOpen](limit = this.#session ? 0 : ANSWER_MS) {
    // One that is closing is open no more.
    if (this[presentWire]) return Promise.resolve(this.#wire);
    if (this.#state === "closed") return Promise.reject(this.#error);
    return new Promise((resolve, reject) => {
      const settle = (error) => {
        clearTimeout(timer);
        if (error) reject(error); else resolve(this.#wire);
      };
      const timer = limit && setTimeout(() => {
        this.#waiters = this.#waiters.filter((one) => one !== settle);
        settle(timeout(`the session did not open in time: ${this.#failure ?? this.#state}`));
      }, limit);
      this.#waiters.push(settle);
    });
  }
}

/** Channels of both kinds: what is sent goes through the outbox, and each event comes once, in order. */
class BaseChannel extends Emitter {
  url;
  info = null;
  /** Refusals to enter or read it again, in a row. */
  failures = 0;
  [inside] = false;
  #epoch = null;
  /** Every event up to it was seen, or withheld for good. */
  #reached = 0;
  /** Answers beyond that. */
  #ahead = new Set();
  /** Numbers before that without an event: the answer to a send may come after later events. */
  #leapt = new Set();
  /** The newest update of each message. */
  #updates = new Map();
  #held = null;

  constructor(parley, url, events, names) {
    super([...events, ...events.map(shortName), ...names]);
    this[owner] = parley;
    this.url = url;
  }

  get parley() { return this[owner]; }
  get position() { return this.#epoch === null ? null : { epoch: this.#epoch, seq: this.#reached }; }

  call(method, params = {}, options = {}) {
    return this[owner].call(method, { channel_url: this.url, ...params }, options);
  }

  list(params) { return this.call("message.list", params); }
  changes(params) { return this.call("message.changes", params); }

  send(message, { patient = false } = {}) {
    const params = typeof message === "string" ? { message } : message;
    return this[owner].outbox[add](this, params, { patient });
  }

  sendFiles(files, { thumbnailSizes, progress, signal, params = {} } = {}) {
    const sends = [...files].map((file) => this[owner].outbox[add](this, {
      ...params, message_type: "FILE",
    }, { file, thumbnailSizes, progress, signal }));
    return together(sends);
  }

  /** Events count from here in another epoch, where earlier numbers mean nothing. */
  [begin](epoch, reached) {
    this[inside] = true;
    this.failures = 0;
    if (epoch === this.#epoch) return;
    // Listeners are added when the caller has the channel.
    if (this.#epoch === null) {
      this.#held = [];
      setTimeout(() => this.#release());
    }
    for (const record of [this.#ahead, this.#leapt, this.#updates]) record.clear();
    this.#epoch = epoch;
    this.#reached = reached;
  }

  /** Delivers an event unless it was delivered before. */
  [take](method, params) {
    if (method === "message.updated") {
      if (!this.#isNewer(params)) return false;
      this[reach](params.seq);
    } else if (params.seq !== undefined) {
      if (!this[isNews](params.seq)) return false;
      this.#leap(params.seq);
      this[reach](params.seq);
    }
    this[keep](method, params);
    if (method === "message.received") this[owner].outbox[settleByEvent](this, params);
    this.#deliver(method, params);
    return true;
  }

  /** The answer to a send: it may be ahead of events before it, and behind events after it. */
  [answered](message, seq) {
    if (this[isNews](seq)) {
      this.#ahead.add(seq);
      while (this.#ahead.delete(this.#reached + 1)) this.#reached++;
      if (this.#ahead.size > RECORD_LIMIT) this[reach](Math.min(...this.#ahead));
    } else if (!this.#leapt.delete(seq)) {
      return;
    }
    this.#deliver("message.received", {
      channel_url: this.url, seq, ts: message.created_at, message, own: true,
    });
  }

  [isNews](seq) { return seq > this.#reached && !this.#ahead.has(seq); }

  /** The numbers before this one that were not received. */
  [missingBefore](seq) {
    return seq - 1 - this.#reached - [...this.#ahead].filter((known) => known < seq).length;
  }

  #leap(seq) {
    for (let number = Math.max(this.#reached + 1, seq - RECORD_LIMIT); number < seq; number++) {
      if (!this.#ahead.has(number)) this.#leapt.add(number);
    }
    for (const number of this.#leapt) {
      if (this.#leapt.size <= RECORD_LIMIT) break;
      this.#leapt.delete(number);
    }
  }

  /** The server holds updates back until after later events; each newest state counts once. */
  #isNewer({ seq, message: { message_id: id } }) {
    if (seq <= (this.#updates.get(id) ?? 0)) return false;
    this.#updates.delete(id);
    this.#updates.set(id, seq);
    if (this.#updates.size > RECORD_LIMIT) this.#updates.delete(this.#updates.keys().next().value);
    return true;
  }

  [reach](seq) {
    if (seq <= this.#reached) return;
    this.#reached = seq;
    for (const known of this.#ahead) if (known <= seq) this.#ahead.delete(known);
    while (this.#ahead.delete(this.#reached + 1)) this.#reached++;
  }

  [keep](method, { channel, operators }) {
    if (channel) this.info = { ...this.info, ...channel };
    if (operators) this.info = { ...this.info, operators };
  }

  #deliver(method, params) {
    const [kind, name] = method.split(".");
    this[report](method, params);
    if (kind === "message") this[report](name, params.message ?? params.message_id, params);
    else if (method === "group.read" || method === "group.delivered") this[report](name, params.reads);
    else if (method === "group.typing") this[report](name, params.user_ids, params.more);
    else if (kind === "group") this[report]("member", name, params);
    // The end of a deleted channel has an event of its own.
    else if (method !== "channel.deleted") this[report](shortName(method), params);
  }

  [report](name, ...values) {
    if (this.#held) this.#held.push([name, ...values]);
    else this[emit](name, ...values);
  }

  #release() {
    const events = this.#held ?? [];
    this.#held = null;
    for (const event of events) this[emit](...event);
  }
}

export class Channel extends BaseChannel {
  participantCount = 0;
  /** Left by `exit`. */
  [isLeft] = false;

  constructor(parley, url) {
    super(parley, url, [...SHARED_EVENTS, ...CHANNEL_EVENTS], ["recovered", "lost", "left"]);
  }

  get isEntered() { return this[inside]; }

  async exit() {
    const wire = this[owner][presentWire];
    try {
      if (wire && this[inside]) await wire.call("channel.exit", { channel_url: this.url });
    } catch (error) {
      // A connection that is gone has left all channels.
      if (!(error instanceof Lost)) throw error;
    }
    this[owner][leave](this);
  }

  [entered](result, asked) {
    const { events, epoch, seq } = result;
    const hasMissed = !result.recovered && !(asked?.epoch === epoch && asked?.seq >= seq);
    this.info = result.channel;
    this.participantCount = result.participant_count;
    this[begin](epoch, asked?.epoch === epoch ? asked.seq : seq);
    let missed = 0;
    for (const { method, params } of events) {
      if (this[take](method, params)) missed++;
    }
    this[reach](seq);
    if (!asked) return;
    if (hasMissed) this[report]("lost", { from: asked.seq, to: seq, isReset: asked.epoch !== epoch });
    else this[report]("recovered", { missed });
  }

  [keep](method, params) {
    super[keep](method, params);
    if (params.participant_count !== undefined) this.participantCount = params.participant_count;
  }

  /** The error with which an event ends being in the channel. */
  [ended](method, { user }) {
    if (method === "channel.deleted") return ending("deleted");
    const isBanned = method === "channel.user_banned" && user.user_id === this[owner].userId;
    return isBanned ? ending("banned") : null;
  }

  [leave](error) {
    this[inside] = false;
    this[isLeft] = error === null;
    this[report]("left", { error });
  }
}

/**
 * The number of messages of a group that its user has not read, from answers and events in the order of their
 * arrival. Ordinals decide, so that a message counts once, however often it comes.
 */
export class UnreadCount {
  value = 0;
  /** Those that mention the user. */
  mentions = 0;
  #userId;
  /** The newest message that is known. */
  #last = 0;
  /** The newest message that the server has counted, or that the user has sent. */
  #counted = 0;
  /** Later messages that mention the user. */
  #mentioned = new Set();
  /** Deletions of later messages change the number. */
  #read = 0;
  #isOff = false;
  #ignoresMentions = false;

  constructor(userId) { this.#userId = userId; }

  /** Takes the server's numbers, unless they are older than a message that was counted. */
  set({
    last_ordinal: last, unread_message_count: value = 0, unread_mention_count: mentions = 0, read_ordinal: read,
    count_preference: preference,
  }) {
    if (last < this.#last) return;
    this.value = value;
    this.mentions = mentions;
    this.#mentioned.clear();
    this.#last = this.#counted = last;
    this.#read = read;
    this.#isOff = /^off$|mention/.test(preference);
    this.#ignoresMentions = /^off$|message/.test(preference);
  }

  received(message) {
    const { ordinal, user } = message;
    if (user?.user_id !== this.#userId) {
      if (ordinal > this.#last) {
        if (!this.#isOff) this.value++;
        if (this.#isMentioned(message)) this.#mention(ordinal);
      }
    } else if (ordinal > this.#counted) {
      // Sending reads what came before; the answer may come after later messages.
      this.value = Math.min(this.value, Math.max(0, this.#last - ordinal));
      this.#mentioned = new Set([...this.#mentioned].filter((later) => later > ordinal));
      this.mentions = this.#mentioned.size;
      this.#read = this.#counted = ordinal;
    }
    this.#last = Math.max(this.#last, ordinal);
  }

  updated({ message, former_mentions: former }) {
    const { ordinal, user } = message;
    if (!former || !(ordinal > this.#read && ordinal <= this.#last) || user?.user_id === this.#userId) return;
    const isMentioned = this.#isMentioned(message);
    if (isMentioned === this.#isMentioned(former)) return;
    if (isMentioned) this.#mention(ordinal); else this.#unmention(ordinal);
  }

  deleted(params) {
    const { ordinal, sender_id: author } = params;
    if (!(ordinal > this.#read) || author === this.#userId) return;
    if (this.value) this.value--;
    if (this.#isMentioned(params)) this.#unmention(ordinal);
  }

  #isMentioned({ mention_type: type, mentioned_users: users, mentioned_user_ids: ids }) {
    return type === "channel" || (ids ?? users?.map(({ user_id: id }) => id) ?? []).includes(this.#userId);
  }

  #mention(ordinal) {
    if (this.#ignoresMentions) return;
    this.mentions++;
    if (ordinal > this.#counted) this.#mentioned.add(ordinal);
  }

  #unmention(ordinal) {
    if (this.mentions) this.mentions--;
    this.#mentioned.delete(ordinal);
  }
}

export class Group extends BaseChannel {
  #count;
  /** The changes up to this event are in the numbers. */
  #countedSeq = 0;
  /** Every message up to this one was delivered. */
  #newest = 0;
  /** Messages after that one that were sent here. */
  #sent = new Set();
  /** Events that wait for the messages before them. */
  #queue = null;
  typingUsers = [];
  #typedAt = 0;
  /** Calls whose events only others received, as far as they explain no gap yet. */
  #ownEvents = 0;
  /** Withheld messages leave gaps. */
  #isThrottled = false;

  constructor(parley, url) {
    super(parley, url, SHARED_EVENTS, [
      ...GROUP_EVENTS, "member", "recovered", "lost", "unread", "hidden", "unhidden", "read", "delivered",
      "typing"]);
  }

  get isMember() { return this.info.my?.state === "joined"; }
  get unread() { return this.#count?.value ?? 0; }
  get unreadMentions() { return this.#count?.mentions ?? 0; }

  call(method, params, options) {
    return super.call(method, params, {
      ...options, [apply]: ({ channel, my }) => {
        if (OWN_EVENTS.test(method)) this.#ownEvents++;
        if (channel) this.#describe(channel);
        else if (my) this[take](null, { my });
      },
    });
  }

  update(fields) { return this.call("group.update", fields); }
  delete() { return this.call("group.delete"); }
  members(params) { return this.call("group.members", params); }
  invite(userIds) { return this.call("group.invite", { user_ids: userIds }); }
  remove(userIds) { return this.call("group.remove", { user_ids: userIds }); }
  accept() { return this.call("group.accept"); }
  decline() { return this.call("group.decline"); }
  join(accessCode) { return this.call("group.join", { access_code: accessCode }); }
  leave() { return this.call("group.leave"); }
  hide(params) { return this.call("group.hide", params); }
  unhide() { return this.call("group.unhide"); }
  resetHistory() { return this.call("group.reset_history"); }
  receipts() { return this.call("group.receipts"); }
  markUnread({ message_id }) { return this.call("group.mark_unread", { message_id }); }

  typing(isTyping = true) {
    const isSaid = isTyping ? Date.now() - this.#typedAt < TYPING_MS : !this.#typedAt;
    if (isSaid || !this[owner][presentWire]) return;
    this.#typedAt = isTyping && Date.now();
    this.call("group.typing", { is_typing: isTyping }).catch(() => {});
  }

  /** Without a message nothing is named that was not delivered. */
  async markRead({ message_id } = { message_id: Math.max(this.#newest, ...this.#sent) }) {
    return message_id ? this.call("group.mark_read", { message_id }) : { my: this.info.my };
  }

  /** Messages that this client has received are marked without a call. */
  markDelivered({ message_id }) {
    return this[owner].call("group.mark_delivered", { channels: [{ channel_url: this.url, message_id }] });
  }

  [entered](view) {
    this.#describe(view);
    this.#follow(view);
    const { last_message: last, my } = view;
    if (last && this.isMember && last.created_at > my.read_at) this[owner].groups[received](this, last);
  }

  /** Members and messages are listed: what no event changes would grow old. */
  #describe({ members, last_message, last_ordinal, epoch, seq, ...info }) {
    const isOlder = epoch === this.position?.epoch && this.#isOlder(info.my);
    this.info = { ...this.info, ...info, ...isOlder && { my: this.info.my } };
    if (!info.my || isOlder) return;
    // The answer has what they brought.
    this.#queue = this.#queue?.filter(([, { my }]) => !my) ?? null;
    if (epoch !== this.position?.epoch) this.#count = new UnreadCount(this[owner].userId);
    this.#countedSeq = seq;
    this.#recount((count) => count.set(info.my));
  }

  /** Whether the user's own part is older than the one that is known: a list may be older than earlier events. */
  #isOlder(my) { return my?.last_ordinal < this.info.my?.last_ordinal; }

  #recount(change) {
    const { unread, unreadMentions } = this;
    // An ephemeral group has nothing to read later.
    if (this.#count && !this.info.is_ephemeral) change(this.#count);
    if (this.unread !== unread || this.unreadMentions !== unreadMentions) {
      this[report]("unread", this.unread, this.unreadMentions);
    }
  }

  #follow({ epoch, seq, last_message: last }) {
    this[begin](epoch, seq);
    this[reach](seq);
    this.#pass(last?.message_id ?? 0);
  }

  #pass(id) {
    this.#newest = Math.max(this.#newest, id);
    for (const sent of this.#sent) if (sent <= this.#newest) this.#sent.delete(sent);
  }

  /** Holds events back until those before them have been delivered. */
  [pause]() {
    this[inside] = false;
    this.#typedAt = 0;
    if (this.typingUsers.length) this[report]("typing", this.typingUsers = [], false);
    this.#queue ??= [];
  }

  /** Delivers recovered events, and then those that came meanwhile. */
  [resume](found) {
    const waiting = this.#queue ?? [];
    this.#queue = null;
    this.#ownEvents = 0;
    const isComplete = found?.recovered === true && found.epoch === this.position.epoch;
    let missed = 0;
    for (const { method, params } of isComplete ? found.events : []) {
      if (this.#apply(method, params)) missed++;
    }
    if (isComplete) this.#follow(found);
    for (const event of waiting) this.#apply(...event);
    return { missed, isComplete };
  }

  /**
   * Delivers what was missed, and then the events that came meanwhile.
   *
   * @param catchUp has promises: of the URLs of groups that have changed, `null` if that is unknown, and of the
   *   recovered events by URL.
   */
  async [readAgain](wire, { changed, recovered } = {}) {
    this[pause]();
    const { url } = this;
    const isUnchanged = (await changed)?.has(url) === false;
    const { channel } = isUnchanged ? {} : await wire.call(
      "group.get", { channel_url: url, members_limit: 0 }, (result) => this.#describe(result.channel));
    if (channel && this.info.my && !channel.my) throw ending();
    const found = (await recovered)?.get(url);
    if (this[owner][channelAt](url) !== this) return;
    const { epoch, seq } = this.position;
    if (isUnchanged || found?.recovered && found.epoch === epoch) {
      const { missed } = this[resume](found);
      this[inside] = true;
      this.failures = 0;
      return this[report]("recovered", { missed, isComplete: true });
    }
    const hasNews = channel.epoch !== epoch || channel.seq > seq;
    const canList = this.isMember && !channel.is_ephemeral;
    const listed = hasNews && canList ? await this.#listMissed(wire, channel.last_ordinal) : [];
    if (this[owner][channelAt](this.url) !== this) return;
    const missed = listed.filter(({ message_id: id }) => id > this.#newest && !this.#sent.has(id));
    const events = this.#queue ?? [];
    this.#queue = null;
    this.#ownEvents = 0;
    for (const message of missed) {
      this.#apply("message.received", { channel_url: url, ts: message.created_at, message });
    }
    this.#follow(channel);
    for (const event of events) this.#apply(...event);
    // Other events between the two were changes of earlier messages or of the group.
    const isComplete = channel.epoch === epoch && channel.seq <= seq + listed.length;
    this[report]("recovered", { missed: missed.length, isComplete });
  }

  /** Messages after the last one that was delivered; those after `last` come as events. */
  async #listMissed(wire, last) {
    const messages = [];
    let from = this.#newest ? { message_id: this.#newest, include: false } : { message_ts: 1 };
    for (;;) {
      const page = await wire.call(
        "message.list", { channel_url: this.url, prev_limit: 0, next_limit: PAGE_LIMIT, ...from });
      const missed = page.messages.filter(({ ordinal }) => ordinal <= last);
      messages.push(...missed);
      const isEnd = !page.has_next || missed.length < page.messages.length;
      if (isEnd || messages.length >= MISSED_LIMIT) return messages;
      from = { message_id: page.next_from, include: false };
    }
  }

  [take](method, params) {
    if (method === "group.lost") return this[report](method, params);
    if (this.#queue) return this.#queue.push([method, params]);
    if (this.#isGap(params)) {
      this.#queue = [[method, params]];
      return this[owner].groups[recoverGap](this);
    }
    return this.#apply(method, params);
  }

  /** Whether events before this one were missed, as far as no call of this client explains it. */
  #isGap({ seq }) {
    if (!this[inside] || this.#isThrottled || !this[isNews](seq)) return false;
    const missing = this[missingBefore](seq);
    if (missing > this.#ownEvents) return true;
    this.#ownEvents -= missing;
    return false;
  }

  #apply(method, params) {
    if (params.my) return this.#takeOwn(method, params);
    if (method === "channel.throttled") this.#isThrottled = true;
    if (method === "message.received") {
      this.#pass(params.message.message_id);
      this[owner].groups[received](this, params.message);
    }
    return super[take](method, params);
  }

  /** The user's own part in the group; an answer has no `method`. */
  #takeOwn(method, params) {
    if (this.#isOlder(params.my)) return;
    this.info = { ...this.info, my: params.my };
    this.#recount((count) => count.set(params.my));
    if (!method) return;
    this[report](method, params);
    if (method !== "group.unread") this[report](shortName(method), params);
  }

  [answered](message, seq) {
    // The message has ended it.
    this.#typedAt = 0;
    this.#recount((count) => count.received(message));
    super[answered](message, seq);
    this.#sent.add(message.message_id);
    if (this.position.seq >= seq) this.#pass(message.message_id);
  }

  [keep](method, params) {
    super[keep](method, params);
    if (method === "message.received") this.#recount((count) => count.received(params.message));
    if (method === "group.typing") this.typingUsers = params.user_ids;
    // An answer may be ahead of events that were held back or recovered.
    if (params.seq > this.#countedSeq) {
      if (method === "message.updated") this.#recount((count) => count.updated(params));
      if (method === "message.deleted") this.#recount((count) => count.deleted(params));
    }
    const { member_count, joined_member_count, user } = params;
    if (member_count !== undefined) this.info = { ...this.info, member_count, joined_member_count };
    const { my, operators } = this.info;
    if (!my) return;
    const isMe = ({ user_id: id }) => id === this[owner].userId;
    const change = user && isMe(user) ? {
      "group.joined": { state: "joined" }, "channel.user_muted": { is_muted: true },
      "channel.user_unmuted": { is_muted: false },
    }[method] : {};
    const role = operators.some(isMe) ? "operator" : "none";
    this.info = { ...this.info, my: { ...my, role, ...change } };
  }

  /** The error with which an event ends the membership. */
  [ended](method, { reason }) { return method === "group.lost" ? ending(reason) : null; }

  [leave](error) {
    this[inside] = false;
    this[report]("lost", { reason: error.data.reason ?? null, error });
  }
}

/** The groups that the application has asked for: they are kept until the membership ends. */
export class Groups {
  #parley;
  /** The connection that receives all events of all groups. */
  #readyWire = null;
  #waiters = [];
  /** For each list that is under way, the URLs of events that came meanwhile. */
  #lists = new Set();
  /** Begins the changes that the held groups do not show. */
  #token = null;
  /** Begins the changes that pages of a new list may lack. */
  #listToken = null;
  /** The URLs on earlier pages of a list, by the token of the next page. */
  #listings = new Map();
  #watchesTotals = false;
  /** The last message by others of each group, until the call about it. */
  #delivered = new Map();
  #isMarking = false;

  constructor(parley) {
    this.#parley = parley;
    parley.on("state", () => this.#wake());
  }

  get held() { return this.#parley[held](Group); }

  async get(url) {
    if (typeof url !== "string") throw misuse("the URL of a group is not a text");
    const known = this.#parley[channelAt](url);
    return known instanceof Group ? known
      : this.#ask("group.get", { channel_url: url, members_limit: 0 }, ({ channel }) => this.#hold(channel));
  }

  create(params) {
    return this.#ask("group.create", { ...params, members_limit: 0 }, ({ channel }) => this.#hold(channel));
  }

  unread(params) { return this.#parley.call("group.unread", params); }
  changes(params) { return this.#parley.call("group.changes", params); }

  watchTotals(on = true) {
    this.#watchesTotals = on;
    return this.#parley.call("group.watch_totals", { on });
  }

  async list(params) {
    await this.#whenReady();
    const listing = this.#listings.get(params?.token) ?? { since: params?.token ? null : this.#listToken, urls: [] };
    const { groups, next } = await this.#listPage(params);
    const urls = [...listing.urls, ...groups.map(({ url }) => url)];
    if (next) this.#listings.set(next, { ...listing, urls });
    if (this.#listings.size > LISTINGS_LIMIT) this.#listings.delete(this.#listings.keys().next().value);
    if (next || !params?.token || !listing.since || params.public_only) return { groups, next };
    return { groups: [...groups, ...await this.#listRisen(params, listing.since, urls)], next };
  }

  /** Groups that have risen to an earlier page of a list, without an event: those to which the user is invited. */
  async #listRisen({ token, ...params }, since, urls) {
    const risen = [];
    try {
      for (let page = { token: since, has_more: true }; page.has_more;) {
        const from = { token: page.token };
        page = await patiently(() => this.#ask("group.changes", from, (changes) => changes));
        risen.push(...page.updated.filter(({ my }) => my?.state === "invited").map(({ channel_url: url }) => url));
        if (!page.has_more) this.#listToken = page.token;
      }
    } catch (error) {
      // Changes are kept for 30 days.
      if (error.code !== Code.expired) throw error;
    }
    const isWanted = (url) => !urls.includes(url) && params.channel_urls?.includes(url) !== false;
    const wanted = [...new Set(risen)].filter(isWanted);
    const groups = [];
    while (wanted.length) {
      const some = { channel_urls: wanted.splice(0, GROUPS_LIMIT), limit: GROUPS_LIMIT };
      groups.push(...(await patiently(() => this.#listPage({ ...params, ...some }))).groups);
    }
    return groups;
  }

  async #listPage(params) {
    const news = new Set();
    this.#lists.add(news);
    try {
      const { channels, next } = await this.#ask("group.list", { ...params, members_limit: 0 }, (page) => {
        for (const view of page.channels) if (!news.has(view.channel_url)) this.#hold(view);
        return page;
      });
      // A list may be older than the events before it.
      const groups = await Promise.all(channels.map(({ channel_url: url }) => this.get(url).catch((error) => {
        if (error.code !== Code.missing) throw error;
      })));
      return { groups: groups.filter(Boolean), next };
    } finally {
      this.#lists.delete(news);
    }
  }

  /** Notes a message, which is marked as delivered where that is of use: one call a second. */
  [received]({ url, info }, { message_id: id, user }) {
    const { delivery, receipts } = this.#parley.session?.features?.groups ?? {};
    if (!delivery || info.is_super || info.is_ephemeral || info.member_count > receipts) return;
    if (user?.user_id === this.#parley.userId) return;
    this.#delivered.set(url, Math.max(id, this.#delivered.get(url) ?? 0));
    if (!this.#isMarking) this.#markDelivered();
  }

  async #markDelivered() {
    this.#isMarking = true;
    while (this.#delivered.size) {
      const marks = [...this.#delivered].slice(0, GROUPS_LIMIT);
      for (const [url] of marks) this.#delivered.delete(url);
      const channels = marks.map(([channel_url, message_id]) => ({ channel_url, message_id }));
      // What could not be marked is marked with the next message.
      await Promise.all([
        this.#parley.call("group.mark_delivered", { channels }).catch(() => {}), after(DELIVERY_MS)]);
    }
    this.#isMarking = false;
  }

  [noticed](url) { for (const news of this.#lists) news.add(url); }

  /** @param use is called with the answer before anything that came after it is looked at. */
  async #ask(method, params, use) {
    for (let losses = 0; ;) {
      const wire = await this.#whenReady();
      let result;
      try {
        await wire.call(method, params, (answer) => { result = use(answer); });
        this.#parley.outbox[pump]();
        return result;
      } catch (error) {
        const isHarmless = !error.isSent || READS.test(method) && ++losses < ATTEMPTS;
        if (!(error instanceof Lost && isHarmless)) throw error;
      }
    }
  }

  #hold(view) {
    const known = this.#parley[channelAt](view.channel_url);
    if (known instanceof Group) return known;
    const group = new Group(this.#parley, view.channel_url);
    this.#parley[hold](group);
    group[entered](view);
    return group;
  }

  /** Groups that are read earlier could miss events after it. */
  async #whenReady() {
    for (;;) {
      const wire = await this.#parley[whenOpen]();
      const { user, features } = this.#parley.session;
      if (wire === this.#readyWire || !user || !features?.groups) return wire;
      const waiting = new Promise((resolve) => this.#waiters.push(resolve));
      await limited(waiting, ANSWER_MS, "the groups were not ready in time");
    }
  }

  #wake() { for (const resolve of this.#waiters.splice(0)) resolve(); }

  async [ready](wire, token) {
    this.#readyWire = wire;
    this.#listToken = token;
    const groups = this.held;
    for (const group of groups) group[pause]();
    this.#wake();
    if (this.#token && this.#watchesTotals) this.watchTotals().catch(() => {});
    if (groups.length) {
      const catchUp = { changed: this.#changed(wire, this.#token), recovered: this.#recover(wire, groups) };
      await Promise.all(groups.map((group) => this.#readAgain(wire, group, catchUp)));
    }
    // The next connection begins where this one has arrived.
    if (wire === this.#readyWire && wire.isOpen) this.#token = token;
  }

  /** The URLs of groups that have changed, and of those that are lost; `null` if that is unknown. */
  async #changed(wire, token) {
    const changed = new Set();
    try {
      while (token) {
        const from = { token };
        const page = await patiently(() => wire.call("group.changes", from));
        for (const { channel_url: url } of page.updated) changed.add(url);
        for (const url of page.deleted) changed.add(url);
        if (!page.has_more) return changed;
        token = page.token;
      }
    } catch {
      // Each group is read.
    }
    return null;
  }

  /** The events that groups have missed, by URL; groups without an entry are read. */
  async #recover(wire, groups) {
    const found = new Map();
    let rest = groups.filter(({ position }) => position);
    try {
      while (rest.length) {
        const asked = rest.slice(0, GROUPS_LIMIT);
        const channels = asked.map(({ url, position }) => ({ channel_url: url, ...position }));
        const { results } = await patiently(() => wire.call("group.recover", { channels }));
        const isWithoutRoom = ({ url }) => results.some((result) =>
          result.channel_url === url && result.reason === "budget" && url !== asked[0].url);
        for (const result of results) found.set(result.channel_url, result);
        rest = [...asked.filter(isWithoutRoom), ...rest.slice(asked.length)];
      }
    } catch {
      // The groups are read.
    }
    return found;
  }

  /** Recovers the events before one that came too early. */
  async [recoverGap](group) {
    const wire = this.#readyWire;
    const found = await this.#recover(wire, [group]);
    if (wire !== this.#readyWire || !wire.isOpen) return;
    const { isComplete } = group[resume](found.get(group.url));
    if (!isComplete) group[report]("recovered", { missed: 0, isComplete });
  }

  async #readAgain(wire, group, catchUp) {
    try {
      await group[readAgain](wire, catchUp);
      this.#parley.outbox[pump]();
    } catch (error) {
      // The next connection reads it.
      if (error instanceof Lost) return;
      if (!TEMPORARY.has(error.code) || ++group.failures >= ATTEMPTS) return this.#parley[drop](group, error);
      await after(error.data.retry_after_ms ?? backoff(group.failures));
      if (wire === this.#readyWire && wire.isOpen) this.#readAgain(wire, group);
    }
  }
}

class OutboxEntry {
  state = "pending";
  error = null;
  message = null;
  uploaded = 0;
  #outbox;

  constructor(outbox, record) {
    this.#outbox = outbox;
    this.record = record;
  }

  get id() { return this.record.id; }
  get channelUrl() { return this.record.channel; }
  get params() { return this.record.params; }
  get file() { return this.record.file ?? null; }
  get createdAt() { return this.record.at; }

  retry() { return this.#outbox.retry(this); }
  discard() { this.#outbox.discard(this); }
}

export class Outbox extends Emitter {
  #parley;
  #entries = [];
  #store = null;
  #owner;
  #isPersistent;
  #lastAt = 0;
  #isUploading = false;
  /** Files that wait for texts before them. */
  #turns = [];

  constructor(parley, isPersistent) {
    super(["change", "progress"]);
    this.#parley = parley;
    this.#isPersistent = isPersistent && Boolean(globalThis.indexedDB);
    this[reopen]();
  }

  get entries() { return [...this.#entries]; }

  retry(entry) {
    const failed = this.#entries.filter((one) => one.state === "failed" && (!entry || one === entry));
    const results = failed.map((one) => this.#promise(one));
    for (const one of failed) {
      // What may have been sent too long ago to be recognized becomes another message.
      if (isForgotten(one.record.firstSent)) {
        one.record.requestID = randomID();
        one.record.firstSent = 0;
      }
      one.failures = 0;
      one.isBusy = false;
      this.#change(one, "pending");
      this.#save(one);
    }
    this[pump]();
    return entry ? results[0] ?? refused(closedError("the message did not fail"))
      : together(results);
  }

  discard(entry) {
    for (const one of this.#entries.filter((other) => (entry ? other === entry : other.state === "failed"))) {
      this.#remove(one);
      one.state = "discarded";
      this.#advance();
      one.abort?.abort(one.reason);
      const { fileID: file_id } = one.record;
      if (file_id) this.#parley[presentWire]?.call("file.cancel", { file_id }).catch(() => {});
      one.reject?.(one.reason ?? new ParleyError(0, "the message was discarded", { reason: "cancelled" }));
      this[emit]("change", one);
    }
  }

  [add](channel, { channel_url: _, req_id: requestID, ...params }, transfer = {}) {
    const { file, thumbnailSizes, progress, signal, patient } = transfer;
    if (file && !(file.size >= 0)) return refused(misuse("a file is a Blob or a File"));
    if (signal?.aborted) return refused(signal.reason);
    if (this.#parley[channelAt](channel.url) !== channel) {
      return refused(new ParleyError(0, "not in the channel", { reason: "left" }));
    }
    if (this.#parley.state === "closed" && !this.#store) return refused(this.#parley.error);
    // Times keep the order over reloads.
    this.#lastAt = Math.max(Date.now(), this.#lastAt + 1);
    const entry = new OutboxEntry(this, {
      id: randomID(), owner: this.#owner, channel: channel.url, params, at: this.#lastAt,
      requestID: requestID ? wellFormed(String(requestID)) : randomID(), firstSent: 0, patient,
      ...(file && { file, name: file.name ?? "", creationID: randomID(), thumbnailSizes }),
    });
    entry.progress = progress;
    if (signal) {
      const abort = () => {
        entry.reason = signal.reason;
        this.discard(entry);
      };
      signal.addEventListener("abort", abort);
      // A signal that lives on would keep the file.
      entry.unlisten = () => signal.removeEventListener("abort", abort);
    }
    this.#entries.push(entry);
    this.#save(entry);
    const result = this.#promise(entry);
    this[emit]("change", entry);
    this[pump]();
    return result;
  }

  /** Sends what can be sent now: texts at once, files one after another, each channel's in order. */
  [pump]() {
    if (!this.#parley[presentWire]) return;
    // By channel: texts wait for files before them, and patient ones for each other.
    const files = new Set();
    const patient = new Set();
    for (const entry of this.#entries.filter(({ state }) => state === "pending")) {
      const url = entry.channelUrl;
      if (entry.file) files.add(url);
      else if (!files.has(url) && !(entry.record.patient && patient.has(url)) && this.#isReady(entry)) {
        this.#transmit(entry);
      }
      if (entry.record.patient) patient.add(url);
    }
    this.#upload();
  }

  /** An event has this user's message: it stands for an answer that was lost. */
  [settleByEvent](channel, params) {
    const { message } = params;
    if (!message.req_id || message.user?.user_id !== this.#parley.userId) return;
    // One that was given up, as its answer took too long, was sent after all.
    const entry = this.#entries.find(({ record }) =>
      record.requestID === message.req_id && record.channel === channel.url);
    if (!entry) return;
    params.own = true;
    this.#sent(entry, message);
  }

  /** Messages that wait have failed: all, or those of a channel. */
  [abandon](error, channel) {
    for (const entry of [...this.#entries]) {
      if (entry.state === "pending" && (!channel || entry.channelUrl === channel)) this.#fail(entry, error);
    }
  }

  /** At a final end, only messages on disk go on waiting for another connection. */
  [end](error) { if (!this.#store) this[abandon](error); }

  /** Leaves the messages on disk to other clients, or to this one when it connects again. */
  [leave](error) {
    if (!this.#store) return;
    this.#store.release();
    this.#store = null;
    for (const entry of this.#entries.splice(0)) {
      entry.unlisten?.();
      entry.abort?.abort(error);
      entry.reject?.(error);
    }
  }

  /** Like another page, with a name and a lock of its own. */
  [reopen]() {
    if (this.#store || !this.#isPersistent) return;
    this.#owner = randomID();
    this.#store = new Store(this.#owner);
    queueMicrotask(() => this.#restore());
  }

  #promise(entry) {
    entry.isSeen = false;
    const promise = new Delivery((resolve, reject) => Object.assign(entry, { resolve, reject }));
    // A failure is an event too; a caller that does not wait must not end the process.
    promise.quiet.catch(() => {});
    promise.seen = () => {
      entry.isSeen = true;
      if (!this.#isHandled(entry) || !this.#entries.includes(entry)) return;
      this.#remove(entry);
      this[emit]("change", entry);
    };
    return promise;
  }

  /** Whether the server has refused a message, and its caller knows. */
  #isHandled({ isSeen, state, error }) { return isSeen && state === "failed" && error.code !== 0; }

  #isReady(entry) {
    return entry.state === "pending" && !entry.isBusy && this.#entries.includes(entry)
      && this.#parley[channelAt](entry.channelUrl)?.[inside] === true;
  }

  /** Waits until the texts before a file are sent. */
  async #awaitTurn(entry) {
    const isBefore = (one) => !one.file && one.state === "pending" && one.channelUrl === entry.channelUrl;
    while (this.#entries.slice(0, this.#entries.indexOf(entry)).some(isBefore)) {
      await abortable(new Promise((resolve) => this.#turns.push(resolve)), entry.abort.signal);
    }
  }

  #advance() { for (const resolve of this.#turns.splice(0)) resolve(); }

  #hasDoubt(entry) {
    if (!isForgotten(entry.record.firstSent)) return false;
    this.#fail(entry, new ParleyError(
      0, "it is not known whether the message was sent", { reason: "unknown" }));
    return true;
  }

  async #transmit(entry) {
    if (this.#hasDoubt(entry)) return;
    entry.isBusy = true;
    try {
      await this.#sendMessage(entry, entry.params);
      this[pump]();
    } catch (error) {
      entry.isBusy = false;
      if (entry.state !== "pending") return;
      // It is sent again when the session is open, which it may be already.
      if (error instanceof Lost) return this[pump]();
      const isFlood = error.code === Code.flood && entry.record.patient;
      if (!isFlood) entry.failures = (entry.failures ?? 0) + 1;
      if (!isFlood && !TEMPORARY.has(error.code) || entry.failures > ATTEMPTS) {
        this.#fail(entry, error);
        return this[pump]();
      }
      entry.isBusy = true;
      await after(error.data.retry_after_ms ?? backoff(entry.failures ?? 1));
      entry.isBusy = false;
      this[pump]();
    }
  }

  async #sendMessage(entry, params) {
    const { record } = entry;
    const wire = this.#parley[presentWire];
    if (!wire) throw new Lost(false);
    if (!record.firstSent) {
      record.firstSent = Date.now();
      // First on disk: whether it was sent must be known after a reload.
      if (this.#store) await this.#save(entry);
    }
    await wire.call(
      "message.send", { ...params, channel_url: record.channel, req_id: record.requestID },
      ({ message, seq }) => {
        const channel = this.#parley[channelAt](record.channel);
        // It may have failed meanwhile, as its channel was left.
        if (this.#entries.includes(entry)) this.#sent(entry, message);
        channel?.[answered](message, seq);
      });
  }

  #sent(entry, message) {
    entry.message = message;
    this.#remove(entry);
    this.#change(entry, "sent");
    entry.resolve?.(message);
  }

  #fail(entry, reason) {
    if (entry.state !== "pending" || !this.#entries.includes(entry)) return;
    const error = wrapped(reason);
    entry.error = error;
    entry.state = "failed";
    if (this.#isHandled(entry)) this.#remove(entry);
    this.#change(entry, "failed");
    this.#save(entry);
    entry.abort?.abort(error);
    entry.reject?.(error);
  }

  #change(entry, state) {
    entry.state = state;
    if (state !== "failed") entry.error = null;
    this.#advance();
    this[emit]("change", entry);
  }

  #remove(entry) {
    this.#entries = this.#entries.filter((other) => other !== entry);
    entry.unlisten?.();
    this.#store?.remove(entry.id);
  }

  #save(entry) {
    if (!this.#entries.includes(entry)) return undefined;
    const { state, error, record } = entry;
    const failure = error && { code: error.code, message: error.message, data: error.data };
    return this.#store?.put({ ...record, scope: this.#parley[scope], state, failure });
  }

  /** Takes over what pages that are gone have left. */
  async #restore() {
    await this.#store?.adopt(this.#parley[scope], (records) => {
      for (const { state, failure, ...record } of records) {
        if (this.#entries.some(({ id }) => id === record.id)) continue;
        const entry = new OutboxEntry(this, record);
        entry.state = state;
        entry.error = failure ? refusal(failure) : null;
        this.#entries.push(entry);
        this.#lastAt = Math.max(this.#lastAt, record.at);
        this[emit]("change", entry);
      }
      this.#entries.sort((a, b) => a.createdAt - b.createdAt);
      this[pump]();
    });
  }

  // Files

  async #upload() {
    if (this.#isUploading) return;
    this.#isUploading = true;
    for (let entry; (entry = this.#entries.find((one) => one.file && this.#isReady(one)));) {
      entry.isBusy = true;
      entry.abort = new AbortController();
      try {
        await this.#sendFile(entry);
      } catch (error) {
        const isKept = entry.abort.signal.aborted || this.#parley.state === "closed";
        if (!isKept) this.#fail(entry, error);
      }
      entry.isBusy = false;
      this[pump]();
    }
    this.#isUploading = false;
  }

  async #sendFile(entry) {
    const { record } = entry;
    for (let isFirst = true; ; isFirst = false) {
      try {
        if (!record.path) await this.#createUpload(entry);
        await this.#transfer(entry);
        await this.#awaitTurn(entry);
        if (this.#hasDoubt(entry)) return;
        return await this.#persist(entry, () =>
          this.#sendMessage(entry, { ...record.params, file_id: record.fileID }));
      } catch (error) {
        // An upload that is gone is made anew.
        if (error.code !== Code.missing || error.data.field === "channel_url" || !isFirst) throw error;
        record.path = record.fileID = undefined;
        record.creationID = randomID();
      }
    }
  }

  async #createUpload(entry) {
    const { record } = entry;
    const { file, name, params, creationID, thumbnailSizes } = record;
    const { file: upload, upload_url: address } = await this.#persist(entry, (wire) => wire.call(
      "file.create", {
        size: file.size, name: [...name].slice(0, 255).join(""), type: (file.type ?? "").slice(0, 128),
        req_id: creationID,
        // A file that needs a key is encrypted while it arrives.
        require_auth: params.require_auth,
        thumbnail_sizes: thumbnailSizes?.map(([max_width, max_height]) => ({ max_width, max_height })),
      }));
    record.fileID = upload.file_id;
    // The same server takes it at the address of the socket, whatever the public one is.
    record.path = new URL(address).pathname.replace(/^.*(?=\/v1\/uploads\/)/, "");
    await this.#save(entry);
  }

  /** Makes a call of an upload: again after a lost connection, and after the wait of a limit. */
  async #persist(entry, action) {
    const { signal } = entry.abort;
    for (let failures = 0; ;) {
      const wire = await abortable(this.#parley[whenOpen](), signal);
      try {
        return await abortable(action(wire), signal);
      } catch (error) {
        if (entry.state === "failed") throw entry.error;
        if (entry.state !== "pending") return undefined;
        const wait = error.data?.retry_after_ms;
        if (error instanceof Lost) continue;
        const isLimited = error.code === Code.flood || error.code === Code.rateLimited;
        if (!(isLimited && wait) && !(TEMPORARY.has(error.code) && ++failures <= ATTEMPTS)) throw error;
        await abortable(after(wait ?? backoff(failures)), signal);
      }
    }
  }

  /** Sends the bytes, and continues after a cut from the byte that the server has. */
  async #transfer(entry) {
    const { record, abort: { signal } } = entry;
    const { file } = record;
    const url = this.#parley[base] + record.path;
    let offset = await standing(url, signal) ?? 0;
    this.#progress(entry, offset);
    for (let failures = 0; offset < file.size;) {
      // A request would not notice it: `progress` may have aborted.
      signal.throwIfAborted();
      const { status, reached, words } = await patch(
        url, file, offset, (sent) => this.#progress(entry, sent), signal);
      if (reached > offset) failures = 0;
      offset = reached ?? offset;
      this.#progress(entry, offset);
      if (status > 0 && status < 300) continue;
      if (status === 404 || status === 410) throw new ParleyError(Code.missing, words, { status });
      const isPassing = status >= 500 || [0, 408, 409, 423, 429].includes(status);
      if (!isPassing || ++failures > ATTEMPTS) throw new ParleyError(0, words, { reason: "upload", status });
      await abortable(after(backoff(failures)), signal);
      // An attempt without a connection proves nothing.
      await abortable(this.#parley[whenOpen](), signal);
      offset = await standing(url, signal) ?? offset;
    }
  }

  #progress(entry, sent) {
    entry.uploaded = sent;
    notify(entry.progress, entry.file, sent, entry.file.size);
    this[emit]("progress", entry);
  }
}

/** The bytes of an upload that the server has; undefined when that is unknown. */
async function standing(url, signal) {
  try {
    const answer = await fetch(url, {
      method: "HEAD", headers: { "Tus-Resumable": "1.0.0" },
      signal: AbortSignal.any([signal, AbortSignal.timeout(STALL_MS)]),
    });
    if (answer.status === 404 || answer.status === 410) {
      throw new ParleyError(Code.missing, "the upload is gone", { status: answer.status });
    }
    const offset = answer.headers.get("Upload-Offset");
    return answer.ok && offset !== null ? Number(offset) : undefined;
  } catch (error) {
    if (error instanceof ParleyError || signal.aborted) throw error;
    return undefined;
  }
}

/** Sends the rest of a file, or a piece of it where no progress can be observed. */
function patch(url, file, offset, progress, signal) {
  const fields = {
    "Tus-Resumable": "1.0.0", "Upload-Offset": String(offset),
    "Content-Type": "application/offset+octet-stream",
  };
  return globalThis.XMLHttpRequest ? patchObserved(url, file.slice(offset), fields, offset, progress, signal)
    : patchPiece(url, file.slice(offset, offset + PIECE_BYTES), fields, signal);
}

function patchObserved(url, body, fields, offset, progress, signal) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    let timer;
    const watch = () => {
      clearTimeout(timer);
      timer = setTimeout(abort, STALL_MS);
    };
    request.open("PATCH", url);
    for (const [name, value] of Object.entries(fields)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => {
      watch();
      progress(offset + loaded);
    };
    request.onload = () => resolve(outcome(
      request.status, request.getResponseHeader("Upload-Offset"), request.responseText));
    request.onerror = () => resolve(outcome(0));
    request.onabort = () => (signal.aborted ? reject(signal.reason) : resolve(outcome(0)));
    request.onloadend = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    };
    signal.addEventListener("abort", abort);
    watch();
    request.send(body);
  });
}

async function patchPiece(url, body, headers, signal) {
  try {
    const answer = await fetch(url, {
      method: "PATCH", headers, body, signal: AbortSignal.any([signal, AbortSignal.timeout(PIECE_MS)]),
    });
    return outcome(answer.status, answer.headers.get("Upload-Offset"), await answer.text());
  } catch (error) {
    if (signal.aborted) throw error;
    return outcome(0);
  }
}

/** The status of a request, 0 without an answer, the bytes the server has, and its words. */
function outcome(status, offset = null, text = "") {
  let words = status ? `the server answered ${status}` : "the connection was lost";
  try {
    words = JSON.parse(text).message ?? words;
  } catch {
    // Not every answer has words.
  }
  return { status, words, reached: offset === null ? undefined : Number(offset) };
}

const urlSafe = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
  .replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");

export class Push {
  #parley;
  #registration = null;
  #options = {};
  /** The service worker reports that the browser has replaced the subscription. */
  #renewed = ({ data }) => {
    if (data?.type === "parley.subscribe") this.subscribe(this.#registration, this.#options).catch(() => {});
  };

  constructor(parley) { this.#parley = parley; }

  get isSupported() {
    return ["PushManager", "Notification"].every((name) => name in globalThis)
      && Boolean(globalThis.navigator?.serviceWorker);
  }

  async subscribe(registration, options = {}) {
    if (!registration?.pushManager) throw misuse("no registration of a service worker with a pushManager");
    await this.#parley[whenOpen](ANSWER_MS);
    const key = this.#parley.session.features?.push?.web_key;
    if (!key) throw new ParleyError(0, "the server sends no Web Push", { reason: "unsupported" });
    const subscription = await this.#subscription(registration.pushManager, key);
    const { endpoint, keys } = subscription.toJSON();
    await this.#parley.call("push.register", { ...options, type: "web", subscription: { endpoint, keys } });
    [this.#registration, this.#options] = [registration, options];
    globalThis.navigator?.serviceWorker?.addEventListener("message", this.#renewed);
    return subscription;
  }

  async unsubscribe(registration = this.#registration) {
    globalThis.navigator?.serviceWorker?.removeEventListener("message", this.#renewed);
    const subscription = await registration?.pushManager?.getSubscription();
    if (!subscription) return;
    // First: even without a connection nothing is shown from then on.
    await subscription.unsubscribe();
    await this.#parley.call("push.unregister", { type: "web", endpoint: subscription.endpoint });
  }

  /** One with the key of another server would be of no use. */
  async #subscription(manager, key) {
    const old = await manager.getSubscription();
    const oldKey = old?.options?.applicationServerKey;
    if (old && (!oldKey || urlSafe(oldKey) === key)) return old;
    await old?.unsubscribe();
    try {
      return await manager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
    } catch (error) {
      throw wrapped(error);
    }
  }

  async tokens() { return (await this.#parley.call("push.tokens")).tokens; }
  async preferences(change = {}) { return (await this.#parley.call("push.preferences", change)).preferences; }
}

/** The outbox on disk, in IndexedDB. Without room or permission it keeps nothing. */
class Store {
  #opening;
  #owner;
  #release;
  #isReleased = false;

  constructor(owner) {
    this.#owner = owner;
    this.#opening = new Promise((resolve, reject) => {
      const request = indexedDB.open("parley", 1);
      request.onupgradeneeded = () => request.result.createObjectStore("outbox", { keyPath: "id" });
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    this.#opening.catch((error) => console.warn("parley: the outbox is not persistent", error));
    // Held as long as this page lives: others then know that its messages are looked after.
    const life = new Promise((resolve) => { this.#release = resolve; });
    globalThis.navigator?.locks?.request(`parley ${owner}`, () => life).catch(() => {});
  }

  put(record) { return this.#run("readwrite", (store) => store.put(record)); }
  remove(id) { return this.#run("readwrite", (store) => store.delete(id)); }
  /** Ends the lock; queued claims end without taking anything over. */
  release() {
    this.#isReleased = true;
    this.#release();
  }

  /** Hands over the messages of pages that are gone, as soon as they are. */
  async adopt(scopeName, receive) {
    const found = (await this.#list()).filter((record) => record.scope === scopeName && record.owner !== this.#owner);
    const locks = globalThis.navigator?.locks;
    for (const owner of new Set(found.map((record) => record.owner))) {
      // Without locks two pages may send the same message; the server recognizes its req_id.
      const claim = () => this.#claim(scopeName, owner, receive);
      if (locks) locks.request(`parley ${owner}`, claim).catch(() => {});
      else await claim();
    }
  }

  async #claim(scopeName, owner, receive) {
    if (this.#isReleased) return;
    const records = (await this.#list()).filter((one) => one.scope === scopeName && one.owner === owner);
    records.sort((a, b) => a.at - b.at);
    for (const record of records) {
      record.owner = this.#owner;
      await this.put(record);
    }
    if (records.length && !this.#isReleased) receive(records);
  }

  async #list() { return await this.#run("readonly", (store) => store.getAll()) ?? []; }

  async #run(mode, action) {
    try {
      const database = await this.#opening;
      return await new Promise((resolve, reject) => {
        const transaction = database.transaction("outbox", mode);
        const request = action(transaction.objectStore("outbox"));
        transaction.oncomplete = () => resolve(request.result);
        transaction.onerror = transaction.onabort = () => reject(transaction.error);
      });
    } catch (error) {
      if (mode === "readwrite") console.warn("parley: a message is not kept on disk", error);
      return undefined;
    }
  }
}
