import { ApplyError, type IncomingEvent, isJsonObject, type JsonObject, mergeEvent, parseJson } from '@fds/adaptor-sdk';
import { z } from 'zod';

const fileRecord = z.object({
  sourceUri: z.string(),
  intermediateUri: z.string().nullish(),
  destinationUri: z.string().nullish(),
  action: z.enum(['NEW', 'UPDATED', 'DELETED']),
  contentLength: z.union([z.int().min(0), z.bigint().min(0n)]).transform(String),
  additionalParameters: z.array(z.object({ key: z.string(), value: z.string() })).nullish(),
});

const names = ['adaptorUuid', ...Object.keys(fileRecord.shape)];

/** An event about a file. */
export interface IncomingFile {
  /** The DR Key: it identifies the file, regardless of the uuid of its record. */
  readonly record: string;
  readonly action: 'COPY' | 'REMOVE';
  readonly sourceUri: string;
  readonly intermediateUri: string | undefined;
  /** Absent when only the record is deleted. */
  readonly destinationUri: string | undefined;
  /** Equal for two events about the same content. Undefined when the source does not send the time of the content. */
  readonly fingerprint: string | undefined;
  /** SHA-256 of the content. The source sends it where only the content tells two files apart. */
  readonly digest: string | undefined;
}

/** The record of an event about a file. */
export interface FileRecord {
  /** Text of the DR Key. */
  readonly record: string;
  readonly adaptorUuid: string;
  readonly sourceUri: string;
}

const keyValue = (event: IncomingEvent, drKeyProperties: readonly string[], name: string): string => {
  const index = drKeyProperties.findIndex((one) => one.toLowerCase() === name.toLowerCase());
  const value = event.drKeyValues[index];
  if (typeof value !== 'string')
    throw new ApplyError(`the DR Key has no ${name}`, { title: 'The record does not describe a file' });
  return value;
};

/**
 * @param drKeyProperties of the domain version, in order
 * @throws ApplyError DATA
 */
export const recordOf = (event: IncomingEvent, drKeyProperties: readonly string[]): FileRecord => {
  const [adaptorUuid, sourceUri] = ['adaptorUuid', 'sourceUri'].map((name) =>
    keyValue(event, drKeyProperties, name),
  ) as [string, string];
  const record = JSON.stringify([event.domain.toLowerCase(), event.version, adaptorUuid, sourceUri]);
  return { record, adaptorUuid, sourceUri };
};

/** Names of properties are compared without case, as the check of the domain does. */
const canonical = (json: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(json).map(([name, value]) => [
      names.find((one) => one.toLowerCase() === name.toLowerCase()) ?? name,
      value,
    ]),
  );

/**
 * The whole description of a file after an event. A PUT may name the changed properties only: an absent property keeps
 * the value of the messages before it. A POST is a whole description. In a message of a reconciliation (`read`), a property
 * changes only if the description still has the value that was read.
 *
 * @param before text of the description until now; undefined: none is known
 */
export const describeFile = (
  { action, json, read }: IncomingEvent,
  { adaptorUuid, sourceUri }: FileRecord,
  before: string | undefined,
): JsonObject => {
  const described = before === undefined ? undefined : parseJson(before);
  const values = canonical(json);
  if (described === undefined || !isJsonObject(described)) return { adaptorUuid, sourceUri, ...values };
  const { write } =
    read === undefined
      ? { write: values }
      : mergeEvent({ base: described, local: described, event: { json: values, read: canonical(read) } });
  const isWhole = action === 'POST' && read === undefined;
  return { adaptorUuid, sourceUri, ...(isWhole ? {} : described), ...write };
};

/** The deletion of a record: it removes the copies. */
export const deletedFile = ({ record, sourceUri }: FileRecord): IncomingFile => ({
  record,
  action: 'REMOVE',
  sourceUri,
  intermediateUri: undefined,
  destinationUri: undefined,
  fingerprint: undefined,
  digest: undefined,
});

/**
 * Reads the description of a file.
 *
 * @throws ApplyError DATA with every fault
 */
export const readIncomingFile = ({ record }: FileRecord, description: JsonObject): IncomingFile => {
  const result = fileRecord.safeParse(description);
  if (!result.success) {
    const faults = result.error.issues.map(({ path, message }) => `/${path.map(String).join('/')}: ${message}`);
    throw new ApplyError(`the messages about the record do not describe a file: ${faults.join('; ')}`, {
      title: 'The record does not describe a file',
    });
  }
  const { sourceUri, intermediateUri, destinationUri, action, contentLength } = result.data;
  const parameter = (name: string): string | undefined =>
    result.data.additionalParameters?.find(({ key }) => key === name)?.value;
  const [lastModified, digest] = [parameter('lastModified'), parameter('sha256')];
  const facts = [contentLength, lastModified, ...(digest === undefined ? [] : [digest])];
  return {
    record,
    action: action === 'DELETED' ? 'REMOVE' : 'COPY',
    sourceUri,
    intermediateUri: intermediateUri ?? undefined,
    destinationUri: destinationUri ?? undefined,
    fingerprint: lastModified === undefined ? undefined : facts.join(' '),
    digest,
  };
};
