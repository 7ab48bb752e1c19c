import { kinds } from './kinds.js';

type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: 'string' };
const texts: Schema = { type: 'array', items: text };
const orNull = (type: string): Schema => ({ type: [type, 'null'] });
const flag: Schema = { type: 'boolean' };
const named = (description: string): Schema => ({ type: ['string', 'null'], description });
const namedList = (description: string): Schema => ({ type: 'array', items: text, description });
const secretText: Schema = { type: 'string', description: 'A secret: `${NAME}`, or left out' };

const record: Schema = {
  type: 'object',
  properties: { domainVersion: text, drKey: { type: 'object' } },
  required: ['domainVersion', 'drKey'],
};
const effect: Schema = { enum: ['ALLOW', 'DENY', null] };
const members = (properties: Schema): Schema => ({ type: 'object', properties, additionalProperties: false });
const list = (name: string, items: Schema): Schema => members({ [name]: { type: ['array', 'null'], items } });

const zoneEntry = members({
  name: orNull('string'),
  sourceZone: named('Path of a zone; null: every other zone'),
  sourceAdaptor: named('Root/Sales/crm; null: any'),
  destinationZone: named('Path of a zone; null: every other zone'),
  destinationAdaptor: named('Root/Sales/crm; null: any'),
  domainVersion: named('customer:v1; null: any'),
  properties: { type: ['array', 'null'], items: text },
  get: effect,
  post: effect,
  put: effect,
  delete: effect,
  active: flag,
  drs: { type: ['array', 'null'], items: record },
});

/** Members of `spec`, by kind. */
const specs: Readonly<Record<string, Schema>> = {
  Zone: members({
    description: orNull('string'),
    parentZone: named('Path of the parent; another one moves the zone'),
    geoCoordinates: orNull('string'),
    active: flag,
    reconcile: orNull('object'),
    adminUsers: namedList('Administrators of a new zone'),
    dataStewardUsers: namedList('Data stewards of a new zone'),
  }),
  AdaptorType: members({
    description: orNull('string'),
    version: orNull('string'),
    adaptorTypeLabel: orNull('string'),
    defaultCapabilities: { type: ['array', 'null'], items: { type: 'object' } },
    defaultMetadata: orNull('object'),
    secretProperties: { type: ['array', 'null'], items: text },
    secretZones: { type: ['array', 'null'], items: text },
    zone: named('Path of the zone that it belongs to'),
  }),
  Domain: members({
    description: orNull('string'),
    domainType: { enum: ['FEDERATED', 'SERVICE_DATA_STORE'] },
    zone: named('Path of the owning zone'),
    active: flag,
    defaultVersion: named('customer:v1'),
  }),
  DomainVersion: members({
    description: orNull('string'),
    modelSchema: { type: 'object' },
    drKeyProperties: texts,
    searchProperties: { type: ['array', 'null'], items: text },
    matchingAlgorithm: orNull('object'),
  }),
  Adaptor: members({
    description: orNull('string'),
    adaptorType: named('Name of the type'),
    capabilities: { type: ['array', 'null'], items: { type: 'object' } },
    metadata: orNull('object'),
    discoveryMode: flag,
    deletionLimit: orNull('object'),
    active: flag,
  }),
  Preferences: list(
    'preferences',
    members({ domainVersion: text, adaptor: text, preferenceType: { enum: ['GOLD', 'SILVER'] } }),
  ),
  InboundAcls: list('entries', zoneEntry),
  OutboundAcls: list('entries', zoneEntry),
  OperationalAcls: list(
    'entries',
    members({
      name: orNull('string'),
      sourceZone: named('Path of a zone; null: any'),
      sourceAdaptor: named('Root/Sales/crm; null: any'),
      domainVersion: named('customer:v1; null: any'),
      post: effect,
      delete: effect,
      active: flag,
    }),
  ),
  Role: members({
    description: orNull('string'),
    managed: { type: 'boolean', description: 'Is reported, and cannot be set' },
    permissions: { type: 'array', items: members({ action: text, resource: text }) },
  }),
  Group: members({ description: orNull('string'), roles: namedList('Root/Sales/Reader') }),
  User: members({
    name: orNull('string'),
    email: orNull('string'),
    ssoId: orNull('string'),
    serviceAccount: flag,
    defaultZone: flag,
    active: flag,
    password: secretText,
    roles: namedList('Root/Sales/Reader'),
    groups: namedList('Root/Sales/staff'),
  }),
  DataAccessRules: list(
    'rules',
    members({
      effect: { enum: ['ALLOW', 'DENY'] },
      actions: { type: ['array', 'null'], items: text },
      zone: named('Path of a zone; null: any'),
      adaptor: named('Root/Sales/crm; null: any'),
      domain: named('Name of a domain; null: any'),
      domainVersion: named('customer:v1; null: any'),
      properties: { type: ['array', 'null'], items: text },
      drs: { type: ['array', 'null'], items: record },
    }),
  ),
  Notification: members({
    callbackType: { const: 'WEB_HOOK' },
    events: { type: 'array', items: members({ resource: text, actions: texts }) },
    httpHeaders: { type: ['array', 'null'], items: members({ name: text, value: secretText }) },
    oauth2Registration: orNull('object'),
    secret: secretText,
  }),
};

/** JSON Schema of one document of configuration. */
export const configurationSchema = (address: string): Schema => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: address,
  title: 'A document of configuration',
  type: 'object',
  properties: {
    kind: { enum: kinds.map(({ kind }) => kind) },
    name: { type: 'string', minLength: 1 },
    spec: { type: 'object' },
  },
  required: ['kind', 'name'],
  additionalProperties: false,
  allOf: kinds.map(({ kind }) => ({
    // a document is of another kind, or its spec is that of the kind
    anyOf: [
      { not: { properties: { kind: { const: kind } } } },
      { properties: { spec: specs[kind] ?? { type: 'object' } } },
    ],
  })),
});
