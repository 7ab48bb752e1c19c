import type { AnsweredRecord, AssemblyRequest, JsonObject, JsonValue, RequestedRecord } from '@fds/adaptor-sdk';
import type { SourcePath } from '../configuration/source-metadata.js';
import type { Storages } from '../storage/open-storages.js';
import type { FoundFile } from '../storage/storage.js';
import { isWithin, type Location, parseLocation, UriFault } from '../uris/location.js';
import { fileRecord } from './file-event.js';

/** A monitored folder and its reported files. */
export interface AssembledPath {
  readonly path: SourcePath;
  has(file: string): boolean;
  /** SHA-256 in the last event of the file, if it still has the size and time of this event. */
  sentDigest(file: FoundFile): string | undefined;
}

export interface AssemblySource {
  readonly adaptorUuid: string;
  readonly storages: Pick<Storages, 'of'>;
  /** Folders of the domain version in the request. */
  readonly paths: readonly AssembledPath[];
}

const valueOf = (drKey: JsonObject, name: string): JsonValue | undefined =>
  Object.entries(drKey).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];

const locationOf = (uri: JsonValue | undefined): Location | undefined => {
  try {
    return typeof uri === 'string' ? parseLocation(uri) : undefined;
  } catch (error) {
    if (error instanceof UriFault) return undefined;
    throw error;
  }
};

const pick = (record: JsonObject, names: readonly string[] | null): JsonObject =>
  names === null ? record : Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name)));

const answerRecord = async (
  { adaptorUuid, storages, paths }: AssemblySource,
  { drUuid, drKey }: RequestedRecord,
  requested: readonly string[] | null,
): Promise<readonly AnsweredRecord[]> => {
  if (valueOf(drKey, 'adaptorUuid') !== adaptorUuid) return [];
  const location = locationOf(valueOf(drKey, 'sourceUri'));
  if (location === undefined) return [];
  for (const { path, has, sentDigest } of paths) {
    if (!isWithin(path.uri, location)) continue;
    const name = location.segments.slice(path.uri.segments.length).join('/');
    // a request must not access files that were not reported
    if (!has(name)) continue;
    const facts = await storages.of(location).stat(location, path.uri);
    if (facts?.isFile !== true) return [{ drUuid, drKey, data: null }];
    const file: FoundFile = { path: name, size: facts.size, modifiedMs: facts.modifiedMs };
    const described = { ...file, digest: sentDigest(file) };
    const record = fileRecord(path, { action: 'NEW', file: described }, adaptorUuid);
    return [{ drUuid, drKey, data: pick(record, requested), lastUpdated: Math.floor(facts.modifiedMs) }];
  }
  return [];
};

/**
 * The current records of files. A reported file that no longer exists is answered without data. Files that were never
 * reported are omitted.
 *
 * @throws StorageFault when the storage is away; Error for a request that names no records
 */
export const assembleFiles = async (
  source: AssemblySource,
  { records, requestedProperties }: AssemblyRequest,
): Promise<readonly AnsweredRecord[]> => {
  if (records === null) throw new Error('a file source only answers requests that name records');
  const answers: AnsweredRecord[] = [];
  for (const record of records) answers.push(...(await answerRecord(source, record, requestedProperties)));
  return answers;
};
