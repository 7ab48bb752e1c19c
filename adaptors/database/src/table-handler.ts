import type { AssemblyRequest } from '@fds/adaptor-protocol';
import { ApplyError, type Adaptor, type Applied, type Assembled, type IncomingEvent } from '@fds/adaptor-sdk';
import { assembleRows } from './assembly/assemble-rows.js';
import { isRefusedUser } from './source/connection-fault.js';
import { applyEvents } from './incoming/apply-events.js';
import { createLanes, type Lanes } from './incoming/create-lanes.js';
import { countRecords } from './state/count-records.js';
import { createWrittenRows } from './state/written-rows.js';
import { toApplyError } from './incoming/source-failure.js';
import type { LogAccess } from './scan/log/log-access.js';
import { LogUnavailable } from './scan/log/log-unavailable.js';
import { scanLog } from './scan/log/scan-log.js';
import { untilLogOpens } from './scan/log/until-log-opens.js';
import { repeat } from './scan/repeat.js';
import { scanDeletions } from './scan/scan-deletions.js';
import type { ScanContext } from './scan/scan-context.js';
import { scanMissed } from './scan/scan-missed.js';
import { scanModifications } from './scan/scan-modifications.js';
import { SourceChanged, type SourceGuard } from './state/source-guard.js';
import type { SourceTable } from './source/source-table.js';
import type { TableState } from './state/adaptor-state.js';
import type { TableFaults, Work } from './table-faults.js';

/** One table of the adaptor. It belongs to one domain version. */
export interface TableHandler {
  /** `<domain>:<version>`, the name at the health endpoint. */
  readonly name: string;
  readonly health: 'UP' | 'DOWN';
  /** Scans until the signal is aborted. Resolves when it will publish nothing more. */
  run(signal: AbortSignal): Promise<void>;
  apply(event: IncomingEvent): Promise<Applied>;
  assemble(request: AssemblyRequest): Promise<Assembled>;
  /** Withdraws the failures that it reported. The last call. */
  withdraw(): void;
}

