import type { Queryable } from '@fds/database';

/** The notifications that wait for their webhook receivers. */
export interface QueueFigures {
  readonly messages: number;
  /** 0: none waits. */
  readonly oldestSeconds: number;
}

/** Reads the figures of all queues: a look-up by index for each receiver with messages. */
export const loadQueueFigures = async (session: Queryable): Promise<QueueFigures> => {
  const { rows } = await session.query<{ messages: bigint | null; seconds: number | null }>({
    name: 'notifications-figures-queues',
    text: `SELECT sum(r.queued_messages) AS messages, max(extract(epoch FROM now() - m.date_created))::float8 AS seconds
           FROM notification_receiver r
           LEFT JOIN LATERAL (
             SELECT date_created FROM notification_message
             WHERE registration_uuid = r.registration_uuid AND sequence > r.settled_upto AND status = 'QUEUED'
             ORDER BY sequence LIMIT 1
           ) m ON true
           WHERE r.queued_messages > 0`,
  });
  const [row] = rows;
  return { messages: Number(row?.messages ?? 0), oldestSeconds: Math.max(0, row?.seconds ?? 0) };
};
