import { describe, expect, it } from '@jest/globals';
import { parse, print } from 'graphql';
import { createSampleGateway } from '../testing/sample-gateway.js';
import { contextOf } from '../testing/sample-subgraphs.js';
import { withoutRepeats } from './without-repeats.js';

const compact = (source: string): string => source.replace(/\s+/g, ' ').trim();
const repeat = (times: number, part: string): string => Array.from({ length: times }, () => part).join(' ');

describe('repeats of a document', () => {
  it.each([
    ['leaves', '{ a b a a }', '{ a b }'],
    ['aliases', '{ x: a a x: a y: a }', '{ x: a a y: a }'],
    ['arguments', '{ a(n: 1) a(n: 2) a(n: 1) }', '{ a(n: 1) a(n: 2) }'],
    ['texts that look like selections', '{ a(t: "b\\nc") a(t: "b") a(t: "b\\nc") }', '{ a(t: "b\\nc") a(t: "b") }'],
    ['directives', '{ a @skip(if: $s) a a @skip(if: $s) }', '{ a @skip(if: $s) a }'],
    ['pages', '{ a { b b } a { b } a { c } }', '{ a { b } a { c } }'],
    ['the order of selections', '{ a { b c } a { c b } }', '{ a { b c } a { c b } }'],
    ['inline fragments', '{ ... on A { b } ... on A { b } ... on B { b } }', '{ ... on A { b } ... on B { b } }'],
    ['spreads', '{ ...F ...G ...F } fragment F on A { b b }', '{ ...F ...G } fragment F on A { b }'],
    ['a name and a spread', '{ F ...F F }', '{ F ...F }'],
    ['a field with and without selections', '{ a a { b } a }', '{ a a { b } }'],
  ])('are removed: %s', (_name, source, expected) => {
    expect(compact(print(withoutRepeats(parse(source), source)))).toBe(compact(print(parse(expected))));
  });

  it('are removed in a time that is linear in the text', () => {
    const deep = `{ a(t: "${'x'.repeat(900_000)}") ${'{ a '.repeat(180)}${'}'.repeat(181)}`;
    const document = parse(deep);
    const { user } = process.cpuUsage();
    withoutRepeats(document, deep);
    expect((process.cpuUsage().user - user) / 1000).toBeLessThan(100);
  });
});

describe('an operation that repeats a field', () => {
  const { executor } = createSampleGateway();
  const ask = (document: string) => executor.recall(document).execute({}, contextOf());

  it('is answered up to the limit of fields', async () => {
    const once = await ask('{ zones { data { name } } }');
    expect(once.errors).toBeUndefined();
    expect(await ask(`{ zones { data { ${repeat(900, 'name')} } } }`)).toEqual(once);
    expect(await ask(`{ zones { data { ${repeat(998, 'name')} } } }`)).toEqual(once);
    expect(await ask(`{ ${repeat(333, 'zones { data { name } }')} }`)).toEqual(once);
  });

  it('is refused above the limit of fields', async () => {
    const { errors } = await ask(`{ zones { data { ${repeat(999, 'name')} } } }`);
    expect(errors).toMatchObject([
      { message: 'the operation has fields 1001, allowed is 1000', extensions: { code: 'QUERY_TOO_COMPLEX' } },
    ]);
  });
});
