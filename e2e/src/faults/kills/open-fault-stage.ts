import { startAdaptorProcess, type AdaptorProcess } from '../../harness/adaptor-process.js';
import { allActions, createAdaptor, createVersion, rootZone, type CreatedAdaptor } from '../../harness/catalogue.js';
import { signIn, type Client } from '../../harness/client.js';
import { embeddedDatabaseUrl } from '../../harness/embedded-database.js';
import { mosquittoSettings, startMosquitto, type Mosquitto } from '../../harness/mosquitto.js';
import type { Leftovers } from '../../harness/leftovers.js';
import { startService, type Service } from '../../harness/service.js';
import { createAcknowledgedBook, type AcknowledgedBook } from '../../programs/ledger/acknowledged-book.js';
import { countedProperties, type CountedEvent } from '../../programs/ledger/counted-event.js';
import { openLedger, type Ledger, type OnEffect } from '../../programs/ledger/open-ledger.js';
import type { Mischief } from '../wire/meddler.js';
import { killKinds, type KillKind } from './plan-blows.js';
import { openWireProxy, type WireProxy } from '../wire/open-wire-proxy.js';

export type BrokerKind = 'EMBEDDED' | 'MOSQUITTO';

/**
 * The processes that can be killed. The embedded broker dies with its server, and there is no second server with it.
 */
export const killableWith = (broker: BrokerKind): readonly KillKind[] =>
  broker === 'MOSQUITTO' ? killKinds : killKinds.filter((kind) => kind !== 'BROKER' && kind !== 'SECOND_SERVER');

/** An adaptor in a separate process, and its wire to the broker. */
export interface Hung {
  readonly adaptorUuid: string;
  readonly process: AdaptorProcess;
  readonly wire: WireProxy;
}

/** A service, counting adaptors, and their ledger. */
export interface FaultStage {
  readonly service: Service;
  /** Another process with records on the same database; only with an external broker. */
  readonly second: Service | undefined;
  /** Undefined with the embedded broker. */
  readonly broker: Mosquitto | undefined;
  readonly ledger: Ledger;
  /** The acknowledgements that the stream's source received. */
  readonly acknowledged: AcknowledgedBook;
  readonly source: Hung;
  /** By their name in the ledger. */
  readonly destinations: ReadonlyMap<string, Hung>;
  /** Address of the broker, without a proxy. */
  readonly brokerUrl: string;
  /** Signs a data steward in again, because the key of an earlier token may no longer exist. */
  signIn(): Promise<Client>;
  /** Registers another adaptor of the domain, and gives it access to the broker. */
  register(name: string): Promise<CreatedAdaptor>;
}

export interface FaultStageOptions {
  readonly broker: BrokerKind;
  readonly mischief: Mischief;
  readonly random: () => number;
  /** Number of records that take turns; at least the number of events in a batch. */
  readonly records: number;
  /** Number of destinations of every event. */
  readonly destinations: number;
  /** Called for each event on its way to the service. Default: no call. */
  readonly onSent?: (event: CountedEvent) => void;
  /** Called for each effect. Default: no call. */
  readonly onEffect?: OnEffect;
}

/** Name of the one stream. */
export const streamName = 'stream';
const domainName = 'counter';

/** Starts another process that serves adaptors. It shares only the database and the broker. */
const startSecond = (
  leftovers: Leftovers,
  first: Service,
  shared: Readonly<Record<string, string>>,
): Promise<Service> =>
  startService(leftovers, {
    ...shared,
    FDS_PARTS: 'records,assembly',
    FDS_BASE_URL: first.baseUrl,
    FDS_DATABASE_URL: embeddedDatabaseUrl(first.dataDir),
  });

/** Starts all processes; the leftovers end them. The source publishes no event before the ledger grants it some. */
export const openFaultStage = async (leftovers: Leftovers, options: FaultStageOptions): Promise<FaultStage> => {
  const { mischief, random, records } = options;
  const broker = options.broker === 'MOSQUITTO' ? await startMosquitto(leftovers) : undefined;
  const shared = {
    FDS_SECRET_KEY: Buffer.alloc(32, 'key of the fault suite').toString('base64'),
    FDS_LOG_LEVEL: 'warn',
    ...(broker === undefined ? {} : mosquittoSettings(broker)),
  };
  const service = await startService(leftovers, shared);
  const second = broker === undefined ? undefined : await startSecond(leftovers, service, shared);
  const brokerUrl = broker?.url ?? service.busUrl;
  const steward = (): Promise<Client> => signIn({ ...service, username: 'dgs', password: service.passwords.dgs });
  const dgs = await steward();
  const zone = await rootZone(dgs);
  await createVersion(dgs, {
    name: domainName,
    domainType: 'FEDERATED',
    properties: countedProperties,
    drKeyProperties: ['id'],
  });
  const ledger = await openLedger(leftovers, options.onEffect ?? (() => undefined));
  const acknowledged = createAcknowledgedBook(options.onSent ?? (() => undefined));

  const register = async (name: string): Promise<CreatedAdaptor> => {
    const adaptor = await createAdaptor(await steward(), zone, { name, capabilities: allActions(domainName) });
    await broker?.admit(adaptor.clientId, adaptor.clientSecret);
    return adaptor;
  };
  const hang = async (
    name: string,
    program: 'source' | 'destination',
    onFrame?: AcknowledgedBook['see'],
  ): Promise<Hung> => {
    const wire = await openWireProxy(leftovers, {
      brokerUrl,
      mischief,
      random,
      ...(onFrame === undefined ? {} : { onFrame }),
    });
    const adaptor = await register(name);
    const process = await startAdaptorProcess(leftovers, { ...service, busUrl: wire.url }, adaptor, {
      script: `e2e/dist/programs/counting-${program}.js`,
      environment: () => ({
        COUNTING_LEDGER: String(ledger.port),
        COUNTING_STREAM: streamName,
        COUNTING_DESTINATION: name,
        COUNTING_DOMAIN: domainName,
        COUNTING_RECORDS: String(records),
        COUNTING_BATCH: String(records),
        CONCURRENCY: '16',
        LOG_LEVEL: 'WARN',
      }),
    });
    await process.untilUp();
    return { adaptorUuid: adaptor.uuid, process, wire };
  };

  const destinations = new Map<string, Hung>();
  for (let number = 1; number <= options.destinations; number += 1) {
    destinations.set(`destination-${number}`, await hang(`destination-${number}`, 'destination'));
  }
  const source = await hang('source', 'source', acknowledged.see);
  return { service, second, broker, brokerUrl, ledger, acknowledged, source, destinations, signIn: steward, register };
};
