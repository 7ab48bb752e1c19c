import { binaryArray, type SqlSession } from '@fds/database';
import type { DecisionCount } from '@fds/governance-rules';

/**
 * Adds to the decision counts of chain entries. The counts are sorted, so that transactions wait and never deadlock.
 */
export const saveDecisionCounts = async (client: SqlSession, counts: readonly DecisionCount[]): Promise<void> => {
  if (counts.length === 0) return;
  await client.query({
    name: 'governance-save-decision-counts',
    text: `INSERT INTO acl_metric AS m (chain, subject_uuid, allowed, denied, last_matched)
           SELECT chain, subject_uuid, allowed, denied, now()
           FROM unnest($1::text[], $2::uuid[], $3::bigint[], $4::bigint[]) AS n(chain, subject_uuid, allowed, denied)
           ON CONFLICT (subject_uuid, chain) DO UPDATE
             SET allowed = m.allowed + excluded.allowed, denied = m.denied + excluded.denied,
                 last_matched = greatest(m.last_matched, excluded.last_matched)`,
    values: [
      binaryArray.text(counts.map(({ chain }) => chain)),
      binaryArray.uuid(counts.map(({ subjectUuid }) => subjectUuid)),
      binaryArray.int8(counts.map(({ allowed }) => allowed)),
      binaryArray.int8(counts.map(({ denied }) => denied)),
    ],
  });
};
