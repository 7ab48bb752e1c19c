import { randomUUID } from 'node:crypto';
import { logChange, type Database } from '@fds/database';
import { stringifyJson, type JsonObject } from '@fds/json';
import type { MatchingAlgorithm } from '@fds/matching';

export interface SeededVersion {
  readonly domainUuid: string;
  readonly domainVersionUuid: string;
}

/** The tables of the catalog as its own subgraph would fill them. */
export interface CatalogSeed {
  addZone(name: string): Promise<string>;
  addVersion(options: {
    readonly domainName: string;
    readonly domainType: 'FEDERATED' | 'SERVICE_DATA_STORE';
    readonly properties: JsonObject;
    readonly drKeyProperties: readonly string[];
    /** Default: none. */
    readonly searchProperties?: readonly string[];
    /** Default EXACT. */
    readonly matchingAlgorithm?: MatchingAlgorithm;
  }): Promise<SeededVersion>;
  /** Gives the version another algorithm; undefined: EXACT. */
  changeMatching(versionUuid: string, algorithm: MatchingAlgorithm | undefined): Promise<void>;
  /** Active, STARTED, capable of everything for the domains' version 1 unless said otherwise. */
  addAdaptor(options: {
    readonly name: string;
    readonly zoneUuid: string;
    readonly domains: readonly string[];
    readonly actions?: readonly string[];
    readonly discoveryMode?: boolean;
    /** Name of its type. Default: a type of this seed. */
    readonly typeName?: string;
  }): Promise<string>;
  setState(adaptorUuid: string, state: string): Promise<void>;
  /** An entry that denies properties, or everything, of POST and PUT. */
  denyInbound(zoneUuid: string, properties: readonly string[], sourceZoneUuid?: string): Promise<string>;
  /** An entry that denies every DELETE that comes into the zone. */
  denyDeletion(zoneUuid: string): Promise<string>;
}

export const createCatalogSeed = (database: Database): CatalogSeed => {
  const { prisma } = database;
  let adaptorTypeUuid: string | undefined;
  let rootZoneUuid: string | undefined;

  const addZone = async (name: string): Promise<string> => {
    const uuid = randomUUID();
    await prisma.zone.create({ data: { uuid, name } });
    return uuid;
  };
  const requireRoot = async (): Promise<string> => (rootZoneUuid ??= await addZone('Owner of domains'));
  const addType = async (name: string): Promise<string> => {
    const uuid = randomUUID();
    await prisma.adaptorType.create({ data: { uuid, name } });
    return uuid;
  };
  const requireType = async (): Promise<string> => (adaptorTypeUuid ??= await addType(`type ${randomUUID()}`));

  const addInboundAcl = async (
    zoneUuid: string,
    entry: {
      readonly properties?: string[];
      readonly post?: string;
      readonly put?: string;
      readonly delete?: string;
      readonly sourceZoneUuid?: string | undefined;
    },
  ): Promise<string> => {
    const uuid = randomUUID();
    await prisma.$transaction(async (tx) => {
      await tx.zoneAcl.create({ data: { uuid, zoneUuid, chain: 'INBOUND', position: 0, ...entry } });
      await logChange(tx, {
        action: 'POST',
        resourceType: 'InboundAcl',
        resource: `/inbound-acls/${uuid}`,
        resourceUuid: uuid,
      });
    });
    return uuid;
  };

  return {
    addZone,
    addVersion: async ({
      domainName,
      domainType,
      properties,
      drKeyProperties,
      searchProperties = [],
      matchingAlgorithm,
    }) => {
      const domainUuid = randomUUID();
      const domainVersionUuid = randomUUID();
      const zoneUuid = await requireRoot();
      const nameKey = domainName.toLowerCase().replaceAll('-', '_');
      await prisma.$transaction(async (tx) => {
        await tx.domain.create({
          data: {
            uuid: domainUuid,
            name: domainName,
            nameKey,
            domainType,
            zoneUuid,
            defaultVersionUuid: domainVersionUuid,
          },
        });
        await tx.domainVersion.create({
          data: {
            uuid: domainVersionUuid,
            domainUuid,
            versionNumber: 1,
            modelSchema: stringifyJson({ properties }),
            drKeyProperties: [...drKeyProperties],
            searchProperties: [...searchProperties],
            matchingAlgorithm: matchingAlgorithm === undefined ? null : JSON.stringify(matchingAlgorithm),
          },
        });
        await logChange(tx, {
          action: 'POST',
          resourceType: 'DomainVersion',
          resource: `/domains/${domainUuid}/versions/${domainVersionUuid}`,
          resourceUuid: domainVersionUuid,
        });
      });
      return { domainUuid, domainVersionUuid };
    },
    changeMatching: async (versionUuid, algorithm) => {
      await prisma.$transaction(async (tx) => {
        await tx.domainVersion.update({
          where: { uuid: versionUuid },
          data: {
            matchingAlgorithm: algorithm === undefined ? null : JSON.stringify(algorithm),
            changeVersion: { increment: 1 },
          },
        });
        await logChange(tx, {
          action: 'PATCH',
          resourceType: 'DomainVersion',
          resource: `/domains/versions/${versionUuid}`,
          resourceUuid: versionUuid,
        });
      });
    },
    addAdaptor: async ({
      name,
      zoneUuid,
      domains,
      actions = ['GET', 'POST', 'PUT', 'DELETE'],
      discoveryMode = false,
      typeName,
    }) => {
      const uuid = randomUUID();
      const typeUuid = typeName === undefined ? await requireType() : await addType(typeName);
      const capabilities = domains.flatMap((domainName) => actions.map((action) => ({ domainName, action })));
      await prisma.$transaction(async (tx) => {
        await tx.adaptor.create({
          data: {
            uuid,
            name,
            zoneUuid,
            adaptorTypeUuid: typeUuid,
            state: 'STARTED',
            discoveryMode,
            inheritsCapabilities: false,
            capabilities: {
              create: capabilities.map((capability, position) => ({ ...capability, position, versionNumber: 1 })),
            },
          },
        });
        await logChange(tx, {
          action: 'POST',
          resourceType: 'Adaptor',
          resource: `/adaptors/${uuid}`,
          resourceUuid: uuid,
        });
      });
      return uuid;
    },
    setState: async (adaptorUuid, state) => {
      await prisma.$transaction(async (tx) => {
        await tx.adaptor.update({ where: { uuid: adaptorUuid }, data: { state } });
        await logChange(tx, {
          action: 'PUT',
          resourceType: 'AdaptorState',
          resource: `/adaptors/${adaptorUuid}`,
          resourceUuid: adaptorUuid,
        });
      });
    },
    denyInbound: (zoneUuid, properties, sourceZoneUuid) =>
      addInboundAcl(zoneUuid, { properties: [...properties], post: 'DENY', put: 'DENY', sourceZoneUuid }),
    denyDeletion: (zoneUuid) => addInboundAcl(zoneUuid, { delete: 'DENY' }),
  };
};
