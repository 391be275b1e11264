// @ts-self-types="./parley-streams.d.ts"
/**
 * Sessions over Server-Sent Events and posted messages, for networks that block WebSockets.
 *
 * parley.js loads this module when handshakes have failed. Types are described in parley-streams.d.ts, use in
 * Browser.md, the requests in Streams.md.
 */

/** A handshake that takes longer counts as blocked. */
const HANDSHAKE_MS = 5_000;
/** The time for which WebSockets are not tried then. */
const MEMORY_MS = 3_600_000;
/** A response whose beginning takes longer is held back by a proxy. */
const HELLO_MS = 3_000;
/** A stream that cannot be read for this long is lost. The server keeps it longer. */
const LOST_MS = 10_000;
/** The time limit of a posted message. */
const POST_MS = 30_000;
/** The time between two requests, unless the first one brought events. */
const PAUSE_MS = 500;
/** Posts beyond a limit are repeated, by default after this time. */
const LIMITED_MS = 1_000;

const CONNECTING = 0, OPEN = 1, CLOSING = 2, CLOSED = 3;
const after = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const isGone = ({ status }) => status === 404 || status === 410;
/** Whether the same request may succeed later. */
const isPassing = ({ status }) => status >= 500 || status === 408 || status === 429;
const baseOf = (url) => url.replace(/^ws/, "http").replace(/\/v1\/ws$/, "");
const closing = (code, reason) => ({ code, reason, wasClean: code !== 1006 });

