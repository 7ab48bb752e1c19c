import { queryEmbeddedDatabase } from '../../harness/embedded-database.js';
import { streamName, type FaultStage } from './open-fault-stage.js';

/** What became of the events of a run. All but the first two must be 0. */
export interface RunCounts {
  /** That the adaptor of the source had promised to keep. */
  readonly published: number;
  /** That the service had acknowledged, as seen on the wire. */
  readonly acknowledged: number;
  /** Effects that did not come, in all destinations together. */
  readonly lost: number;
  /** Of the acknowledged ones, those without effect in some destination. */
  readonly acknowledgedAndLost: number;
  readonly doubled: number;
  readonly inverted: number;
  /** Effects with content that no source has said. */
  readonly wrong: number;
  /** Events or deliveries that the service has complained of. */
  readonly issues: number;
}

/** Issues in the database of the service. */
export const countIssues = async (dataDir: string): Promise<number> => {
  const [row] = await queryEmbeddedDatabase<{ count: number }>(dataDir, 'SELECT count(*)::int FROM data_issue');
  return row?.count ?? 0;
};

/** Holds the ledger against what was promised. */
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

/** What a run without a fault of the service looks like. */
export const faultless = { lost: 0, acknowledgedAndLost: 0, doubled: 0, inverted: 0, wrong: 0, issues: 0 } as const;
