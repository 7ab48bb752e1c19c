import type { Adaptor } from '@fds/adaptor-sdk';

/** The parts of an adaptor that can fail independently, such as its folders. Each fault is shown until it is over. */
export interface FaultReporter {
  /** Health of the handler of one domain version. */
  health(handler: string): 'UP' | 'DOWN';
  /**
   * @param part URI of a folder
   * @param handlers domain versions that need the part
   * @param stops no event can flow. Default: when every part of the adaptor fails
   */
  failed(part: string, reason: string, handlers: readonly string[], stops?: boolean): void;
  worked(part: string): void;
  /** The adaptor no longer has these parts. */
  close(): void;
}

interface Fault {
  readonly reason: string;
  readonly handlers: ReadonlySet<string>;
  readonly stops: boolean;
}

/** @param groups lists of parts. When all parts of a list fail, no event can flow */
export const createFaultReporter = (
  adaptor: Pick<Adaptor, 'log' | 'reportSource' | 'clearSource'>,
  groups: readonly (readonly string[])[],
): FaultReporter => {
  const failing = new Map<string, Fault>();

  const tell = (): void => {
    const nothingFlows = groups.some((parts) => parts.length > 0 && parts.every((part) => failing.has(part)));
    for (const [part, { reason, stops }] of failing)
      adaptor.reportSource({ source: part, reason, ...(stops || nothingFlows ? { state: 'ERROR' } : {}) });
  };

  return {
    health: (handler) => ([...failing.values()].some(({ handlers }) => handlers.has(handler)) ? 'DOWN' : 'UP'),
    failed: (part, reason, handlers, stops = false) => {
      const before = failing.get(part);
      failing.set(part, { reason, handlers: new Set([...(before?.handlers ?? []), ...handlers]), stops });
      if (before?.reason !== reason) adaptor.log.error({ part }, reason);
      tell();
    },
    worked: (part) => {
      if (!failing.delete(part)) return;
      adaptor.log.info({ part }, 'it works again');
      adaptor.clearSource(part);
      tell();
    },
    close: () => {
      for (const part of failing.keys()) adaptor.clearSource(part);
      failing.clear();
    },
  };
};
