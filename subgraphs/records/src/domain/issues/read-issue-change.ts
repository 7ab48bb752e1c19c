import { isStorableText } from '@fds/json';
import { checkChangeVersion, type FaultList, type GivenChangeVersion } from '@fds/errors';
import type { IssuePriority } from './default-priority.js';
import type { SettledMatch } from './settled-match.js';

type Given<Value> = Value | null | undefined;

/** Body of PUT and PATCH; `drUuid` null and left out are not the same. */
export interface IssueInput {
  readonly status?: Given<string>;
  readonly retry?: Given<boolean>;
  readonly matchStatus?: Given<string>;
  readonly drUuid?: Given<string>;
  readonly issuePriority?: Given<IssuePriority>;
  readonly title?: Given<string>;
  readonly description?: Given<string>;
  readonly changeVersion?: GivenChangeVersion;
}

/** An issue as far as a change looks at it. */
export interface ChangedIssue {
  readonly status: string;
  readonly matchStatus: string | null;
  readonly drUuid: string | null;
  readonly issuePriority: IssuePriority;
  readonly title: string;
  readonly description: string | null;
  readonly changeVersion: number;
  /** The priority without a person's choice. */
  readonly usualPriority: IssuePriority;
  /** What is done when it is retried; BRAKE: parked deletions are let through; NONE: its event has continued with a presumption, or its content is not kept. */
  readonly retries: 'EVENT' | 'DELIVERY' | 'BRAKE' | 'NONE';
}

/** The members that a person may write. */
export interface IssueTexts {
  readonly issuePriority: IssuePriority;
  readonly title: string;
  readonly description: string | null;
}

/** The effect of a change on an issue. */
export interface IssueChange {
  readonly texts: IssueTexts;
  /** DROP: closed, and an event that waits goes with it. SETTLE: closed with the decision about its match. */
  readonly settlement:
    { readonly kind: 'NONE' | 'DROP' | 'RETRY' } | { readonly kind: 'SETTLE'; readonly settled: SettledMatch };
}

const maxTitle = 255;
const maxDescription = 4_000;

const notAllowed = (faults: FaultList, pointer: string, detail: string): void =>
  faults.add(pointer, 'NOT_ALLOWED', detail);

const checkText = (
  pointer: string,
  text: string,
  { minimum, maximum }: { readonly minimum: number; readonly maximum: number },
  faults: FaultList,
): void => {
  const length = Array.from(text).length;
  if (length > maximum || text.trim().length < minimum) {
    faults.add(pointer, 'OUT_OF_RANGE', `must have ${minimum} to ${maximum} characters`);
  } else if (!isStorableText(text)) {
    faults.add(pointer, 'INVALID_CHARACTER', 'holds a character that cannot be stored');
  }
};

const readTexts = (issue: ChangedIssue, input: IssueInput, action: 'PUT' | 'PATCH', faults: FaultList): IssueTexts => {
  const isWhole = action === 'PUT';
  const title = input.title ?? (isWhole ? '' : issue.title);
  if (isWhole && (input.title ?? null) === null) faults.add('/title', 'REQUIRED', 'title is required');
  else checkText('/title', title, { minimum: 1, maximum: maxTitle }, faults);
  // a merge patch: null empties
  const description = isWhole || input.description !== undefined ? (input.description ?? null) : issue.description;
  checkText('/description', description ?? '', { minimum: 0, maximum: maxDescription }, faults);
  const issuePriority = input.issuePriority ?? (isWhole ? issue.usualPriority : issue.issuePriority);
  return { title, description, issuePriority };
};

const readMatch = (issue: ChangedIssue, input: IssueInput, faults: FaultList): SettledMatch | undefined => {
  const { matchStatus, drUuid, status } = input;
  const isNews = matchStatus !== null && matchStatus !== undefined && matchStatus !== issue.matchStatus;
  if (!isNews) {
    const isOther = drUuid !== null && drUuid !== undefined && drUuid !== issue.drUuid;
    if (isOther) notAllowed(faults, '/drUuid', 'goes with matchStatus RESOLVED of an issue whose match is open');
    return undefined;
  }
  if (matchStatus !== 'RESOLVED') notAllowed(faults, '/matchStatus', 'can become RESOLVED only');
  else if (issue.matchStatus === null) notAllowed(faults, '/matchStatus', 'the issue is not about a match');
  else if (issue.status === 'CLOSED') notAllowed(faults, '/matchStatus', 'the issue is closed');
  else {
    if (status !== 'CLOSED') faults.add('/status', 'REQUIRED', 'a match is settled with status CLOSED');
    if (drUuid !== undefined) return { drUuid };
    faults.add('/drUuid', 'REQUIRED', 'name the record, or null for a new one');
  }
  return undefined;
};

/**
 * Reads a change of an issue.
 *
 * @param faults receives what is wrong, each with its pointer
 * @throws AppError STALE_CHANGE_VERSION
 */
export const readIssueChange = (
  issue: ChangedIssue,
  input: IssueInput,
  action: 'PUT' | 'PATCH',
  faults: FaultList,
): IssueChange => {
  checkChangeVersion(input.changeVersion, issue.changeVersion, faults);
  const texts = readTexts(issue, input, action, faults);
  const settled = readMatch(issue, input, faults);
  const closes = input.status === 'CLOSED' && issue.status === 'OPEN';
  if (input.status === 'OPEN' && issue.status === 'CLOSED') {
    notAllowed(faults, '/status', 'a closed issue stays closed: its event has continued or was dropped');
  }
  if (input.retry === true) {
    if (input.status !== 'CLOSED') notAllowed(faults, '/retry', 'goes with status CLOSED');
    else if (!closes) notAllowed(faults, '/retry', 'the issue is closed');
    else if (issue.retries === 'NONE') notAllowed(faults, '/retry', 'there is no event to process again');
  }
  if (settled !== undefined) return { texts, settlement: { kind: 'SETTLE', settled } };
  if (!closes) return { texts, settlement: { kind: 'NONE' } };
  return { texts, settlement: { kind: input.retry === true ? 'RETRY' : 'DROP' } };
};
