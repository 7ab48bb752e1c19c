import type { Client } from './client.js';

/** A domain with one version. */
export interface CreatedVersion {
  readonly domainUuid: string;
  readonly domainName: string;
  readonly domainVersionUuid: string;
}

/** Fails with the whole answer unless it has the expected status. */
export const requireStatus = <T extends { status: number; body: unknown }>(answer: T, status: number): T => {
  if (answer.status !== status)
    throw new Error(
      `expected ${status}, got ${answer.status}: ${JSON.stringify(answer.body, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))}`,
    );
  return answer;
};

/** Uuid of the zone Root. */
export const rootZone = async (client: Client): Promise<string> => {
  const { zones } = await client.graphql<{ zones: { data: { uuid: string }[] } }>(
    '{ zones(zoneName: "Root") { data { uuid } } }',
  );
  const [zone] = zones.data;
  if (zone === undefined) throw new Error('no zone Root');
  return zone.uuid;
};

export interface VersionSpecification {
  readonly name: string;
  readonly domainType: 'FEDERATED' | 'SERVICE_DATA_STORE';
  readonly properties: Readonly<Record<string, unknown>>;
  readonly drKeyProperties: readonly string[];
  /** Default EXACT. */
  readonly matchingAlgorithm?: unknown;
}

/** Creates a domain and its first version by REST. */
export const createVersion = async (
  client: Pick<Client, 'rest'>,
  specification: VersionSpecification,
): Promise<CreatedVersion> => {
  const { name, domainType, properties, drKeyProperties, matchingAlgorithm } = specification;
  const domain = requireStatus(await client.rest<{ uuid: string }>('POST', '/domains', { name, domainType }), 201);
  const version = requireStatus(
    await client.rest<{ uuid: string }>('POST', `/domains/${domain.body.uuid}/versions`, {
      modelSchema: { properties },
      drKeyProperties,
      ...(matchingAlgorithm === undefined ? {} : { matchingAlgorithm }),
    }),
    201,
  );
  return { domainUuid: domain.body.uuid, domainName: name, domainVersionUuid: version.body.uuid };
};

/** Credentials and uuid of a created adaptor. */
export interface CreatedAdaptor {
  readonly uuid: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Capabilities for every action of a domain version. */
export const allActions = (domainName: string, versionNumber = 1): readonly Record<string, unknown>[] =>
  ['POST', 'PUT', 'DELETE', 'GET'].map((action) => ({ domainName, versionNumber, action }));

/** Creates an adaptor by REST. */
export const createAdaptor = async (
  client: Pick<Client, 'rest'>,
  zoneUuid: string,
  body: {
    readonly name: string;
    readonly capabilities: readonly unknown[];
    readonly metadata?: unknown;
    readonly deletionLimit?: object | null;
  },
): Promise<CreatedAdaptor> =>
  requireStatus(await client.rest<CreatedAdaptor>('POST', `/zones/${zoneUuid}/adaptors`, body), 201).body;
