import type { Refusal } from '@fds/adaptor-protocol';
import { binaryArray, type SqlSession, type Queryable } from '@fds/database';
import { parseJson, stringifyJson } from '@fds/json';

/** Keeps notices until their adaptors acknowledge them. After the issues themselves. */
export const saveRefusals = async (
  client: SqlSession,
  notices: readonly { readonly adaptorUuid: string; readonly refusal: Refusal }[],
): Promise<void> => {
  if (notices.length === 0) return;
  await client.query({
    name: 'records-save-refusals',
    text: `INSERT INTO refusal_notice (issue_uuid, adaptor_uuid, notice)
           SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[])`,
    values: [
      binaryArray.uuid(notices.map(({ refusal }) => refusal.issueUuid)),
      binaryArray.uuid(notices.map(({ adaptorUuid }) => adaptorUuid)),
      binaryArray.text(notices.map(({ refusal }) => stringifyJson(refusal))),
    ],
  });
};

/** The notices that the adaptor has not acknowledged, the oldest first. */
export const loadRefusals = async (
  client: Queryable,
  adaptorUuid: string,
  maxNotices: number,
): Promise<readonly Refusal[]> => {
  const { rows } = await client.query<{ readonly notice: string }>({
    name: 'records-load-refusals',
    text: 'SELECT notice FROM refusal_notice WHERE adaptor_uuid = $1 ORDER BY issue_uuid LIMIT $2',
    values: [adaptorUuid, maxNotices],
  });
  return rows.map(({ notice }) => parseJson(notice) as unknown as Refusal);
};

/** The adaptor has taken these notices. Those of other adaptors stay. */
export const forgetRefusals = async (
  client: Queryable,
  adaptorUuid: string,
  issueUuids: readonly string[],
): Promise<void> => {
  await client.query({
    name: 'records-forget-refusals',
    text: 'DELETE FROM refusal_notice WHERE adaptor_uuid = $1 AND issue_uuid = ANY ($2::uuid[])',
    values: [adaptorUuid, issueUuids],
  });
};
