import type { RequestContext } from '@fds/graphql';
import { FaultList } from '@fds/errors';
import type { IssueFilter } from '../../store/issues/issue-filter.js';

/** Selects issues and how they are settled. */
export interface SettlementInput {
  readonly filter?: Omit<IssueFilter, 'status'> | null;
  readonly issueUuids?: readonly string[] | null;
  /** Every open issue of the zone is meant. */
  readonly all?: boolean | null;
  readonly retry?: boolean | null;
  readonly preview?: boolean | null;
  readonly after?: string | null;
  readonly limit?: number | null;
}

/** A settlement without what was left out. */
interface Settlement {
  readonly filter: Omit<IssueFilter, 'status'>;
  /** Only these issues; undefined: those of the filter. */
  readonly among: readonly string[] | undefined;
  readonly retry: boolean;
  readonly preview: boolean;
  readonly after: string | undefined;
  readonly limit: number;
}

const maxIssues = 1_000;

const isGiven = (value: unknown): boolean =>
  value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);

/** Whether a filter leaves any issue out. Every issue has one of the types, so `type` alone does not. */
const isSelective = ({ type: _type, ...criteria }: Omit<IssueFilter, 'status'>): boolean =>
  Object.values(criteria).some(isGiven);

/**
 * Reads which issues are settled. A request that changes issues has to select them, or name all of them: an empty body must
 * not drop every event of a zone.
 *
 * @throws AppError VALIDATION_FAILED
 */
export const readSettlement = (
  { filter, issueUuids, all, retry, preview, after, limit = maxIssues }: SettlementInput,
  { purpose }: Pick<RequestContext, 'purpose'>,
): Settlement => {
  const faults = new FaultList(purpose);
  const settlement = {
    filter: filter ?? {},
    among: issueUuids ?? undefined,
    retry: retry === true,
    preview: preview === true,
    after: after ?? undefined,
    limit: limit ?? maxIssues,
  };
  const isSelected = settlement.among !== undefined || isSelective(settlement.filter);
  if (settlement.limit < 1 || settlement.limit > maxIssues) {
    faults.add('/limit', 'OUT_OF_RANGE', `must be from 1 to ${maxIssues}`);
  }
  if ((settlement.among?.length ?? 0) > maxIssues) {
    faults.add('/issueUuids', 'OUT_OF_RANGE', `must have at most ${maxIssues} elements`);
  }
  if (all === true && isSelected) faults.add('/all', 'NOT_ALLOWED', 'does not go with filter or issueUuids');
  if (all !== true && !isSelected && !settlement.preview) {
    const choice = 'give a filter with a member other than type, or issueUuids, or "all": true for every open issue';
    faults.add('/filter', 'REQUIRED', `${choice}; only a preview needs none of them`);
  }
  faults.throwIfAny();
  return settlement;
};
