// Thread that evaluates the expressions of one table: an expression that does not end holds up this thread only.
import jsonata from 'jsonata';
import type { JsonValue } from '@fds/adaptor-protocol';
import { randomUUID } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { parseExactNumber } from '../../columns/exact-number.js';

/** The data that the thread gets at its start. */
export interface EvaluationOrder {
  readonly expressions: Readonly<Record<string, string>>;
  readonly codes: Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>>;
  readonly lookups: readonly string[];
  /** The number of evaluated items, which shows that the thread works. */
  readonly progress: Int32Array;
}

/** One context, with the expressions to evaluate for it. */
export interface EvaluationItem {
  readonly places: readonly string[];
  readonly input: Readonly<Record<string, JsonValue | undefined>>;
  /** True: `$code` leads from a value to its code. */
  readonly isReverse: boolean;
  /** Rows that `$lookup` returns, by `lookupId`. */
  readonly rows: Readonly<Record<string, JsonValue>>;
}

/** The results for one context. */
export interface EvaluationResult {
  readonly values: Readonly<Record<string, JsonValue>>;
  readonly fault?: { readonly place: string; readonly message: string };
  /** Rows that are needed before the context can be evaluated: name and key. */
  readonly missing: readonly (readonly [string, JsonValue])[];
}

const textOf = (key: unknown): string =>
  typeof key === 'number' || typeof key === 'bigint' || typeof key === 'boolean'
    ? String(key)
    : typeof key === 'string'
      ? key
      : JSON.stringify(key);

/** Names the row of a lookup. */
export const lookupId = (name: string, key: JsonValue): string => JSON.stringify([name, textOf(key)]);

const longestMs = 500;
const deepest = 200;
const longestList = 20_000;
const longestText = 1024 * 1024;
const widestPad = 10_000;

/** An expression that reached a bound, or that a function of the adaptor refuses. */
class Refused extends Error {
  override readonly name = 'Refused';
}

class Missing extends Error {
  override readonly name = 'Missing';
}

/** The result as JSON. Counts characters, so that a result has a bound. */
const toJson = (value: unknown, left: { characters: number }, depth = 0): JsonValue => {
  left.characters -= typeof value === 'string' ? value.length : 1;
  if (left.characters < 0) throw new Refused(`has a result of more than ${longestText} characters`);
  if (depth > 100) throw new Refused('has a result that is nested too deeply');
  if (value === undefined || value === null) return null;
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw new Refused('has a result that is not a number');
      if (Number.isInteger(value) && !Number.isSafeInteger(value))
        throw new Refused('computes an integer beyond 2^53, which would be rounded');
      return value;
    case 'object':
      break;
    default:
      throw new Refused('has a result that is not JSON');
  }
  if (Array.isArray(value)) return Array.from(value, (one: unknown) => toJson(one, left, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      left.characters -= name.length;
      return [name, toJson(one, left, depth + 1)];
    }),
  );
};

/**
 * JSONata writes a number with 15 digits; here it keeps all. A 64-bit integer is written like any other number: it is
 * written as a marked text first, because not every supported release of Node can write raw JSON.
 */
const keepDigits = (): void => {
  const original = Number.prototype.toPrecision;
  // oxlint-disable-next-line no-extend-native -- the thread runs nothing but the library
  Number.prototype.toPrecision = function toPrecision(this: number, digits?: number) {
    return digits === 15 ? String(this) : original.call(this, digits);
  };
  // expressions do not know the mark, so no text of a row can contain it
  const mark = randomUUID();
  const marked = new RegExp(`"${mark}(-?\\d+)"`, 'g');
  // oxlint-disable-next-line no-extend-native -- as above
  Object.defineProperty(BigInt.prototype, 'toJSON', {
    value(this: bigint) {
      return `${mark}${this}`;
    },
  });
  const stringify = JSON.stringify.bind(JSON) as (...given: unknown[]) => string | undefined;
  Object.defineProperty(JSON, 'stringify', {
    value: (...given: unknown[]) => stringify(...given)?.replaceAll(marked, '$1'),
  });
};

const exactNumber = (value: unknown): unknown => {
  if (value === undefined || typeof value === 'number' || typeof value === 'bigint') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  const number = typeof value === 'string' ? parseExactNumber(value.trim()) : undefined;
  if (number === undefined)
    throw new Refused('$number: the value is not a number, or has more digits than a number keeps');
  return number;
};

