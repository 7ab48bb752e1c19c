import type { AnsweredRecord, AssemblyAnswer, RequestedRecord } from '@fds/adaptor-protocol';
import type { CompiledModel } from '@fds/model-schema';
import type { SentRecord, SentRecords } from './source.js';

/** The records of all parts of an answer, and the timestamps next to them. */
type WholeAnswer = Pick<AssemblyAnswer, 'records'> & { readonly timestamps?: readonly number[] | undefined };

type KeyedModel = Pick<CompiledModel, 'validateDrKey' | 'keyDigest'>;

const digestOf = (model: KeyedModel, drKey: RequestedRecord['drKey']): string | undefined => {
  const validation = model.validateDrKey(drKey);
  return validation.valid ? model.keyDigest(validation.record) : undefined;
};

/** Finds a requested record by its uuid, or by the adaptor's own key when the answer has no uuid. */
const recordFinder = (
  asked: readonly RequestedRecord[],
  model: KeyedModel,
): ((record: AnsweredRecord) => string | undefined) => {
  const uuids = new Set(asked.map(({ drUuid }) => drUuid));
  let byKey: Map<string | undefined, string> | undefined;
  return ({ drUuid, drKey }) => {
    if (drUuid !== undefined) return uuids.has(drUuid.toLowerCase()) ? drUuid.toLowerCase() : undefined;
    byKey ??= new Map(asked.map((record) => [digestOf(model, record.drKey), record.drUuid]));
    const digest = digestOf(model, drKey);
    return digest === undefined ? undefined : byKey.get(digest);
  };
};

/** Reads the requested records. Other records are dropped. The first one of a repeated record counts. */
export const readAnswer = (
  { records }: WholeAnswer,
  asked: readonly RequestedRecord[],
  model: KeyedModel,
): SentRecords => {
  const find = recordFinder(asked, model);
  const sent = new Map<string, SentRecord>();
  for (const { data, lastUpdated, additionalParams, timestamps, ...record } of records) {
    const uuid = find(record as AnsweredRecord);
    if (uuid !== undefined && !sent.has(uuid)) sent.set(uuid, { data, lastUpdated, additionalParams, timestamps });
  }
  return sent;
};

/**
 * Reads the answer to a timestamp search for one record. The timestamps are in the record, or next to the records. Data
 * is ignored: an adaptor that sends only data does not support the search.
 */
export const readTimestampAnswer = (answer: WholeAnswer, asked: RequestedRecord, model: KeyedModel): SentRecords => {
  const record = readAnswer(answer, [asked], model).get(asked.drUuid);
  const timestamps = [...(answer.timestamps ?? []), ...(record?.timestamps ?? [])];
  const hasAnswered = answer.timestamps !== undefined || record?.timestamps !== undefined;
  if (hasAnswered) return new Map([[asked.drUuid, { ...record, data: {}, timestamps }]]);
  return record?.data === null ? new Map([[asked.drUuid, record]]) : new Map();
};
