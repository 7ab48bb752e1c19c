import type { Assembler } from '@fds/assembly-contract';
import { isUnavailable, type Database, type SqlClient } from '@fds/database';
import { isJsonObject, type JsonObject } from '@fds/json';
import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import type { AdaptorView, DomainVersionView } from '../../domain/catalog.js';
import type { EventOutcome } from '../../domain/events/event-outcome.js';
import { sendAgain, type HeldValues } from '../../domain/issues/send-again.js';
import { RecordBook, type RecordState } from '../../domain/records/record-book.js';
import { awaitsDeletion } from '../../domain/routing/known-content.js';
import { without } from '../../domain/routing/content-hashes.js';
import { Outbox } from '../../domain/routing/outbox.js';
import { askHolders, serviceFor } from '../../issues/brake/ask-holders.js';
import { storedValues } from '../../issues/brake/return-records.js';
import { loadOtherHolders } from '../../store/issues/mass-deletions.js';
import { openReferenceBook } from '../../store/references/open-reference-book.js';
import { loadRecords } from '../../store/records/load-records.js';
import { decideRecords, type Decided } from '../../store/transaction/decide-records.js';
import { inTurn } from '../../store/transaction/record-session.js';
import { saveRedeliveryPage, type RedeliveredRecord, type Redelivery } from './redelivery-store.js';

export interface SendDependencies {
  readonly database: Database;
  readonly assembler: Assembler;
  readonly view: CatalogView;
  readonly now: () => Date;
  readonly newUuid: () => string;
}

/** A page of records, with the adaptor that gets them. */
export interface RedeliveredPage {
  readonly job: Redelivery;
  readonly adaptor: AdaptorView;
  readonly page: readonly RedeliveredRecord[];
}

/** The content of the records of a page. */
interface Contents {
  readonly versions: ReadonlyMap<string, DomainVersionView>;
  /** By record, the values of other adaptors. A record of the store is absent. */
  readonly held: ReadonlyMap<string, readonly HeldValues[]>;
  /** By record, the values that the adaptor itself has now, as far as it answers. */
  readonly own: ReadonlyMap<string, JsonObject>;
}

const timeoutSeconds = 5;

/** The values that the adaptor has now: it replaces these, and keeps others, which it has not reported. */
const askOwn = async (
  { assembler }: SendDependencies,
  adaptor: AdaptorView,
  version: DomainVersionView,
  recordUuids: readonly string[],
): Promise<ReadonlyMap<string, JsonObject>> => {
  const request = {
    zoneUuid: adaptor.zoneUuid,
    domain: version.domainName,
    versionNumber: version.versionNumber,
    adaptors: [adaptor.uuid],
    drUuids: recordUuids,
    expandRefs: false,
    timeout: timeoutSeconds,
    page: 0,
    size: recordUuids.length,
  };
  const answer = await assembler.assemble(request, serviceFor(adaptor)).catch((error: unknown) => {
    if (isUnavailable(error)) throw error;
    return undefined;
  });
  return new Map(
    (answer?.assembledDataRecords ?? []).flatMap(({ uuid, data }): [string, JsonObject][] =>
      isJsonObject(data) && Object.keys(data).length > 0 ? [[uuid, data]] : [],
    ),
  );
};

const readContents = async (dependencies: SendDependencies, { adaptor, page }: RedeliveredPage): Promise<Contents> => {
  const { database, view } = dependencies;
  const versions = new Map<string, DomainVersionView>();
  const [held, own] = [new Map<string, readonly HeldValues[]>(), new Map<string, JsonObject>()];
  for (const versionUuid of new Set(page.map(({ domainVersionUuid }) => domainVersionUuid))) {
    const records = page.filter(({ domainVersionUuid }) => domainVersionUuid === versionUuid);
    const version = await view.findVersionByUuid(versionUuid);
    if (version === undefined) continue;
    versions.set(versionUuid, version);
    const recordUuids = records.map(({ uuid }) => uuid);
    if (version.domainType === 'FEDERATED') {
      const holderUuids = await loadOtherHolders(database.pool, adaptor.uuid, recordUuids);
      const asked = await askHolders(dependencies, { version, adaptor, recordUuids, holderUuids });
      for (const [uuid, values] of asked) held.set(uuid, values);
    }
    for (const [uuid, values] of await askOwn(dependencies, adaptor, version, recordUuids)) own.set(uuid, values);
  }
  return { versions, held, own };
};

