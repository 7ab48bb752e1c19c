import type { ErrorCause } from '@fds/errors';
import type { ScoredCandidate } from '@fds/matching';
import { parseJson } from '@fds/json';
import type { AdaptorView } from '../catalog.js';
import { anchorPointer } from './anchor-pointer.js';
import type { RecordKey } from '../records/record-key.js';
import type { EventOutcome, IssueCause, RaisedIssue } from './event-outcome.js';
import type { IncomingEvent } from './incoming-event.js';
import { formerDigestOf } from './named-record.js';

type IssueReason = Exclude<
  IssueCause,
  'ADAPTOR' | 'DRIFTED' | 'HUB_BEHIND' | 'MASS_DELETION' | 'PRESUMED' | 'UNKNOWN_VERSION' | 'UNREADABLE'
>;

const reasons: Readonly<Record<IssueReason, Pick<RaisedIssue, 'title' | 'exception' | 'matchStatus'>>> = {
  FAULTY: { title: 'The event cannot be processed', exception: 'OTHER', matchStatus: null },
  HELD: { title: 'The event waits behind an earlier one of its record', exception: 'OTHER', matchStatus: null },
  // the number of matches would tell of records that the reader may not know
  AMBIGUOUS: {
    title: 'The event waits for a person to choose its record',
    exception: 'MATCHING',
    matchStatus: 'AMBIGUOUS',
  },
  KEY_TAKEN: { title: 'Another record has the DR Key', exception: 'MATCHING', matchStatus: null },
  NOT_CAPABLE: {
    title: 'The record is new and the adaptor has no capability to create it',
    exception: 'OTHER',
    matchStatus: null,
  },
  IN_USE: { title: 'Other records refer to the record', exception: 'OTHER', matchStatus: null },
  OPERATIONAL: {
    title: 'The operational chain denies the event',
    exception: 'OTHER',
    matchStatus: null,
  },
  NOT_VALID: { title: 'The record is not valid', exception: 'PARSING', matchStatus: null },
};

/** The faults with pointers that lead somewhere in the event as it is shown. */
const anchored = (text: string, errors: readonly ErrorCause[]): readonly ErrorCause[] => {
  // the faults of text that is not JSON are about the whole text
  if (errors.every(({ pointer }) => pointer === '')) return errors;
  const shown = parseJson(text);
  return errors.map((error) => ({ ...error, pointer: anchorPointer(shown, error.pointer) }));
};

/** The event becomes an issue that keeps it, and counts as done. */
export const raiseIssue = (
  { newUuid }: { newUuid(): string },
  source: AdaptorView,
  fault: {
    readonly event: IncomingEvent;
    readonly reason: IssueReason;
    readonly errors?: readonly ErrorCause[];
    /** The record that it is about, where one is known. */
    readonly record?: { readonly uuid: string; readonly keyDigest: string } | undefined;
    /** Records that it may mean. */
    readonly matches?: readonly ScoredCandidate[];
    /** Keys for which it waits: that a record has one of them, or (KEY_TAKEN) that none has. */
    readonly awaits?: readonly RecordKey[];
    /** The issue MASS_DELETION with which a deletion is parked. */
    readonly brakeUuid?: string;
  },
): EventOutcome => {
  const { event, reason } = fault;
  const own = reason === 'FAULTY' && event.kind === 'FAULTY' ? event : undefined;
  const { title, exception, matchStatus } = reasons[reason];
  const dataEvent = event.text();
  return {
    deliveries: [],
    issue: {
      uuid: newUuid(),
      title: own?.title ?? title,
      exception: own?.exception ?? exception,
      matchStatus,
      zoneUuid: source.zoneUuid,
      adaptorUuid: source.uuid,
      domainVersionUuid: event.version?.uuid ?? null,
      recordUuid: fault.record?.uuid ?? null,
      keyDigest: event.key?.digest ?? fault.record?.keyDigest ?? formerDigestOf(event) ?? null,
      cause: own?.cause ?? reason,
      dataEvent,
      errors: anchored(dataEvent, own?.errors ?? fault.errors ?? []),
      ...(fault.matches === undefined ? {} : { matches: fault.matches }),
      ...(fault.awaits === undefined ? {} : { awaits: fault.awaits }),
      ...(fault.brakeUuid === undefined ? {} : { brakeUuid: fault.brakeUuid }),
      ...(own?.malformedKey === undefined || own.malformedKey.deletedBy !== undefined
        ? {}
        : { malformedDigest: own.malformedKey.digest }),
    },
  };
};
