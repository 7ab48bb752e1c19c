import type { IncomingEvent } from '@fds/adaptor-sdk';
import { ApplyError } from '@fds/adaptor-sdk';
import { z } from 'zod';

const fileRecord = z.object({
  adaptorUuid: z.string(),
  sourceUri: z.string(),
  intermediateUri: z.string().nullish(),
  destinationUri: z.string().nullish(),
  action: z.enum(['NEW', 'UPDATED', 'DELETED']),
  contentLength: z.union([z.number(), z.bigint()]).transform(String),
  additionalParameters: z.array(z.object({ key: z.string(), value: z.string() })).nullish(),
});

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
}

const recordOf = ({ domain, version }: IncomingEvent, adaptorUuid: unknown, sourceUri: unknown): string =>
  JSON.stringify([domain.toLowerCase(), version, adaptorUuid, sourceUri]);

const keyValue = (event: IncomingEvent, drKeyProperties: readonly string[], name: string): string => {
  const index = drKeyProperties.findIndex((one) => one.toLowerCase() === name.toLowerCase());
  const value = event.drKeyValues[index];
  if (typeof value !== 'string') throw new ApplyError(`the DR Key has no ${name}`);
  return value;
};

/**
 * Reads an event about a file.
 *
 * @param drKeyProperties of the domain version, in order
 * @throws ApplyError DATA with every fault
 */
export const readIncomingFile = (event: IncomingEvent, drKeyProperties: readonly string[]): IncomingFile => {
  if (event.action === 'DELETE') {
    const sourceUri = keyValue(event, drKeyProperties, 'sourceUri');
    return {
      record: recordOf(event, keyValue(event, drKeyProperties, 'adaptorUuid'), sourceUri),
      action: 'REMOVE',
      sourceUri,
      intermediateUri: undefined,
      destinationUri: undefined,
      fingerprint: undefined,
    };
  }
  const result = fileRecord.safeParse(event.json);
  if (!result.success) {
    const faults = result.error.issues.map(({ path, message }) => `/${path.map(String).join('/')}: ${message}`);
    throw new ApplyError(`the event does not describe a file: ${faults.join('; ')}`);
  }
  const { adaptorUuid, sourceUri, intermediateUri, destinationUri, action, contentLength } = result.data;
  const lastModified = result.data.additionalParameters?.find(({ key }) => key === 'lastModified')?.value;
  return {
    record: recordOf(event, adaptorUuid, sourceUri),
    action: action === 'DELETED' ? 'REMOVE' : 'COPY',
    sourceUri,
    intermediateUri: intermediateUri ?? undefined,
    destinationUri: destinationUri ?? undefined,
    fingerprint: lastModified === undefined ? undefined : `${contentLength} ${lastModified}`,
  };
};
