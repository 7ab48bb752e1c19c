import type { PrismaTransaction } from '@fds/database';
import { isJsonObject, parseJson, type JsonObject } from '@fds/json';
import type { CompiledModel } from '@fds/model-schema';
import type { FaultList } from '@fds/errors';
import type { VersionAccess } from '../../domain/versions/seen-data.js';
import type { RecordValues } from '../../domain/models/record-values.js';

/** A data-store record for which values are given. */
export interface ValueRecord {
  readonly uuid: string;
  readonly drKey: JsonObject;
  readonly json: JsonObject;
}

interface RecordRow {
  readonly uuid: string;
  readonly key_digest: string;
  readonly dr_key: string;
  readonly json: string | null;
}

const toRecord = ({ uuid, dr_key: drKey, json }: RecordRow): ValueRecord | undefined => {
  const [key, data] = [parseJson(drKey), json === null ? null : parseJson(json)];
  return isJsonObject(key) && isJsonObject(data) ? { uuid, drKey: key, json: data } : undefined;
};

/** Hexadecimal digest of the key that identifies a record; undefined when it has a fault. */
const readDigest = (model: CompiledModel, { pointer, drKey }: RecordValues, faults: FaultList): string | undefined => {
  if (drKey === undefined) return undefined;
  const key = model.validateDrKey(drKey);
  if (key.valid) return model.keyDigest(key.record);
  for (const cause of key.errors) faults.add(`${pointer}/drKey${cause.pointer}`, cause.code, cause.detail);
  return undefined;
};

/**
 * May the caller find the record in this way? A lookup by key is allowed only if the caller may see the key of this
 * record.
 */
const isSeen = (access: VersionAccess | undefined, model: CompiledModel, uuid: string, by: 'UUID' | 'KEY'): boolean => {
  const visible = access?.own.of(uuid);
  if (visible === undefined || visible.extent === 'ALL') return true;
  return by === 'UUID' ? visible.extent === 'SOME' : model.drKeyProperties.every((name) => visible.names.has(name));
};

/**
 * Finds and locks the records of the entries. A record that is not found, or that is named twice, is a fault.
 *
 * @param access the part of the version's records that the caller may see. Default: everything
 */
export const findValueRecords = async (
  tx: PrismaTransaction,
  version: { readonly uuid: string; readonly model: CompiledModel; readonly access?: VersionAccess | undefined },
  values: readonly RecordValues[],
  faults: FaultList,
): Promise<ReadonlyMap<RecordValues, ValueRecord>> => {
  const digests = new Map(values.map((entry) => [entry, readDigest(version.model, entry, faults)]));
  const uuids = values.flatMap(({ drUuid }) => drUuid ?? []);
  const keys = [...digests.values()].flatMap((digest) => digest ?? []);
  const rows = await tx.$queryRaw<RecordRow[]>`
    SELECT uuid::text AS uuid, encode(key_digest, 'hex') AS key_digest, dr_key::text AS dr_key, json::text AS json
    FROM data_record
    WHERE domain_version_uuid = ${version.uuid}::uuid
      AND (uuid = ANY (${uuids}::uuid[])
        OR key_digest = ANY (ARRAY(SELECT decode(digest, 'hex') FROM unnest(${keys}::text[]) AS wanted(digest))))
    ORDER BY uuid FOR UPDATE`;
  const byUuid = new Map(rows.map((row) => [row.uuid, row]));
  const byDigest = new Map(rows.map((row) => [row.key_digest, row]));

  const found = new Map<RecordValues, ValueRecord>();
  const taken = new Set<string>();
  for (const entry of values) {
    const { pointer, drUuid } = entry;
    const digest = digests.get(entry);
    if (drUuid === undefined && digest === undefined) continue;
    const row = drUuid === undefined ? byDigest.get(digest ?? '') : byUuid.get(drUuid);
    const by = drUuid === undefined ? 'KEY' : 'UUID';
    const record = row && isSeen(version.access, version.model, row.uuid, by) ? toRecord(row) : undefined;
    const at = `${pointer}/${drUuid === undefined ? 'drKey' : 'drUuid'}`;
    if (record === undefined) faults.add(at, 'UNKNOWN_REFERENCE', 'the version has no such record');
    else if (taken.has(record.uuid)) faults.add(at, 'DUPLICATE_RECORD', 'another entry names the same record');
    else found.set(entry, record);
    taken.add(record?.uuid ?? '');
  }
  return found;
};
