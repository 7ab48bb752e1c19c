import type { AnsweredRecord, Assembled, AssemblyRequest, JsonObject } from '@fds/adaptor-sdk';
import type { RecordVersion } from '../events/record-version.js';
import type { HandlerKey, PageOrder, VersionStore } from '../store/version-store.js';
import { readTemporalRequest, type TemporalRequest } from '../store/temporal-request.js';

const defaultPageSize = 100;
/** Each timestamp takes 13 digits and a comma, so this many fit into one message together with the record. */
const mostTimestamps = 15_000;

const pick = (record: JsonObject, requested: readonly string[] | null): JsonObject =>
  requested === null ? record : Object.fromEntries(Object.entries(record).filter(([name]) => requested.includes(name)));

/** Converts `name,-changed` to an order. */
const orderOf = (sort: string | undefined): PageOrder[] =>
  (sort ?? '')
    .split(',')
    .map((term) => term.trim())
    .filter((term) => term !== '')
    .map((term) => ({ property: term.replace(/^[-+]/, ''), direction: term.startsWith('-') ? 'DESC' : 'ASC' }));

const answered = (
  version: RecordVersion,
  { sourceAdaptor }: TemporalRequest,
  { requestedProperties }: AssemblyRequest,
): Pick<AnsweredRecord, 'data' | 'lastUpdated'> => {
  const state = sourceAdaptor === undefined ? version.state : version.sourceState;
  return { data: state === null ? null : pick(state, requestedProperties), lastUpdated: version.at };
};

const searchTimestamps = async (
  store: VersionStore,
  handler: HandlerKey,
  records: NonNullable<AssemblyRequest['records']>,
  search: NonNullable<TemporalRequest['search']>,
  sourceAdaptor: string | undefined,
): Promise<Assembled> => {
  const limit = Math.min(search.max ?? mostTimestamps + 1, mostTimestamps + 1);
  const answers: AnsweredRecord[] = [];
  for (const { drUuid, drKey } of records) {
    const timestamps = await store.timestamps(handler, drUuid, { ...search, limit }, sourceAdaptor);
    if (timestamps.length > mostTimestamps)
      throw new Error(
        `record ${drUuid} has more than ${mostTimestamps} timestamps; set timestamp-max, or timestamp-start and timestamp-end`,
      );
    answers.push({ drUuid, drKey, data: null, timestamps });
  }
  return { records: answers };
};

/**
 * Answers an assembly request from the history: the records at a moment, or the times at which they changed.
 *
 * @param drKeyProperties of the domain version; undefined: the server did not send them
 * @throws Error for wrong temporal parameters, and for a page request when the DR Key properties are not known
 */
export const assembleVersions = async (
  store: VersionStore,
  drKeyProperties: readonly string[] | undefined,
  request: AssemblyRequest,
): Promise<Assembled> => {
  const handler: HandlerKey = { domain: request.domain, version: request.version };
  const temporal = readTemporalRequest(request.additionalParams);
  const { search, sourceAdaptor, timestamp } = temporal;
  const moment = { at: timestamp, sourceAdaptorUuid: sourceAdaptor };
  const { records } = request;
  if (search !== undefined) {
    if (records === null) throw new Error('a timestamp search must name its records');
    return searchTimestamps(store, handler, records, search, sourceAdaptor);
  }
  if (records !== null) {
    const versions = await store.versionsAt(
      handler,
      records.map(({ drUuid }) => drUuid),
      moment,
    );
    return {
      records: records.flatMap(({ drUuid, drKey }) => {
        const version = versions.get(drUuid);
        return version === undefined ? [] : [{ drUuid, drKey, ...answered(version, temporal, request) }];
      }),
    };
  }
  if (drKeyProperties === undefined)
    throw new Error(`the DR Key properties of ${handler.domain}:${handler.version} are not known`);
  const size = request.size ?? defaultPageSize;
  const order = orderOf(request.sort);
  const page = await store.page(handler, { ...moment, offset: (request.page ?? 0) * size, limit: size, order });
  return {
    records: page.versions.map((version) => ({
      drUuid: version.drUuid,
      drKey: Object.fromEntries(drKeyProperties.map((name, index) => [name, version.drKeyValues[index] ?? null])),
      ...answered(version, temporal, request),
    })),
    totalElements: page.total,
  };
};
