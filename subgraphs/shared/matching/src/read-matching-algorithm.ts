import { isJsonObject, type JsonObject, type JsonValue, pointerTo } from '@fds/json';
import type { ScalarProperty } from '@fds/model-schema';
import type { FaultList } from '@fds/errors';

/** A DR Key property; its type only where the model could be read. */
export type KeyProperty = Pick<ScalarProperty, 'name'> & Partial<Pick<ScalarProperty, 'type' | 'format'>>;

/** Bound on rules, on comparisons in a rule, and on scores: they cost time for every event. */
const maxEntries = 100;
/** Bound on all rules together. */
const maxComparisons = 256;
/** The more edits, the more places a candidate may be found at. */
export const maxMaxEdits = 3;

const comparators = ['EXACT', 'IGNORE_CASE', 'NORMALIZED', 'FUZZY', 'PREFIX', 'PHONETIC', 'WITHIN'];
const onReview = ['HOLD', 'PRESUME_NEW', 'PRESUME_MATCH'];
const membersOf: Readonly<Record<string, readonly string[]>> = {
  EXACT: ['type'],
  RULES: ['type', 'rules'],
  SCORED: ['type', 'rules', 'scores', 'thresholds', 'onReview'],
};
const comparisonMembers = ['property', 'comparator', 'maxEdits', 'length', 'tolerance'];

const hasDistance = ({ type, format }: KeyProperty): boolean =>
  type === undefined ||
  type === 'integer' ||
  type === 'number' ||
  format === 'decimal' ||
  format === 'date' ||
  format === 'date-time';

/** Reads a matching algorithm (docs/reference/matching.md#the-algorithm) and checks it against the DR Key of the version. */
class AlgorithmReader {
  readonly #keys: ReadonlyMap<string, KeyProperty>;
  readonly #faults: FaultList;
  #comparisons = 0;

  constructor(keyProperties: readonly KeyProperty[], faults: FaultList) {
    this.#keys = new Map(keyProperties.map((property) => [property.name.toLowerCase(), property]));
    this.#faults = faults;
  }

  read(algorithm: JsonObject): void {
    const { type } = algorithm;
    const members = typeof type === 'string' && Object.hasOwn(membersOf, type) ? membersOf[type] : undefined;
    if (members === undefined) {
      this.#faults.add('/matchingAlgorithm/type', 'UNKNOWN_VALUE', 'type must be EXACT, RULES or SCORED');
      return;
    }
    this.#onlyMembers(algorithm, members, '/matchingAlgorithm');
    if (type === 'EXACT') return;
    this.#list(algorithm['rules'], '/matchingAlgorithm/rules', (rule, at) => this.#rule(rule, at));
    if (this.#comparisons > maxComparisons) {
      this.#faults.add('/matchingAlgorithm/rules', 'TOO_LARGE', `rules have at most ${maxComparisons} comparisons`);
    }
    if (type !== 'SCORED') return;
    this.#list(algorithm['scores'], '/matchingAlgorithm/scores', (score, at) => this.#score(score, at));
    this.#thresholds(algorithm['thresholds']);
    const review = algorithm['onReview'];
    if (review !== undefined && review !== null && !onReview.includes(review as string)) {
      this.#faults.add('/matchingAlgorithm/onReview', 'UNKNOWN_VALUE', `one of ${onReview.join(', ')}`);
    }
  }

