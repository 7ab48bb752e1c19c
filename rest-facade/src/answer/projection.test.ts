import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Reading } from '../causes/reading.js';
import type { Shape } from './answer-shape.js';
import { parseProjection, type Projection } from './projection.js';

const leaf = (format: 'text' | 'json'): Shape => ({ kind: 'leaf', format, nullable: true });
const object = (members: Readonly<Record<string, Shape>>): Shape => ({
  kind: 'object',
  type: 'T',
  nullable: false,
  members: Object.entries(members).map(([name, shape]) => ({ name, shape, always: true })),
});
const shape = object({
  uuid: leaf('text'),
  json: leaf('json'),
  domain: object({ uuid: leaf('text'), name: leaf('text') }),
  versions: { kind: 'list', nullable: true, element: object({ number: leaf('text') }) },
});

const toPlain = (projection: Projection): unknown =>
  Object.fromEntries([...projection].map(([name, below]) => [name, toPlain(below)]));
const parse = (text: string): [projection: unknown, faults: string[]] => {
  const reading = new Reading();
  const projection = parseProjection(text, shape, reading);
  return [projection && toPlain(projection), reading.causes.map(({ code }) => code)];
};

describe('parseProjection', () => {
  it.each([
    ['uuid', { uuid: {} }],
    ['uuid, domain.name', { uuid: {}, domain: { name: {} } }],
    ['domain.name,domain.uuid', { domain: { name: {}, uuid: {} } }],
    ['domain,domain.name', { domain: {} }],
    ['domain.name,domain', { domain: {} }],
    ['versions.number', { versions: { number: {} } }],
    ['json.any.thing', { json: { any: { thing: {} } } }],
  ])('reads %s', (text, projection) => {
    expect(parse(text)).toEqual([projection, []]);
  });

  it.each([
    ['', 1],
    ['nope', 1],
    ['uuid.x', 1],
    ['domain.nope,versions.nope', 2],
    ['__proto__,constructor', 2],
  ])('refuses "%s" with %i causes', (text, count) => {
    expect(parse(text)[1]).toEqual(Array.from({ length: count }, () => 'UNKNOWN_FIELD'));
  });

  it('gives the same projection for any order of names, and for repeated names', () => {
    const path = fc.constantFrom('uuid', 'json', 'json.a', 'json.a.b', 'domain', 'domain.name', 'versions.number');
    fc.assert(
      fc.property(fc.array(path, { minLength: 1 }), (paths) => {
        const [projection, faults] = parse(paths.join(','));
        expect(faults).toEqual([]);
        expect(parse(paths.toReversed().join(','))[0]).toEqual(projection);
        expect(parse([...paths, ...paths].join(','))[0]).toEqual(projection);
      }),
    );
  });

  it('reads or refuses any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const [projection, faults] = parse(text);
        expect(projection === undefined).toBe(faults.length > 0);
      }),
    );
  });
});
