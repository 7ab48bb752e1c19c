import type { ExpectedProblem } from '../expect-problem.js';
import { nobody } from '../unique-name.js';

/** A valid model. */
export const model = { properties: { id: { type: 'string' }, size: { type: 'integer' } } };

/** One refusal: its subject, the caller, the request, the body, and the expected problem. */
export type Refusal = readonly [
  says: string,
  as: 'admin' | 'dgs',
  request: string,
  json: unknown,
  expected: ExpectedProblem,
];

const invalid = (...pointers: string[]): ExpectedProblem => ({ status: 400, code: 'VALIDATION_FAILED', pointers });
const invalidModel = (...pointers: string[]): ExpectedProblem => ({
  status: 400,
  code: 'INVALID_MODEL_SCHEMA',
  pointers,
});
const unknownReference = (...pointers: string[]): ExpectedProblem => ({
  status: 400,
  code: 'UNKNOWN_REFERENCE',
  pointers,
});
export const notFound: ExpectedProblem = { status: 404, code: 'NOT_FOUND' };
export const conflict = (code: string): ExpectedProblem => ({ status: 409, code });
const changeVersionRequired: ExpectedProblem = { status: 400, code: 'CHANGE_VERSION_REQUIRED' };
const long = 'n'.repeat(129);

export const bodies: readonly Refusal[] = [
  ['a list for an object', 'admin', 'POST /zones', [], invalid()],
  ['a word for an object', 'admin', 'POST /zones', 'zone', invalid()],
  ['null for an object', 'dgs', 'POST /domains', null, invalid()],
  ['nothing for an object', 'admin', 'POST /zones', undefined, invalid()],
  ['an unknown member', 'admin', 'POST /zones', { name: 'Zone', colour: 'red' }, invalid('/colour')],
  ['an unknown member of a type', 'dgs', 'POST /adaptor-types', { name: 'Ty', colour: 1 }, invalid('/colour')],
  ['an unknown member of an adaptor', 'dgs', 'POST /zones/{root}/adaptors', { name: 'A', x: 1 }, invalid('/x')],
  ['an unknown member of a domain', 'dgs', 'POST /domains', { name: 'dom', colour: 'red' }, invalid('/colour')],
  ['an unknown member of a record', 'dgs', 'POST /drs', { name: 'x', json: {}, colour: 1 }, invalid('/colour')],
  ['a missing name of a zone', 'admin', 'POST /zones', {}, invalid('/name')],
  ['a missing name of an adaptor', 'dgs', 'POST /zones/{root}/adaptors', {}, invalid('/name')],
  ['a missing name of a type', 'dgs', 'POST /adaptor-types', {}, invalid('/name')],
  ['a missing name of a domain', 'dgs', 'POST /domains', {}, invalid('/name')],
  ['a number for a name', 'admin', 'POST /zones', { name: 5 }, invalid('/name')],
  ['a short name', 'admin', 'POST /zones', { name: 'z' }, invalid('/name')],
  ['a long name', 'admin', 'POST /zones', { name: long }, invalid('/name')],
  ['an invalid uuid', 'admin', 'POST /zones', { name: 'Zone', parentZoneUuid: 'x' }, invalid('/parentZoneUuid')],
  [
    'every cause at once',
    'admin',
    'POST /zones',
    { name: 5, parentZoneUuid: 'x', colour: 'red' },
    invalid('/name', '/parentZoneUuid', '/colour'),
  ],
  ['a domain name that starts with a digit', 'dgs', 'POST /domains', { name: '1st' }, invalid('/name')],
  ['a domain name of one letter', 'dgs', 'POST /domains', { name: 'a' }, invalid('/name')],
  ['a domain name of 129 letters', 'dgs', 'POST /domains', { name: long }, invalid('/name')],
  ['two underscores in a domain name', 'dgs', 'POST /domains', { name: 'a__b' }, invalid('/name')],
  ['a space in a domain name', 'dgs', 'POST /domains', { name: 'a b' }, invalid('/name')],
  ['another domain type', 'dgs', 'POST /domains', { name: 'dom', domainType: 'FLAT' }, invalid('/domainType')],
  [
    'an unknown capability',
    'dgs',
    'POST /zones/{root}/adaptors',
    { name: 'A', capabilities: [{ domainName: 'taken-name', versionNumber: 1, action: 'FLY' }] },
    invalid('/capabilities/0/action'),
  ],
  [
    'capabilities in a broken string',
    'dgs',
    'POST /zones/{root}/adaptors',
    { name: 'A', capabilities: '[{' },
    invalid('/capabilities'),
  ],
  ['metadata that is a list', 'dgs', 'POST /zones/{root}/adaptors', { name: 'A', metadata: [] }, invalid('/metadata')],
  [
    'a changeVersion in words',
    'admin',
    'PATCH /zones/{zone}',
    { changeVersion: 'one', description: 'd' },
    invalid('/changeVersion'),
  ],
  [
    'a state that a caller cannot set',
    'dgs',
    'PATCH /zones/{root}/adaptors/{adaptor}',
    { state: 'FLY' },
    invalid('/state'),
  ],
  ['no model', 'dgs', 'POST /domains/{domain}/versions', { drKeyProperties: ['id'] }, invalidModel('/modelSchema')],
  ['no DR Key', 'dgs', 'POST /domains/{domain}/versions', { modelSchema: model }, invalidModel('/drKeyProperties')],
  [
    'an empty DR Key',
    'dgs',
    'POST /domains/{domain}/versions',
    { modelSchema: model, drKeyProperties: [] },
    invalidModel('/drKeyProperties'),
  ],
];

