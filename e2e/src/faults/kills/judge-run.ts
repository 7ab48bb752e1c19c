import { queryEmbeddedDatabase } from '../../harness/embedded-database.js';
import { streamName, type FaultStage } from './open-fault-stage.js';

/** Results of the events of a run. All except the first two must be 0. */
export interface RunCounts {
  /** Number of events that the source's adaptor had promised to keep. */
  readonly published: number;
  /** Number of events that the service had acknowledged, as seen on the wire. */
  readonly acknowledged: number;
  /** Number of missing effects, in all destinations together. */
  readonly lost: number;
  /** Number of acknowledged events without an effect in a destination. */
  readonly acknowledgedAndLost: number;
  readonly doubled: number;
  readonly inverted: number;
  /** Number of effects with content that no source published. */
  readonly wrong: number;
  /** Number of events or deliveries that the service reported as issues. */
  readonly issues: number;
}

/** Number of issues in the database of the service. */
export const countIssues = async (dataDir: string): Promise<number> => {
  const [row] = await queryEmbeddedDatabase<{ count: number }>(dataDir, 'SELECT count(*)::int FROM data_issue');
  return row?.count ?? 0;
};

/** Compares the ledger with the promises. */
export const judgeRun = async ({ ledger, acknowledged, destinations, service }: FaultStage): Promise<RunCounts> => {
  const published = ledger.published(streamName);
  const names = [...destinations.keys()];
  const views = names.map((name) => ledger.destination(name));
  const sum = (count: (view: (typeof views)[number]) => number): number =>
    views.reduce((total, view) => total + count(view), 0);
  let acknowledgedAndLost = 0;
  for (const event of acknowledged.events())
    if (!names.every((name) => ledger.has(name, event))) acknowledgedAndLost += 1;
  return {
    published,
    acknowledged: acknowledged.count(),
    lost: sum(({ applied, doubled }) => Math.max(0, published - (applied - doubled))),
    acknowledgedAndLost,
    doubled: sum(({ doubled }) => doubled),
    inverted: sum(({ inverted }) => inverted),
    wrong: sum(({ wrong }) => wrong),
    issues: await countIssues(service.dataDir),
  };
};

/** The counts of a run without a fault of the service. */
export const faultless = { lost: 0, acknowledgedAndLost: 0, doubled: 0, inverted: 0, wrong: 0, issues: 0 } as const;
