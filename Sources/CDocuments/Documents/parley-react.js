// @ts-self-types="./parley-react.d.ts"
/**
 * Hooks for React 18 and later, made from the application's own React: no build step, and no second copy of React.
 *
 * Types are described in parley-react.d.ts, use in Browser.md.
 */

import { noMessages, storeOf } from "./parley-store.js";
import { channelOf, connectionOf, groupOf, groupsOf, typingOf } from "./parley-views.js";

/** A view of something that is not there yet. */
const nothing = (snapshot) => ({ subscribe: () => () => {}, getSnapshot: () => snapshot });
const noStore = nothing(noMessages);
const noTyping = nothing(Object.freeze({ userIds: [] }));

export function createHooks({ useCallback, useEffect, useMemo, useSyncExternalStore }) {
  const useView = ({ subscribe, getSnapshot }) => useSyncExternalStore(subscribe, getSnapshot, getSnapshot);

  return {
    useConnection: (parley) => useView(connectionOf(parley)),
    useChannel: (parley, url, options) => useView(channelOf(parley, url, options)),
    useGroup: (parley, url) => useView(groupOf(parley, url)),

    useGroups(parley, params) {
      const view = groupsOf(parley, params);
      const snapshot = useView(view);
      return useMemo(() => ({ ...snapshot, loadMore: view.loadMore }), [snapshot, view]);
    },

    useMessages(channel, options) {
      const store = channel && storeOf(channel, options);
      const snapshot = useView(store ?? noStore);
      useEffect(() => { store?.begin().catch(() => {}); }, [store]);
      return useMemo(() => ({ ...snapshot, store }), [snapshot, store]);
    },

    useTyping(group) {
      const { userIds } = useView(group ? typingOf(group) : noTyping);
      const typing = useCallback((isTyping) => group?.typing(isTyping), [group]);
      return useMemo(() => ({ userIds, typing }), [userIds, typing]);
    },
  };
}
