/** Types of parley-streams.js, sockets for networks that block WebSockets. */

/** A stream of a gateway in the form of a WebSocket. */
export class StreamSocket {
  /** @param url the address of the gateway's WebSocket. */
  constructor(url: string);
  readonly readyState: number;
  onopen: ((event: object) => void) | null;
  onmessage: ((event: { data: string }) => void) | null;
  onclose: ((event: { code: number; reason: string }) => void) | null;
  onerror: ((event: object) => void) | null;
  send(text: string): void;
  close(): void;
}

/**
 * The class for the option `WebSocket` of a client: WebSockets, and streams where two handshakes have failed within ten
 * seconds or one was not answered within five.
 */
export function automaticSocket(WebSocket?: new (url: string, protocols?: string) => object): new (
  url: string, protocols?: string) => any;
