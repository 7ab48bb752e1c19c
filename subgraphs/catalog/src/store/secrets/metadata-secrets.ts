import type { Sealer } from '@fds/auth';
import type { PrismaTransaction } from '@fds/database';
import { isJsonObject, parseJson, stringifyJson, type JsonObject, type JsonValue } from '@fds/json';
import { noSecrets, withSecrets, type Secrets } from '../../domain/secrets/split-secrets.js';
import { toJsonObject } from '../adaptor-types/adaptor-type-rows.js';

/** The effective metadata of an adaptor with masks, and its secrets. */
interface MetadataInEffect {
  readonly metadata: JsonObject | null;
  readonly secrets: Secrets;
}

/** The only code that reads and writes the secrets of metadata. Other stores read masks. */
export interface MetadataSecrets {
  /** @throws Error when the adaptor does not exist, or its secrets were sealed with another key */
  ofAdaptor(tx: PrismaTransaction, adaptorUuid: string): Promise<MetadataInEffect>;
  /** The default metadata of a type. @throws Error when its secrets were sealed with another key */
  defaultsOf(tx: PrismaTransaction, adaptorTypeUuid: string): Promise<MetadataInEffect>;
  /** @throws Error when they were sealed with another key */
  ofType(tx: PrismaTransaction, adaptorTypeUuid: string): Promise<Secrets>;
  /** Metadata with its secrets, which only the adaptor may get. */
  reveal(inEffect: MetadataInEffect): JsonObject | null;
  /** @param secrets undefined when the adaptor inherits its metadata */
  saveOfAdaptor(tx: PrismaTransaction, adaptorUuid: string, secrets: Secrets | undefined): Promise<void>;
  saveOfType(tx: PrismaTransaction, adaptorTypeUuid: string, secrets: Secrets): Promise<void>;
}

/** @param sealer seals with the deployment's key */
export const createMetadataSecrets = (sealer: Sealer): MetadataSecrets => {
  const seal = (secrets: Secrets): string => sealer.seal(stringifyJson(Object.fromEntries(secrets)));
  const unseal = (row: { readonly sealed: string } | null): Secrets => {
    if (row === null) return noSecrets;
    const secrets = parseJson(sealer.unseal(row.sealed));
    return new Map(isJsonObject(secrets) ? (Object.entries(secrets) as [string, JsonValue][]) : []);
  };
  const sealed = { select: { sealed: true } } as const;

  return {
    ofAdaptor: async (tx, uuid) => {
      const { metadata, secrets, adaptorType } = await tx.adaptor.findUniqueOrThrow({
        where: { uuid },
        select: {
          metadata: true,
          secrets: sealed,
          adaptorType: { select: { defaultMetadata: true, secrets: sealed } },
        },
      });
      return metadata === null
        ? { metadata: toJsonObject(adaptorType.defaultMetadata), secrets: unseal(adaptorType.secrets) }
        : { metadata: toJsonObject(metadata), secrets: unseal(secrets) };
    },
    defaultsOf: async (tx, uuid) => {
      const type = await tx.adaptorType.findUniqueOrThrow({
        where: { uuid },
        select: { defaultMetadata: true, secrets: sealed },
      });
      return { metadata: toJsonObject(type.defaultMetadata), secrets: unseal(type.secrets) };
    },
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
