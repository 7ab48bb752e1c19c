import type { JsonObject, JsonValue } from '@fds/json';
import { canonicalDecimal } from '@fds/model-schema';
import type { Comparator, KeyValue } from './comparators/comparator.js';
import { createComparator } from './comparators/create-comparator.js';
import type { Comparison } from './matching-algorithm.js';

/** A comparison of an algorithm, once, however often the algorithm names it. */
export interface CompiledComparison {
  readonly index: number;
  /** In the model's spelling. */
  readonly property: string;
  readonly definition: Comparison;
  readonly comparator: Comparator<unknown>;
  /** The same for comparisons that are the same. */
  readonly signature: string;
}

/** The values that comparisons read from a key, each read at first use. */
export type ReadKey = (comparison: CompiledComparison) => unknown;

/** Null and absent values are none. */
const isKeyValue = (value: JsonValue | undefined): value is KeyValue =>
  value !== null && value !== undefined && typeof value !== 'object';

/** The comparisons of one algorithm. A read value is remembered as long as the key. */
export class CompiledComparisons {
  readonly #spellings: ReadonlyMap<string, string>;
  readonly #decimals: ReadonlySet<string>;
  readonly #bySignature = new Map<string, CompiledComparison>();
  readonly #read = new WeakMap<JsonObject, ReadKey>();

  /** @param decimals DR Key properties of format decimal: equal numbers are equal, in any spelling */
  constructor(drKeyProperties: readonly string[], decimals: ReadonlySet<string>) {
    this.#decimals = decimals;
    this.#spellings = new Map(drKeyProperties.map((name) => [name.toLowerCase(), name]));
  }

  add(definition: Comparison): CompiledComparison {
    const property = this.#spellings.get(definition.property.toLowerCase()) ?? definition.property;
    const { comparator, maxEdits, length, tolerance } = definition;
    const signature = JSON.stringify([property, comparator, maxEdits ?? null, length ?? null, tolerance ?? null]);
    const known = this.#bySignature.get(signature);
    if (known !== undefined) return known;
    const index = this.#bySignature.size;
    const form = this.#decimals.has(property) ? 'DECIMAL' : 'PLAIN';
    const added = { index, property, definition, comparator: createComparator(definition, form), signature };
    this.#bySignature.set(signature, added);
    return added;
  }

  read(drKey: JsonObject): ReadKey {
    const known = this.#read.get(drKey);
    if (known !== undefined) return known;
    const values: { readonly read: unknown }[] = [];
    const readKey: ReadKey = ({ index, property, comparator }) => {
      const given: JsonValue | undefined = Object.hasOwn(drKey, property) ? drKey[property] : undefined;
      const value = typeof given === 'string' && this.#decimals.has(property) ? canonicalDecimal(given) : given;
      values[index] ??= { read: isKeyValue(value) ? comparator.read(value) : undefined };
      return values[index].read;
    };
    this.#read.set(drKey, readKey);
    return readKey;
  }

  /** Asks about two keys; no comparison is made twice. With null or an absent value on either side, every comparison is false. */
  compare(source: JsonObject, destination: JsonObject): (comparison: CompiledComparison) => boolean {
    const [readSource, readDestination] = [this.read(source), this.read(destination)];
    const held: boolean[] = [];
    return (comparison) => {
      const { index, comparator } = comparison;
      const known = held[index];
      if (known !== undefined) return known;
      const [left, right] = [readSource(comparison), readDestination(comparison)];
      return (held[index] = left !== undefined && right !== undefined && comparator.holds(left, right));
    };
  }
}
