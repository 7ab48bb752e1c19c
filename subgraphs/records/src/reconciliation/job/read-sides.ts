import { setTimeout as wait } from 'node:timers/promises';
import type { CollectedAnswer, CollectedQuestion, RecordCollector } from '@fds/assembly-contract';
import { isUnavailable, type Database } from '@fds/database';
import type { JsonObject } from '@fds/json';
import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import { isCapable, type AdaptorView, type DomainVersionView } from '../../domain/catalog.js';
import { RecordBook } from '../../domain/records/record-book.js';
import { serviceFor } from '../../issues/brake/ask-holders.js';
import { storedValues } from '../../issues/brake/return-records.js';
import { openReferenceBook } from '../../store/references/open-reference-book.js';
import type { Reading } from '../domain/compare-record.js';
import { normalContent } from '../domain/normal-record.js';
import type { PageRecord } from '../store/job-pages.js';

export interface ReadingDependencies {
  readonly database: Database;
  readonly collector: RecordCollector;
  readonly view: CatalogView;
}

/** The sides of a reconciliation. */
export interface ReconciledSides {
  readonly version: DomainVersionView;
  readonly here: AdaptorView;
  /** The other adaptors; none where the data store is the other side. */
  readonly others: readonly AdaptorView[];
}

/** The answers of the sides for records. */
export interface SideReadings {
  readonly readings: ReadonlyMap<string, ReadonlyMap<string | null, Reading>>;
  /** Epoch ms of the latest change, by record and side, as adaptors state it. */
  readonly lastUpdated: ReadonlyMap<string, ReadonlyMap<string | null, number>>;
  /** Reasons by the uuids of adaptors that could not be read. */
  readonly unread: ReadonlyMap<string, string>;
  /** Records that governance keeps from the zone, at some side. */
  readonly denied: ReadonlySet<string>;
}

const timeoutSeconds = 10;
const retryMs = 500;
/** An adaptor that does not answer is asked again for so long. */
const patienceMs = { here: 10_000, others: 1_500 } as const;

/** States in which an adaptor does not answer. Paused adaptors still answer. */
const unreachable: ReadonlySet<string> = new Set(['DOWN', 'DOWN_PAUSED', 'ERROR']);

/** May the adaptor be asked for live records? A webhook adaptor only receives. */
const isAsked = (adaptor: AdaptorView, version: DomainVersionView): boolean =>
  adaptor.webhookRevision === undefined && isCapable(adaptor, version, 'GET');

const questionFor = ({ uuid: adaptorUuid }: AdaptorView, records: readonly PageRecord[]): CollectedQuestion => ({
  adaptorUuid,
  records: records.map(({ uuid: drUuid, drKey, links }) => ({
    drUuid,
    // an adaptor may have a record that it does not link
    drKey: links.get(adaptorUuid)?.drKey ?? drKey,
  })),
});

type Answers = ReadonlyMap<string, CollectedAnswer | { readonly outcome: 'DOWN'; readonly reason: string }>;

const isAnswered = (answer: ReturnType<Answers['get']>): answer is CollectedAnswer => answer?.outcome === 'ANSWERED';

/** Asks the adaptors that can be asked, and those that do not answer again for some time. */
const askAll = async (
  { collector, view }: ReadingDependencies,
  { version, here, others }: ReconciledSides,
  records: readonly PageRecord[],
  signal: AbortSignal,
): Promise<Answers> => {
  const answers = new Map<string, CollectedAnswer | { outcome: 'DOWN'; reason: string }>();
  const startedAt = performance.now();
  for (;;) {
    const open = [here, ...others].filter(
      (adaptor) => isAsked(adaptor, version) && !isAnswered(answers.get(adaptor.uuid)),
    );
    const elapsed = performance.now() - startedAt;
    const asked = open.filter(({ uuid }) => {
      const isReached = !unreachable.has(view.catalog.adaptor(uuid)?.state ?? 'DOWN');
      if (!isReached) answers.set(uuid, { outcome: 'DOWN', reason: 'it is not connected' });
      return isReached;
    });
    if (asked.length > 0) {
      const request = {
        zoneUuid: here.zoneUuid,
        domain: version.domainName,
        versionNumber: version.versionNumber,
        timeout: timeoutSeconds,
        questions: asked.map((adaptor) => questionFor(adaptor, records)),
      };
      const given = await collector.collect(request, serviceFor(here), signal).catch((error: unknown) => {
        if (signal.aborted || isUnavailable(error)) throw error;
        const reason = error instanceof Error ? error.message : 'it could not be asked';
        return asked.map(({ uuid }) => ({ adaptorUuid: uuid, outcome: 'DOWN' as const, reason }));
      });
      for (const answer of given) answers.set(answer.adaptorUuid, answer);
    }
    const waits = open.some(({ uuid }) => {
      if (isAnswered(answers.get(uuid))) return false;
      return elapsed < (uuid === here.uuid ? patienceMs.here : patienceMs.others);
    });
    if (!waits) return answers;
    await wait(retryMs, undefined, { signal });
  }
};

