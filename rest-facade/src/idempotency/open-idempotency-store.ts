import { createHash, type BinaryLike } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sealer } from '@fds/auth';
import { toUnavailable, type Database } from '@fds/database';
import type { Closable, Log } from '@fds/service';
import type { EndpointAnswer } from '../http/endpoint.js';
import type { Claim, IdempotencyStore, IdempotentRequest } from './idempotency-store.js';

export interface IdempotencyOptions {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly log: Log;
  readonly now: () => Date;
  readonly newUuid: () => string;
  /** Longest wait of a request for the answer of another attempt, in milliseconds. Default 10 000. */
  readonly longestWaitMs?: number;
}

const keptMs = 24 * 3_600_000;
const pruneEveryMs = 3_600_000;
/** Longer than any operation: transactions end after 30 s. */
const leaseMs = 60_000;
const defaultWaitMs = 10_000;
const firstPauseMs = 20;
const longestPauseMs = 500;
const listedChanges = 20;

interface Row {
  readonly request_digest: Buffer;
  readonly claim_uuid: string;
  readonly leased_until: Date;
  readonly log_position: string | number | bigint;
  readonly sealed_answer: string | null;
}

const digestOf = (parts: readonly BinaryLike[]): Buffer => {
  const digest = createHash('sha256');
  // each part is hashed separately, so that no two lists of parts have the same digest
  for (const part of parts) digest.update(createHash('sha256').update(part).digest());
  return digest.digest();
};

/**
 * Opens the store of idempotent requests in the database. Removes rows older than 24 hours, at once and then hourly.
 * Answers are encrypted, since they may contain credentials.
 */
export const openIdempotencyStore = (options: IdempotencyOptions): IdempotencyStore & Closable => {
  const { database, sealer, log, now, newUuid, longestWaitMs = defaultWaitMs } = options;
  const { pool } = database;
  const after = (ms: number): Date => new Date(now().getTime() + ms);

  const claimed = (scope: Buffer, claimUuid: string): Claim => {
    const own = [scope, claimUuid];
    return {
      kind: 'CLAIMED',
      settle: async (answer) => {
        const sealed = sealer.seal(JSON.stringify(answer));
        const text = 'UPDATE idempotent_request SET sealed_answer = $3 WHERE scope_digest = $1 AND claim_uuid = $2';
        await pool.query(text, [...own, sealed]);
      },
      release: async () => {
        await pool.query('DELETE FROM idempotent_request WHERE scope_digest = $1 AND claim_uuid = $2', own);
      },
    };
  };

  /** Inserts a row if there is none, or replaces one that is too old. */
  const insert = async (scope: Buffer, content: Buffer): Promise<Claim | undefined> => {
    const claimUuid = newUuid();
    const { rowCount } = await pool.query(
      `INSERT INTO idempotent_request AS known
         (scope_digest, request_digest, claim_uuid, leased_until, log_position, date_created)
       VALUES ($1, $2, $3, $4, (SELECT coalesce(max(position), 0) FROM change_log), $5)
       ON CONFLICT (scope_digest) DO UPDATE
         SET request_digest = excluded.request_digest, claim_uuid = excluded.claim_uuid, sealed_answer = NULL,
             leased_until = excluded.leased_until, log_position = excluded.log_position,
             date_created = excluded.date_created
         WHERE known.date_created <= $6`,
      [scope, content, claimUuid, after(leaseMs), now(), after(-keptMs)],
    );
    return rowCount === 1 ? claimed(scope, claimUuid) : undefined;
  };

  /** Takes over from an attempt that has ended and has changed nothing. Undefined when another attempt was faster. */
  const takeOver = async (scope: Buffer, row: Row, callerUuid: string): Promise<Claim | undefined> => {
    const changes = await pool.query<{ resource: string }>(
      'SELECT resource FROM change_log WHERE position > $1 AND actor_uuid = $2 ORDER BY position LIMIT $3',
      [row.log_position, callerUuid, listedChanges],
    );
    if (changes.rows.length > 0) return { kind: 'UNKNOWN', changes: changes.rows.map(({ resource }) => resource) };
    const claimUuid = newUuid();
    const { rowCount } = await pool.query(
      `UPDATE idempotent_request SET claim_uuid = $3, leased_until = $4
       WHERE scope_digest = $1 AND claim_uuid = $2 AND sealed_answer IS NULL`,
      [scope, row.claim_uuid, claimUuid, after(leaseMs)],
    );
    return rowCount === 1 ? claimed(scope, claimUuid) : undefined;
  };

  /**
   * Reads the row of another attempt; undefined when the row has disappeared or was taken over, so that the caller must
   * try again.
   */
  const look = async (scope: Buffer, content: Buffer, callerUuid: string): Promise<Claim | undefined> => {
    const { rows } = await pool.query<Row>('SELECT * FROM idempotent_request WHERE scope_digest = $1', [scope]);
    const [row] = rows;
    if (row === undefined) return undefined;
    if (!row.request_digest.equals(content)) return { kind: 'REUSED' };
    if (row.sealed_answer !== null) {
      return { kind: 'ANSWERED', answer: JSON.parse(sealer.unseal(row.sealed_answer)) as EndpointAnswer };
    }
    const leftMs = row.leased_until.getTime() - now().getTime();
    if (leftMs > 0) return { kind: 'IN_PROGRESS', retryAfterSeconds: Math.ceil(leftMs / 1000) };
    return takeOver(scope, row, callerUuid);
  };

  const claim = async ({ callerUuid, path, key, content }: IdempotentRequest): Promise<Claim> => {
    const scope = digestOf([callerUuid, path, key]);
    const contentDigest = digestOf([content]);
    let pauseMs = firstPauseMs;
    for (let waitedMs = 0; ; waitedMs += pauseMs) {
      const found = (await insert(scope, contentDigest)) ?? (await look(scope, contentDigest, callerUuid));
      if (found !== undefined && (found.kind !== 'IN_PROGRESS' || waitedMs >= longestWaitMs)) return found;
      await sleep(pauseMs);
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    }
  };

  const prune = async (): Promise<void> => {
    try {
      await pool.query('DELETE FROM idempotent_request WHERE date_created <= $1', [after(-keptMs)]);
    } catch (error) {
      log.warn({ err: error }, 'old idempotent requests were not forgotten');
    }
  };
  let pruning = prune();
  const timer = setInterval(() => {
    pruning = prune();
  }, pruneEveryMs).unref();

  return {
    claim: async (request) => {
      try {
        return await claim(request);
      } catch (error) {
        throw toUnavailable(error);
      }
    },
    close: async () => {
      clearInterval(timer);
      await pruning;
    },
  };
};
