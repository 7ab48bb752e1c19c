import type { Adaptor } from '@fds/adaptor-sdk';
import { withoutValues } from './configuration/without-values.js';
import { SourceChanged } from './state/source-guard.js';

/** Kinds of work that fail independently: a successful scan does not mean that the other kinds work. */
export type Work = 'LOG' | 'MODIFICATIONS' | 'DELETIONS' | 'INCOMING';

/** The failures of one table, which the adaptor's state and health show until they are over. */
export interface TableFaults {
  readonly health: 'UP' | 'DOWN';
  /** @returns the number of consecutive failures of this work */
  failed(work: Work, error: unknown): number;
  works(work: Work): void;
  /** Notes why the table is read in a lesser mode than configured; undefined: as configured. */
  readsLess(reason: string | undefined): void;
  /** Forgets the failures of reading, because the table is no longer read. */
  stopReading(): void;
  /** Withdraws everything that was reported. */
  withdraw(): void;
}

/** Reports the failures of all tables of an adaptor. */
export interface FaultBoard {
  /**
   * @param name `<domain>:<version>`. @param table name of the table in its database
   * @param isRead false: the adaptor only writes the table, so no event flows while it cannot be written
   */
  table(name: string, table: string, isRead: boolean): TableFaults;
}

interface Fault {
  readonly reason: string;
  /** STOPPED: no event of the table can flow. CHANGED: nothing flows until a person decides. */
  readonly effect: 'STOPPED' | 'CHANGED' | 'SOME';
}

interface Failing {
  readonly message: string;
  readonly isChanged: boolean;
  readonly times: number;
}

/** Without one of these kinds of work, no event of a table flows. */
const reading: readonly Work[] = ['LOG', 'MODIFICATIONS'];

/** @param adaptor that reports. The state is ERROR when no table works, or when the source of one is another one */
export const createFaultBoard = (
  adaptor: Pick<Adaptor, 'log' | 'reportSource' | 'clearSource'>,
  tableCount: number,
): FaultBoard => {
  const faults = new Map<string, Fault>();
  const report = (): void => {
    const stopped = [...faults.values()].filter(({ effect }) => effect !== 'SOME').length;
    for (const [source, { reason, effect }] of faults) {
      const isError = effect === 'CHANGED' || (effect === 'STOPPED' && stopped === tableCount);
      adaptor.reportSource({ source, reason, ...(isError ? { state: 'ERROR' } : {}) });
    }
  };
  const set = (source: string, fault: Fault | undefined): void => {
    if (fault !== undefined) faults.set(source, fault);
    else if (faults.delete(source)) adaptor.clearSource(source);
    report();
  };

  return {
    table: (name, table, isRead) => {
      const failing = new Map<Work, Failing>();
      const show = (): void => {
        const [first] = failing.values();
        if (first === undefined) return set(name, undefined);
        const isStopped = (isRead ? reading : ([...reading, 'INCOMING'] as const)).some((work) => failing.has(work));
        set(name, {
          reason: first.message,
          effect: [...failing.values()].some(({ isChanged }) => isChanged) ? 'CHANGED' : isStopped ? 'STOPPED' : 'SOME',
        });
      };
      return {
        get health() {
          return failing.size === 0 ? 'UP' : 'DOWN';
        },
        failed: (work, error) => {
          const reason = error instanceof Error ? error.message : String(error);
          const message = `${name}, table ${table}: ${withoutValues(reason)}`;
          const before = failing.get(work);
          const times = (before?.times ?? 0) + 1;
          if (before?.message !== message) adaptor.log.error({ handler: name }, message);
          failing.set(work, { message, isChanged: error instanceof SourceChanged, times });
          show();
          return times;
        },
        works: (work) => {
          if (!failing.delete(work)) return;
          adaptor.log.info({ handler: name, work }, `${name}: works again`);
          show();
        },
        readsLess: (reason) =>
          set(
            `${name} log`,
            reason === undefined ? undefined : { reason: `${name}, table ${table}: ${reason}`, effect: 'SOME' },
          ),
        stopReading: () => {
          for (const work of [...reading, 'DELETIONS'] as const) failing.delete(work);
          show();
        },
        withdraw: () => {
          failing.clear();
          set(`${name} log`, undefined);
          show();
        },
      };
    },
  };
};
