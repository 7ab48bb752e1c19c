import type { Principal } from '@fds/auth';
import { visibleNothing } from '@fds/access-rules';
import type { ErrorCause } from '@fds/errors';
import { parseJson, type JsonObject, type JsonValue } from '@fds/json';
import { readVisibility, type Visibility } from '@fds/search';
import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import type { FaultSight } from '../../store/issues/issue-faults.js';
import type { ListedIssue } from '../../store/issues/listed-issue.js';
import { maskDataEvent, readObject } from '../../reading/visibility/mask-data-event.js';
import { maskErrors } from '../../reading/visibility/mask-errors.js';
import { visibleOfIssue } from './visible-of-issue.js';

/** The data of issues that a caller may see. */
export type IssueSight = FaultSight;

export const readIssueSight = (
  principal: Pick<Principal, 'dataAccess' | 'permits'>,
  view: Pick<CatalogView, 'catalog'>,
): IssueSight => ({
  readsData: principal.permits('GET', '/drs'),
  visibility: readIssueVisibility(principal, view),
  propertiesOf: (versionUuid) =>
    view.catalog.versionByUuid(versionUuid)?.model.properties.map(({ name }) => name) ?? [],
});

/** Rules of any version make a caller restricted: an event that names no version may be of one of them. */
const readIssueVisibility = (
  principal: Pick<Principal, 'dataAccess'>,
  view: Pick<CatalogView, 'catalog'>,
): Visibility | undefined =>
  principal.dataAccess === undefined ? undefined : readVisibility(principal, [...view.catalog.versions()]);

/** The event and the faults of an issue, as far as they may be seen. */
export interface SeenIssueData {
  /** JSON value of the event; its text if it is not JSON. */
  readonly dataEvent: JsonValue;
  readonly errors: readonly ErrorCause[];
}

const readErrors = (text: string | null): readonly ErrorCause[] =>
  text === null ? [] : (parseJson(text) as unknown as readonly ErrorCause[]);

const sourceOf = (event: JsonObject | undefined): string[] => {
  const source = event?.['sourceAdaptorUuid'];
  return typeof source === 'string' ? [source] : [];
};

/** Removes from an issue the data of its event that the caller may not see. */
export const seeIssueData = async (
  { readsData, visibility }: IssueSight,
  view: Pick<CatalogView, 'findAdaptor' | 'findVersionByUuid'>,
  issue: Pick<ListedIssue, 'recordUuid' | 'domainVersionUuid' | 'adaptorUuid' | 'dataEvent' | 'errors'>,
): Promise<SeenIssueData> => {
  const { recordUuid, domainVersionUuid, adaptorUuid, dataEvent: text } = issue;
  const errors = readErrors(issue.errors);
  const event = text === null ? undefined : readObject(text);
  const adaptorUuids = [...(adaptorUuid === null ? [] : [adaptorUuid]), ...sourceOf(event)];
  const visible = readsData
    ? await visibleOfIssue(visibility, view, { recordUuid, domainVersionUuid, adaptorUuids })
    : visibleNothing();
  if (visible === undefined) return { dataEvent: event ?? text, errors };
  const seen = event === undefined ? undefined : maskDataEvent(event, visible);
  return { dataEvent: seen ?? null, errors: maskErrors(errors, visible) };
};