const readingOf = (
  adaptor: AdaptorView,
  { uuid, links }: PageRecord,
  { version, answer }: { readonly version: DomainVersionView; readonly answer: ReturnType<Answers['get']> },
): Reading => {
  const isLinked = links.has(adaptor.uuid);
  if (!isAsked(adaptor, version)) return isLinked ? { kind: 'UNREAD', isLinked } : { kind: 'MISSING' };
  if (!isAnswered(answer) || answer.denied.has(uuid)) return { kind: 'UNREAD', isLinked };
  const record = answer.records.get(uuid);
  if (record === undefined) return { kind: 'MISSING' };
  const { values } = record;
  // the values may not be compared, or none of them can be read
  if (Object.keys(values).length === 0) return { kind: 'UNREAD', isLinked: true };
  return { kind: 'VALUES', values, content: normalContent(version.model, values) };
};

/** The records of the store as messages have them. */
const readStored = async (
  { database, view }: Pick<ReadingDependencies, 'database' | 'view'>,
  version: DomainVersionView,
  records: readonly PageRecord[],
): Promise<ReadonlyMap<string, JsonObject>> => {
  const book = new RecordBook(records);
  const references = await openReferenceBook(database.pool, {
    catalog: view.catalog,
    book,
    stored: records,
    written: records.flatMap(({ json }) => (json === null ? [] : [{ version, json }])),
    deletedUuids: [],
  });
  return new Map(
    records.flatMap((record) => storedValues(view, references, version, record).map(({ json }) => [record.uuid, json])),
  );
};

/** Reads records at all sides. @throws the signal's reason, the database's error */
export const readSides = async (
  dependencies: ReadingDependencies,
  sides: ReconciledSides,
  records: readonly PageRecord[],
  signal: AbortSignal,
): Promise<SideReadings> => {
  const { version, here, others } = sides;
  const isStored = version.domainType === 'SERVICE_DATA_STORE';
  const stored = isStored ? await readStored(dependencies, version, records) : new Map<string, JsonObject>();
  const answers = await askAll(dependencies, sides, records, signal);
  const readings = new Map<string, Map<string | null, Reading>>();
  const lastUpdated = new Map<string, Map<string | null, number>>();
  const denied = new Set<string>();
  for (const record of records) {
    const of = new Map<string | null, Reading>();
    const changedAt = new Map<string | null, number>();
    for (const adaptor of [here, ...others]) {
      const answer = answers.get(adaptor.uuid);
      of.set(adaptor.uuid, readingOf(adaptor, record, { version, answer }));
      if (!isAnswered(answer)) continue;
      if (answer.denied.has(record.uuid)) denied.add(record.uuid);
      changedAt.set(
        adaptor.uuid,
        answer.records.get(record.uuid)?.lastUpdated ?? record.linkedAt.get(adaptor.uuid) ?? 0,
      );
    }
    const values = stored.get(record.uuid);
    if (isStored) {
      of.set(
        null,
        values === undefined
          ? { kind: 'MISSING' }
          : { kind: 'VALUES', values, content: normalContent(version.model, values) },
      );
    }
    readings.set(record.uuid, of);
    lastUpdated.set(record.uuid, changedAt);
  }
  const unread = new Map(
    [...answers].flatMap(([uuid, answer]) =>
      isAnswered(answer) ? [] : [[uuid, answer.reason ?? 'it did not answer'] as const],
    ),
  );
  return { readings, lastUpdated, unread, denied };
};
