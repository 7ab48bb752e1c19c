import { lookup } from 'node:dns/promises';
import { Resolver } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';
import { createFairQueue } from '@fds/service';

/** Finds the addresses of a host name. @throws Error when the name has no address */
export type ResolveHost = (hostname: string) => Promise<readonly LookupAddress[]>;

/**
 * Asks the name servers without the thread pool of the process, because a name server that does not answer would otherwise
 * hold up files and cryptography. Names that no name server knows may be known to the machine (its hosts file, search
 * domains): for these the machine is asked, few at a time.
 */
export const createHostResolver = (): ResolveHost => {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  const machine = createFairQueue({ places: 2, placesPerCaller: 1, waitingPerCaller: 20, maxWaitMs: 5000 });

  const askNameServers = async (hostname: string): Promise<LookupAddress[]> => {
    const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found = (result: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] =>
      result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : [];
    return [...found(four, 4), ...found(six, 6)];
  };

  return async (hostname) => {
    const known = hostname.includes('.') ? await askNameServers(hostname) : [];
    return known.length > 0 ? known : machine.run(hostname, () => lookup(hostname, { all: true }));
  };
};
