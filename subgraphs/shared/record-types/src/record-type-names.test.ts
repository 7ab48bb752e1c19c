import { describe, expect, it } from '@jest/globals';
import { compileModelSchema, graphqlDomainName, isDomainName } from '@fds/model-schema';
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
});
