import type { IncomingEvent } from '../../domain/events/incoming-event.js';
import type { OpenQueues } from '../../domain/issues/parked-queues.js';
import { loadOpenIssues } from '../../store/issues/load-open-issues.js';
import { loadFormerKeys, type NamedRecord } from '../../store/records/load-former-keys.js';
import { loadRecords, type LoadedRecords } from '../../store/records/load-records.js';
import type { RecordSession } from '../../store/transaction/record-session.js';
import type { QueuedEvent } from './queued-event.js';

/** Events with the state that they may touch. */
export interface NamedEvents {
  readonly accepted: readonly QueuedEvent[];
  readonly touched: LoadedRecords;
  readonly parking: Omit<OpenQueues, 'ofRecords'>;
}

const nameOf = ({ adaptorUuid, recordUuid }: NamedRecord): string => `${adaptorUuid}:${recordUuid}`;

/** The record that a data event names by uuid. Undefined: it names none. */
const namedBy = ({ adaptor, event }: QueuedEvent): NamedRecord | undefined =>
  (event.kind === 'RECORD_CHANGED' || event.kind === 'RECORD_DELETED') && event.drUuid !== undefined
    ? { adaptorUuid: adaptor.uuid, recordUuid: event.drUuid }
    : undefined;

/** Records that events name by uuid, and that their source neither links nor is sent. Those that are gone are among them. */
const namedUnlinked = (accepted: readonly QueuedEvent[], { records }: LoadedRecords): NamedRecord[] => {
  const byUuid = new Map(records.map((record) => [record.uuid, record]));
  const named = accepted.flatMap((queued) => namedBy(queued) ?? []);
  const unlinked = named.filter(({ adaptorUuid, recordUuid }) => {
    const record = byUuid.get(recordUuid);
    return record === undefined || !(record.links.has(adaptorUuid) || record.expected.has(adaptorUuid));
  });
  return [...new Map(unlinked.map((each) => [nameOf(each), each])).values()];
};

const withFormer = (event: IncomingEvent, former: IncomingEvent['key']): IncomingEvent =>
  (event.kind === 'RECORD_CHANGED' || event.kind === 'RECORD_DELETED') && former !== undefined
    ? { ...event, former }
    : event;

/**
 * Gives events the former key of the record that they name by uuid and that their source does not link: the record may be
 * gone, and another one may have its key since. The records, removed links and open issues of that key are read too. Without
 * such an event nothing is read.
 *
 * @param limit of the open issues of a key
 */
export const withFormerKeys = async (
  { run, sql }: RecordSession,
  events: NamedEvents,
  limit: number,
): Promise<NamedEvents> => {
  const { accepted, touched, parking } = events;
  const named = namedUnlinked(accepted, touched);
  if (named.length === 0) return events;
  const existing = new Set(touched.records.map(({ uuid }) => uuid));
  const { former } = await run({ former: () => loadFormerKeys(sql, named) });
  const found = new Map(
    former
      .filter(({ recordUuid, keyDigest }) => keyDigest !== undefined || !existing.has(recordUuid))
      .map((each) => [nameOf(each), each]),
  );
  const keyOf = (queued: QueuedEvent): IncomingEvent['key'] => {
    const name = namedBy(queued);
    const each = name === undefined ? undefined : found.get(nameOf(name));
    const { version } = queued.event;
    if (each === undefined || version?.uuid !== each.domainVersionUuid) return undefined;
    return { drKey: each.drKey, digest: each.keyDigest ?? version.model.keyDigest(each.drKey) };
  };
  const renamed = accepted.map((queued) => ({ ...queued, event: withFormer(queued.event, keyOf(queued)) }));
  const keys = renamed.flatMap(({ adaptor, event }) =>
    'former' in event && event.former !== undefined
      ? [{ adaptorUuid: adaptor.uuid, domainVersionUuid: event.version.uuid, keyDigest: event.former.digest }]
      : [],
  );
  if (keys.length === 0) return events;
  const more = await run({
    touched: () => loadRecords(sql, { keys, uuids: [] }),
    parking: () => loadOpenIssues(sql, keys, [], limit),
  });
  return {
    accepted: renamed,
    touched: {
      records: [...touched.records, ...more.touched.records.filter(({ uuid }) => !existing.has(uuid))],
      removedLinks: [...touched.removedLinks, ...more.touched.removedLinks],
    },
    parking: {
      issues: new Map([...parking.issues, ...more.parking.issues]),
      invalid: new Map([...parking.invalid, ...more.parking.invalid]),
      braked: new Map([...parking.braked, ...more.parking.braked]),
      cut: new Set([...parking.cut, ...more.parking.cut]),
    },
  };
};
