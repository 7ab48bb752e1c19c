import { expect, it } from '@jest/globals';
import { guarded } from './guarded.js';
import { buildSchemaOf } from './build-schema-of.js';
import { unguardedFields } from './unguarded-fields.js';

it('names the root fields that demand nothing', () => {
  const open = guarded({ mode: 'require', action: 'GET', resource: '/zones' }, () => 'x');
  const schema = buildSchemaOf(
    'type Query { safe: String bare: String missing: String } type Mutation { bare: String }',
    {
      Query: { safe: open, bare: () => 'x' },
      Mutation: { bare: () => 'x' },
    },
  );
  expect(unguardedFields(schema)).toEqual(['Query.bare', 'Query.missing', 'Mutation.bare']);
});
