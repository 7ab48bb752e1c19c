// The specification of the GraphQL schema (GraphQL, GraphQL types).

/** A type in the form of introspection. */
export interface TypeReference {
  readonly kind: string;
  readonly name: string | null;
  readonly ofType?: TypeReference | null;
}

/** A field in the form of introspection. */
export interface Field {
  readonly name: string;
  readonly type: TypeReference;
  readonly args: readonly {
    readonly name: string;
    readonly defaultValue: string | null;
    readonly type: TypeReference;
  }[];
}

/** Selection of a type reference that is wrapped up to three times. */
export const typeReference = 'kind name ofType { kind name ofType { kind name ofType { kind name } } }';
/** `[Domain]!` and the like. */
export const typeText = ({ kind, name, ofType }: TypeReference): string => {
  if (kind === 'NON_NULL' && ofType) return `${typeText(ofType)}!`;
  if (kind === 'LIST' && ofType) return `[${typeText(ofType)}]`;
  return name ?? '';
};

/** Query field, its type, and its arguments other than `page` and `size`. */
export const predefined: readonly (readonly [string, string, Readonly<Record<string, string>>])[] = [
  ['domains', 'Domains', { domainName: 'String', domainUuid: 'Uuid' }],
  [
    'domainVersions',
    'DomainVersions',
    { domainName: 'String', domainUuid: 'Uuid', domainVersionUuid: 'Uuid', versionNumber: 'Long' },
  ],
  [
    'adaptors',
    'Adaptors',
    {
      zoneName: 'String',
      zoneUuid: 'Uuid',
      name: 'String',
      state: 'AdaptorState',
      active: 'Boolean',
      adaptorTypeUuid: 'Uuid',
      domainVersionUuid: 'Uuid',
      includeInactive: 'Boolean',
      sort: 'String',
    },
  ],
  [
    'zones',
    'Zones',
    { zoneName: 'String', zoneUuid: 'Uuid', parentZoneUuid: 'Uuid', active: 'Boolean', sort: 'String' },
  ],
  ['adaptorTypes', 'AdaptorTypes', { name: 'String', sort: 'String' }],
  // docs/reference/graphql.md#queries: the filters of REST as arguments
  ['inboundAcls', 'ZoneAcls', { zoneUuid: 'Uuid!' }],
  ['outboundAcls', 'ZoneAcls', { zoneUuid: 'Uuid!' }],
];
/** Type and its fields. */
export const types: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  [
    'Domain',
    {
      active: 'Boolean',
      changeVersion: 'Long',
      createdByUuid: 'Uuid',
      dateCreated: 'DateTime!',
      defaultVersion: 'DomainVersion',
      defaultVersionNumber: 'Long',
      defaultVersionUuid: 'Uuid',
      description: 'String',
      domainType: 'Domain_DomainType',
      lastUpdated: 'DateTime!',
      name: 'String',
      uuid: 'ID!',
      versionCount: 'Long',
      versions: '[DomainVersion]',
    },
  ],
  [
    'DomainVersion',
    {
      changeVersion: 'Long',
      createdByUuid: 'Uuid',
      dateCreated: 'DateTime!',
      description: 'String',
      domain: 'Domain',
      drKeyProperties: '[String]',
      lastUpdated: 'DateTime!',
      matchingAlgorithm: 'MatchingAlgorithm',
      modelSchema: 'Json',
      uuid: 'ID!',
      versionNumber: 'Long',
    },
  ],
  ['Domains', { data: '[Domain]!', page: 'Page!' }],
  ['DomainVersions', { data: '[DomainVersion]!', page: 'Page!' }],
];
