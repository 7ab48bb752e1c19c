import { AppError } from '@fds/errors';
import { maxPageSize, type RequestContext } from '@fds/graphql';
import type { Visibility } from '@fds/search';
import { visibleNothing } from '@fds/access-rules';
import {
  foldCauses,
  type CountedFault,
  type FoldedCause,
  type IssueGrouping,
} from '../../domain/issues/fold-causes.js';
import { countCauses, type CountedIssues } from '../../store/issues/count-causes.js';
import type { IssueFilter } from '../../store/issues/issue-filter.js';
import { propertyOfFault } from '../../store/issues/issue-faults.js';
import { maskErrors } from '../../reading/visibility/mask-errors.js';
import { readIssueSight, type IssueSight } from '../visibility/see-issue.js';
import { visibleOfIssue } from '../visibility/visible-of-issue.js';
import { sessionOfCaller } from '../../reading/listing/resolvers/session-of-caller.js';
import { requireArea, type IssueAccess, type IssueArea } from './issue-access.js';

export interface IssueCountsArguments extends IssueArea, IssueFilter {
  readonly by?: readonly IssueGrouping[] | null;
  readonly size?: number | null;
}

const usual: readonly IssueGrouping[] = ['ADAPTOR', 'DOMAIN_VERSION', 'CAUSE', 'CODE', 'PROPERTY'];
const usualSize = 50;

const namedRecords = (visibility: Visibility | undefined): string[] => {
  const sources = (visibility?.versions ?? []).flatMap(({ access: { own, others, classes } }) => [
    own,
    others,
    ...classes.map(({ access }) => access),
  ]);
  return [...new Set(sources.flatMap(({ named }) => [...named]))];
};

/** The errors of a group that the caller may see. */
const seeFaults = async (
  { readsData, visibility }: IssueSight,
  view: ReturnType<IssueAccess['view']>,
  { domainVersionUuid, adaptorUuid, recordUuid, faults }: CountedIssues,
): Promise<CountedFault[]> => {
  const adaptorUuids = adaptorUuid === null ? [] : [adaptorUuid];
  const visible = readsData
    ? await visibleOfIssue(visibility, view, { recordUuid, domainVersionUuid, adaptorUuids })
    : visibleNothing();
  const errors = faults.map((fault) => {
    const [code = '', pointer = ''] = fault.split(/ (.*)/s);
    return { code, pointer, detail: '' };
  });
  const seen = visible === undefined ? errors : maskErrors(errors, visible);
  return seen.map(({ code, pointer }) => ({ code, property: propertyOfFault(pointer) }));
};

const keyOf =
  (by: ReadonlySet<IssueGrouping>) =>
  (issues: CountedIssues): string =>
    JSON.stringify([
      by.has('ZONE') ? issues.zoneUuid : null,
      by.has('ADAPTOR') ? issues.adaptorUuid : null,
      by.has('DOMAIN_VERSION') ? issues.domainVersionUuid : null,
      by.has('EXCEPTION') ? issues.exception : null,
      by.has('CAUSE') ? issues.cause : null,
    ]);

const show = (by: ReadonlySet<IssueGrouping>, { subject, code, property, ...tally }: FoldedCause<CountedIssues>) => {
  const { zoneUuid, adaptorUuid, adaptorName, domainVersionUuid, versionNumber, domainUuid, domainName } = subject;
  const domain = domainUuid === null ? null : { uuid: domainUuid, name: domainName };
  const showsAdaptor = by.has('ADAPTOR') && adaptorUuid !== null;
  const showsVersion = by.has('DOMAIN_VERSION') && domainVersionUuid !== null;
  return {
    ...tally,
    zoneUuid: by.has('ZONE') ? zoneUuid : null,
    adaptor: showsAdaptor ? { uuid: adaptorUuid, name: adaptorName, zoneUuid } : null,
    domainVersion: showsVersion ? { uuid: domainVersionUuid, versionNumber, domain } : null,
    exception: by.has('EXCEPTION') ? subject.exception : null,
    cause: by.has('CAUSE') ? subject.cause : null,
    code: code ?? null,
    property: property ?? null,
  };
};

const requireSize = (size: number): number => {
  if (size >= 1 && size <= maxPageSize) return size;
  const detail = `size must be from 1 to ${maxPageSize}`;
  throw new AppError('INVALID_PARAMETER', detail, { errors: [{ pointer: 'size', code: 'OUT_OF_RANGE', detail }] });
};

/** Issues that the caller may see, counted by their causes. @throws AppError NOT_FOUND, INVALID_PARAMETER */
export const countDataIssues = async (access: IssueAccess, args: IssueCountsArguments, context: RequestContext) => {
  const size = requireSize(args.size ?? usualSize);
  const by = new Set(args.by === null || args.by === undefined || args.by.length === 0 ? usual : args.by);
  const place = await requireArea(access, args, context);
  const sight = readIssueSight(context.principal, access.view());
  const session = sessionOfCaller(access.database, context);
  const counted = await countCauses(session, { place, filter: args, sight }, namedRecords(sight.visibility));
  const groups = [];
  for (const { issueCount, openCount, oldest, newest, example, ...subject } of counted) {
    const issues = { ...subject, issueCount, openCount, oldest, newest, example };
    const faults = await seeFaults(sight, access.view(), issues);
    groups.push({ subject: issues, faults, issueCount, openCount, oldest, newest, example });
  }
  const folded = foldCauses(groups, by, keyOf(by));
  return {
    issueCount: counted[0]?.allIssues ?? 0n,
    openCount: counted[0]?.allOpen ?? 0n,
    groupCount: folded.length,
    groups: folded.slice(0, size).map((cause) => show(by, cause)),
  };
};
