import type { AssembledRecord, ReleasePolicy } from '@fds/assembly-contract';
import { maskMembers, type VersionAccess } from '@fds/access-rules';
import { mergeAnswers, provenanceOf } from '../domain/merge-answers.js';
import type { MergePlan } from '../domain/merge-plan.js';
import { readRecordAnswer, type RecordAnswer } from '../domain/record-answer.js';
import { recordStatus, type HolderResult } from '../domain/record-status.js';
import { preferredSources } from '../domain/release-policy.js';
import type { SentRecord } from '../domain/source.js';
import { mergeTimestamps, type TimestampSearch } from '../domain/temporal-parameters.js';
import type { Visibility } from '../domain/visibility.js';
import type { CataloguedRecord } from '../store/record-store.js';
import type { Gathered } from './gathering.js';

export interface MergeRequest {
  readonly policy: ReleasePolicy;
  readonly plan: MergePlan;
  readonly provenance: boolean;
  /** Undefined when data is assembled. */
  readonly timestampSearch: TimestampSearch | undefined;
  readonly visible: Visibility;
  /** The DR Keys that the caller may see. Undefined: all. */
  readonly restriction: VersionAccess | undefined;
}

/** Merges gathered answers into some records, in the given order. */
export type RecordMerger = (
  records: readonly CataloguedRecord[],
  gathered: readonly Gathered[],
) => readonly AssembledRecord[];

const resultOf = (sent: SentRecord | undefined, answer: RecordAnswer | undefined): HolderResult => {
  if (sent === undefined) return 'MISSING';
  if (answer === undefined) return 'GONE';
  return answer.isWhole ? 'WHOLE' : 'PARTLY';
};

const adaptorOf = ({ source, additionalParams }: RecordAnswer): AssembledRecord['adaptors'][number] => ({
  uuid: source.adaptorUuid,
  name: source.name,
  zoneUuid: source.zoneUuid,
  zoneName: source.zoneName,
  ...(additionalParams === undefined ? {} : { additionalParams }),
});

/** The merge of one request. It can be called again when more answers are gathered. */
export const createRecordMerger = (request: MergeRequest): RecordMerger => {
  const { policy, plan, provenance, timestampSearch, visible, restriction } = request;

  const readAnswer = (
    { source, sent }: Gathered,
    { uuid: recordUuid, holdings }: CataloguedRecord,
  ): RecordAnswer | undefined => {
    const record = sent.get(recordUuid);
    const data = record?.data ?? null;
    if (record === undefined || data === null) return undefined;
    return readRecordAnswer(
      { ...record, data },
      {
        source,
        plan,
        visible: visible(source, recordUuid),
        knownChange: holdings.get(source.adaptorUuid)?.lastUpdated ?? 0,
      },
    );
  };

  return (records, gathered) => {
    const preferred = new Set(preferredSources(policy, gathered));
    return records.map((catalogued): AssembledRecord => {
      const { uuid, drKey, keyHolder } = catalogued;
      const read = gathered
        .filter(({ recordUuids }) => recordUuids.has(uuid))
        .map((one) => ({ one, answer: readAnswer(one, catalogued) }));
      const answers = read.flatMap(({ answer }) => (answer === undefined ? [] : [answer]));
      const merged = mergeAnswers(answers, plan);
      const visibleKey = restriction?.at(keyHolder).of(uuid);
      return {
        uuid,
        data: merged.data,
        status: recordStatus(
          read.map(({ one, answer }) => ({
            result: resultOf(one.sent.get(uuid), answer),
            isPreferred: preferred.has(one),
          })),
        ),
        drKey: visibleKey === undefined ? drKey : maskMembers(drKey, visibleKey),
        adaptors: answers.map(adaptorOf),
        ...(provenance ? { provenance: provenanceOf(merged) } : {}),
        ...(timestampSearch === undefined
          ? {}
          : {
              timestamps: mergeTimestamps(
                answers.map(({ timestamps }) => timestamps ?? []),
                timestampSearch,
              ),
            }),
      };
    });
  };
};
