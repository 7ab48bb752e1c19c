import type { SqlSession } from '@fds/database';

/** The data that is removed when it is old. */
export type RetentionSubject = 'DATA_EVENTS' | 'DATA_ECHOES' | 'DELIVERY_PROGRESS' | 'CLOSED_ISSUES' | 'REMOVED_LINKS';

/** Where a round begins. */
export interface RetentionTurn {
  /** The last row that the round before looked at; null: it begins with the oldest. */
  readonly after: string | null;
}

/**
 * Takes the subject until the transaction ends.
 *
 * @returns undefined while another process has it, and while it rests
 */
export const takeTurn = async (
  client: SqlSession,
  subject: RetentionSubject,
  now: Date,
): Promise<RetentionTurn | undefined> => {
  const { rows } = await client.query<RetentionTurn>({
    name: 'records-take-retention-turn',
    text: `SELECT after FROM retention_progress WHERE subject = $1 AND rests_until <= $2 FOR UPDATE SKIP LOCKED`,
    values: [subject, now],
  });
  return rows[0];
};

/** Notes how far a round came. The row is locked. */
export const saveTurn = async (
  client: SqlSession,
  subject: RetentionSubject,
  { after, restsUntil }: RetentionTurn & { readonly restsUntil: Date },
): Promise<void> => {
  await client.query({
    name: 'records-save-retention-turn',
    text: 'UPDATE retention_progress SET after = $2, rests_until = $3 WHERE subject = $1',
    values: [subject, after, restsUntil],
  });
};
