import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Provider } from 'oidc-provider';

type Handler = ReturnType<Provider['callback']>;

/**
 * The provider keeps its present request in an `AsyncLocalStorage`. On Node before version 24 such a store slows every promise
 * of the process down from its first use on. The returned function wraps a handler, so that the store is turned off while no
 * request is under way. The next request turns it on again.
 */
export const keepStoreForRequests = (store: Pick<AsyncLocalStorage<unknown>, 'disable'>) => {
  // all providers of a process share the store, so their requests are counted together
  let underWay = 0;
  return (handle: Handler): Handler =>
    async (request, response) => {
      underWay += 1;
      try {
        await handle(request, response);
      } finally {
        underWay -= 1;
        if (underWay === 0) store.disable();
      }
    };
};
