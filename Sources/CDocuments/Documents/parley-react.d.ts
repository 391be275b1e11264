/** Types of parley-react.js, hooks for React 18 and later. */

import type { Channel, Group, Parley } from "./parley.js";
import type { MessageStore, StoreOptions, StoreSnapshot } from "./parley-store.js";
import type { channelOf, ChannelSnapshot, ConnectionSnapshot, groupsOf, GroupSnapshot, GroupsSnapshot } from "./parley-views.js";

/** The part of React that the hooks are made of. */
export interface ReactHooks {
  useCallback<Function>(callback: Function, dependencies: unknown[]): Function;
  useEffect(effect: () => void, dependencies?: unknown[]): void;
  useMemo<Value>(make: () => Value, dependencies: unknown[]): Value;
  useSyncExternalStore<Snapshot>(
    subscribe: (listener: () => void) => () => void, getSnapshot: () => Snapshot, getServerSnapshot?: () => Snapshot,
  ): Snapshot;
}

export interface Hooks {
  /** The state of the connection. */
  useConnection(parley: Parley): ConnectionSnapshot;
  /**
   * Enters a channel while a component shows it. Its `options` are those of the first component.
   */
  useChannel(parley: Parley, url: string, options?: Parameters<typeof channelOf>[2]): ChannelSnapshot;
  useGroup(parley: Parley, url: string): GroupSnapshot;
  /** The user's groups, those with the latest message first. */
  useGroups(parley: Parley, params?: Parameters<typeof groupsOf>[1]): GroupsSnapshot & { loadMore(): Promise<void> };
  /** The messages of a channel or group, of which the latest page is loaded; `store` is null without a channel. */
  useMessages(
    channel: Channel | Group | null | undefined, options?: StoreOptions,
  ): StoreSnapshot & { store: MessageStore | null };
  /** The others who are typing, and how to show that this user is. */
  useTyping(group: Group | null | undefined): { userIds: readonly string[]; typing(isTyping?: boolean): void };
}

/** Makes hooks from the application's own React: `const { useMessages } = createHooks(React)`. */
export declare function createHooks(react: ReactHooks): Hooks;
