import type { AssemblyRequest } from '@fds/adaptor-protocol';
import type { Adaptor, Applied, Assembled, IncomingEvent } from '@fds/adaptor-sdk';
import { assembleRows } from './assembly/assemble-rows.js';
import { applyEvent } from './incoming/apply-event.js';
import { repeat } from './scan/repeat.js';
import { scanDeletions } from './scan/scan-deletions.js';
import { scanModifications, type ScanContext } from './scan/scan-modifications.js';
import type { SourceTable } from './source/source-table.js';
import type { TableState } from './state/adaptor-state.js';

/** One table of the adaptor, which stands for one domain version. */
export interface TableHandler {
  /** `<domain>:<version>`, as the health endpoint names it. */
  readonly name: string;
  readonly health: 'UP' | 'DOWN';
  /** Scans until the signal is aborted; resolves when nothing more will be published. */
  run(signal: AbortSignal): Promise<void>;
  apply(event: IncomingEvent): Promise<Applied>;
  assemble(request: AssemblyRequest): Promise<Assembled>;
}

export interface TableHandlerOptions {
  readonly table: SourceTable;
  readonly state: TableState;
  readonly adaptor: Adaptor;
  readonly drKeyProperties: readonly string[];
  readonly discoveryMode: boolean;
}

/** The search of deletions reads every key: it may take a tenth of the time at most. */
const deletionShare = 10;

const failurePauseMs = 1_000;

export const createTableHandler = ({
  table,
  state,
  adaptor,
  drKeyProperties,
  discoveryMode,
}: TableHandlerOptions): TableHandler => {
  const { domain, version, scanOptions } = table.metadata;
  const name = `${domain}:${version}`;
  let health: TableHandler['health'] = 'UP';

  /** A failing source is reported once, when it begins to fail. */
  const failed = async (error: unknown): Promise<void> => {
    const message = `${name}: ${error instanceof Error ? error.message : String(error)}`;
    adaptor.log.error({ handler: name }, message);
    if (health === 'UP') await adaptor.reportError({ level: 'ERROR', kind: 'SOURCE', message });
    health = 'DOWN';
  };

  const watch = (
    signal: AbortSignal,
    intervalMs: (tookMs: number) => number,
    scan: (context: ScanContext) => Promise<number>,
  ): Promise<void> =>
    repeat(signal, async () => {
      const startedAt = performance.now();
      try {
        await scan({ table, state, adaptor, discoveryMode, signal });
        health = 'UP';
        return intervalMs(performance.now() - startedAt);
      } catch (error) {
        await failed(error);
        return failurePauseMs;
      }
    });

  const { scanIntervalMilliseconds, enableProcessor, enableModificationScan, enableDeletionScan } = scanOptions;
  return {
    name,
    get health() {
      return health;
    },
    run: async (signal) => {
      if (!enableProcessor) return;
      await Promise.all([
        enableModificationScan ? watch(signal, () => scanIntervalMilliseconds, scanModifications) : undefined,
        enableDeletionScan
          ? watch(
              signal,
              (tookMs) => Math.max(scanIntervalMilliseconds, tookMs * deletionShare),
              (context) => scanDeletions(context, drKeyProperties),
            )
          : undefined,
      ]);
    },
    apply: (event) => applyEvent({ table, state, drKeyProperties }, event),
    assemble: (request) => assembleRows(table, drKeyProperties, request),
  };
};
