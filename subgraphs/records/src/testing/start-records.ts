import { randomUUID } from 'node:crypto';
import type { Assembler, RecordCollector } from '@fds/assembly-contract';
import type { Database } from '@fds/database';
import { createLog, createUuids, type Log } from '@fds/service';
import { createRecordsSubgraph, type RecordsDependencies, type RecordsSubgraph } from '../create-records-subgraph.js';
import { createMemoryBus, type MemoryBus } from './memory-bus.js';

/** A server process of a test: its subgraph on its own bus. */
export interface StartedRecords {
  readonly subgraph: RecordsSubgraph;
  readonly bus: MemoryBus;
  close(): Promise<void>;
  /** Cuts it off without a word: nothing is released, nothing more is sent. */
  kill(): Promise<void>;
}

const noAssembler: Assembler = {
  assemble: () => Promise.reject(new TypeError('nothing is assembled in this test')),
  assembleProgressively: () => {
    throw new TypeError('nothing is assembled in this test');
  },
};

/**
 * An adaptor of a test is connected to one process only. A machine that stalls for longer than a lease would give the adaptor to
 * the other process, which never hears it.
 */
const leaseMs = 30_000;

export const startRecords = async (
  database: Database,
  options: Pick<RecordsDependencies, 'importLimits' | 'onCrossed' | 'onOversized' | 'webhooks' | 'leaseMs'> & {
    /** Default: nothing is logged. */
    readonly log?: Log;
    readonly assembler?: Assembler;
    readonly collector?: RecordCollector;
    readonly bus?: MemoryBus;
    readonly newUuid?: () => string;
  } = {},
): Promise<StartedRecords> => {
  const bus = options.bus ?? createMemoryBus();
  const subgraph = createRecordsSubgraph({
    database,
    bus,
    assembler: options.assembler ?? noAssembler,
    log: options.log ?? createLog('silent'),
    now: () => new Date(),
    newUuid: options.newUuid ?? createUuids(Date.now),
    instanceUuid: randomUUID(),
    leaseMs: options.leaseMs ?? leaseMs,
    ...(options.collector === undefined ? {} : { collector: options.collector }),
    ...(options.webhooks === undefined ? {} : { webhooks: options.webhooks }),
    ...(options.onCrossed === undefined ? {} : { onCrossed: options.onCrossed }),
    ...(options.onOversized === undefined ? {} : { onOversized: options.onOversized }),
    ...(options.importLimits === undefined ? {} : { importLimits: options.importLimits }),
  });
  await subgraph.start();
  return {
    subgraph,
    bus,
    close: () => subgraph.close(),
    kill: async () => {
      await bus.close();
      await subgraph.close();
    },
  };
};
