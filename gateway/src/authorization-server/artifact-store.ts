import type { Database } from '@fds/database';
import { isStorableText } from '@fds/json';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import { InvalidGrant } from 'oidc-provider/lib/helpers/errors.js';

interface ArtifactRow {
  readonly payload: AdapterPayload;
  readonly consumed_at: Date | null;
}

export interface ArtifactStoreOptions {
  readonly database: Database;
  /** Name of the provider's model: sessions, codes, grants. */
  readonly model: string;
  readonly now: () => Date;
  /** Ends the grant of a code or refresh token that is used twice. */
  readonly endGrant: (grantId: string) => Promise<void>;
}

/** Keeps the artifacts of one model of the provider in the table `oidc_artifact`. */
export const createArtifactStore = ({ database: { pool }, model, now, endGrant }: ArtifactStoreOptions): Adapter => {
  const findBy = async (column: 'id' | 'uid' | 'user_code', value: string): Promise<AdapterPayload | undefined> => {
    // callers choose the value; the database refuses text that it cannot store
    if (!isStorableText(value)) return undefined;
    const { rows } = await pool.query<ArtifactRow>(
      `SELECT payload, consumed_at FROM oidc_artifact
       WHERE model = $1 AND ${column} = $2 AND (expires_at IS NULL OR expires_at > $3)`,
      [model, value, now()],
    );
    const row = rows[0];
    if (row === undefined) return undefined;
    return row.consumed_at === null
      ? row.payload
      : { ...row.payload, consumed: Math.floor(row.consumed_at.getTime() / 1000) };
  };

  return {
    upsert: async (id, payload, expiresIn) => {
      const expiresAt = expiresIn === undefined ? null : new Date(now().getTime() + expiresIn * 1000);
      await pool.query(
        `INSERT INTO oidc_artifact (model, id, payload, grant_id, user_code, uid, expires_at)
         VALUES ($1, $2, $3::jsonb, $4, $5, $6, $7)
         ON CONFLICT (model, id) DO UPDATE SET payload = excluded.payload, grant_id = excluded.grant_id,
           user_code = excluded.user_code, uid = excluded.uid, expires_at = excluded.expires_at`,
        [model, id, JSON.stringify(payload), payload.grantId, payload.userCode, payload.uid, expiresAt],
      );
    },
    find: (id) => findBy('id', id),
    findByUid: (uid) => findBy('uid', uid),
    findByUserCode: (userCode) => findBy('user_code', userCode),
    // the provider found it unused, but other requests may have found the same; only one of them may use it
    consume: async (id) => {
      const { rowCount } = await pool.query(
        'UPDATE oidc_artifact SET consumed_at = $3 WHERE model = $1 AND id = $2 AND consumed_at IS NULL',
        [model, id, now()],
      );
      if (rowCount === 1) return;
      const { rows } = await pool.query<{ readonly grant_id: string | null }>(
        'SELECT grant_id FROM oidc_artifact WHERE model = $1 AND id = $2',
        [model, id],
      );
      const grantId = rows[0]?.grant_id;
      if (grantId !== null && grantId !== undefined) await endGrant(grantId);
      throw new InvalidGrant('used already');
    },
    destroy: async (id) => {
      await pool.query('DELETE FROM oidc_artifact WHERE model = $1 AND id = $2', [model, id]);
    },
    revokeByGrantId: async (grantId) => {
      await pool.query('DELETE FROM oidc_artifact WHERE grant_id = $1', [grantId]);
    },
  };
};
