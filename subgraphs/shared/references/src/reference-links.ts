import { stringifyJson, type JsonObject, type JsonValue } from '@fds/json';
import { readReference, type OneTarget, type Reference } from '@fds/model-schema';
import {
  checkSearchQuery,
  conditionPlaceholders,
  parseSearchQuery,
  readConditionValue,
  searchPropertiesOf,
  type ConditionPlaceholder,
  type SearchCondition,
  type SearchProperty,
} from '@fds/search';
import type { LinkedVersion } from './linked-version.js';

/** One term of the order of linked records. */
export interface LinkOrder {
  readonly property: SearchProperty;
  readonly descending: boolean;
  /** Where the value is: in the DR Key, or only in the data. */
  readonly from: 'KEY' | 'DATA';
}

/** Records of the target for which a condition is true, with the values of the referring record that it uses. */
export interface LinkCondition {
  readonly condition: SearchCondition | undefined;
  readonly placeholders: readonly ConditionPlaceholder[];
}

/** The parameters that the caller of a reference adds to the model. */
export interface LinkArguments {
  /** Blank: nothing. */
  readonly query?: string;
  readonly order?: readonly LinkOrder[];
  readonly limit?: number;
}

/** The records that a cross-reference leads to, for any referring record. */
export interface ReferenceLinks {
  /** Equal for equal links. */
  readonly key: string;
  readonly version: LinkedVersion;
  /** Condition on records that are posted as the reference's value. */
  readonly posted: LinkCondition;
  /** Condition on all records of the target, when nothing is posted; undefined: then nothing is linked. */
  readonly matching: LinkCondition | undefined;
  readonly order: readonly LinkOrder[];
  /** Records of one reference at most. */
  readonly limit: number;
}

/** A reference of one record, ready to be looked up. */
export interface LinkRequest {
  readonly links: ReferenceLinks;
  /** The posted records, in order; undefined: those that match. */
  readonly targets: readonly OneTarget[] | undefined;
  /** Values of the placeholders, in their order, in the form that their property compares; null: every test with it is false. */
  readonly values: readonly (string | null)[];
}

/** Records of one reference at most, for every model and request. */
export const maxLinks = 1000;

const isBlank = (query: string | undefined): query is undefined => query === undefined || query.trim() === '';

const scalarTypes = ['string', 'integer', 'number', 'boolean'] as const;

/** The sort of the model: a top-level property of the target; for a federated target a DR Key property. */
const readModelOrder = (sort: string | undefined, { model, domainType }: LinkedVersion): LinkOrder[] => {
  if (sort === undefined) return [];
  const descending = sort.startsWith('-');
  const name = (descending ? sort.slice(1) : sort).toLowerCase();
  const keys = searchPropertiesOf(model);
  const key = keys.find((each) => each.name.toLowerCase() === name);
  if (key !== undefined) return [{ property: key, descending, from: 'KEY' }];
  const property = model.properties.find((each) => each.name.toLowerCase() === name);
  const type = scalarTypes.find((each) => each === property?.type);
  if (property === undefined || type === undefined || domainType === 'FEDERATED') return [];
  const format = 'format' in property ? property.format : undefined;
  return [
    { property: { name: property.name, type, ...(format === undefined ? {} : { format }) }, descending, from: 'DATA' },
  ];
};

const toLinkCondition = (conditions: readonly SearchCondition[]): LinkCondition => {
  const [first, ...others] = conditions;
  const condition: SearchCondition | undefined =
    first === undefined || others.length === 0 ? first : { kind: 'and', of: conditions };
  return { condition, placeholders: condition === undefined ? [] : conditionPlaceholders(condition) };
};

/**
 * Reads the parameters of a reference from its model and its caller (docs/reference/model-schema.md#cross-references): the caller's
 * expression narrows the links of the model, the caller's order precedes the model's, the lower limit applies.
 *
 * @param parent the version whose model has the reference; placeholders are its DR Key properties
 * @throws AppError INVALID_QUERY with the position in the expression that is wrong
 */
