import { maskMembers } from '@fds/data-access';
import { isJsonObject, parseJson, type JsonObject, type JsonValue } from '@fds/json';
import type { CatalogView } from '../catalog-view/open-catalog-view.js';
import type { IssueMatch } from '../store/issues/load-issue-matches.js';
import type { IssueSight } from './see-issue.js';
import { visibleOfIssue } from './visible-of-issue.js';

/** A candidate as far as it may be seen. */
export interface SeenIssueMatch {
  readonly drUuid: string;
  readonly adaptorUuid: string | null;
  /** Null too where it was made of what may not be seen. */
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

/** Undefined: the record, or that this adaptor has it, may not be known. */
export const seeIssueMatch = async (
  { readsData, visibility }: IssueSight,
  view: Pick<CatalogView, 'findAdaptor' | 'findVersionByUuid'>,
  domainVersionUuid: string | null,
  match: IssueMatch,
): Promise<SeenIssueMatch | undefined> => {
  const { recordUuid, adaptorUuid, score } = match;
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
