import { maskMembers } from '@fds/access-rules';
import { isJsonObject, parseJson, type JsonObject, type JsonValue } from '@fds/json';
import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import type { IssueMatch } from '../../store/issues/load-issue-matches.js';
import type { IssueSight } from './see-issue.js';
import { visibleOfIssue } from './visible-of-issue.js';

/** A candidate as far as it may be seen. */
export interface SeenIssueMatch {
  readonly drUuid: string;
  readonly adaptorUuid: string | null;
  /** Null too when hidden values led to it. */
  readonly score: number | null;
  readonly drKey: JsonObject | null;
  readonly comparisons: readonly JsonValue[] | null;
}

const objectOf = (text: string): JsonObject => {
  const value = parseJson(text);
  return isJsonObject(value) ? value : {};
};

const listOf = (text: string): readonly JsonValue[] => {
  const value = parseJson(text);
  return Array.isArray(value) ? value : [];
};

const propertyOf = (comparison: JsonValue): string | undefined => {
  const property = isJsonObject(comparison) ? comparison['property'] : undefined;
  return typeof property === 'string' ? property.split('.')[0] : undefined;
};

/** The candidate as a key of this adaptor; null: as the record's own. */
const seeHeldBy = async (
  adaptorUuid: string | null,
  { readsData, visibility }: IssueSight,
  view: Pick<CatalogView, 'findAdaptor' | 'findVersionByUuid'>,
  domainVersionUuid: string | null,
  match: IssueMatch,
): Promise<SeenIssueMatch | undefined> => {
  const { recordUuid, score } = match;
  const shown = { drUuid: recordUuid, adaptorUuid };
  if (!readsData) return { ...shown, score, drKey: null, comparisons: null };
  const [drKey, comparisons] = [objectOf(match.drKey), listOf(match.comparisons)];
  const adaptorUuids = adaptorUuid === null ? [] : [adaptorUuid];
  const visible = await visibleOfIssue(visibility, view, { recordUuid, domainVersionUuid, adaptorUuids });
  if (visible === undefined) return { ...shown, score, drKey, comparisons };
  if (visible.extent === 'NONE') return undefined;
  const seen = comparisons.filter((comparison) => visible.names.has(propertyOf(comparison) ?? ''));
  return {
    ...shown,
    score: seen.length === comparisons.length ? score : null,
    drKey: maskMembers(drKey, visible),
    comparisons: seen,
  };
};

/** Undefined: the caller may not know the record, or that a record has this key. */
export const seeIssueMatch = async (
  sight: IssueSight,
  view: Pick<CatalogView, 'findAdaptor' | 'findVersionByUuid'>,
  domainVersionUuid: string | null,
  match: IssueMatch,
): Promise<SeenIssueMatch | undefined> => {
  const { adaptorUuid, holderUuids, isLinked } = match;
  const see = (holderUuid: string | null) => seeHeldBy(holderUuid, sight, view, domainVersionUuid, match);
  const version = domainVersionUuid === null ? undefined : await view.findVersionByUuid(domainVersionUuid);
  if (adaptorUuid !== null || version?.domainType !== 'FEDERATED') return see(adaptorUuid);
  // a federated record has its own key from its holders, too
  if (sight.visibility === undefined || !isLinked) return see(holderUuids[0] ?? null);
  for (const holderUuid of holderUuids) {
    const seen = await see(holderUuid);
    if (seen !== undefined) return seen;
  }
  return undefined;
};
