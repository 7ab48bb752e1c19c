import type { SqlClient } from '@fds/database';
import type { ErrorCause } from '@fds/errors';
import { stringifyJson } from '@fds/json';
import { saveIssues } from '../../store/events/save-events.js';
import { logIssues, newIssue } from '../../store/issues/log-issues.js';
import { closeRepaired } from '../../store/issues/repaired-issues.js';
import { listDifferences, type Difference } from '../store/differences.js';
import { findDriftIssue, updateDriftIssue } from '../store/drift-issues.js';
import type { Reconciliation } from '../store/reconciliation.js';

/** Records that an issue lists. The reconciliation lists all. */
const maxListed = 49;

const records = (count: number): string => (count === 1 ? '1 record' : `${count} records`);

const listDifference = ({ recordUuid, kind, pairs }: Difference): ErrorCause => {
  const names = [...new Set(pairs.map(({ property }) => property))];
  // values and keys are data, which not every reader of the issue may see
  const of = kind === 'DIFFERING' && names.length > 0 ? `: ${names.join(', ')}` : '';
  return { pointer: '', code: kind, detail: `record ${recordUuid}${of}` };
};

const errorsOf = ({ counts }: Reconciliation, listed: readonly Difference[]): readonly ErrorCause[] => {
  const { differing, missingHere, missingThere } = counts;
  const parts = [
    `${records(differing)} with other values`,
    `${records(missingHere)} missing here`,
    `${records(missingThere)} missing at all others`,
  ];
  const total = differing + missingHere + missingThere;
  const rest = total > listed.length ? `; the first ${listed.length} follow` : '';
  return [
    { pointer: '', code: 'DRIFTED', detail: `${parts.join(', ')}${rest}` },
    ...listed.map((difference) => listDifference(difference)),
  ];
};

/** A preview of the schedule that finds differences opens an issue; any later preview brings an open one up to date. */
const raise = async (client: SqlClient, job: Reconciliation, newUuid: () => string): Promise<void> => {
  const listed = await listDifferences(client, { reconciliationUuid: job.uuid }, { offset: 0, limit: maxListed });
  const errors = errorsOf(job, listed);
  const open = await findDriftIssue(client, job);
  const description = `Reconciliation ${job.uuid} lists the differences.`;
  if (open !== undefined) {
    if (open.errors === stringifyJson(errors)) return;
    await updateDriftIssue(client, open.uuid, { errors, description });
    await logIssues(client, [{ uuid: open.uuid, action: 'PUT' }]);
    return;
  }
  if (job.startedByUuid !== null) return;
  const { zoneUuid, adaptorUuid, domainVersionUuid } = job;
  const issue = {
    uuid: newUuid(),
    title: 'The adaptor and the others have drifted apart',
    exception: 'OTHER',
    matchStatus: null,
    zoneUuid,
    adaptorUuid,
    domainVersionUuid,
    recordUuid: null,
    keyDigest: null,
    cause: 'DRIFTED',
    dataEvent: null,
    errors,
  } as const;
  await saveIssues(client, [issue]);
  await updateDriftIssue(client, issue.uuid, { errors, description });
  await logIssues(client, [newIssue(issue)]);
};

/**
 * Opens, changes or closes the issue about the differences of an adaptor and a version, in the transaction that ends the job. No other
 * job of the two ends at the same time, so one issue is open at most.
 */
export const settleDrift = async (client: SqlClient, job: Reconciliation, newUuid: () => string): Promise<void> => {
  const { counts, properties, query, preview, unread } = job;
  if (properties !== null || query !== null) return;
  if (counts.differing + counts.missingHere + counts.missingThere > 0) {
    // one with effect has just removed differences that it counts
    if (preview) await raise(client, job, newUuid);
    return;
  }
  // an adaptor that did not answer may differ
  if (Object.keys(unread).length > 0) return;
  const open = await findDriftIssue(client, job);
  if (open === undefined) return;
  await closeRepaired(client, [{ uuid: open.uuid, note: `Reconciliation ${job.uuid} found no difference.` }]);
};
