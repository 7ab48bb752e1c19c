import type { IncomingEvent } from '../../domain/events/incoming-event.js';
import type { RecordState } from '../../domain/records/record-book.js';
import type { WantedOrigin } from '../../store/events/load-origins.js';
import type { QueuedEvent } from './queued-event.js';

const recordsByKey = (records: readonly RecordState[]): ReadonlyMap<string, readonly string[]> => {
  const found = new Map<string, string[]>();
  for (const { uuid, keyDigest, links } of records) {
    for (const digest of new Set([keyDigest, ...[...links.values()].map((link) => link.keyDigest)])) {
      const uuids = found.get(digest) ?? [];
      found.set(digest, uuids);
      uuids.push(uuid);
    }
  }
  return found;
};

const originOf = (event: IncomingEvent): string | undefined => {
  if (event.kind === 'FAULTY') return event.echo?.originTransactionUuid;
  return 'originTransactionUuid' in event ? event.originTransactionUuid : undefined;
};

/** The origins that events of a batch name, with the records that the events may be about. */
export const wantedOrigins = (batch: readonly QueuedEvent[], records: readonly RecordState[]): WantedOrigin[] => {
  const naming = batch.flatMap(({ adaptor, event }) => {
    const transactionUuid = originOf(event);
    return transactionUuid === undefined ? [] : [{ adaptorUuid: adaptor.uuid, transactionUuid, event }];
  });
  if (naming.length === 0) return [];
  const byKey = recordsByKey(records);
  return naming.flatMap<WantedOrigin>(({ adaptorUuid, transactionUuid, event }) => {
    const { key } = event;
    const drUuid = 'drUuid' in event ? event.drUuid : undefined;
    const uuids = [...(drUuid === undefined ? [] : [drUuid]), ...(byKey.get(key?.digest ?? '') ?? [])];
    if (uuids.length === 0) return [{ adaptorUuid, transactionUuid, recordUuid: null }];
    return uuids.map((recordUuid) => ({ adaptorUuid, transactionUuid, recordUuid }));
  });
};
