import { assemblyRoute } from '../../routes/records/assembly-route.js';
import type { EndpointDescription } from '../describe-endpoint.js';
import type { SchemaRegistry } from '../schema-registry.js';
import { refusalsOfPermitted } from '../refusals-of.js';
import { assemblyRequestSchema } from './assembly-request-schema.js';
import { assemblyLineSchema, assemblyResponseSchema } from './assembly-response-schema.js';

const sampleUuid = (last: number): string => `019a5d2e-0000-7000-8000-${String(last).padStart(12, '0')}`;
const [record, crm, shop, zone, version] = [1, 2, 3, 4, 5].map(sampleUuid) as [string, string, string, string, string];

const effective = { domain: 'customer', versionNumber: 1, domainVersionUuid: version };

const sampleRecord = {
  uuid: record,
  data: { id: 4711, name: 'A. Lovelace' },
  status: 'PREFERRED_COMPLETE',
  drKey: { id: 4711 },
  adaptors: [{ uuid: crm, name: 'CRM', zoneUuid: zone, zoneName: 'Sales' }],
};

const patched = [...sampleRecord.adaptors, { uuid: shop, name: 'Shop', zoneUuid: zone, zoneName: 'Sales' }];

const sampleEnd = {
  uuid: sampleUuid(6),
  ...effective,
  virtualizationRequest: {
    ...effective,
    drUuids: null,
    drKeys: [{ id: 4711 }],
    query: null,
    sort: null,
    requestedProperties: null,
    adaptors: null,
    goldAdaptors: null,
    silverAdaptors: null,
    bronzeAdaptors: null,
    additionalParams: null,
    expandRefs: false,
    timeout: 5,
    releasePolicy: 'ASAP',
    page: 0,
    size: 10,
    zoneUuid: zone,
    outputType: 'FULL',
  },
  completeness: [
    { adaptorUuid: crm, tier: 'SILVER', outcome: 'ANSWERED', milliseconds: 12 },
    { adaptorUuid: shop, tier: 'GOLD', outcome: 'ANSWERED', milliseconds: 840 },
  ],
  _page: { page: 0, size: 10, totalElements: 1, totalPages: 1 },
  schemaEntries: [
    { name: 'id', propertyType: 'INTEGER' },
    { name: 'name', propertyType: 'STRING' },
  ],
};

/** The first line of a progressive answer. */
const sampleLine = { record: sampleRecord, index: 0 };

const final = {
  ...sampleRecord,
  data: { ...sampleRecord.data, name: 'Ada Lovelace' },
  adaptors: patched,
};

/**
 * POST `/request` of the assembly service for the OpenAPI document.
 *
 * @param serverUrl `{dvs_url}`: the address of the assembly service that clients see
 */
export const describeAssembly = (serverUrl: string, registry: SchemaRegistry): EndpointDescription => ({
  declaration: assemblyRoute,
  access: 'permitted',
  serverUrl,
  parameters: [],
  bodies: { 'application/json': registry.refer('AssemblyRequest', assemblyRequestSchema) },
  answers: [
    {
      status: 200,
      summary: 'The assembled records; as application/x-ndjson, each record as soon as it is released, then patches',
      content: {
        'application/json': assemblyResponseSchema(registry),
        'application/x-ndjson': assemblyLineSchema(registry),
      },
      examples: {
        'application/json': { ...sampleEnd, assembledDataRecords: [final] },
        'application/x-ndjson': sampleLine,
      },
      headers: [],
    },
  ],
  refused: [...refusalsOfPermitted, 404, 413, 415],
});
