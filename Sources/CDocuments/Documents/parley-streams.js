// @ts-self-types="./parley-streams.d.ts"
/**
 * Sockets for networks that block WebSockets: the same sessions over Server-Sent Events and posted messages.
 *
 *     new Parley(url, { userId: "ada", WebSocket: automaticSocket() })
 *
 * Types are described in parley-streams.d.ts, the protocol in Streams.md.
 */

/** A handshake that takes longer counts as blocked. */
const HANGING_MS = 5_000;
/** Two failures within this time count as blocked. */
const FAILURES_MS = 10_000;
/** The time for which streams are used then. */
const MEMORY_MS = 3_600_000;
/** A response without its first event for this long is held back: polls follow. */
const HELLO_MS = 3_000;
/** The server closes a stream that nothing reads for this long. */
const GRACE_MS = 30_000;
const PAUSE_MS = 500;
const after = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A stream of a gateway in the form of a WebSocket: the first message opens the session. */
export class StreamSocket {
  readyState = 0;
  onopen = null;
  onmessage = null;
  onclose = null;
  onerror = null;
  #origin;
  #stream = null;
  #last = 0;
  #waiting = [];
  #isPosting = false;
  #isPolling = false;
  #end = new AbortController();

  /** @param url the address of the gateway's WebSocket. */
  constructor(url) {
    this.#origin = url.replace(/^ws/, "http").replace(/\/v1\/ws$/, "");
    queueMicrotask(() => {
      if (this.readyState) return;
      this.readyState = 1;
      this.onopen?.({});
    });
  }

  send(text) {
    this.#waiting.push(text);
    if (!this.#isPosting) this.#postAll();
  }

  close() {
    if (this.#stream) fetch(this.#stream, { method: "DELETE", keepalive: true }).catch(() => {});
    this.#finish(1000, "");
  }

  #finish(code, reason) {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.#end.abort();
    this.onclose?.({ code, reason });
  }

  #deliver(value) {
    if (this.readyState === 1) this.onmessage?.({ data: typeof value === "string" ? value : JSON.stringify(value) });
  }

  /** Posts the messages one after the other, because their order counts. */
  async #postAll() {
    this.#isPosting = true;
    try {
      while (this.#waiting.length && this.readyState === 1) await this.#post(this.#waiting.shift());
    } catch {
      // Whether the server has received the message is not known.
      this.#finish(1006, "");
    }
    this.#isPosting = false;
  }

  async #post(text) {
    const isOpening = !this.#stream;
    const response = await fetch(this.#stream ?? `${this.#origin}/v1/streams`, {
      method: "POST", body: text, headers: { "Content-Type": "application/json" }, signal: this.#end.signal,
    });
    const answer = await response.json();
    if (response.status === 429 && !isOpening) {
      await after((answer.retry_after_ms ?? 1_000) || 1);
      return this.#post(text);
    }
    if (response.ok && !isOpening) return undefined;
    const { id = null } = JSON.parse(text);
    if (response.ok) {
      this.#stream = this.#origin + answer.stream;
      this.#deliver({ jsonrpc: "2.0", id, result: answer.result });
      return void this.#read();
    }
    if (response.status === 404 || response.status === 410) return this.#finish(1006, "");
    const { code, message, error, ...data } = answer;
    return this.#deliver({ jsonrpc: "2.0", id, error: { code, message, data } });
  }

  /** Reads the events until the stream ends, over any number of requests. */
  async #read() {
    let heard = Date.now();
    while (this.readyState === 1) {
      try {
        if (!await (this.#isPolling ? this.#poll() : this.#listen())) return this.#finish(1006, "");
        heard = Date.now();
      } catch {
        if (Date.now() - heard > GRACE_MS) return this.#finish(1006, "");
        await after(PAUSE_MS);
      }
    }
    return undefined;
  }

  /** @returns false when the stream is gone. */
  async #poll() {
    const response = await fetch(`${this.#stream}?poll=1&after=${this.#last}`, {
      cache: "no-store", signal: this.#end.signal,
    });
    if (!response.ok) return this.#mayContinue(response);
    this.#take(await response.text());
    return true;
  }

  async #listen() {
    const cut = new AbortController();
    const end = () => cut.abort();
    this.#end.signal.addEventListener("abort", end);
    const late = setTimeout(() => {
      this.#isPolling = true;
      cut.abort();
    }, HELLO_MS);
    try {
      const response = await fetch(`${this.#stream}?after=${this.#last}`, { cache: "no-store", signal: cut.signal });
      if (!response.ok) return this.#mayContinue(response);
      const decoder = new TextDecoder();
      let text = "";
      for (const reader = response.body.getReader(); ;) {
        const { done, value } = await reader.read();
        if (done) return true;
        clearTimeout(late);
        text = this.#take(text + decoder.decode(value, { stream: true }));
      }
    } finally {
      clearTimeout(late);
      this.#end.signal.removeEventListener("abort", end);
    }
  }

  #mayContinue(response) {
    if (response.status === 404 || response.status === 410) return false;
    throw new Error(`status ${response.status}`);
  }

  /** Delivers the whole events of a text, each once; returns the rest. */
  #take(text) {
    const blocks = text.split("\n\n");
    const rest = blocks.pop();
    for (const block of blocks) {
      const fields = Object.fromEntries(
        block.split("\n").filter((line) => !line.startsWith(":")).map((line) => line.split(/: (.*)/s, 2)));
      const id = Number(fields.id);
      if (!(id > this.#last)) continue;
      this.#last = id;
      if (fields.event === "close") {
        const { code, reason } = JSON.parse(fields.data);
        this.#finish(code, reason);
      } else {
        this.#deliver(fields.data);
      }
    }
    return rest;
  }
}

/** Servers to which WebSockets are blocked, with the end of that knowledge, in Unix milliseconds. */
const blocked = new Map();
const failures = new Map();

function note(url) {
  const now = Date.now();
  const recent = (failures.get(url) ?? []).filter((time) => now - time < FAILURES_MS);
  failures.set(url, [...recent, now]);
  if (recent.length) blocked.set(url, now + MEMORY_MS);
}

/**
 * The class for the option `WebSocket` of a client: WebSockets, and streams where two handshakes have failed within ten
 * seconds or one was not answered within five.
 */
export function automaticSocket(WebSocket = globalThis.WebSocket) {
  return function AutomaticSocket(url, protocols) {
    if (!WebSocket || (blocked.get(url) ?? 0) > Date.now()) return new StreamSocket(url);
    const socket = new WebSocket(url, protocols);
    let isOpen = false;
    const hanging = setTimeout(() => {
      blocked.set(url, Date.now() + MEMORY_MS);
      isOpen = true;
      socket.close();
    }, HANGING_MS);
    socket.addEventListener("open", () => {
      isOpen = true;
      clearTimeout(hanging);
      failures.delete(url);
    });
    const failed = () => {
      clearTimeout(hanging);
      if (!isOpen) note(url);
      isOpen = true;
    };
    socket.addEventListener("close", failed);
    socket.addEventListener("error", failed);
    return socket;
  };
}
