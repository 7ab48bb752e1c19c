/** Resources in the form of resolvers, for tests. */
export const uuid = '019a5d2e-0000-7000-8000-00000000000a';
export const other = '019a5d2e-0000-7000-8000-00000000000b';
export const time = new Date(1_700_000_000_123);

export const zone = {
  uuid,
  zoneUuid: uuid,
  name: 'Root',
  active: true,
  dateCreated: time,
  lastUpdated: time,
  changeVersion: 9007199254740993n,
};
export const version = {
  uuid: other,
  versionNumber: 1,
  domainSummary: { uuid, name: 'person', domainType: 'SERVICE_DATA_STORE', zoneUuid: uuid, active: true },
  drKeyProperties: ['id'],
  searchProperties: [],
  modelSchema: { properties: { id: { type: 'integer', maximum: 9223372036854775807n } } },
  matchingAlgorithm: { type: 'EXACT', definition: { type: 'EXACT' } },
  active: true,
  dateCreated: time,
  lastUpdated: time,
  changeVersion: 1,
};
export const adaptor = {
  uuid: other,
  name: 'crm',
  adaptorTypeUuid: uuid,
  adaptorTypeSummary: { uuid, name: 'default', dateCreated: time, lastUpdated: time, changeVersion: 1 },
  zoneUuid: uuid,
  state: 'STARTED',
  discoveryMode: false,
  discovery: [{ domainVersionUuid: uuid, complete: true, records: 12, dateCompleted: time }],
  active: true,
  deletionLimit: { percent: 10, minimum: 100, seconds: 60 },
  capabilities: [{ domainName: 'person', versionNumber: 1, action: 'POST', direction: null }],
  verified: [],
  metadata: { big: 9223372036854775807n, nothing: null },
  dateCreated: time,
  lastUpdated: time,
  changeVersion: 3,
  linkageCount: 5,
};
export const pageOf = (args: { page?: number; size?: number }, totalElements: number) => {
  const { page = 0, size = 50 } = args;
  return { page, size, totalElements, totalPages: Math.ceil(totalElements / size) };
};