/** Faults of shape and of meaning together. */
export const mixed: readonly Refusal[] = [
  [
    'every kind of cause of a zone at once',
    'admin',
    'POST /zones',
    { name: 'z', parentZoneUuid: 'x', geoCoordinates: 'nowhere', active: 'yes', colour: 'red' },
    invalid('/name', '/parentZoneUuid', '/geoCoordinates', '/active', '/colour'),
  ],
  [
    'every kind of cause of an adaptor at once',
    'dgs',
    'POST /zones/{root}/adaptors',
    { name: '', adaptorTypeUuid: 'x', capabilities: [{ action: 'FLY' }], metadata: [], colour: 'red' },
    invalid('/name', '/adaptorTypeUuid', '/capabilities/0/action', '/metadata', '/colour'),
  ],
  [
    'every kind of cause of a domain at once',
    'dgs',
    'POST /domains',
    { name: '1st', domainType: 'FLAT', zoneUuid: 'x', description: 5, colour: 'red' },
    invalid('/name', '/domainType', '/zoneUuid', '/description', '/colour'),
  ],
];

export const models: readonly Refusal[] = [
  [
    'every fault of a model at once',
    'dgs',
    'POST /domains/{domain}/versions',
    {
      modelSchema: {
        properties: {
          id: { type: 'string', minLength: 'x' },
          n: { type: 'integer', minLength: 1 },
          o: { type: 'whatever' },
          '1st': { type: 'string' },
          list: { type: 'array', items: { type: 'object', properties: { x: { type: 'string', colour: 1 } } } },
        },
      },
      drKeyProperties: ['id'],
    },
    invalidModel(
      '/modelSchema/properties/id/minLength',
      '/modelSchema/properties/n/minLength',
      '/modelSchema/properties/o/type',
      '/modelSchema/properties/1st',
      '/modelSchema/properties/list/items/properties/x/colour',
    ),
  ],
  [
    'a DR Key that the model lacks',
    'dgs',
    'POST /domains/{domain}/versions',
    { modelSchema: model, drKeyProperties: ['id', 'nope'] },
    invalidModel('/drKeyProperties/1'),
  ],
  [
    'a DR Key of objects',
    'dgs',
    'POST /domains/{domain}/versions',
    {
      modelSchema: { properties: { id: { type: 'object', properties: { a: { type: 'string' } } } } },
      drKeyProperties: ['id'],
    },
    invalidModel('/drKeyProperties/0'),
  ],
  [
    'reserved names',
    'dgs',
    'POST /domains/{domain}/versions',
    {
      modelSchema: { properties: { id: { type: 'string' }, _fds_x: { type: 'string' }, _dr: { type: 'string' } } },
      drKeyProperties: ['id'],
    },
    invalidModel('/modelSchema/properties/_fds_x', '/modelSchema/properties/_dr'),
  ],
  [
    'a reference to nothing',
    'dgs',
    'POST /domains/{domain}/versions',
    {
      modelSchema: { properties: { id: { type: 'string' }, ref: { $ref: '/domains/nowhere:v1' } } },
      drKeyProperties: ['id'],
    },
    invalidModel('/modelSchema/properties/ref/$ref'),
  ],
  [
    'names that collapse with different types',
    'dgs',
    'POST /domains/{domain}/versions',
    { modelSchema: { properties: { id: { type: 'string' }, ID: { type: 'integer' } } }, drKeyProperties: ['id'] },
    invalidModel('/modelSchema/properties/ID'),
  ],
];

