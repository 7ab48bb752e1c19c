import type { Sealer } from '@fds/auth';
import { isUnavailable, type Database, type PrismaTransaction } from '@fds/database';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';

/** A private key of the authorization server. */
export interface SigningKey {
  readonly kid: string;
  readonly jwk: JWK;
}

/** The keys of the deployment, shared by all processes through the database. */
export interface SigningKeys {
  /**
   * All published keys. The first one signs. Returns the same list until the keys change. It reads the database at most
   * once in ten seconds, and keeps the last list while the database cannot be read.
   */
  current(): Promise<readonly SigningKey[]>;
  /**
   * Publishes a new key if the latest is as old as `maxAgeMs`. When several processes call at once, one of them does.
   * The new key begins to sign after every verifier has had time to load it. The previous keys stay published until
   * their last token has expired.
   *
   * @returns whether this process published a key
   */
  rotate(maxAgeMs: number): Promise<boolean>;
}

export interface SigningKeysOptions {
  readonly database: Database;
  readonly sealer: Sealer;
  /** Lifetime of the signed tokens. */
  readonly tokenMinutes: number;
  readonly now: () => Date;
}

interface KeyRow {
  readonly kid: string;
  readonly sealed_jwk: string;
  readonly signs_from: Date;
}

const algorithm = 'ES256';
const rereadMs = 10_000;
/** Time that a key is published before it signs: longer than any verifier caches a key set. */
const publishAheadMs = 15 * 60_000;
const signingKeyLock = 72_707_371;

const createJwk = async (): Promise<{ kid: string; jwk: JWK }> => {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const jwk = await exportJWK(privateKey);
  const kid = await calculateJwkThumbprint(jwk);
  return { kid, jwk: { ...jwk, kid, use: 'sig', alg: algorithm } };
};

export const createSigningKeys = ({
  database: { prisma, pool },
  sealer,
  tokenMinutes,
  now,
}: SigningKeysOptions): SigningKeys => {
  let known: { readonly keys: readonly SigningKey[]; readonly signature: string } | undefined;
  let readAt = Number.NEGATIVE_INFINITY;

  const insertKey = async (tx: PrismaTransaction, signsFrom: Date): Promise<void> => {
    const { kid, jwk } = await createJwk();
    await tx.signingKey.create({
      data: { kid, algorithm, sealedJwk: sealer.seal(JSON.stringify(jwk)), dateCreated: now(), signsFrom },
      select: { kid: true },
    });
  };

  const createFirst = (): Promise<void> =>
    prisma.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(${signingKeyLock})`;
      if ((await tx.signingKey.count()) === 0) await insertKey(tx, now());
    });

  const readRows = async () => {
    const { rows } = await pool.query<KeyRow>({
      name: 'signing-keys-read',
      text: `SELECT kid, sealed_jwk, signs_from FROM signing_key WHERE retire_at IS NULL OR retire_at > $1
             ORDER BY signs_from DESC, kid`,
      values: [now()],
    });
    const signing = rows.filter((row) => row.signs_from <= now());
    return [...signing, ...rows.filter((row) => row.signs_from > now())];
  };

  const read = async (): Promise<readonly SigningKey[]> => {
    let rows = await readRows();
    if (rows.length === 0) {
      await createFirst();
      rows = await readRows();
    }
    const signature = rows.map((row) => row.kid).join(' ');
    if (known?.signature !== signature) {
      const keys = rows.map(({ kid, sealed_jwk }) => ({ kid, jwk: JSON.parse(sealer.unseal(sealed_jwk)) as JWK }));
      known = { keys, signature };
    }
    readAt = now().getTime();
    return known.keys;
  };

  return {
    current: async () => {
      if (known === undefined) return read();
      if (now().getTime() - readAt < rereadMs) return known.keys;
      const { keys } = known;
      return read().catch((error: unknown) => {
        if (isUnavailable(error)) return keys;
        throw error;
      });
    },
    rotate: async (maxAgeMs) => {
      const signsFrom = new Date(now().getTime() + publishAheadMs);
      // an old key signs until then, and its last token is valid for one token lifetime more
      const retireAt = new Date(signsFrom.getTime() + rereadMs + tokenMinutes * 60_000);
      const published = await prisma.$transaction(async (tx) => {
        await tx.$executeRaw`SELECT pg_advisory_xact_lock(${signingKeyLock})`;
        const latest = await tx.signingKey.findFirst({
          where: { retireAt: null, dateCreated: { gt: new Date(now().getTime() - maxAgeMs) } },
          select: { kid: true },
        });
        if (latest !== null) return false;
        await tx.signingKey.deleteMany({ where: { retireAt: { lte: now() } } });
        await tx.signingKey.updateMany({ where: { retireAt: null }, data: { retireAt } });
        await insertKey(tx, signsFrom);
        return true;
      });
      if (published) await read();
      return published;
    },
  };
};
