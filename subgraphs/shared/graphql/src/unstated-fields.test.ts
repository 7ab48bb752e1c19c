import { expect, it } from '@jest/globals';
import { compileEndpoints } from '@fds/access-rules';
import { guarded } from './guarded.js';
import { buildSchemaOf } from './build-schema-of.js';
import { unstatedFields } from './unstated-fields.js';

const endpoints = compileEndpoints([
  { action: 'GET', path: '/zones' },
  { action: 'GET', path: '/zones/{zoneUuid}' },
]);

it('names the root fields that demand what no endpoint states', () => {
  const get = (resource: string, narrower: readonly string[] = []) =>
    guarded({ mode: 'require', action: 'GET', resource, narrower }, () => 'x');
  const schema = buildSchemaOf(
    `type Query {
      zones: String
      zone(uuid: Uuid, zoneUuid: Uuid!): String
      text(zoneUuid: String!): String
      hidden: String
      narrow(zoneUuid: Uuid): String
    }
    type Mutation { createZone: String }
    scalar Uuid`,
    {
      Query: {
        zones: get('/zones'),
        zone: get('/zones/{zoneUuid}'),
        text: get('/zones/{zoneUuid}'),
        hidden: get('/hidden'),
        narrow: get('/zones', ['/zones/{zoneUuid}', '/zones/{zoneUuid}/secrets']),
      },
      Mutation: { createZone: guarded({ mode: 'filter', action: 'POST', resource: '/zones' }, () => 'x') },
    },
  );
  expect(unstatedFields(schema, endpoints)).toEqual([
    'Query.text GET /zones/{zoneUuid}',
    'Query.hidden GET /hidden',
    'Query.narrow GET /zones/{zoneUuid}/secrets',
    'Mutation.createZone POST /zones',
  ]);
});