/** Keeps the known content of the properties that a message does not have: the adaptor keeps their values. */
const keepKnown = (book: RecordBook, before: RecordState, record: RecordState, adaptorUuid: string): void => {
  const [former, link] = [before.links.get(adaptorUuid), record.links.get(adaptorUuid)];
  if (former === undefined || link === undefined || awaitsDeletion(former.known)) return;
  const names = Object.keys(link.known.hashes);
  book.link(record, {
    ...link,
    known: {
      ...link.known,
      hashes: { ...former.known.hashes, ...link.known.hashes },
      failed: without(former.known.failed, names),
      skipped: without(former.known.skipped, names),
    },
  });
};

const sendIn = async (
  client: SqlClient,
  { view, now, newUuid }: SendDependencies,
  { job, adaptor, page }: RedeliveredPage,
  { versions, held, own }: Contents,
): Promise<void> => {
  await decideRecords(inTurn(client), {
    locking: {
      catalog: view.catalog,
      adaptorUuids: [adaptor.uuid],
      routed: [],
      checked: [...versions.values()],
      taken: undefined,
      newUuid,
    },
    load: (sql) => ({ touched: () => loadRecords(sql, { keys: [], uuids: page.map(({ uuid }) => uuid) }) }),
    open: async ({ sql }, { catalog, channels, loaded }) => {
      const { records: stored, removedLinks } = loaded.touched;
      const book = new RecordBook(stored, undefined, removedLinks);
      const written = stored.flatMap(({ json, domainVersionUuid }) => {
        const version = versions.get(domainVersionUuid);
        return json === null || version === undefined ? [] : [{ version, json }];
      });
      const references = await openReferenceBook(sql, { catalog, book, stored, written, deletedUuids: [] });
      return { catalog, channels, book, references };
    },
    decide: ({ catalog, channels, book, references }): Decided<void> => {
      const destination = view.catalog.adaptor(adaptor.uuid) ?? adaptor;
      const outbox = new Outbox((uuid) => channels.get(uuid));
      const outcomes: EventOutcome[] = [];
      let [withheld, unanswered] = [0, 0];
      for (const { uuid, domainVersionUuid } of page) {
        const [record, version] = [book.byUuid(uuid), versions.get(domainVersionUuid)];
        const isHeld = record !== undefined && (record.links.has(adaptor.uuid) || record.expected.has(adaptor.uuid));
        if (!isHeld || version === undefined || !channels.has(adaptor.uuid)) continue;
        const isStored = version.domainType === 'SERVICE_DATA_STORE';
        const values = isStored ? storedValues(view, references, version, record) : (held.get(uuid) ?? []);
        if (values.length === 0) {
          unanswered += 1;
          continue;
        }
        const before = { ...record, links: new Map(record.links), expected: new Map(record.expected) };
        const read = own.get(uuid);
        const lost = { record, destination, version, held: values, transactionUuid: job.uuid, nowMs: now().getTime() };
        const outcome = sendAgain({ catalog, governance: view.governance, book, outbox }, newUuid, {
          ...lost,
          ...(read === undefined ? {} : { read }),
        });
        if (outcome === undefined) {
          withheld += 1;
          // nothing was sent: it is known as before
          const link = before.links.get(adaptor.uuid);
          const expected = before.expected.get(adaptor.uuid);
          if (link !== undefined) book.link(record, link);
          else if (expected !== undefined) record.expected.set(adaptor.uuid, expected);
        } else {
          outcomes.push(outcome);
          keepKnown(book, before, record, adaptor.uuid);
        }
      }
      const counts = { sent: outcomes.length, withheld, unanswered };
      const position = page.at(-1)?.uuid ?? '';
      return {
        result: undefined,
        decisions: { outcomes, book, outbox },
        ahead: () => ({ result: () => saveRedeliveryPage(client, job, position, counts) }),
      };
    },
  });
};

/**
 * Sends the records of a page to the adaptor, through the chains, and adds the result to the job, in one transaction.
 *
 * @throws JobLost, StaleCatalog, StaleVersions, and the database's error; nothing is sent then
 */
export const sendPage = async (dependencies: SendDependencies, redelivered: RedeliveredPage): Promise<void> => {
  const { database, view } = dependencies;
  const contents = await readContents(dependencies, redelivered);
  await view.catchUp();
  await database.transaction((client) => sendIn(client, dependencies, redelivered, contents));
};
