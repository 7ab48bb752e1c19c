import type { AssemblyRequest } from '@fds/adaptor-protocol';
import {
  type AdaptorHandlers,
  ApplyError,
  type Assembled,
  type DomainHandlers,
  type DomainTable,
  type IncomingEvent,
} from './handlers.js';

const methods = { POST: 'post', PUT: 'put', DELETE: 'delete' } as const;

const handlersOf = (
  domains: DomainTable,
  { domain, version }: { readonly domain: string; readonly version: number },
): DomainHandlers | undefined => {
  const name = `${domain}:${version}` as const;
  return Object.hasOwn(domains, name) ? domains[name] : undefined;
};

/**
 * Makes handlers that first use the table of domain versions, then the general handlers. An event without a handler is
 * refused and becomes a data issue. A request without a handler is answered with an error.
 */
export const withDomains = (handlers: AdaptorHandlers): AdaptorHandlers => {
  const { domains } = handlers;
  if (domains === undefined) return handlers;
  const assembles = handlers.assemble !== undefined || Object.values(domains).some(({ get }) => get !== undefined);
  // called on the author's object, because it may be an instance of a class
  return {
    configure: (configuration) => handlers.configure?.(configuration),
    play: () => handlers.play?.(),
    pause: () => handlers.pause?.(),
    refreshState: () => handlers.refreshState?.(),
    refused: (refusal) => handlers.refused?.(refusal),
    stop: () => handlers.stop?.(),
    ...(handlers.together === undefined ? {} : { together: handlers.together }),
    ...(handlers.applied === undefined ? {} : { applied: handlers.applied }),
    apply: (event: IncomingEvent) => {
      const own = handlersOf(domains, event);
      const method = methods[event.action];
      if (own?.[method] !== undefined) return own[method](event);
      if (handlers.apply !== undefined) return handlers.apply(event);
      throw new ApplyError(`this adaptor has no handler for ${event.action} of ${event.domain}:${event.version}`);
    },
    ...(assembles
      ? {
          assemble: (request: AssemblyRequest, signal: AbortSignal): Promise<Assembled> => {
            const own = handlersOf(domains, request);
            if (own?.get !== undefined) return own.get(request, signal);
            if (handlers.assemble !== undefined) return handlers.assemble(request, signal);
            throw new Error(`this adaptor does not assemble ${request.domain}:${request.version}`);
          },
        }
      : {}),
    health: () => ({
      ...Object.fromEntries(Object.entries(domains).map(([name, own]) => [name, own.health?.() ?? 'UP'])),
      ...handlers.health?.(),
    }),
  };
};