export interface TableHandlerOptions {
  readonly table: SourceTable;
  readonly state: TableState;
  readonly adaptor: Adaptor;
  readonly drKeyProperties: readonly string[];
  /** The log of the table; undefined: LOG is not configured. */
  readonly log?: LogAccess | undefined;
  /** Recognises the source. */
  readonly guard: SourceGuard;
  /** Where the failures of the table are shown. */
  readonly faults: TableFaults;
  /** The batches of all tables of the adaptor. Default: those of this table, one at a time. */
  readonly lanes?: Lanes | undefined;
  /** Pause between attempts to read the log while the source does not allow it. Default: five minutes. */
  readonly logRetryMs?: number | undefined;
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

/** Events and assembly requests do not check the source more often. */
const guardedMs = 1_000;

/** An event waits while the source is another one, or cannot be recognised. */
const refusalOf = (error: unknown): ApplyError =>
  error instanceof SourceChanged
    ? new ApplyError(error.message, { kind: 'SOURCE', retry: 'UNTIL_IT_WORKS', cause: error })
    : toApplyError(error);

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
  log: unguarded,
  guard,
  faults,
  lanes = createLanes({ places: 1, nowMs: () => performance.now() }),
  logRetryMs = defaultLogRetryMs,
}: TableHandlerOptions): TableHandler => {
  const { domain, version, scanOptions } = table.metadata;
  const name = `${domain}:${version}`;
  const written = createWrittenRows();
  const lagMs = table.metadata.timestampSpec?.lagTimeMilliseconds ?? 0;
  /** The log is opened in the source of the table only. */
  const log: LogAccess | undefined = unguarded && {
    open: async (beforeNew) => {
      await guard.check();
      return unguarded.open(beforeNew);
    },
  };

  const watch = (
    work: Work,
    signal: AbortSignal,
    intervalMs: (tookMs: number) => number,
    scan: (context: ScanContext) => Promise<number>,
  ): Promise<void> =>
    repeat(signal, async () => {
      const startedAt = performance.now();
      const beganMs = Date.now();
      try {
        await guard.check();
        await scan({ table, state, adaptor, written, signal, guard, drKeyProperties });
        faults.works(work);
        if (work === 'MODIFICATIONS' && !signal.aborted) adaptor.caughtUp(name, new Date(beganMs - lagMs));
        return intervalMs(performance.now() - startedAt);
      } catch (error) {
        return pauseAfter(error, faults.failed(work, error));
      }
    });

  /** A scan has reached its end: the adaptor has reported every row that it found. */
  const completed = async (): Promise<void> => {
    if (!adaptor.isDiscovering({ domain, version })) return;
    await adaptor.reportDiscovered({ domain, version, records: await countRecords(state) });
  };

  const { scanIntervalMilliseconds, enableProcessor, enableModificationScan, enableDeletionScan } = scanOptions;
  /** Incoming events that are being written. */
  const writing = new Set<Promise<unknown>>();
  const lane = lanes.lane<IncomingEvent, Applied>({
    bytesOf: ({ jsonData }) => jsonData.length,
    work: (events) => applyEvents({ table, state, written, drKeyProperties }, events),
  });

  const scanByTime = async (signal: AbortSignal, scansDeletions: boolean): Promise<void> => {
    await Promise.all([
      enableModificationScan
        ? watch(
            'MODIFICATIONS',
            signal,
            () => scanIntervalMilliseconds,
            async (context) => {
              const events = await scanModifications(context);
              if (!signal.aborted) await completed();
              return events;
            },
          )
        : undefined,
      scansDeletions
        ? watch(
            'DELETIONS',
            signal,
            (tookMs) => Math.max(scanIntervalMilliseconds, tookMs * deletionShare),
            async (context) => (await scanDeletions(context)) + (await scanMissed(context)),
          )
        : undefined,
    ]);
  };

  /** @returns the reason why the source does not allow it; undefined when the signal was aborted */
  const readLog = async (access: LogAccess, signal: AbortSignal): Promise<LogUnavailable | undefined> => {
    let unavailable: LogUnavailable | undefined;
    const stopped = new AbortController();
    const context = { table, state, adaptor, written, signal, guard, drKeyProperties, log: access };
    const fallsBack = (error: unknown): error is LogUnavailable =>
      error instanceof LogUnavailable && table.metadata.timestampSpec !== undefined;
    const scan = async (): Promise<void> => {
      try {
        const settled = (): Promise<unknown> => Promise.allSettled(writing);
        await scanLog({
          ...context,
          settled,
          onCompared: completed,
          onStart: () => {
            faults.works('LOG');
            adaptor.caughtUp(name);
          },
        });
      } catch (error) {
        // from now on it lags behind
        adaptor.caughtUp(name, new Date());
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
        if (!fallsBack(error)) return pauseAfter(error, faults.failed('LOG', error));
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
    faults.works('LOG');
    let reason = unavailable.message;
    const lesser = (): string =>
      `the log cannot be read; the table is scanned by TIMESTAMP and searched for deleted rows, and LOG is tried again ` +
      `every ${logRetryMs / 1000} s: ${reason}`;
    const message = (): string => `${name}: ${lesser()}`;
    faults.readsLess(lesser());
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
          faults.readsLess(lesser());
          await warn(message());
        },
      },
      signal,
    );
    opened.abort();
    await scanning;
    faults.stopReading();
    faults.readsLess(undefined);
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
      return faults.health;
    },
    run: async (signal) => {
      // there is nothing to discover
      if (!enableProcessor || !enableModificationScan) await adaptor.reportDiscovered({ domain, version, records: 0 });
      if (!enableProcessor) return;
      await (log !== undefined && enableModificationScan
        ? scanByLog(log, signal)
        : scanByTime(signal, enableDeletionScan));
      faults.stopReading();
      faults.readsLess(undefined);
    },
    apply: async (event) => {
      try {
        await guard.check(guardedMs);
        const applying = lane.add(event);
        writing.add(applying);
        const applied = await applying.finally(() => writing.delete(applying));
        faults.works('INCOMING');
        return applied;
      } catch (cause) {
        const error = cause instanceof ApplyError ? cause : refusalOf(cause);
        if (error.retry === 'UNTIL_IT_WORKS')
          faults.failed('INCOMING', error.cause instanceof SourceChanged ? error.cause : error);
        else faults.works('INCOMING');
        throw error;
      }
    },
    assemble: async (request) => {
      await guard.check(guardedMs);
      return assembleRows(table, drKeyProperties, request);
    },
    withdraw: () => faults.withdraw(),
  };
};
