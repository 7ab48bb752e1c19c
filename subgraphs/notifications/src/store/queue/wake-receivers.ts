import type { SqlSession } from '@fds/database';

/** Name of the task of graphile-worker that sends to one receiver. */
export const deliveryTask = 'deliver_notifications';

/**
 * Makes a process send to each of the receivers, at once or at the given time. The last call for a receiver counts. In
 * a transaction, it takes effect at the commit.
 */
export const wakeReceivers = async (
  session: SqlSession,
  registrationUuids: readonly string[],
  at?: Date,
): Promise<void> => {
  if (registrationUuids.length === 0) return;
  await session.query({
    name: 'notifications-wake',
    text: `SELECT graphile_worker.add_job('${deliveryTask}', json_build_object('registrationUuid', uuid), run_at => $2,
             job_key => uuid, job_key_mode => 'replace')
           FROM unnest($1::text[]) AS uuid`,
    values: [[...registrationUuids], at ?? null],
  });
};
