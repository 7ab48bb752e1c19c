import type { JsonObject } from '@fds/adaptor-protocol';
import type { OutgoingEvent } from '@fds/adaptor-sdk';
import type { SourcePath } from '../configuration/source-metadata.js';
import type { FoundFile } from '../storage/storage.js';
import {
  formatLocation,
  isRelative,
  isWithin,
  type Location,
  parseLocation,
  relativeUri,
  resolveBelow,
  UriFault,
} from '../uris/location.js';
import { transformUri } from '../uris/transform-uri.js';

/** The kind of a change. */
type FileAction = 'NEW' | 'UPDATED' | 'DELETED';

export interface FileChange {
  readonly action: FileAction;
  readonly file: FoundFile;
}

/** RFC 3339 with seven digits, so that two changes within a millisecond differ. */
const preciseTime = (milliseconds: number): string => {
  const whole = Math.floor(milliseconds);
  const date = new Date(whole);
  if (Number.isNaN(date.getTime())) return String(milliseconds);
  const fraction = String(Math.floor((milliseconds - whole) * 10_000)).padStart(4, '0');
  return date.toISOString().replace('Z', `${fraction}Z`);
};

export const sourceLocation = ({ uri }: Pick<SourcePath, 'uri'>, { path }: FoundFile): Location => ({
  ...uri,
  segments: [...uri.segments, ...path.split('/')],
});

/**
 * The location of a file's intermediate copy. Undefined when the path has no intermediate copies.
 *
 * @throws UriFault when the rules lead out of `baseIntermediateUri`
 */
export const intermediateLocation = (path: SourcePath, file: FoundFile): Location | undefined => {
  const { writeToIntermediate, baseIntermediateUri: base, intermediateRewriteRules } = path;
  if (!writeToIntermediate || base === undefined) return undefined;
  const uri = transformUri(relativeUri(file.path), intermediateRewriteRules);
  if (isRelative(uri)) return resolveBelow(base, uri);
  const location = parseLocation(uri);
  if (!isWithin(base, location)) throw new UriFault(`${JSON.stringify(uri)} is not below ${formatLocation(base)}`);
  return location;
};

/**
 * The destination that the source requests: the path below the monitored folder, rewritten, and resolved against
 * `baseDestinationUri` if there is one.
 *
 * @throws UriFault
 */
const destinationUri = (path: SourcePath, file: FoundFile): string => {
  const uri = transformUri(relativeUri(file.path), path.destinationRewriteRules);
  const { baseDestinationUri: base } = path;
  return base !== undefined && isRelative(uri) ? formatLocation(resolveBelow(base, uri)) : uri;
};

/**
 * The record of a file.
 *
 * @throws UriFault
 */
export const fileRecord = (path: SourcePath, { action, file }: FileChange, adaptorUuid: string): JsonObject => {
  const intermediate = intermediateLocation(path, file);
  return {
    adaptorUuid,
    sourceUri: formatLocation(sourceLocation(path, file)),
    intermediateUri: intermediate === undefined ? null : formatLocation(intermediate),
    destinationUri: destinationUri(path, file),
    action,
    contentLength: action === 'DELETED' ? 0 : file.size,
    additionalParameters: [
      { key: 'lastModified', value: preciseTime(file.modifiedMs) },
      ...(file.digest === undefined || action === 'DELETED' ? [] : [{ key: 'sha256', value: file.digest }]),
    ],
  };
};

/**
 * The data events of a change. A deletion is a record with action DELETED, followed by the deletion of the record if
 * the adaptor has that capability.
 */
export const eventsOf = (
  path: SourcePath,
  change: FileChange,
  context: { readonly adaptorUuid: string; readonly deletesRecords: boolean },
): readonly OutgoingEvent[] => {
  const { domain, version } = path;
  const { action } = change;
  const sourceUri = formatLocation(sourceLocation(path, change.file));
  const drKey: JsonObject = { adaptorUuid: context.adaptorUuid, sourceUri };
  const json = fileRecord(path, change, context.adaptorUuid);
  const common = { domain, version, messageGroup: sourceUri };
  const event: OutgoingEvent = {
    ...common,
    action: action === 'NEW' ? 'POST' : 'PUT',
    json,
  };
  return action === 'DELETED' && context.deletesRecords ? [event, { ...common, action: 'DELETE', drKey }] : [event];
};
