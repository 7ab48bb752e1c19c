import type { AssembledRecord, AssemblyResponse } from '@fds/assembly-contract';
import { maskMembers } from '@fds/access-rules';
import type { JsonObject, JsonValue } from '@fds/json';
import { takeValue } from '../domain/take-value.js';
import type { RecordPage } from '../store/record-store.js';
import type { AssemblyScope } from './plan/assembly-scope.js';

/** Records of a data-store domain. The store is the only source, with the tier gold, and always answers. */
export const storedRecords = (
  { records }: RecordPage,
  { request, restriction, merge }: AssemblyScope,
): Pick<AssemblyResponse, 'assembledDataRecords' | 'completeness'> => {
  const requested = (json: JsonObject): [string, JsonValue][] =>
    merge.requested.flatMap((wanted) => {
      const { name } = wanted.property;
      const value = Object.hasOwn(json, name) ? json[name] : undefined;
      const taken = value === undefined ? undefined : takeValue(value, wanted);
      return taken === undefined ? [] : [[name, taken]];
    });
  return {
    assembledDataRecords: records.map(({ uuid, drKey, json }): AssembledRecord => {
      const visible = restriction?.own.of(uuid);
      const seen = (members: JsonObject): JsonObject =>
        visible === undefined ? members : maskMembers(members, visible);
      const members = requested(seen(json ?? {}));
      return {
        uuid,
        data: Object.fromEntries(members),
        status: 'PREFERRED_COMPLETE',
        drKey: seen(drKey),
        adaptors: [],
        ...(request.options?.provenance === true
          ? { provenance: Object.fromEntries(members.map(([name]) => [name, { adaptorUuid: null, tier: 'GOLD' }])) }
          : {}),
      };
    }),
    completeness: [],
  };
};
