import type { JsonObject, JsonValue } from '@fds/json';
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

/** What comparisons read of a key, each when it is first asked for. */
export type ReadKey = (comparison: CompiledComparison) => unknown;

/** Null and absent values are none. */
const isKeyValue = (value: JsonValue | undefined): value is KeyValue =>
  value !== null && value !== undefined && typeof value !== 'object';

/** The comparisons of one algorithm. What is read of a key is remembered as long as the key is. */
export class CompiledComparisons {
  readonly #spellings: ReadonlyMap<string, string>;
  readonly #bySignature = new Map<string, CompiledComparison>();
  readonly #read = new WeakMap<JsonObject, ReadKey>();

  constructor(drKeyProperties: readonly string[]) {
    this.#spellings = new Map(drKeyProperties.map((name) => [name.toLowerCase(), name]));
  }

  add(definition: Comparison): CompiledComparison {
    const property = this.#spellings.get(definition.property.toLowerCase()) ?? definition.property;
    const { comparator, maxEdits, length, tolerance } = definition;
    const signature = JSON.stringify([property, comparator, maxEdits ?? null, length ?? null, tolerance ?? null]);
    const known = this.#bySignature.get(signature);
    if (known !== undefined) return known;
    const index = this.#bySignature.size;
    const added = { index, property, definition, comparator: createComparator(definition), signature };
    this.#bySignature.set(signature, added);
    return added;
  }

  read(drKey: JsonObject): ReadKey {
    const known = this.#read.get(drKey);
    if (known !== undefined) return known;
    const values: { readonly read: unknown }[] = [];
    const readKey: ReadKey = ({ index, property, comparator }) => {
      const value: JsonValue | undefined = Object.hasOwn(drKey, property) ? drKey[property] : undefined;
      values[index] ??= { read: isKeyValue(value) ? comparator.read(value) : undefined };
      return values[index].read;
    };
    this.#read.set(drKey, readKey);
    return readKey;
  }

  /** Asks about two keys; no comparison is made twice. What is null or absent on either side holds with nothing. */
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