export const references: readonly Refusal[] = [
  [
    'a parent zone',
    'admin',
    'POST /zones',
    { name: 'Zone', parentZoneUuid: nobody },
    unknownReference('/parentZoneUuid'),
  ],
  [
    'an adaptor type',
    'dgs',
    'POST /zones/{root}/adaptors',
    { name: 'A', adaptorTypeUuid: nobody },
    unknownReference('/adaptorTypeUuid'),
  ],
  ['an owning zone', 'admin', 'POST /domains', { name: 'dom', zoneUuid: nobody }, unknownReference('/zoneUuid')],
  [
    'a default version',
    'dgs',
    'PATCH /domains/{domain}',
    { changeVersion: '{changeVersion}', defaultVersionUuid: nobody },
    unknownReference('/defaultVersionUuid'),
  ],
  ['the domain of a record', 'dgs', 'POST /drs', { domainUuid: nobody, json: {} }, unknownReference('/domainUuid')],
  [
    'the domain version of a record',
    'dgs',
    'POST /drs',
    { domainVersionUuid: nobody, json: {} },
    unknownReference('/domainVersionUuid'),
  ],
];

export const paths: readonly Refusal[] = [
  ['no such path', 'admin', 'GET /nowhere', undefined, notFound],
  ...(['GET', 'PUT', 'PATCH', 'DELETE'] as const).flatMap((method): Refusal[] => {
    const json = method === 'GET' || method === 'DELETE' ? undefined : { name: 'Name', changeVersion: 1 };
    return [
      ['a zone', 'admin', `${method} /zones/{nobody}`, json, notFound],
      ['an adaptor type', 'dgs', `${method} /adaptor-types/{nobody}`, json, notFound],
      ['an adaptor', 'dgs', `${method} /zones/{root}/adaptors/{nobody}`, json, notFound],
    ];
  }),
  ...(['GET', 'PUT', 'PATCH'] as const).flatMap((method): Refusal[] => {
    const domain = method === 'GET' ? undefined : { description: 'd', changeVersion: 1 };
    const version = method === 'GET' ? undefined : { modelSchema: model, drKeyProperties: ['id'], changeVersion: 1 };
    return [
      ['a domain', 'dgs', `${method} /domains/{nobody}`, domain && { name: 'dom', ...domain }, notFound],
      ['a version', 'dgs', `${method} /domains/versions/{nobody}`, version, notFound],
      ['a version of a domain', 'dgs', `${method} /domains/{domain}/versions/{nobody}`, version, notFound],
      ["another domain's version", 'dgs', `${method} /domains/{other}/versions/{version}`, version, notFound],
    ];
  }),
  ['child zones', 'admin', 'GET /zones/{nobody}/child-zones', undefined, notFound],
  ['versions', 'dgs', 'GET /domains/{nobody}/versions', undefined, notFound],
  ['a registration', 'dgs', 'GET /zones/{root}/adaptors/{nobody}/registration', undefined, notFound],
  ['a property', 'dgs', 'GET /domains/versions/{version}/properties/{nobody}', undefined, notFound],
  ['a record', 'dgs', 'GET /drs/{nobody}', undefined, notFound],
  ['a domain of records', 'dgs', 'GET /drs?filters=name:nowhere', undefined, notFound],
  ['a version of records', 'dgs', 'GET /drs?filters=name:taken-name,version:9', undefined, notFound],
];

export const conflicts: readonly Refusal[] = [
  [
    'a sibling with the name',
    'admin',
    'POST /zones',
    { name: 'Taken zone', parentZoneUuid: '{root}' },
    conflict('DUPLICATE_NAME'),
  ],
  ['a domain with the name', 'dgs', 'POST /domains', { name: 'taken-name' }, conflict('DUPLICATE_NAME')],
  ['a domain with the name in capitals', 'dgs', 'POST /domains', { name: 'TAKEN-NAME' }, conflict('DUPLICATE_NAME')],
  [
    'a domain with the same name in GraphQL',
    'dgs',
    'POST /domains',
    { name: 'taken_name' },
    conflict('DUPLICATE_NAME'),
  ],
  ['the root of all zones', 'admin', 'DELETE /zones/{root}', undefined, conflict('IN_USE')],
];

export const changeVersions: readonly Refusal[] = [
  ['PUT of a zone', 'admin', 'PUT /zones/{zone}', { name: 'Taken zone' }, changeVersionRequired],
  ['PATCH of a zone', 'admin', 'PATCH /zones/{zone}', { description: 'd' }, changeVersionRequired],
  ['PUT of a type', 'dgs', 'PUT /adaptor-types/{adaptorType}', { name: 'Taken type' }, changeVersionRequired],
  ['PUT of an adaptor', 'dgs', 'PUT /zones/{root}/adaptors/{adaptor}', { name: 'A' }, changeVersionRequired],
  ['PATCH of an adaptor', 'dgs', 'PATCH /zones/{root}/adaptors/{adaptor}', { metadata: {} }, changeVersionRequired],
  [
    'PUT of a version',
    'dgs',
    'PUT /domains/versions/{version}',
    { modelSchema: model, drKeyProperties: ['id'] },
    changeVersionRequired,
  ],
];
