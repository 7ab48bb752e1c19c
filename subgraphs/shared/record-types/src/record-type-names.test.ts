import { describe, expect, it } from '@jest/globals';
import { compileModelSchema, graphqlDomainName, graphqlPropertyName, isDomainName } from '@fds/model-schema';
import type { JsonValue } from '@fds/json';
import fc from 'fast-check';
import { describeRecordType } from './describe-record-type.js';

/** Few letters, so that names nearly clash often. */
const domainName = fc.stringMatching(/^[a-b][a1_-]{1,6}$/).filter(isDomainName);
const propertyName = fc.stringMatching(/^[ab_][ab1_-]{0,5}$/);

const properties: fc.Arbitrary<Record<string, JsonValue>> = fc.letrec<{ properties: Record<string, JsonValue> }>(
  (tie) => ({
    properties: fc.dictionary(
      propertyName,
      fc.oneof(
        { depthSize: 'small' },
        fc.constant({ type: 'string' }),
        tie('properties').map((nested) => ({ type: 'object', properties: nested })),
      ),
      { minKeys: 1, maxKeys: 3 },
    ),
  }),
).properties;

const version = fc.record({ domainName, versionNumber: fc.integer({ min: 1, max: 12 }), properties });

describe('the names of record types', () => {
  it('are distinct for all that the catalogue and the compiler admit', () => {
    let admitted = 0;
    fc.assert(
      fc.property(fc.array(version, { minLength: 1, maxLength: 4 }), (versions) => {
        // the catalogue: one domain per GraphQL name, one version per number
        const catalogue = new Map(
          versions.map((entry) => [
            `${graphqlDomainName(entry.domainName).toLowerCase()} ${entry.versionNumber}`,
            entry,
          ]),
        );
        const typeNames: string[] = [];
        for (const { properties, ...entry } of catalogue.values()) {
          const modelSchema = { properties: { ...properties, key: { type: 'string' } } };
          const { model } = compileModelSchema({ modelSchema, drKeyProperties: ['key'] });
          if (model === undefined) continue;
          admitted += 1;
          const definition = describeRecordType({
            ...entry,
            domainUuid: '',
            domainVersionUuid: '',
            domainType: 'FEDERATED',
            model,
          });
          typeNames.push(definition.typeName, definition.pageTypeName);
          for (const { typeName, fields } of [definition, ...definition.nestedTypes]) {
            const names = fields.map(({ graphqlName }) => graphqlName);
            expect(new Set(names).size).toBe(names.length);
            expect(names.filter((name) => !/^(?!__)[_A-Za-z]\w*$/.test(name))).toEqual([]);
            if (typeName !== definition.typeName) typeNames.push(typeName);
          }
        }
        expect(new Set(typeNames).size).toBe(typeNames.length);
      }),
      { numRuns: 300 },
    );
    expect(admitted).toBeGreaterThan(100);
  });

  it('are refused where two properties would be one field, and nowhere else', () => {
    const compile = (names: readonly string[]) => {
      const properties = Object.fromEntries(['key', ...names].map((name) => [name, { type: 'string' }]));
      return compileModelSchema({ modelSchema: { properties }, drKeyProperties: ['key'] });
    };
    /** A name, and often one that differs from it in separators only. */
    const pair = propertyName.chain((name) =>
      fc.tuple(
        fc.constant(name),
        fc.oneof(
          propertyName,
          fc.constant(name.replaceAll('-', '_')),
          fc.constant(name.replaceAll('_', '-')),
          fc.constant(`_${name}`),
        ),
      ),
    );
    let clashes = 0;
    fc.assert(
      fc.property(pair, ([one, other]) => {
        fc.pre(one.toLowerCase() !== other.toLowerCase());
        fc.pre([one, other].every((name) => compile([name]).model !== undefined));
        const { model, errors } = compile([one, other]);
        const clash = graphqlPropertyName(one) === graphqlPropertyName(other);
        if (clash) clashes += 1;
        expect(model === undefined).toBe(clash);
        expect((errors ?? []).map(({ code }) => code)).toEqual(clash ? ['NAME_CLASH'] : []);
      }),
      { numRuns: 500 },
    );
    expect(clashes).toBeGreaterThan(20);
  });
});
