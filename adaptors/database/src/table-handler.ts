import type { AssemblyRequest } from '@fds/adaptor-protocol';
import { ApplyError, type Adaptor, type Applied, type Assembled, type IncomingEvent } from '@fds/adaptor-sdk';
import { assembleRows } from './assembly/assemble-rows.js';
import { isRefusedUser } from './check/connection-fault.js';
import { applyEvent } from './incoming/apply-event.js';
import { createWrittenRows } from './incoming/written-rows.js';
import { withoutValues } from './incoming/without-values.js';
import type { LogAccess } from './scan/log/log-access.js';
import { LogUnavailable } from './scan/log/log-unavailable.js';
import { scanLog } from './scan/log/scan-log.js';
import { untilLogOpens } from './scan/log/until-log-opens.js';
import { repeat } from './scan/repeat.js';
import { scanDeletions } from './scan/scan-deletions.js';
import type { ScanContext } from './scan/scan-context.js';
import { scanModifications } from './scan/scan-modifications.js';
import type { SourceTable } from './source/source-table.js';
import type { TableState } from './state/adaptor-state.js';

/** One table of the adaptor. It belongs to one domain version. */
export interface TableHandler {
  /** `<domain>:<version>`, the name at the health endpoint. */
  readonly name: string;
  readonly health: 'UP' | 'DOWN';
  /** Scans until the signal is aborted. Resolves when it will publish nothing more. */
  run(signal: AbortSignal): Promise<void>;
  apply(event: IncomingEvent): Promise<Applied>;
  assemble(request: AssemblyRequest): Promise<Assembled>;
}

export interface TableHandlerOptions {
  readonly table: SourceTable;
  readonly state: TableState;
  readonly adaptor: Adaptor;
  readonly drKeyProperties: readonly string[];
  /** The log of the table; undefined: LOG is not configured. */
  readonly log?: LogAccess | undefined;
  /** Pause between attempts to read the log while the source does not allow it. Default: five minutes. */
  readonly logRetryMs?: number | undefined;
}

/** Kinds of work that fail independently: a successful scan does not mean that the other kinds work. */
type Work = 'LOG' | 'MODIFICATIONS' | 'DELETIONS' | 'INCOMING';

/** The failure of a kind of work. */
interface Failing {
  readonly message: string;
  /** True: the server has been informed. */
  readonly reported: boolean;
  readonly times: number;
}

/** The search for deletions reads every key, so it may take at most a tenth of the time. */
const deletionShare = 10;

/**
 * Temporary reasons against LOG (no free slot, a slot in use) last for minutes. An attempt costs a few queries; the
 * return to the log compares the whole table.
 */
const defaultLogRetryMs = 300_000;

/** The pause grows from the first to the longest one. A source that refuses the password is tried less often. */
const pauses = {
  usual: { firstMs: 1_000, longestMs: 30_000 },
  refused: { firstMs: 30_000, longestMs: 600_000 },
};

/** Time to wait before a failing source is tried again. @param times number of consecutive failures */
export const pauseAfter = (error: unknown, times: number): number => {
  const { firstMs, longestMs } = isRefusedUser(error) ? pauses.refused : pauses.usual;
  return Math.min(longestMs, firstMs * 2 ** Math.min(times - 1, 20));
};

