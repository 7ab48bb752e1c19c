import { AppError } from '@fds/errors';
import type { RequestContext } from '@fds/graphql';
import type { MassDeletions } from '../brake/create-mass-deletions.js';
import type { ParkedReleaser } from '../parked/create-parked-releaser.js';
import { isKnownPlace, listZones, type IssuePlace, type IssueZones } from '../../store/issues/issue-place.js';
import { findIssue } from '../../store/issues/list-issues.js';
import type { ListedIssue } from '../../store/issues/listed-issue.js';
import { readIssueSight, type IssueSight } from '../visibility/see-issue.js';
import type { RecordsAccess } from '../../reading/listing/resolvers/list-data-records.js';

/** Dependencies of the issue resolvers. */
export interface IssueAccess extends RecordsAccess {
  /** UUID version 7. */
  readonly newUuid: () => string;
  /** Events that wait with their issues. */
  readonly parked: () => Pick<ParkedReleaser, 'release' | 'retry'>;
  /** Decisions on deletions that are parked with issues MASS_DELETION. */
  readonly massDeletions: () => Pick<MassDeletions, 'settle'>;
}

export interface IssueArguments extends IssuePlace {
  readonly issueUuid: string;
}

/** A place, or without a zone every zone whose issues the caller may read. */
export type IssueArea = Omit<IssuePlace, 'zoneUuid'> & { readonly zoneUuid?: string | null };

const noPlace = (): AppError => new AppError('NOT_FOUND', 'there is no such zone, adaptor or domain version');
const noIssue = (): AppError => new AppError('NOT_FOUND', 'there is no such issue here');

/** @throws AppError NOT_FOUND */
export const requirePlace = async ({ database }: IssueAccess, place: IssuePlace): Promise<void> => {
  if (!(await isKnownPlace(database.reads, place))) throw noPlace();
};

/** @throws AppError NOT_FOUND */
export const requireArea = async (
  access: IssueAccess,
  { zoneUuid, ...rest }: IssueArea,
  { principal }: RequestContext,
): Promise<IssuePlace | IssueZones> => {
  if (zoneUuid === null || zoneUuid === undefined) {
    const zones = await listZones(access.database.reads);
    return { zoneUuids: zones.filter((uuid) => principal.permits('GET', `/zones/${uuid}/issues`)) };
  }
  const place = { zoneUuid, ...rest };
  await requirePlace(access, place);
  return place;
};

/** An issue that the caller may see, with the caller's view of it. @throws AppError NOT_FOUND */
export const requireIssue = async (
  { database, view }: IssueAccess,
  { issueUuid, ...place }: IssueArguments,
  { principal }: RequestContext,
): Promise<{ readonly issue: ListedIssue; readonly sight: IssueSight }> => {
  const sight = readIssueSight(principal, view());
  const issue = await findIssue(database.reads, issueUuid, { place, sight });
  if (issue === undefined) throw noIssue();
  return { issue, sight };
};