/** The function of JSONata with this name, for other arguments than the name of a lookup. */
const memberOf = (value: unknown, key: string): unknown => {
  if (Array.isArray(value)) {
    const found = value.map((one) => memberOf(one, key)).filter((one) => one !== undefined);
    return found.length < 2 ? found[0] : found.flat();
  }
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
};

const pad = (text: unknown, width: unknown, filler: unknown = ' '): unknown => {
  if (typeof text !== 'string' || typeof width !== 'number' || typeof filler !== 'string') return undefined;
  if (Math.abs(width) > widestPad) throw new Refused(`$pad: is wider than ${widestPad} characters`);
  return width < 0 ? text.padStart(-width, filler) : text.padEnd(width, filler);
};

const run = (
  port: NonNullable<typeof parentPort>,
  { expressions, codes, lookups, progress }: EvaluationOrder,
): void => {
  keepDigits();
  const options = { timeout: longestMs, stack: deepest, sequence: longestList };
  const compiled = new Map(Object.entries(expressions).map(([place, text]) => [place, jsonata(text, options)]));
  const codesByValue = new Map(
    Object.entries(codes).map(([name, table]) => [
      name,
      new Map(Object.entries(table).map(([code, value]) => [JSON.stringify(value), code])),
    ]),
  );
  const codeOf = (isReverse: boolean) => (name: string, value: unknown) => {
    const table = Object.hasOwn(codes, name) ? codes[name] : undefined;
    if (table === undefined) throw new Refused(`$code: there is no table of codes ${JSON.stringify(name)}`);
    if (value === undefined || value === null) return value;
    const found = isReverse
      ? codesByValue.get(name)?.get(JSON.stringify(value))
      : Object.hasOwn(table, textOf(value))
        ? table[textOf(value)]
        : undefined;
    if (found === undefined)
      throw new Refused(
        `$code: the table of codes ${JSON.stringify(name)} does not have the ${isReverse ? 'value' : 'code'}`,
      );
    return found;
  };

  const messageOf = (error: unknown): string => {
    // a function names itself first
    if (error instanceof Refused) return error.message.startsWith('$') ? `fails: ${error.message}` : error.message;
    const { code = '', position, message = '' } = error as { code?: string; position?: number; message?: string };
    if (code === 'D1012') return `takes longer than ${longestMs} ms`;
    if (code === 'D1011' || error instanceof RangeError) return 'calls itself too often, or makes too large a value';
    if (code === 'D2015') return `makes a list of more than ${longestList} values`;
    // the values of a row do not belong into a report
    const { value } = error as { value?: unknown };
    const shown = value === undefined ? message : message.replaceAll(JSON.stringify(value) ?? '', 'the value');
    return `fails: ${shown.slice(0, 300)}${position === undefined ? '' : ` (position ${position})`}`;
  };

  const evaluate = async ({ places, input, isReverse, rows }: EvaluationItem): Promise<EvaluationResult> => {
    const values: Record<string, JsonValue> = {};
    const missing: [string, JsonValue][] = [];
    let fault: EvaluationResult['fault'];
    const bindings = {
      codes,
      code: codeOf(isReverse),
      lookup: (from: unknown, key: unknown): unknown => {
        if (typeof from !== 'string') return memberOf(from, String(key));
        if (!lookups.includes(from)) throw new Refused(`$lookup: there is no lookup ${JSON.stringify(from)}`);
        if (key === undefined || key === null) return undefined;
        const id = lookupId(from, key as JsonValue);
        if (Object.hasOwn(rows, id)) return rows[id] ?? undefined;
        missing.push([from, key as JsonValue]);
        throw new Missing();
      },
      number: exactNumber,
      // text that becomes an expression was not checked
      eval: undefined,
      pad,
    };
    for (const place of places) {
      try {
        const result: unknown = await compiled.get(place)?.evaluate(input, bindings);
        values[place] = toJson(result, { characters: longestText });
      } catch (error) {
        if (!(error instanceof Missing)) fault ??= { place, message: messageOf(error) };
      }
    }
    return { values, missing, ...(fault === undefined || missing.length > 0 ? {} : { fault }) };
  };

  port.on('message', (items: readonly EvaluationItem[]) => {
    const work = async (): Promise<readonly EvaluationResult[]> => {
      const results: EvaluationResult[] = [];
      Atomics.store(progress, 0, 0);
      for (const item of items) {
        results.push(await evaluate(item));
        Atomics.add(progress, 0, 1);
      }
      return results;
    };
    void work().then((results) => port.postMessage(results));
  });
};

if (parentPort !== null) run(parentPort, workerData as EvaluationOrder);