export const createTableHandler = ({
  table,
  state,
  adaptor,
  drKeyProperties,
  log,
  logRetryMs = defaultLogRetryMs,
}: TableHandlerOptions): TableHandler => {
  const { domain, version, scanOptions } = table.metadata;
  const name = `${domain}:${version}`;
  const failing = new Map<Work, Failing>();
  const written = createWrittenRows();

  /**
   * Logs a failure when it differs from the previous one. Reports it once: when the work begins to fail, or as soon as
   * reporting works.
   */
  const failed = async (work: Work, error: unknown): Promise<number> => {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `${name}: ${withoutValues(reason)}`;
    const before = failing.get(work);
    const times = (before?.times ?? 0) + 1;
    if (before?.message !== message) adaptor.log.error({ handler: name }, message);
    failing.set(work, { message, times, reported: before?.reported ?? false });
    if (before?.reported === true) return times;
    try {
      await adaptor.reportError({ level: 'ERROR', kind: 'SOURCE', message });
      failing.set(work, { message, times, reported: true });
    } catch (cause) {
      adaptor.log.error({ handler: name, err: cause }, 'a failing source could not be reported');
    }
    return times;
  };
  const works = (work: Work): void => {
    if (failing.delete(work)) adaptor.log.info({ handler: name, work }, `${name}: works again`);
  };

  const watch = (
    work: Work,
    signal: AbortSignal,
    intervalMs: (tookMs: number) => number,
    scan: (context: ScanContext) => Promise<number>,
  ): Promise<void> =>
    repeat(signal, async () => {
      const startedAt = performance.now();
      try {
        await scan({ table, state, adaptor, written, signal });
        works(work);
        return intervalMs(performance.now() - startedAt);
      } catch (error) {
        return pauseAfter(error, await failed(work, error));
      }
    });

  const { scanIntervalMilliseconds, enableProcessor, enableModificationScan, enableDeletionScan } = scanOptions;
  /** Incoming events that are being written. */
  const writing = new Set<Promise<unknown>>();

  const scanByTime = async (signal: AbortSignal, scansDeletions: boolean): Promise<void> => {
    await Promise.all([
      enableModificationScan
        ? watch('MODIFICATIONS', signal, () => scanIntervalMilliseconds, scanModifications)
        : undefined,
      scansDeletions
        ? watch(
            'DELETIONS',
            signal,
            (tookMs) => Math.max(scanIntervalMilliseconds, tookMs * deletionShare),
            (context) => scanDeletions(context, drKeyProperties),
          )
        : undefined,
    ]);
  };

  /** @returns the reason why the source does not allow it; undefined when the signal was aborted */
  const readLog = async (access: LogAccess, signal: AbortSignal): Promise<LogUnavailable | undefined> => {
    let unavailable: LogUnavailable | undefined;
    const stopped = new AbortController();
    const context = { table, state, adaptor, written, signal, drKeyProperties, log: access };
    const fallsBack = (error: unknown): error is LogUnavailable =>
      error instanceof LogUnavailable && table.metadata.timestampSpec !== undefined;
    const scan = async (): Promise<void> => {
      try {
        const settled = (): Promise<unknown> => Promise.allSettled(writing);
        await scanLog({ ...context, settled, onStart: () => works('LOG') });
      } catch (error) {
        // from here on, the log is read with a gap, so its return compares the whole table
        if (fallsBack(error)) await state.rememberLog(undefined);
        throw error;
      }
    };
    await repeat(AbortSignal.any([signal, stopped.signal]), async () => {
      try {
        await scan();
        return 0;
      } catch (error) {
        if (!fallsBack(error)) return pauseAfter(error, await failed('LOG', error));
        unavailable = error;
        stopped.abort();
        return 0;
      }
    });
    return unavailable;
  };

  const warn = async (message: string): Promise<void> => {
    adaptor.log.warn({ handler: name }, message);
    await adaptor
      .reportError({ level: 'WARN', kind: 'CONFIGURATION', message })
      .catch((cause: unknown) => adaptor.log.error({ handler: name, err: cause }, 'a warning was not reported'));
  };

  /**
   * Replaces the log until it can be opened: scans by time and searches for deletions, even if `enableDeletionScan` is
   * false. The return to the log compares the whole table, so no change is missed in between.
   */
  const scanUntilLogOpens = async (
    access: LogAccess,
    unavailable: LogUnavailable,
    signal: AbortSignal,
  ): Promise<void> => {
    // the scans report their own health
    failing.delete('LOG');
    let reason = unavailable.message;
    const message = (): string =>
      `${name}: the log cannot be read; the table is scanned by TIMESTAMP and searched for deleted rows, and LOG is tried again ` +
      `every ${logRetryMs / 1000} s: ${reason}`;
    await warn(message());
    const opened = new AbortController();
    const scanning = scanByTime(AbortSignal.any([signal, opened.signal]), true);
    await untilLogOpens(
      {
        log: access,
        pauseMs: logRetryMs,
        beforeNew: () => state.rememberLog(undefined),
        onRefusal: async (refusal) => {
          if (refusal.message === reason) return;
          reason = refusal.message;
          await warn(message());
        },
      },
      signal,
    );
    opened.abort();
    await scanning;
    for (const work of ['MODIFICATIONS', 'DELETIONS'] as const) failing.delete(work);
    if (!signal.aborted) adaptor.log.info({ handler: name }, `${name}: the log can be read again`);
  };

  const scanByLog = async (access: LogAccess, signal: AbortSignal): Promise<void> => {
    for (;;) {
      const unavailable = await readLog(access, signal);
      if (unavailable === undefined) return;
      await scanUntilLogOpens(access, unavailable, signal);
    }
  };

  return {
    name,
    get health() {
      return failing.size === 0 ? 'UP' : 'DOWN';
    },
    run: async (signal) => {
      if (!enableProcessor) return;
      await (log !== undefined && enableModificationScan
        ? scanByLog(log, signal)
        : scanByTime(signal, enableDeletionScan));
    },
    apply: async (event) => {
      try {
        const applying = applyEvent({ table, state, written, drKeyProperties }, event);
        writing.add(applying);
        const applied = await applying.finally(() => writing.delete(applying));
        works('INCOMING');
        return applied;
      } catch (error) {
        if (error instanceof ApplyError && error.kind === 'SOURCE') await failed('INCOMING', error);
        else works('INCOMING');
        throw error;
      }
    },
    assemble: (request) => assembleRows(table, drKeyProperties, request),
  };
};
