import type { SqlSession } from '@fds/database';

/** The failed attempts of a webhook adaptor, which survive a restart. */
export interface WebhookFailure {
  /** Attempts that failed one after the other. */
  readonly failures: number;
  /** No attempt is made before; null: none is made until a caller plays or changes the adaptor. */
  readonly notBefore: Date | null;
  /** Why the last one failed. */
  readonly detail: string;
}

/** The failed attempts with this revision of the metadata; undefined: no attempt failed. */
export const loadWebhookFailure = async (
  session: SqlSession,
  adaptorUuid: string,
  revision: string,
): Promise<WebhookFailure | undefined> => {
  const { rows } = await session.query<WebhookFailure>({
    name: 'records-load-webhook-failure',
    text: `SELECT failures, not_before AS "notBefore", detail FROM webhook_failure
           WHERE adaptor_uuid = $1 AND revision = $2`,
    values: [adaptorUuid, revision],
  });
  return rows[0];
};

/** Does nothing for an adaptor without a channel: it is being deleted. */
export const saveWebhookFailure = async (
  session: SqlSession,
  adaptorUuid: string,
  revision: string,
  { failures, notBefore, detail }: WebhookFailure,
): Promise<void> => {
  await session.query({
    name: 'records-save-webhook-failure',
    text: `INSERT INTO webhook_failure (adaptor_uuid, revision, failures, not_before, detail)
           SELECT adaptor_uuid, $2, $3, $4, $5 FROM adaptor_channel WHERE adaptor_uuid = $1
           ON CONFLICT (adaptor_uuid) DO UPDATE
           SET revision = excluded.revision, failures = excluded.failures, not_before = excluded.not_before,
             detail = excluded.detail`,
    values: [adaptorUuid, revision, failures, notBefore, detail],
  });
};

export const removeWebhookFailure = async (session: SqlSession, adaptorUuid: string): Promise<void> => {
  await session.query({
    name: 'records-remove-webhook-failure',
    text: 'DELETE FROM webhook_failure WHERE adaptor_uuid = $1',
    values: [adaptorUuid],
  });
};
