import { setTimeout as wait } from 'node:timers/promises';
import type { CollectedAnswer, CollectedQuestion, RecordCollector } from '@fds/assembly-contract';
import { isUnavailable, type Database } from '@fds/database';
import type { JsonObject } from '@fds/json';
import { createGiveWay } from '@fds/service';
import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import { isCapable, type AdaptorView, type DomainVersionView } from '../../domain/catalog.js';
import { RecordBook } from '../../domain/records/record-book.js';
import { serviceFor } from '../../issues/brake/ask-holders.js';
import { storedValues } from '../../issues/brake/return-records.js';
import { openReferenceBook } from '../../store/references/open-reference-book.js';
import type { ContentHashes } from '../../domain/routing/content-hashes.js';
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
  /** Other adaptors for which pages no longer wait. */
  readonly givenUp: GivenUp;
}

/** The answers of the sides for records. */
export interface SideReadings {
  readonly readings: ReadonlyMap<string, ReadonlyMap<string | null, Reading>>;
  /** Epoch ms of the latest change, by record and side, as adaptors state it. */
  readonly lastUpdated: ReadonlyMap<string, ReadonlyMap<string | null, number>>;
  /** Reasons by the uuids of adaptors that could not be read. */
  readonly unread: ReadonlyMap<string, string>;
  /** A question or an answer exceeds a bound: fewer records may be answered. */
  readonly isTooLarge: boolean;
  /** Records that governance keeps from the zone, at some side. */
  readonly denied: ReadonlySet<string>;
}

const timeoutSeconds = 10;
const retryMs = 500;
/** An adaptor that does not answer is asked again for so long: after a restart of the service adaptors connect again. */
const patienceMs = 10_000;
/** An adaptor that was given up is not asked for so long. */
const givenUpMs = 30_000;

/** Adaptors that did not answer for long, by their uuids. */
export type GivenUp = Map<string, { readonly untilMs: number; readonly reason: string }>;

/** States in which an adaptor does not answer. Paused adaptors still answer. */
const unreachable: ReadonlySet<string> = new Set(['DOWN', 'DOWN_PAUSED', 'ERROR']);

/** May the adaptor be asked for live records? A webhook adaptor only receives. */
const isAsked = (adaptor: AdaptorView, version: DomainVersionView): boolean =>
  adaptor.webhookRevision === undefined && isCapable(adaptor, version, 'GET');

/** May the adaptor be compared at this moment? An adaptor that is asked for its values has to be connected. */
export const mayAnswer = (adaptor: AdaptorView, version: DomainVersionView): boolean =>
  !isAsked(adaptor, version) || !unreachable.has(adaptor.state);

const questionFor = ({ uuid: adaptorUuid }: AdaptorView, records: readonly PageRecord[]): CollectedQuestion => ({
  adaptorUuid,
  records: records.map(({ uuid: drUuid, drKey, links }) => ({
    drUuid,
    // an adaptor may have a record that it does not link
    drKey: links.get(adaptorUuid)?.drKey ?? drKey,
  })),
});

type GivenAnswer =
  CollectedAnswer | { readonly adaptorUuid: string; readonly outcome: 'DOWN'; readonly reason: string };
type Answers = ReadonlyMap<string, GivenAnswer>;

const isAnswered = (answer: ReturnType<Answers['get']>): answer is CollectedAnswer => answer?.outcome === 'ANSWERED';

const isAnyTooLarge = (answers: Answers): boolean =>
  [...answers.values()].some((answer) => 'isTooLarge' in answer && answer.isTooLarge);

/** Asks adaptors once. */
const askOnce = async (
  { collector }: ReadingDependencies,
  { version, here }: ReconciledSides,
  asked: readonly AdaptorView[],
  records: readonly PageRecord[],
  signal: AbortSignal,
): Promise<readonly GivenAnswer[]> => {
  const request = {
    zoneUuid: here.zoneUuid,
    domain: version.domainName,
    versionNumber: version.versionNumber,
    timeout: timeoutSeconds,
    questions: asked.map((adaptor) => questionFor(adaptor, records)),
  };
  try {
    return await collector.collect(request, serviceFor(here), signal);
  } catch (error) {
    if (signal.aborted || isUnavailable(error)) throw error;
    const reason = error instanceof Error ? error.message : 'it could not be asked';
    return asked.map(({ uuid }) => ({ adaptorUuid: uuid, outcome: 'DOWN', reason }));
  }
};

/** Asks the adaptors that can be asked, and those that do not answer again for some time. */
const askAll = async (
  dependencies: ReadingDependencies,
  sides: ReconciledSides,
  records: readonly PageRecord[],
  signal: AbortSignal,
): Promise<Answers> => {
  const { version, here, others, givenUp } = sides;
  const answers = new Map<string, GivenAnswer>();
  const startedAt = performance.now();
  let waiting = [here, ...others].filter((adaptor) => isAsked(adaptor, version));
  for (const { uuid } of waiting) {
    const { untilMs = 0, reason = '' } = givenUp.get(uuid) ?? {};
    if (startedAt < untilMs) answers.set(uuid, { adaptorUuid: uuid, outcome: 'DOWN', reason });
  }
  waiting = waiting.filter(({ uuid }) => !answers.has(uuid));
  while (waiting.length > 0) {
    const { catalog } = dependencies.view;
    const reached = waiting.filter(({ uuid }) => !unreachable.has(catalog.adaptor(uuid)?.state ?? 'DOWN'));
    for (const { uuid } of waiting) {
      answers.set(uuid, { adaptorUuid: uuid, outcome: 'DOWN', reason: 'it is not connected' });
    }
    const given = reached.length === 0 ? [] : await askOnce(dependencies, sides, reached, records, signal);
    for (const answer of given) answers.set(answer.adaptorUuid, answer);
    if (records.length > 1 && isAnyTooLarge(answers)) break;
    waiting = waiting.filter(({ uuid }) => !isAnswered(answers.get(uuid)));
    for (const { uuid } of reached) if (isAnswered(answers.get(uuid))) givenUp.delete(uuid);
    const isOver = performance.now() - startedAt >= patienceMs;
    for (const { uuid } of waiting) {
      // it was given up before, and is not waited for again
      if (!isOver && !givenUp.has(uuid)) continue;
      const { reason = 'it did not answer' } = answers.get(uuid) ?? {};
      givenUp.set(uuid, { untilMs: performance.now() + givenUpMs, reason });
    }
    waiting = waiting.filter(({ uuid }) => !givenUp.has(uuid));
    if (waiting.length > 0) await wait(retryMs, undefined, { signal });
  }
  return answers;
};

const readingWith = (values: JsonObject, { model }: DomainVersionView): Reading => {
  let content: ContentHashes | undefined;
  return {
    kind: 'VALUES',
    values,
    get content() {
      content ??= normalContent(model, values);
      return content;
    },
  };
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
  return readingWith(values, version);
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
  const giveWay = createGiveWay();
  for (const record of records) {
    await giveWay();
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
      of.set(null, values === undefined ? { kind: 'MISSING' } : readingWith(values, version));
    }
    readings.set(record.uuid, of);
    lastUpdated.set(record.uuid, changedAt);
  }
  const unread = new Map(
    [...answers].flatMap(([uuid, answer]) =>
      isAnswered(answer) ? [] : [[uuid, answer.reason ?? 'it did not answer'] as const],
    ),
  );
  return { readings, lastUpdated, unread, denied, isTooLarge: records.length > 1 && isAnyTooLarge(answers) };
};
