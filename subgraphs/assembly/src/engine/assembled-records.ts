import type { AssembledRecord, ReleasePolicy } from '@fds/assembly-contract';
import { maskMembers, type VersionAccess } from '@fds/data-access';
import type { JsonObject } from '@fds/json';
import type { CompiledModel } from '@fds/model-schema';
import { mergeAnswers, type RecordAnswer } from '../domain/merge-answers.js';
import { statusOf } from '../domain/release-policy.js';
import type { Source } from '../domain/source.js';
import type { CataloguedRecord, RecordHolding } from '../store/record-store.js';
import type { Gathered } from './gathering.js';

export interface MergeRequest {
  readonly policy: ReleasePolicy;
  readonly model: CompiledModel;
  /** Undefined: all. */
  readonly requestedProperties: readonly string[] | undefined;
  readonly provenance: boolean;
  readonly holdings: readonly RecordHolding[];
  /** Properties of a record that governance keeps from the asking zone. */
  readonly withheld: (source: Source, recordUuid: string) => readonly string[];
  /** What the caller may see, where that is not everything. */
  readonly restriction?: VersionAccess | undefined;
}

const requestedOf = ({ model, requestedProperties }: MergeRequest): string[] => {
  const wanted = requestedProperties?.map((name) => name.toLowerCase());
  return model.properties
    .map(({ name }) => name)
    .filter((name) => wanted === undefined || wanted.includes(name.toLowerCase()));
};

const without = (data: JsonObject, names: readonly string[]): JsonObject =>
  names.length === 0 ? data : Object.fromEntries(Object.entries(data).filter(([name]) => !names.includes(name)));

/** What each source sent, by record uuid. A source that no longer has a record sends null data and counts for nothing. */
const answersByRecord = (gathered: readonly Gathered[], request: MergeRequest): Map<string, RecordAnswer[]> => {
  const knownChange = new Map(request.holdings.map((one) => [`${one.recordUuid} ${one.adaptorUuid}`, one.lastUpdated]));
  const answers = new Map<string, RecordAnswer[]>();
  for (const { source, recordUuids, answer } of gathered) {
    for (const { drUuid, data, lastUpdated } of answer?.records ?? []) {
      // what was not asked of it is not taken from it
      if (drUuid === undefined || data === null || !recordUuids.has(drUuid)) continue;
      const change = lastUpdated ?? knownChange.get(`${drUuid} ${source.adaptorUuid}`) ?? 0;
      const list = answers.get(drUuid) ?? [];
      const governed = without(data, request.withheld(source, drUuid));
      const visible = request.restriction?.at(source).of(drUuid);
      list.push({
        source,
        data: visible === undefined ? governed : maskMembers(governed, visible),
        lastUpdated: change,
      });
      answers.set(drUuid, list);
    }
  }
  return answers;
};

/** Merges what the sources sent into the records of the page, in its order. */
export const assembledRecords = (
  records: readonly CataloguedRecord[],
  gathered: readonly Gathered[],
  request: MergeRequest,
): AssembledRecord[] => {
  const answers = answersByRecord(gathered, request);
  const properties = requestedOf(request);
  const groups = request.model.propertyGroups;
  return records.map(({ uuid, drKey, keyHolder }) => {
    const visible = request.restriction?.at(keyHolder).of(uuid);
    const sent = answers.get(uuid) ?? [];
    const { data, provenance } = mergeAnswers(sent, properties, groups);
    return {
      uuid,
      data,
      status: statusOf(request.policy, gathered, uuid),
      drKey: visible === undefined ? drKey : maskMembers(drKey, visible),
      adaptors: sent.map(({ source }) => ({
        uuid: source.adaptorUuid,
        name: source.name,
        zoneUuid: source.zoneUuid,
        zoneName: source.zoneName,
      })),
      ...(request.provenance ? { provenance } : {}),
    };
  });
};
