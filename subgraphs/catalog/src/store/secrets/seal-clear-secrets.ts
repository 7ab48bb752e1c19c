import { inTransaction, rewriteChanges, type Database, type PrismaTransaction } from '@fds/database';
import { isJsonObject, parseJson, stringifyJson } from '@fds/json';
import { secretsNamed, type IsSecret } from '../../domain/secrets/secret-names.js';
import { noSecrets, splitSecrets } from '../../domain/secrets/split-secrets.js';
import { toJsonObject, toJsonText } from '../adaptor-types/adaptor-type-rows.js';
import type { MetadataSecrets } from './metadata-secrets.js';

/** Advisory lock of the names of secrets. */
const namesLock = 72_707_373n;

/**
 * Until the transaction ends, the names of secrets do not change while metadata is written with them. Take it before
 * any row is locked.
 */
export const lockSecretNames = async (tx: PrismaTransaction, purpose: 'use' | 'change'): Promise<void> => {
  if (purpose === 'use') await tx.$queryRaw`SELECT 1 FROM pg_advisory_xact_lock_shared(${namesLock})`;
  else await tx.$queryRaw`SELECT 1 FROM pg_advisory_xact_lock(${namesLock})`;
};

/** The data of an entry of the change log with its secrets masked. */
const maskedEntry = (data: string, isSecret: IsSecret): string => {
  const entry = parseJson(data);
  if (!isJsonObject(entry)) return data;
  const masked = ['metadata', 'defaultMetadata'].flatMap((member) => {
    const metadata = entry[member];
    return isJsonObject(metadata) ? [[member, splitSecrets(metadata, isSecret, noSecrets).metadata] as const] : [];
  });
  return stringifyJson({ ...entry, ...Object.fromEntries(masked) });
};

/**
 * Masks values in the change log that have become secret.
 *
 * @param uuid of an adaptor, or of a type for all adaptors that were of it
 */
export const maskLogged = (tx: PrismaTransaction, uuid: string, secretProperties: readonly string[]): Promise<void> => {
  const isSecret = secretsNamed(secretProperties);
  return rewriteChanges(tx, {
    resourceTypes: ['Adaptor', 'AdaptorType'],
    mentioning: uuid,
    rewrite: (data) => maskedEntry(data, isSecret),
    reason: 'SECRETS_MASKED',
  });
};

/** Seals values of an adaptor's own metadata that are secret by these names but stored in clear. */
const sealAdaptor = async (
  tx: PrismaTransaction,
  metadataSecrets: MetadataSecrets,
  uuid: string,
  secretProperties: readonly string[],
): Promise<void> => {
  const { metadata, secrets: kept } = await metadataSecrets.ofAdaptor(tx, uuid);
  if (metadata === null) return;
  const split = splitSecrets(metadata, secretsNamed(secretProperties), kept);
  await tx.adaptor.update({ where: { uuid }, data: { metadata: toJsonText(split.metadata) }, select: { uuid: true } });
  await metadataSecrets.saveOfAdaptor(tx, uuid, split.secrets);
};

/**
 * Seals values that a type's `secretProperties` now cover and did not cover before: in the metadata of its adaptors and
 * in the change log. The caller must have taken the lock for changing names.
 */
export const sealAddedNames = async (
  tx: PrismaTransaction,
  metadataSecrets: MetadataSecrets,
  adaptorTypeUuid: string,
  before: readonly string[],
  now: readonly string[],
): Promise<void> => {
  const known = new Set(before.map((name) => name.toLowerCase()));
  if (now.every((name) => known.has(name.toLowerCase()))) return;
  const where = { adaptorTypeUuid, metadata: { not: null } };
  for (const { uuid } of await tx.adaptor.findMany({ where, select: { uuid: true } })) {
    await sealAdaptor(tx, metadataSecrets, uuid, now);
  }
  await maskLogged(tx, adaptorTypeUuid, now);
};

const sealClearAdaptors = async (tx: PrismaTransaction, metadataSecrets: MetadataSecrets): Promise<void> => {
  const adaptors = await tx.adaptor.findMany({
    where: { metadata: { not: null }, OR: [{ secrets: null }, { secrets: { outdated: true } }] },
    select: { uuid: true, adaptorType: { select: { secretProperties: true } } },
  });
  for (const { uuid, adaptorType } of adaptors) {
    await sealAdaptor(tx, metadataSecrets, uuid, adaptorType.secretProperties);
  }
};

const sealClearTypes = async (tx: PrismaTransaction, metadataSecrets: MetadataSecrets): Promise<void> => {
  const types = await tx.adaptorType.findMany({
    where: { defaultMetadata: { not: null }, OR: [{ secrets: null }, { secrets: { outdated: true } }] },
    select: { uuid: true, defaultMetadata: true, secretProperties: true },
  });
  for (const { uuid, defaultMetadata, secretProperties } of types) {
    const given = toJsonObject(defaultMetadata);
    if (given === null) continue;
    const kept = await metadataSecrets.ofType(tx, uuid);
    const { metadata, secrets } = splitSecrets(given, secretsNamed(secretProperties), kept);
    await tx.adaptorType.update({
      where: { uuid },
      data: { defaultMetadata: toJsonText(metadata) },
      select: { uuid: true },
    });
    await metadataSecrets.saveOfType(tx, uuid, secrets);
  }
};

/** Uses SQL, so that a start that finds no clear metadata loads as little of Prisma as possible. */
const hasClearMetadata = async ({ pool }: Database): Promise<boolean> => {
  const { rows } = await pool.query<{ readonly found: boolean }>(
    `SELECT EXISTS (SELECT FROM adaptor a WHERE metadata IS NOT NULL
              AND NOT EXISTS (SELECT FROM adaptor_secrets s WHERE s.adaptor_uuid = a.uuid AND NOT s.outdated))
         OR EXISTS (SELECT FROM adaptor_type t WHERE default_metadata IS NOT NULL
              AND NOT EXISTS (SELECT FROM adaptor_type_secrets s WHERE s.adaptor_type_uuid = t.uuid AND NOT s.outdated)) AS found`,
  );
  return rows[0]?.found === true;
};

/**
 * Seals values that an earlier version stored in clear, because it had no secrets or fewer names of them. Idempotent.
 * Several processes may run it when they start at the same time.
 */
export const sealClearSecrets = async (database: Database, metadataSecrets: MetadataSecrets): Promise<void> => {
  if (!(await hasClearMetadata(database))) return;
  await inTransaction(database, async (tx) => {
    await lockSecretNames(tx, 'change');
    await sealClearAdaptors(tx, metadataSecrets);
    await sealClearTypes(tx, metadataSecrets);
  });
};
