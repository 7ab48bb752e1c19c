import { createHash } from 'node:crypto';
import type { Database } from '@fds/database';
import type { Adapter } from 'oidc-provider';
import { InvalidRequest } from 'oidc-provider/lib/helpers/errors.js';

export interface InteractionStoreOptions {
  readonly database: Database;
  readonly artifacts: Adapter;
  /** Returns the address that the current request came from. */
  readonly currentAddress: () => string;
  /** Called when a limit is reached. */
  readonly onBoundHit?: (() => void) | undefined;
  /** Most sign-ins in progress from one address. Default 200. */
  readonly maxOfAddress?: number;
  /** Most sign-ins in progress. Default 10 000; each process checks it at every 64th sign-in. */
  readonly maxAll?: number;
  /** Most bytes of one sign-in. Default 4096. */
  readonly maxBytes?: number;
}

const model = 'Interaction';
const checkAllEvery = 64;

const originOf = (address: string): string => createHash('sha256').update(address).digest('base64url').slice(0, 22);

/**
 * Sign-ins in progress. Anonymous callers start them, so their rows are bounded in size, in total number, and in number
 * for each address. A new sign-in beyond a bound deletes the oldest row of its address, or of all. Therefore no caller
 * is refused, and an attacker needs many addresses to end the sign-ins of others.
 */
export const createInteractionStore = ({
  database: { pool },
  artifacts,
  currentAddress,
  onBoundHit,
  maxOfAddress = 200,
  maxAll = 10_000,
  maxBytes = 4096,
}: InteractionStoreOptions): Adapter => {
  let started = 0;

  const makeRoom = async (origin: string | null, max: number): Promise<void> => {
    const { rowCount } = await pool.query(
      `DELETE FROM oidc_artifact WHERE model = $1 AND id IN (
         SELECT id FROM oidc_artifact WHERE model = $1 AND ($2::text IS NULL OR origin = $2)
         ORDER BY expires_at DESC, id OFFSET $3)`,
      [model, origin, max],
    );
    if ((rowCount ?? 0) > 0) onBoundHit?.();
  };

  return {
    ...artifacts,
    upsert: async (id, payload, expiresIn) => {
      if (Buffer.byteLength(JSON.stringify(payload)) > maxBytes) {
        onBoundHit?.();
        throw new InvalidRequest('the authorization request is too large');
      }
      await artifacts.upsert(id, payload, expiresIn);
      const origin = originOf(currentAddress());
      const { rowCount } = await pool.query(
        'UPDATE oidc_artifact SET origin = $3 WHERE model = $1 AND id = $2 AND origin IS NULL',
        [model, id, origin],
      );
      if (rowCount === 0) return;
      await makeRoom(origin, maxOfAddress);
      started += 1;
      if (started % checkAllEvery === 0) await makeRoom(null, maxAll);
    },
  };
};
