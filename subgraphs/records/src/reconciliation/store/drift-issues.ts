import type { SqlSession } from '@fds/database';
import type { ErrorCause } from '@fds/errors';
import { stringifyJson } from '@fds/json';
import type { Reconciliation } from './reconciliation.js';

/** An open issue DRIFTED. */
export interface DriftIssue {
  readonly uuid: string;
  /** JSON text. */
  readonly errors: string | null;
}

/** Locks the open issue about an adaptor and a version. */
export const findDriftIssue = async (
  client: SqlSession,
  { adaptorUuid, domainVersionUuid }: Pick<Reconciliation, 'adaptorUuid' | 'domainVersionUuid'>,
): Promise<DriftIssue | undefined> => {
  const { rows } = await client.query<DriftIssue>({
    name: 'records-find-drift-issue',
    text: `SELECT uuid, errors FROM data_issue
           WHERE adaptor_uuid = $1 AND domain_version_uuid = $2 AND key_digest IS NULL AND status = 'OPEN' AND cause = 'DRIFTED'
           ORDER BY uuid LIMIT 1 FOR UPDATE`,
    values: [adaptorUuid, domainVersionUuid],
  });
  return rows[0];
};

export const updateDriftIssue = async (
  client: SqlSession,
  uuid: string,
  { errors, description }: { readonly errors: readonly ErrorCause[]; readonly description: string },
): Promise<void> => {
  await client.query({
    name: 'records-update-drift-issue',
    text: `UPDATE data_issue SET errors = $2, description = $3,
             last_updated = CASE WHEN description IS NULL THEN last_updated ELSE now() END,
             change_version = change_version + CASE WHEN description IS NULL THEN 0 ELSE 1 END
           WHERE uuid = $1`,
    values: [uuid, stringifyJson(errors), description],
  });
};