/** A stream of a gateway in the form of a WebSocket. The first message opens it, and has to be `session.open`. */
export class StreamSocket {
  onopen = null;
  onmessage = null;
  onclose = null;
  onerror = null;
  #state = CONNECTING;
  #base;
  /** The address of the stream, from its opening to its end. */
  #stream = null;
  /** The number of the last event. */
  #last = 0;
  /** Messages that are not posted. */
  #texts = [];
  #isPosting = false;
  #isPolling = false;
  /** Whether a response has begun in time: none is held back. */
  #isFlowing = false;
  /** The time of the first failed request in a row, by `performance.now`. */
  #failedAt = null;
  #reading = new AbortController();
  /** A page that goes away, or is kept for the way back, has no time for anything else. */
  #leave = () => {
    this.#delete().catch(() => {});
    this.#finish(1001);
  };

  constructor(url) {
    this.#base = baseOf(String(url));
    globalThis.addEventListener?.("pagehide", this.#leave);
    queueMicrotask(() => {
      if (this.#state !== CONNECTING) return;
      this.#state = OPEN;
      this.onopen?.({});
    });
  }

  get readyState() { return this.#state; }

  send(text) {
    if (this.#state !== OPEN) return;
    this.#texts.push(text);
    this.#postAll();
  }

  /** Posts what waits and closes the session, while the socket is closed at once. */
  close() {
    if (this.#state >= CLOSING) return;
    this.#state = CLOSING;
    this.#reading.abort();
    this.#postAll();
    queueMicrotask(() => this.#report(1000, ""));
  }

  /** Ends at the wish of the server, or for a fault: what waits is not posted. */
  #finish(code, reason = "") {
    this.#texts = [];
    this.#stream = null;
    this.#reading.abort();
    this.#report(code, reason);
  }

  #report(code, reason) {
    globalThis.removeEventListener?.("pagehide", this.#leave);
    if (this.#state === CLOSED) return;
    this.#state = CLOSED;
    this.onclose?.(closing(code, reason));
  }

  #deliver(data) { if (this.#state === OPEN) this.onmessage?.({ data }); }

  // Messages of the client

  /** Posts messages one after another, because their order counts. */
  async #postAll() {
    if (this.#isPosting) return;
    this.#isPosting = true;
    try {
      while (this.#texts.length) await this.#post(this.#texts.shift());
      if (this.#state >= CLOSING) await this.#delete();
    } catch {
      // It is not known whether the server has received the message, as with a lost WebSocket.
      this.#finish(1006);
    }
    this.#isPosting = false;
  }

  async #post(text) {
    for (;;) {
      const stream = this.#stream;
      // A text has a type that pages of other origins may post without asking the server first.
      // The server need not keep events that have arrived.
      const response = await fetch(stream ? `${stream}?after=${this.#last}` : `${this.#base}/v1/streams`, {
        method: "POST", body: text, cache: "no-store", signal: AbortSignal.timeout(POST_MS),
      });
      const answer = await response.json();
      if (!stream) return this.#open(JSON.parse(text), response, answer);
      if (response.ok) return undefined;
      if (isGone(response)) return this.#finish(1006);
      if (response.status !== 429) return this.#refuse(JSON.parse(text), answer);
      await after(answer.retry_after_ms || LIMITED_MS);
      // It has ended meanwhile.
      if (!this.#stream) return undefined;
    }
  }

  #open({ id }, response, answer) {
    // This gateway has no streams.
    if (isGone(response)) return this.#finish(1006);
    if (!response.ok) return this.#refuse({ id }, answer);
    this.#stream = this.#base + answer.stream;
    this.#deliver(JSON.stringify({ jsonrpc: "2.0", id, result: answer.result }));
    return void this.#read();
  }

  #refuse({ id = null }, { code, message, error: _, ...data }) {
    if (!Number.isInteger(code)) throw new TypeError("not an answer of a gateway");
    this.#deliver(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, data } }));
  }

  async #delete() {
    const stream = this.#stream;
    this.#stream = null;
    if (stream) await fetch(stream, { method: "DELETE", keepalive: true, signal: AbortSignal.timeout(POST_MS) });
  }

  // Events of the server

  /** Reads events over any number of requests, until the socket closes. */
  async #read() {
    while (this.#state === OPEN) {
      const last = this.#last;
      try {
        if (!await (this.#isPolling ? this.#poll() : this.#listen())) return this.#finish(1006);
      } catch {
        this.#failedAt ??= performance.now();
        if (performance.now() - this.#failedAt > LOST_MS) return this.#finish(1006);
      }
      if (this.#last === last) await after(PAUSE_MS);
    }
    return undefined;
  }

  /** @returns false when the stream is gone. */
  async #poll() {
    const response = await this.#ask("poll=1&", this.#reading.signal);
    if (response) this.#take(await response.text());
    return Boolean(response);
  }

  /** @returns false when the stream is gone. */
  async #listen() {
    const held = new AbortController();
    const timer = this.#isFlowing ? 0 : setTimeout(() => {
      this.#isPolling = true;
      held.abort();
    }, HELLO_MS);
    try {
      const response = await this.#ask("", AbortSignal.any([held.signal, this.#reading.signal]));
      if (!response) return false;
      const decoder = new TextDecoder();
      let text = "";
      for (const reader = response.body.getReader(); ;) {
        const { done, value } = await reader.read();
        if (done) return true;
        clearTimeout(timer);
        this.#isFlowing = true;
        text = this.#take(text + decoder.decode(value, { stream: true }));
      }
    } finally {
      clearTimeout(timer);
    }
  }

  /** Requests the events after the last one; `null` when the stream is gone. */
  async #ask(query, signal) {
    const response = await fetch(`${this.#stream}?${query}after=${this.#last}`, { cache: "no-store", signal });
    if (!response.ok && !isPassing(response)) return null;
    // A proxy may answer with a page of its own.
    const isStream = response.headers.get("Content-Type")?.startsWith("text/event-stream");
    if (!response.ok || !isStream) throw new Error(`no events, but status ${response.status}`);
    return response;
  }

  /** Delivers the whole events in a text, each once; returns the rest. */
  #take(text) {
    this.#failedAt = null;
    const blocks = text.split("\n\n");
    const rest = blocks.pop();
    for (const block of blocks) {
      const { id, event, data } = Object.fromEntries(block.split("\n").map((line) => line.split(/: (.*)/s, 2)));
      // Comments and `hello` have no number, and a response may repeat events.
      if (!(Number(id) > this.#last)) continue;
      if (Number(id) > this.#last + 1) this.#finish(1006);
      this.#last = Number(id);
      if (event !== "close") {
        this.#deliver(data);
      } else if (this.#state === OPEN) {
        const { code, reason } = JSON.parse(data);
        this.#finish(code, reason);
      }
    }
    return rest;
  }
}

/** The times until which WebSockets count as blocked, by gateway; pages have them in localStorage, for parley.js. */
const memory = new Map();
const keyOf = (url) => `parley.streams ${baseOf(url)}`;

function isBlocked(url) {
  let stored;
  try {
    stored = window.localStorage[keyOf(url)];
  } catch {
    // The page may not store anything, or this is no page.
  }
  return Number(stored ?? memory.get(keyOf(url))) > Date.now();
}

function remember(url, until) {
  memory.set(keyOf(url), until);
  try {
    window.localStorage[keyOf(url)] = until;
  } catch {
    // It is remembered until the page ends.
  }
}

/**
 * Makes the class of the sockets of one client: WebSockets, and streams in the place of those that fail.
 *
 * A stream is opened when a handshake has failed for the second time in a row, or takes too long. WebSockets count as
 * blocked only if the stream has a session: neither of both reaches a gateway that is down.
 */
export function automaticSocket(WebSocket = globalThis.WebSocket, failures = 0) {
  return class AutomaticSocket {
    onopen = null;
    onmessage = null;
    onclose = null;
    onerror = null;
    #url;
    /** The one in use. */
    #socket;
    /** The WebSocket, which may open after a stream has taken its place. */
    #web = null;
    #timer = 0;
    #isSlow = false;
    #isClosing = false;

    constructor(url, protocol) {
      this.#url = String(url);
      if (!WebSocket || isBlocked(this.#url)) this.#stream();
      else this.#dial(protocol);
    }

    get readyState() { return this.#socket.readyState; }

    send(text) { this.#socket.send(text); }

    close(code) {
      clearTimeout(this.#timer);
      this.#isClosing = true;
      if (this.#web !== this.#socket) this.#web?.close(code);
      this.#socket.close(code);
    }

    #dial(protocol) {
      const web = new WebSocket(this.#url, protocol);
      this.#web = this.#socket = web;
      // A handshake that took too long before is not waited for again.
      this.#timer = setTimeout(() => this.#stream(), failures > 1 ? 0 : HANDSHAKE_MS);
      web.onopen = () => {
        clearTimeout(this.#timer);
        failures = 0;
        if (this.#socket !== web) return this.#discard();
        web.onmessage = (event) => this.onmessage?.(event);
        web.onerror = (event) => this.onerror?.(event);
        web.onclose = (event) => this.onclose?.(event);
        return this.onopen?.({});
      };
      web.onerror = web.onclose = () => this.#fail();
    }

    #fail() {
      clearTimeout(this.#timer);
      this.#forsake();
      if (this.#socket !== this.#web) return;
      if (!this.#isClosing && ++failures > 1) this.#stream();
      else this.onclose?.(closing(1006, ""));
    }

    /** Looks at nothing of the WebSocket from here on. */
    #forsake() {
      // In Node, the package ws throws errors for which there is no listener.
      this.#web.onerror = () => {};
      this.#web.onopen = this.#web.onclose = null;
    }

    /** The WebSocket was slow and not blocked: the next connection tries it again. */
    #discard() {
      this.#isSlow = true;
      remember(this.#url, 0);
      this.#forsake();
      this.#web.close(1000);
    }

    #stream() {
      failures = 0;
      let hasAnswer = false;
      const stream = this.#socket = new StreamSocket(this.#url);
      stream.onopen = () => this.onopen?.({});
      stream.onmessage = (event) => {
        if (!hasAnswer) this.#conclude(JSON.parse(event.data));
        hasAnswer = true;
        this.onmessage?.(event);
      };
      stream.onclose = (event) => {
        // Where streams fail too, WebSockets are tried again.
        if (!hasAnswer && event.code === 1006) remember(this.#url, 0);
        this.onclose?.(event);
      };
    }

    /** A refusal proves nothing: the gateway may have refused the handshake for the same reason. */
    #conclude({ result }) {
      if (result && !this.#isSlow && !isBlocked(this.#url)) remember(this.#url, Date.now() + MEMORY_MS);
    }
  };
}
