import type { EventOutcome, RaisedIssue } from '../../domain/events/event-outcome.js';
import { invalidEventOf } from '../../domain/issues/invalid-event.js';
import { ParkedQueues, queueOf } from '../../domain/issues/parked-queues.js';
import { ParkedSettlement } from '../../issues/parked/parked-settlement.js';
import type { ParkedEvent } from '../../store/issues/parked-event.js';

/** The events that wait at the server of a mesh, as the table of issues keeps them. */
export interface MeshWaiting {
  /** Titles and faults of the open issues. */
  readonly issues: readonly string[];
  /** The changes of a batch. */
  open(): { readonly queues: ParkedQueues; readonly settlement: ParkedSettlement };
  /** Stores the changes of a batch. @returns whether an event that had waited continued */
  save(outcomes: readonly EventOutcome[], settlement: ParkedSettlement): boolean;
  /** Those that may be tried again, in the order of their arrival. */
  readable(): readonly ParkedEvent[];
  /** Closes an issue without a retry. @returns the event; undefined where there is no such issue */
  drop(choose: (issues: readonly RaisedIssue[]) => RaisedIssue | undefined): ParkedEvent | undefined;
}

const toParked = ({ uuid, adaptorUuid, domainVersionUuid, keyDigest, dataEvent, seen }: RaisedIssue): ParkedEvent => ({
  issueUuid: uuid,
  adaptorUuid,
  domainVersionUuid,
  keyDigest,
  dataEvent: dataEvent ?? '{}',
  seen,
});

export const createMeshWaiting = (): MeshWaiting => {
  const rows = new Map<string, RaisedIssue>();
  const ordered = (): RaisedIssue[] => [...rows.values()].toSorted((one, other) => (one.uuid < other.uuid ? -1 : 1));

  return {
    get issues() {
      return ordered().map(({ title, errors }) => `${title} ${JSON.stringify(errors)}`);
    },
    open: () => {
      const issues = new Map<string, string[]>();
      for (const { uuid, adaptorUuid, domainVersionUuid, keyDigest } of ordered()) {
        if (domainVersionUuid === null || keyDigest === null) continue;
        const queue = queueOf({ adaptorUuid, domainVersionUuid, keyDigest });
        issues.set(queue, [...(issues.get(queue) ?? []), uuid]);
      }
      const invalid = new Map(
        ordered().flatMap((issue) => {
          const event = invalidEventOf(issue);
          return event === undefined ? [] : [[issue.uuid, event] as const];
        }),
      );
      const queues = new ParkedQueues({ issues, invalid, cut: new Set(), ofRecords: [], braked: new Map() });
      const open = new Map(
        ordered().map(({ uuid, title, cause, errors }) => [
          uuid,
          { uuid, title, cause, errors: JSON.stringify(errors), changeVersion: 1, issuePriority: 'MEDIUM' as const },
        ]),
      );
      return { queues, settlement: new ParkedSettlement(open, queues) };
    },
    save: (outcomes, { closed, continued, superseded, renamed }) => {
      for (const { issue } of outcomes) if (issue !== undefined) rows.set(issue.uuid, issue);
      for (const issue of renamed) {
        const { seen } = rows.get(issue.uuid) ?? {};
        rows.set(issue.uuid, { ...issue, ...(seen === undefined ? {} : { seen }) });
      }
      const settled = [...closed.map(({ uuid }) => uuid), ...continued, ...superseded.map(({ uuid }) => uuid)];
      for (const uuid of settled) rows.delete(uuid);
      return settled.length > 0;
    },
    readable: () =>
      ordered()
        .filter(({ cause }) => cause !== 'UNREADABLE')
        .map(toParked),
    drop: (choose) => {
      const issue = choose(ordered());
      if (issue === undefined) return undefined;
      rows.delete(issue.uuid);
      return toParked(issue);
    },
  };
};
