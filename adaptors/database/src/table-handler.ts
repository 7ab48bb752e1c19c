import type { AssemblyRequest } from '@fds/adaptor-protocol';
import { ApplyError, type Adaptor, type Applied, type Assembled, type IncomingEvent } from '@fds/adaptor-sdk';
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

/** What may fail by itself: a scan that works says nothing of the other one. */
type Work = 'MODIFICATIONS' | 'DELETIONS' | 'INCOMING';

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
  const failing = new Map<Work, 'TOLD' | 'UNTOLD'>();

  /** A failing source is reported once, when the work begins to fail, or as soon as that can be reported. */
  const failed = async (work: Work, error: unknown): Promise<void> => {
    const message = `${name}: ${error instanceof Error ? error.message : String(error)}`;
    adaptor.log.error({ handler: name }, message);
    if (failing.get(work) === 'TOLD') return;
    failing.set(work, 'UNTOLD');
    try {
      await adaptor.reportError({ level: 'ERROR', kind: 'SOURCE', message });
      failing.set(work, 'TOLD');
    } catch (cause) {
      adaptor.log.error({ handler: name, err: cause }, 'a failing source could not be reported');
    }
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
        await scan({ table, state, adaptor, discoveryMode, signal });
        failing.delete(work);
        return intervalMs(performance.now() - startedAt);
      } catch (error) {
        await failed(work, error);
        return failurePauseMs;
      }
    });

  const { scanIntervalMilliseconds, enableProcessor, enableModificationScan, enableDeletionScan } = scanOptions;
  return {
    name,
    get health() {
      return failing.size === 0 ? 'UP' : 'DOWN';
    },
    run: async (signal) => {
      if (!enableProcessor) return;
      await Promise.all([
        enableModificationScan
          ? watch('MODIFICATIONS', signal, () => scanIntervalMilliseconds, scanModifications)
          : undefined,
        enableDeletionScan
          ? watch(
              'DELETIONS',
              signal,
              (tookMs) => Math.max(scanIntervalMilliseconds, tookMs * deletionShare),
              (context) => scanDeletions(context, drKeyProperties),
            )
          : undefined,
      ]);
    },
    apply: async (event) => {
      try {
        const applied = await applyEvent({ table, state, drKeyProperties }, event);
        failing.delete('INCOMING');
        return applied;
      } catch (error) {
        if (error instanceof ApplyError && error.kind === 'SOURCE') await failed('INCOMING', error);
        else failing.delete('INCOMING');
        throw error;
      }
    },
    assemble: (request) => assembleRows(table, drKeyProperties, request),
  };
};