  #onlyMembers(object: JsonObject, allowed: readonly string[], at: string): void {
    for (const name of Object.keys(object)) {
      if (allowed.includes(name)) continue;
      this.#faults.add(pointerTo(at, name), 'UNKNOWN_PROPERTY', `allowed: ${allowed.join(', ')}`);
    }
  }

  #list(value: JsonValue | undefined, at: string, read: (item: JsonObject, at: string) => void): void {
    if (!Array.isArray(value) || value.length === 0) {
      this.#faults.add(at, 'REQUIRED', 'a list with at least one entry is required');
      return;
    }
    if (value.length > maxEntries) {
      this.#faults.add(at, 'TOO_LARGE', `a list has at most ${maxEntries} entries`);
      return;
    }
    for (const [index, item] of (value as readonly JsonValue[]).entries()) {
      if (isJsonObject(item)) read(item, `${at}/${index}`);
      else this.#faults.add(`${at}/${index}`, 'INVALID_TYPE', 'an entry is an object');
    }
  }

  #rule(rule: JsonObject, at: string): void {
    this.#onlyMembers(rule, ['all'], at);
    this.#list(rule['all'], `${at}/all`, (comparison, place) => {
      this.#comparisons += 1;
      this.#onlyMembers(comparison, comparisonMembers, place);
      this.#comparison(comparison, place);
    });
  }

  #score(score: JsonObject, at: string): void {
    this.#onlyMembers(score, [...comparisonMembers, 'weight'], at);
    this.#comparison(score, at);
    this.#number(score['weight'], `${at}/weight`, 'weight', 'REQUIRED');
  }

  #comparison(comparison: JsonObject, at: string): void {
    const { property, comparator, maxEdits, length, tolerance } = comparison;
    const key = typeof property === 'string' ? this.#keys.get(property.toLowerCase()) : undefined;
    if (key === undefined) {
      this.#faults.add(`${at}/property`, 'NOT_A_DR_KEY', 'property must be one of the DR Key properties');
    }
    if (!comparators.includes(comparator as string)) {
      this.#faults.add(`${at}/comparator`, 'UNKNOWN_VALUE', `one of ${comparators.join(', ')}`);
    } else if (comparator === 'WITHIN' && key !== undefined && !hasDistance(key)) {
      this.#faults.add(`${at}/comparator`, 'NOT_ALLOWED', 'WITHIN compares numbers, dates and times');
    }
    this.#number(maxEdits, `${at}/maxEdits`, 'maxEdits', 'OPTIONAL');
    this.#number(length, `${at}/length`, 'length', comparator === 'PREFIX' ? 'REQUIRED' : 'OPTIONAL');
    this.#whole(maxEdits, `${at}/maxEdits`, 'maxEdits', { least: 0, most: maxMaxEdits });
    this.#whole(length, `${at}/length`, 'length', { least: 1, most: Number.MAX_SAFE_INTEGER });
    this.#number(tolerance, `${at}/tolerance`, 'tolerance', comparator === 'WITHIN' ? 'REQUIRED' : 'OPTIONAL');
  }

  #thresholds(value: JsonValue | undefined): void {
    const at = '/matchingAlgorithm/thresholds';
    if (!isJsonObject(value)) {
      this.#faults.add(at, 'REQUIRED', 'thresholds {match, review} are required');
      return;
    }
    this.#onlyMembers(value, ['match', 'review'], at);
    const { match, review } = value;
    this.#number(match, `${at}/match`, 'match', 'REQUIRED');
    this.#number(review, `${at}/review`, 'review', 'REQUIRED');
    if (typeof match === 'number' && typeof review === 'number' && review > match) {
      this.#faults.add(`${at}/review`, 'OUT_OF_RANGE', 'review must not be above match');
    }
  }

  #number(value: JsonValue | undefined, at: string, name: string, need: 'REQUIRED' | 'OPTIONAL'): void {
    if (value === undefined || value === null) {
      if (need === 'REQUIRED') this.#faults.add(at, 'REQUIRED', `${name} is required`);
    } else if (typeof value !== 'number' || value < 0 || !Number.isFinite(value)) {
      this.#faults.add(at, 'OUT_OF_RANGE', `${name} must be a number of at least 0`);
    }
  }

  #whole(
    value: JsonValue | undefined,
    at: string,
    name: string,
    { least, most }: { readonly least: number; readonly most: number },
  ): void {
    if (typeof value !== 'number' || value < 0 || !Number.isFinite(value)) return;
    if (!Number.isSafeInteger(value) || value < least) {
      this.#faults.add(at, 'OUT_OF_RANGE', `${name} must be a whole number of at least ${least}`);
    } else if (value > most) {
      this.#faults.add(at, 'OUT_OF_RANGE', `${name} must be at most ${most}`);
    }
  }
}

/** Reads a matching algorithm; null and EXACT are the default and kept as null. Pointers start at `/matchingAlgorithm`. */
export const readMatchingAlgorithm = (
  algorithm: JsonValue,
  keyProperties: readonly KeyProperty[],
  faults: FaultList,
): JsonObject | null => {
  if (algorithm === null) return null;
  if (!isJsonObject(algorithm)) {
    faults.add('/matchingAlgorithm', 'INVALID_TYPE', 'matchingAlgorithm must be an object');
    return null;
  }
  new AlgorithmReader(keyProperties, faults).read(algorithm);
  return algorithm['type'] === 'EXACT' ? null : algorithm;
};
