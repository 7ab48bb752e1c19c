import fc from 'fast-check';
import { nobody } from '../../doors/unique-name.js';

/** Texts that have broken services before: control characters, lone surrogates, members of Object.prototype, long digits. */
const hostileText = fc.constantFrom(
  '',
  '\u0000',
  '\ud800',
  '__proto__',
  'constructor',
  'toString',
  "'; drop table zones; --",
  '%',
  '%00',
  '../..',
  '9'.repeat(400),
  '-1',
  '1e999',
  '9223372036854775808',
  '{}',
  'a:b,c:d',
  '"',
  '(((((((((('.repeat(50),
  '/(a+)+$/',
  '${__proto__}',
  'null',
  nobody,
);

/** Any text, often a hostile one. */
export const anyText = fc.oneof(hostileText, fc.string({ unit: 'binary', maxLength: 40 }));

/** Any JSON value, sometimes with hostile texts as names of members. */
export const anyJson = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  {
    weight: 1,
    arbitrary: fc.object({ maxDepth: 3, key: anyText, values: [anyText, fc.double(), fc.maxSafeInteger()] }),
  },
);

/** A valid value with some of its members replaced, removed or added. */
export const bent = (valid: unknown): fc.Arbitrary<unknown> => {
  if (typeof valid !== 'object' || valid === null) return fc.oneof(fc.constant(valid), anyText, anyJson);
  if (Array.isArray(valid)) return fc.array(valid.length === 0 ? anyJson : bent(valid[0]), { maxLength: 3 });
  const members = Object.entries(valid).map(([name, value]) => [name, bent(value)] as const);
  const own = fc.record(Object.fromEntries(members), { requiredKeys: [] });
  return fc.tuple(own, fc.dictionary(anyText, anyJson, { maxKeys: 2 })).map(([some, more]) => ({ ...more, ...some }));
};

/** Ways to every member and element below a value. */
const pathsOf = (value: unknown, path: readonly string[] = []): readonly (readonly string[])[] =>
  typeof value !== 'object' || value === null
    ? [path]
    : [
        ...(path.length === 0 ? [] : [path]),
        ...Object.entries(value).flatMap(([name, inner]) => pathsOf(inner, [...path, name])),
      ];

const replacedAt = (value: unknown, [name, ...rest]: readonly string[], by: unknown): unknown => {
  if (name === undefined) return by;
  if (Array.isArray(value))
    return value.map((inner: unknown, at) => (String(at) === name ? replacedAt(inner, rest, by) : inner));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, key === name ? replacedAt(inner, rest, by) : inner]),
  );
};

/** A valid value with one or two of its members replaced at any depth, so that the rest of it passes the first checks. */
export const slightlyBent = (valid: object): fc.Arbitrary<unknown> =>
  fc
    .array(fc.tuple(fc.constantFrom(...pathsOf(valid)), fc.oneof(anyText, anyText, anyJson)), {
      minLength: 1,
      maxLength: 2,
    })
    .map((changes) => changes.reduce<unknown>((value, [path, by]) => replacedAt(value, path, by), valid));

/** A text with pieces of it removed, repeated or replaced. */
export const mutated = (valid: string): fc.Arbitrary<string> =>
  fc
    .array(fc.tuple(fc.nat(), fc.nat({ max: 12 }), fc.oneof(anyText, fc.constantFrom('', '{', '}', '"', ',', '\n'))), {
      minLength: 1,
      maxLength: 4,
    })
    .map((changes) =>
      changes.reduce((text, [at, length, inserted]) => {
        const start = text.length === 0 ? 0 : at % text.length;
        return text.slice(0, start) + inserted + text.slice(start + length);
      }, valid),
    );

/** Percent-encoded for a path or query string. A lone surrogate has no encoding. */
export const encodeText = (text: string): string =>
  encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd')) || 'x';
