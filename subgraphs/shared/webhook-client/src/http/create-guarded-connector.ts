import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { buildConnector } from 'undici';
import { readOverInterim } from './read-over-interim.js';
import { RefusedTarget, UnusableHost } from '../target/refused-target.js';
import type { ResolveHost } from '../target/resolve-host.js';
import { howToAllow, type TargetRule } from '../target/target-fault.js';

export interface GuardedConnectorOptions {
  readonly rule: TargetRule;
  readonly resolve: ResolveHost;
  readonly timeoutMs: number;
}

/**
 * Opens connections to permitted addresses only. The addresses that a name resolves to are checked, and exactly those are
 * connected to: a name server that changes its answer in between changes nothing. One address that is not permitted
 * refuses the name.
 */
export const createGuardedConnector = ({
  rule,
  resolve,
  timeoutMs,
}: GuardedConnectorOptions): buildConnector.connector => {
  const check = (address: string): void => {
    if (!rule.allowsAddress(address))
      throw new RefusedTarget(`the receiver does not have a public address; ${howToAllow}`);
  };

  const find = async (hostname: string) => {
    const addresses = await resolve(hostname);
    const [first] = addresses;
    // one error for both: otherwise a caller could learn which private names exist
    if (first === undefined || !addresses.every(({ address }) => rule.allowsAddress(address))) throw new UnusableHost();
    return { first, addresses: [...addresses] };
  };

  const findByCallback = callbackify(find);
  const guardedLookup: LookupFunction = (hostname, options, callback) => {
    findByCallback(hostname, (error: Error | null, found) => {
      if (error !== null) callback(error, '');
      else if (options.all === true) callback(null, found.addresses);
      else callback(null, found.first.address, found.first.family);
    });
  };

  const connect = buildConnector({ lookup: guardedLookup, timeout: timeoutMs });
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    try {
      // no look-up takes place for an address
      if (isIP(host) !== 0) check(host);
    } catch (error) {
      callback(error as RefusedTarget, null);
      return;
    }
    connect(options, (...[error, socket]) => {
      if (error !== null) callback(error, null);
      else callback(null, readOverInterim(socket));
    });
  };
};