export const readReferenceLinks = (
  reference: Reference,
  parent: Pick<LinkedVersion, 'model'>,
  target: LinkedVersion,
  asked: LinkArguments = {},
): ReferenceLinks => {
  const parents = searchPropertiesOf(parent.model);
  const read = (query: string | undefined): SearchCondition[] =>
    isBlank(query)
      ? []
      : [
          checkSearchQuery(parseSearchQuery(query, { placeholders: 'allowed' }), searchPropertiesOf(target.model), {
            parents,
          }),
        ];
  const ofModel = read(reference.query);
  const ofCaller = read(asked.query);
  const matching = [...ofModel, ...ofCaller];
  const order = [...(asked.order ?? []), ...readModelOrder(reference.sort, target)];
  const limit = Math.min(reference.limit ?? maxLinks, asked.limit ?? maxLinks, maxLinks);
  const key = stringifyJson([
    target.uuid,
    reference.query ?? null,
    asked.query ?? null,
    order.map(({ property, descending, from }) => [property.name, descending, from]),
    limit,
    parents.map(({ name }) => name),
  ]);
  return {
    key,
    version: target,
    posted: toLinkCondition(ofCaller),
    matching: matching.length === 0 ? undefined : toLinkCondition(matching),
    order,
    limit,
  };
};

const textOf = (value: JsonValue): string => (typeof value === 'string' ? value : stringifyJson(value));

/**
 * Values of placeholders. They are data: their text is never part of an expression.
 *
 * @returns undefined where the record that refers has no value for one: then it is linked to nothing
 */
const readValues = (
  placeholders: readonly ConditionPlaceholder[],
  parentKey: JsonObject,
): readonly (string | null)[] | undefined => {
  const values: (string | null)[] = [];
  for (const { name, property } of placeholders) {
    const value = Object.hasOwn(parentKey, name) ? parentKey[name] : null;
    if (value === null || value === undefined) return undefined;
    const read = readConditionValue(property, textOf(value));
    values.push('value' in read ? read.value : null);
  }
  return values;
};

/** Readers of the record that refers. */
export interface LinkingParent {
  /** The value of the reference in it: one, a list, or none. */
  readonly value: JsonValue | undefined;
  /** Its DR Key. Asked for where an expression has placeholders. */
  readonly drKey: () => JsonObject;
}

/**
 * A reference of one record. Posted records are linked; when nothing is posted, the records that the expressions find.
 *
 * @returns undefined where nothing is linked
 */
export const requestLinks = (links: ReferenceLinks, { value, drKey }: LinkingParent): LinkRequest | undefined => {
  if (links.limit === 0) return undefined;
  const isPosted = value !== null && value !== undefined;
  const linking = isPosted ? links.posted : links.matching;
  if (linking === undefined) return undefined;
  const values = linking.placeholders.length === 0 ? [] : readValues(linking.placeholders, drKey());
  if (values === undefined) return undefined;
  if (!isPosted) return { links, targets: undefined, values };
  const posted: readonly JsonValue[] = Array.isArray(value) ? value : [value];
  const targets = posted.flatMap((each) => {
    const target = readReference(links.version.model, each);
    // a reference that names a part of a key is looked up when it is written, not when it is read
    return target === undefined || target.kind === 'PART' ? [] : target;
  });
  return targets.length === 0 ? undefined : { links, targets, values };
};

/** Equal for requests that lead to the same records. */
export const linkRequestKey = ({ links, targets, values }: LinkRequest): string => {
  const posted = targets?.map((target) => (target.kind === 'UUID' ? target.uuid : `#${target.keyDigest}`)).join(' ');
  return `${links.key} ${posted ?? '*'} ${values.length === 0 ? '' : JSON.stringify(values)}`;
};
