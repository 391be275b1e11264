/** Types of parley-mock.js, a gateway in memory for tests of applications that use parley.js. */

import type { Methods, User } from "./parley.js";

/**
 * The methods that the mock has. Others are refused with -32601, like methods that no gateway has.
 *
 * It keeps fewer rules than a gateway: no limits, files, previews, translations, moderation, invitations or blocks. Lists
 * have no filters and one page, except `message.list`.
 */
export type MockMethods = Pick<Methods,
  "session.open" | "session.ping" | "session.background" | "user.get" | "user.update" | "channel.create" | "channel.get"
  | "channel.list" | "channel.participants" | "channel.enter" | "channel.exit" | "message.send" | "message.update"
  | "message.delete" | "message.get" | "message.list" | "message.changes" | "group.create" | "group.get" | "group.list"
  | "group.unread" | "group.members" | "group.invite" | "group.leave" | "group.update" | "group.delete"
  | "group.mark_read" | "group.mark_unread" | "group.mark_delivered" | "group.receipts" | "group.typing"
  | "group.changes" | "group.recover">;

export interface MockOptions {
  /** The time at the beginning, in Unix milliseconds. Each change takes one millisecond, and no other time passes. */
  now?: number;
  /** The access token of each user; without it, all tokens are accepted. */
  tokens?: Record<string, string> | null;
}

/** Channels, groups and messages in memory, with the answers and events of a gateway. */
export declare class MockGateway {
  constructor(options?: MockOptions);
  /** The constructor for `new Parley(url, { userId, WebSocket: mock.WebSocket })`; any `url` will do. */
  readonly WebSocket: new (url: string, protocol: string) => unknown;
  /** The time of the next change, in Unix milliseconds. */
  now: number;
  /** All calls in their order, those of clients and of `call`. */
  readonly calls: { userId: string | undefined; method: string; params: Record<string, unknown> }[];
  /** By user id. Users exist from their first session or `call` on. */
  readonly users: Map<string, User>;
  /** While true, nothing connects and all connections are cut. */
  isOffline: boolean;
  /** Lets time pass. */
  advance(milliseconds: number): void;
  /**
   * Makes a call as a user without a client; clients receive its events.
   *
   * Throws an error with `code` and `data` if the call is refused.
   */
  call<Name extends keyof MockMethods>(
    userId: string, method: Name, params?: MockMethods[Name]["params"]): MockMethods[Name]["result"];
  /** Refuses the next calls of a method. */
  refuse(method: string, error: { code: number; message?: string; data?: Record<string, unknown> }, times?: number): void;
  /** Keeps calls of a method waiting until the returned function is called. */
  hold(method: string): () => void;
  /** Ends connections: all, or those of a user. `code` is that of the close, 1006 by default: the client comes back. */
  cut(options?: { userId?: string; code?: number; reason?: string }): void;
  /** Loses the events of a channel: clients that come back cannot recover them, and report it. */
  forget(channelUrl: string): void;
}
