import type { AssembledRecord, AssemblyResponse } from '@fds/assembly-contract';
import { maskMembers, type VersionAccess } from '@fds/data-access';
import type { JsonObject } from '@fds/json';
import type { EffectiveRequest } from '../domain/effective-request.js';
import type { RecordPage } from '../store/record-store.js';
import type { AssembledVersion } from '../store/version-store.js';

/**
 * Records of a data-store domain: the store is the one gold source, and it always answers.
 *
 * @param restriction what the caller may see, where that is not everything
 */
export const storedRecords = (
  { records }: RecordPage,
  { requestedProperties }: EffectiveRequest,
  { model }: AssembledVersion,
  restriction?: VersionAccess,
): Pick<AssemblyResponse, 'assembledDataRecords' | 'completeness'> => {
  const wanted = requestedProperties?.map((name) => name.toLowerCase());
  const names = model.properties
    .map(({ name }) => name)
    .filter((name) => wanted === undefined || wanted.includes(name.toLowerCase()));
  const requested = (json: JsonObject): JsonObject =>
    Object.fromEntries(names.flatMap((name) => (json[name] === undefined ? [] : [[name, json[name]]])));
  return {
    assembledDataRecords: records.map(({ uuid, drKey, json }): AssembledRecord => {
      const visible = restriction?.own.of(uuid);
      const seen = (members: JsonObject): JsonObject =>
        visible === undefined ? members : maskMembers(members, visible);
      return {
        uuid,
        data: requested(seen(json ?? {})),
        status: 'PREFERRED_COMPLETE',
        drKey: seen(drKey),
        adaptors: [],
      };
    }),
    completeness: [],
  };
};
