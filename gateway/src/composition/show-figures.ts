import { loadAdaptorStates } from '@fds/catalog';
import { loadHead } from '@fds/database';
import type { Subgraph } from '@fds/graphql';
import { loadQueueFigures } from '@fds/notifications';
import { loadRecordFigures, type RecordsSubgraph } from '@fds/records';
import type { DeploymentFigures } from '../metrics/deployment-metrics.js';
import type { OpenedBus } from './open-bus.js';
import type { Platform } from './open-platform.js';
import { serviceVersion } from './service-version.js';

/** The figures in the database are read once in this time, however often the metrics are asked for. */
const keptMs = 5_000;
/** After this time the metrics are answered without them. */
const patienceMs = 5_000;

/** The figures in the database, with the time of the reading. */
interface Reading {
  readonly atMs: number;
  readonly figures: Promise<DeploymentFigures | undefined>;
}

/** The parts of this process that have figures. */
interface ShownParts {
  readonly catalog: Subgraph | undefined;
  readonly records: RecordsSubgraph | undefined;
  readonly notifications: Subgraph | undefined;
}

const withinTime = <T>(work: Promise<T>): Promise<T | undefined> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), patienceMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
};

/** Shows the figures of this process, and those of the deployment whose part runs here. */
export const showFigures = (
  { database, metrics, log }: Platform,
  { catalog, records, notifications }: ShownParts,
  openedBus: OpenedBus | undefined,
): void => {
  let head = 0n;
  let postgres = 'unknown';
  const load = async (): Promise<DeploymentFigures> => {
    const wantsAdaptors = catalog !== undefined || records !== undefined;
    const [adaptors, recordFigures, webhooks, newest, version] = await Promise.all([
      wantsAdaptors ? loadAdaptorStates(database.reads) : [],
      records && loadRecordFigures(database.reads),
      notifications && loadQueueFigures(database.reads),
      loadHead({ pool: database.reads }),
      database.reads.query<{ server_version: string }>('SHOW server_version'),
    ]);
    head = newest;
    postgres = version.rows[0]?.server_version ?? postgres;
    return { adaptors, showsStates: catalog !== undefined, records: recordFigures, webhooks };
  };
  let reading: Reading | undefined;
  metrics.showDeployment(() => {
    const nowMs = performance.now();
    if (reading === undefined || nowMs - reading.atMs >= keptMs) {
      const figures = load().catch((error: unknown) => {
        log.warn({ err: error }, 'the figures of the deployment cannot be read');
        return undefined;
      });
      reading = { atMs: nowMs, figures };
    }
    return withinTime(reading.figures);
  });

  const version = serviceVersion();
  metrics.show('buildInfo', () => [{ value: 1, labels: { version, node: process.versions.node, postgres } }]);
  metrics.show('changeLogLag', () =>
    [...database.logReaders].map(({ name, position }) => {
      const lag = head - position();
      return { labels: { reader: name }, value: lag > 0n ? Number(lag) : 0 };
    }),
  );
  metrics.show('poolConnections', () =>
    database.poolUses().flatMap(({ share, busy, idle }) => [
      { labels: { share, state: 'busy' }, value: busy },
      { labels: { share, state: 'idle' }, value: idle },
    ]),
  );
  if (records !== undefined) {
    metrics.show('leases', () => [{ value: records.leases().count }]);
    metrics.show('leaseTakeovers', () => [{ value: records.leases().takeovers }]);
  }
  if (openedBus !== undefined) {
    const { bus } = openedBus;
    metrics.show('busConnected', () => [{ value: bus.connected ? 1 : 0 }]);
    metrics.show('busReconnects', () => [{ value: bus.reconnections }]);
  }
};
