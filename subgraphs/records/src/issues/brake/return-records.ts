import type { Database, SqlClient } from '@fds/database';
import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import type { AdaptorView, DomainVersionView } from '../../domain/catalog.js';
import { RecordBook, type RecordState } from '../../domain/records/record-book.js';
import { Outbox } from '../../domain/routing/outbox.js';
import type { ReferenceBook } from '../../domain/references/reference-book.js';
import { resolveReferences } from '../../domain/references/resolve-references.js';
import { openReferenceBook } from '../../store/references/open-reference-book.js';
import { loadRecords } from '../../store/records/load-records.js';
import { decideRecords, type Decided } from '../../store/transaction/decide-records.js';
import { inTurn } from '../../store/transaction/record-session.js';
import { sendAgain, type HeldValues } from '../../domain/issues/send-again.js';
import { lockBraked, type BrakedDeletion } from '../../store/issues/mass-deletions.js';

export interface ReturnDependencies {
  readonly database: Database;
  readonly view: CatalogView;
  readonly now: () => Date;
  readonly newUuid: () => string;
}

/** Parked deletions that are dropped, and the adaptor to which their records are sent again. */
export interface ReturnedPage {
  readonly issueUuid: string;
  readonly adaptor: AdaptorView;
  readonly version: DomainVersionView;
  readonly page: readonly BrakedDeletion[];
  /** By record, the values of other adaptors. Undefined: the data store has them. */
  readonly held: ReadonlyMap<string, readonly HeldValues[]> | undefined;
}

/** The values of a stored record as messages have them: with the DR Keys of the records that it refers to. */
export const storedValues = (
  { catalog }: Pick<CatalogView, 'catalog'>,
  references: ReferenceBook,
  version: DomainVersionView,
  record: RecordState,
): readonly HeldValues[] => {
  const { json } = record;
  if (json === null) return [];
  const own = { uuid: record.uuid, domainVersionUuid: version.uuid, drKey: record.drKey, keyDigest: record.keyDigest };
  const resolution = resolveReferences({ catalog, targets: references }, version.model, json, { own, before: json });
  return [{ source: { uuid: null, zoneUuid: version.zoneUuid }, json: resolution.valid ? resolution.keyed : json }];
};

const returnIn = async (
  client: SqlClient,
  { view, now, newUuid }: ReturnDependencies,
  { issueUuid, adaptor, version, page, held }: ReturnedPage,
): Promise<number> => {
  const { result } = await decideRecords(inTurn(client), {
    locking: {
      catalog: view.catalog,
      adaptorUuids: [adaptor.uuid],
      routed: [],
      checked: [version],
      taken: undefined,
      newUuid,
    },
    load: (sql) => ({
      braked: () =>
        lockBraked(
          sql,
          issueUuid,
          page.map(({ uuid }) => uuid),
        ),
      touched: () => loadRecords(sql, { keys: [], uuids: page.flatMap(({ recordUuid }) => recordUuid ?? []) }),
    }),
    open: async ({ sql }, { catalog, channels, loaded }) => {
      const { records: stored, removedLinks } = loaded.touched;
      const book = new RecordBook(stored, undefined, removedLinks);
      const written = stored.flatMap(({ json }) => (json === null ? [] : [{ version, json }]));
      const references = await openReferenceBook(sql, { catalog, book, stored, written, deletedUuids: [] });
      const outbox = new Outbox((uuid) => channels.get(uuid));
      return { catalog, book, references, outbox, channels, braked: loaded.braked };
    },
    decide: ({ catalog, book, references, outbox, channels, braked }): Decided<number> => {
      const destination = view.catalog.adaptor(adaptor.uuid) ?? adaptor;
      const continued: string[] = [];
      let unanswered = 0;
      const outcomes = braked.flatMap(({ uuid, recordUuid }) => {
        const record = recordUuid === null ? undefined : book.byUuid(recordUuid);
        const isHeld = record !== undefined && (record.links.has(adaptor.uuid) || record.expected.has(adaptor.uuid));
        // the deletion has no object, or its adaptor takes no messages
        if (!isHeld || !destination.active || !channels.has(adaptor.uuid)) {
          continued.push(uuid);
          return [];
        }
        const values = held === undefined ? storedValues(view, references, version, record) : held.get(record.uuid);
        if (values === undefined) {
          unanswered += 1;
          return [];
        }
        continued.push(uuid);
        const lost = { record, destination, version, held: values, transactionUuid: issueUuid, nowMs: now().getTime() };
        return sendAgain({ catalog, governance: view.governance, book, outbox }, newUuid, lost) ?? [];
      });
      return {
        result: unanswered,
        decisions: {
          outcomes,
          book,
          outbox,
          settled: { closed: [], continued, superseded: [], renamed: [], matched: [] },
        },
      };
    },
  });
  return result;
};

/**
 * Drops parked deletions and sends their records to the adaptor again, in one transaction. Deletions that were cancelled in the
 * meantime are left out.
 *
 * @returns the number of records for which there are no values; their deletions stay parked
 */
export const returnRecords = async (dependencies: ReturnDependencies, returned: ReturnedPage): Promise<number> => {
  const { database, view } = dependencies;
  await view.catchUp();
  return database.transaction((client) => returnIn(client, dependencies, returned));
};
