/** The topic filters that each client is subscribed to. The entry of a client is garbage-collected with the client. */
export interface SubscriptionBook<Client extends object> {
  /** @returns false when the client has reached its limit and the filter is a new one */
  add(client: Client, filter: string): boolean;
  remove(client: Client, filters: readonly string[]): void;
}

export const createSubscriptionBook = <Client extends object>(maxSubscriptions: number): SubscriptionBook<Client> => {
  const held = new WeakMap<Client, Set<string>>();
  return {
    add: (client, filter) => {
      const filters = held.get(client) ?? new Set();
      if (!filters.has(filter) && filters.size >= maxSubscriptions) return false;
      held.set(client, filters.add(filter));
      return true;
    },
    remove: (client, filters) => {
      for (const filter of filters) held.get(client)?.delete(filter);
    },
  };
};
