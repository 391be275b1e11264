/** Types of parley-streams.js, sessions over Server-Sent Events for networks that block WebSockets. */

/** As much of a WebSocket as `Parley` uses. */
export interface Socket {
  /** 0 while connecting, 1 when open, 2 while closing, 3 when closed. */
  readonly readyState: number;
  onopen: ((event: any) => void) | null;
  onmessage: ((event: any) => void) | null;
  /** `code` and `reason` are those of a WebSocket; a lost stream has code 1006. */
  onclose: ((event: any) => void) | null;
  onerror: ((event: any) => void) | null;
  send(text: string): void;
  close(code?: number): void;
}

/**
 * A stream of a gateway in the form of a WebSocket, for the option `WebSocket` of a client that uses nothing else.
 *
 * The first message opens the stream, and has to be `session.open`. Messages are posted one after another; what waits
 * at `close` is posted before the session is closed.
 */
export declare class StreamSocket implements Socket {
  /** @param url the address of the gateway's WebSocket, such as `wss://chat.example/v1/ws`. */
  constructor(url: string | URL, protocol?: string);
  readonly readyState: number;
  onopen: ((event: {}) => void) | null;
  onmessage: ((event: { data: string }) => void) | null;
  onclose: ((event: { code: number; reason: string; wasClean: boolean }) => void) | null;
  onerror: ((event: {}) => void) | null;
  send(text: string): void;
  close(): void;
}

/**
 * Makes the class of the sockets of one client: WebSockets, and streams in the place of those that fail.
 *
 * A stream is opened when a handshake has failed for the second time in a row, or takes 5 seconds. If the stream has a
 * session, later sockets are streams for an hour. `Parley` does the same by itself, without an option `WebSocket`.
 *
 * @param WebSocket the class of WebSockets, by default the global one.
 * @param failures the number of handshakes that have failed before, 2 for one that takes too long.
 */
export declare function automaticSocket(
  WebSocket?: new (url: string, protocol?: string) => Socket, failures?: number,
): new (url: string, protocol?: string) => Socket;
