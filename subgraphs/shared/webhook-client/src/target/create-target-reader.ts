import { LRUCache } from 'lru-cache';
import { RefusedTarget } from './refused-target.js';
import { targetFault, type TargetRule } from './target-fault.js';

/** Where a request goes. */
export interface Target {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
}

/** Longest address times entries: at most 2 MiB. */
const maxKept = 1000;

/**
 * Reads the addresses of requests and remembers permitted ones: a receiver has the same address for all its messages. The address that a
 * name resolves to is checked when a connection opens.
 *
 * @throws RefusedTarget
 */
export const createTargetReader = (rule: TargetRule): ((url: string) => Target) => {
  const known = new LRUCache<string, Target>({ max: maxKept });
  return (text) => {
    const kept = known.get(text);
    if (kept !== undefined) return kept;
    const fault = targetFault(text, rule);
    if (fault !== undefined) throw new RefusedTarget(`the address ${fault}`);
    const { origin, pathname, search } = new URL(text);
    const target = { origin, path: `${pathname}${search}` };
    known.set(text, target);
    return target;
  };
};
