/** Types of parley-vue.js, composables for Vue 3. */

import type { Channel, Group, Parley } from "./parley.js";
import type { MessageStore, StoreOptions, StoreSnapshot } from "./parley-store.js";
import type { channelOf, ChannelSnapshot, ConnectionSnapshot, groupsOf, GroupSnapshot, GroupsSnapshot } from "./parley-views.js";

/** The part of Vue that the composables are made of. */
export interface VueFunctions {
  markRaw<Value extends object>(value: Value): Value;
  shallowRef<Value>(value: Value): { value: Value };
  unref(value: any): any;
  watchEffect(effect: (onCleanup: (cleanup: () => void) => void) => void, options?: { flush?: "sync" }): unknown;
}

/** A shallow ref. */
export interface Ref<Value> {
  readonly value: Value;
}

/** A value, a ref or a getter. */
export type Source<Value> = Value | { readonly value: Value } | (() => Value);

/** To be called in `setup`, or in another effect scope with whose end they end. */
export interface Composables {
  /** The state of the connection. */
  useConnection(parley: Parley): Ref<ConnectionSnapshot>;
  /** Enters a channel while it is used. Its `options` are those of the first use. */
  useChannel(parley: Parley, url: Source<string>, options?: Parameters<typeof channelOf>[2]): Ref<ChannelSnapshot>;
  useGroup(parley: Parley, url: Source<string>): Ref<GroupSnapshot>;
  /** The user's groups, those with the latest message first. */
  useGroups(
    parley: Parley, params?: Source<Parameters<typeof groupsOf>[1]>,
  ): Ref<GroupsSnapshot & { loadMore(): Promise<void> }>;
  /** The messages of a channel or group, of which the latest page is loaded; `store` is null without a channel. */
  useMessages(
    channel: Source<Channel | Group | null | undefined>, options?: StoreOptions,
  ): Ref<StoreSnapshot & { store: MessageStore | null }>;
  /** The others who are typing, and how to show that this user is. */
  useTyping(group: Source<Group | null | undefined>): Ref<{ userIds: readonly string[]; typing(isTyping?: boolean): void }>;
}

/** Makes composables from the application's own Vue: `const { useMessages } = createComposables(Vue)`. */
export declare function createComposables(vue: VueFunctions): Composables;
