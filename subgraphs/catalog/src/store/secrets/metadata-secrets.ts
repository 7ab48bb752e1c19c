import type { Sealer } from '@fds/auth';
import type { PrismaTransaction } from '@fds/database';
import { isJsonObject, parseJson, stringifyJson, type JsonObject, type JsonValue } from '@fds/json';
import { noSecrets, withoutSecrets, withSecrets, type Secrets } from '../../domain/secrets/split-secrets.js';
import { toJsonObject } from '../adaptor-types/adaptor-type-rows.js';

/** The effective metadata of an adaptor with masks, and its secrets. */
interface MetadataInEffect {
  readonly metadata: JsonObject | null;
  readonly secrets: Secrets;
}

/** The only code that reads and writes the secrets of metadata. Other stores read masks. */
export interface MetadataSecrets {
  /**
   * Inherited secrets are in effect for adaptors of the type's zone and of its `secretZones`. Other adaptors inherit
   * metadata without them.
   *
   * @throws Error when the adaptor does not exist, or its secrets were sealed with another key
   */
  ofAdaptor(tx: PrismaTransaction, adaptorUuid: string): Promise<MetadataInEffect>;
  /** The default metadata of a type. @throws Error when its secrets were sealed with another key */
  defaultsOf(tx: PrismaTransaction, adaptorTypeUuid: string): Promise<MetadataInEffect>;
  /**
   * The metadata that an adaptor of the zone inherits.
   *
   * @throws Error when the secrets of the type were sealed with another key
   */
  inheritedFrom(tx: PrismaTransaction, adaptorTypeUuid: string, zoneUuid: string): Promise<MetadataInEffect>;
  /** @throws Error when they were sealed with another key */
  ofType(tx: PrismaTransaction, adaptorTypeUuid: string): Promise<Secrets>;
  /** Metadata with its secrets, which only the adaptor may get. */
  reveal(inEffect: MetadataInEffect): JsonObject | null;
  /** @param secrets undefined when the adaptor inherits its metadata */
  saveOfAdaptor(tx: PrismaTransaction, adaptorUuid: string, secrets: Secrets | undefined): Promise<void>;
  saveOfType(tx: PrismaTransaction, adaptorTypeUuid: string, secrets: Secrets): Promise<void>;
}

/** The zone of types without a zone. */
const requireRootZone = async (tx: PrismaTransaction): Promise<string> => {
  const { zoneUuid } = await tx.role.findFirstOrThrow({
    where: { managed: true, name: 'Root Admin' },
    select: { zoneUuid: true },
  });
  return zoneUuid;
};

/** @param sealer seals with the deployment's key */
export const createMetadataSecrets = (sealer: Sealer): MetadataSecrets => {
  const seal = (secrets: Secrets): string => sealer.seal(stringifyJson(Object.fromEntries(secrets)));
  const unseal = (row: { readonly sealed: string } | null): Secrets => {
    if (row === null) return noSecrets;
    const secrets = parseJson(sealer.unseal(row.sealed));
    return new Map(isJsonObject(secrets) ? (Object.entries(secrets) as [string, JsonValue][]) : []);
  };
  const sealed = { select: { sealed: true } } as const;
  const ofDefaults = { defaultMetadata: true, secrets: sealed } as const;
  const ofHeirs = { ...ofDefaults, zoneUuid: true, secretZones: true } as const;

  const inherited = async (
    tx: PrismaTransaction,
    type: {
      readonly defaultMetadata: string | null;
      readonly secrets: { readonly sealed: string } | null;
      readonly zoneUuid: string | null;
      readonly secretZones: readonly string[];
    },
    zoneUuid: string,
  ): Promise<MetadataInEffect> => {
    const metadata = toJsonObject(type.defaultMetadata);
    const secrets = unseal(type.secrets);
    if (metadata === null || secrets.size === 0) return { metadata, secrets };
    const owner = type.zoneUuid ?? (await requireRootZone(tx));
    return zoneUuid === owner || type.secretZones.includes(zoneUuid)
      ? { metadata, secrets }
      : { metadata: withoutSecrets(metadata, secrets), secrets: noSecrets };
  };

  return {
    ofAdaptor: async (tx, uuid) => {
      const { metadata, secrets, zoneUuid, adaptorType } = await tx.adaptor.findUniqueOrThrow({
        where: { uuid },
        select: { metadata: true, secrets: sealed, zoneUuid: true, adaptorType: { select: ofHeirs } },
      });
      return metadata === null
        ? inherited(tx, adaptorType, zoneUuid)
        : { metadata: toJsonObject(metadata), secrets: unseal(secrets) };
    },
    defaultsOf: async (tx, uuid) => {
      const type = await tx.adaptorType.findUniqueOrThrow({
        where: { uuid },
        select: ofDefaults,
      });
      return { metadata: toJsonObject(type.defaultMetadata), secrets: unseal(type.secrets) };
    },
    inheritedFrom: async (tx, uuid, zoneUuid) =>
      inherited(tx, await tx.adaptorType.findUniqueOrThrow({ where: { uuid }, select: ofHeirs }), zoneUuid),
    ofType: async (tx, adaptorTypeUuid) =>
      unseal(await tx.adaptorTypeSecrets.findUnique({ where: { adaptorTypeUuid }, ...sealed })),
    reveal: ({ metadata, secrets }) => (metadata === null ? null : withSecrets(metadata, secrets)),
    saveOfAdaptor: async (tx, adaptorUuid, secrets) => {
      await tx.adaptorSecrets.deleteMany({ where: { adaptorUuid } });
      if (secrets === undefined) return;
      await tx.adaptorSecrets.create({ data: { adaptorUuid, sealed: seal(secrets) }, select: { adaptorUuid: true } });
    },
    saveOfType: async (tx, adaptorTypeUuid, secrets) => {
      const row = { sealed: seal(secrets), outdated: false };
      await tx.adaptorTypeSecrets.upsert({
        where: { adaptorTypeUuid },
        create: { adaptorTypeUuid, ...row },
        update: row,
        select: { adaptorTypeUuid: true },
      });
    },
  };
};
