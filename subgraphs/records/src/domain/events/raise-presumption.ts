import { stringifyJson } from '@fds/json';
import type { ScoredCandidate } from '@fds/matching';
import type { AdaptorView } from '../catalog.js';
import type { RecordState } from '../records/record-book.js';
import type { AcceptedEvent, RaisedPresumption } from './event-outcome.js';
import type { RecordChanged } from './incoming-event.js';

const titles = {
  PRESUMED_NEW: 'The record was taken for a new one, others are like it',
  PRESUMED_MATCH: 'The record was taken for one that is like it',
} as const;

/** JSON text of the values that a presumed match is about to change; call it before the change. */
export const stateBefore = ({ drKey, keyDigest, json, links }: RecordState, adaptorUuid: string): string => {
  const { drKey: linkKey, keyDigest: linkDigest } = links.get(adaptorUuid) ?? {};
  const link = linkKey === undefined ? null : { drKey: linkKey, keyDigest: linkDigest };
  return stringifyJson({ drKey, keyDigest, json, link });
};

/**
 * The issue of an event that continued as new, or as the best candidate. It keeps the values that undoing the presumption
 * needs.
 */
export const raisePresumption = (
  { newUuid }: { newUuid(): string },
  source: AdaptorView,
  event: RecordChanged,
  made: {
    readonly status: keyof typeof titles;
    readonly candidates: readonly ScoredCandidate[];
    readonly accepted: AcceptedEvent;
    readonly before: string | null;
  },
): RaisedPresumption => ({
  uuid: newUuid(),
  title: titles[made.status],
  exception: 'MATCHING',
  matchStatus: made.status,
  zoneUuid: source.zoneUuid,
  adaptorUuid: source.uuid,
  domainVersionUuid: event.version.uuid,
  recordUuid: made.accepted.recordUuid,
  // it holds nothing back
  keyDigest: null,
  cause: 'PRESUMED',
  dataEvent: event.text(),
  errors: [],
  matches: made.candidates,
  eventUuid: made.accepted.uuid,
  before: made.before,
});
