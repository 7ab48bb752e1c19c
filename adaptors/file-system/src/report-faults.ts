import type { Adaptor } from '@fds/adaptor-sdk';

/** Reports failures of a handler: once when a work starts to fail, and again when the reason changes. */
export interface FaultReporter {
  /** Health of the handler of one domain version. */
  readonly health: 'UP' | 'DOWN';
  /** @param work a part of the adaptor that can fail independently */
  failed(work: string, reason: string): Promise<void>;
  worked(work: string): void;
}

export const createFaultReporter = (adaptor: Pick<Adaptor, 'log' | 'reportError'>, handler: string): FaultReporter => {
  const failing = new Map<string, string>();
  return {
    get health() {
      return failing.size === 0 ? 'UP' : 'DOWN';
    },
    failed: async (work, reason) => {
      if (failing.get(work) === reason) return;
      failing.set(work, reason);
      const message = `${handler}: ${reason}`;
      adaptor.log.error({ handler }, message);
      try {
        await adaptor.reportError({ level: 'ERROR', kind: 'SOURCE', message });
      } catch (error) {
        // so that the next failure is reported again
        failing.set(work, '');
        adaptor.log.error({ handler, err: error }, 'a fault could not be reported');
      }
    },
    worked: (work) => {
      if (failing.delete(work)) adaptor.log.info({ handler }, `${handler}: works again`);
    },
  };
};
