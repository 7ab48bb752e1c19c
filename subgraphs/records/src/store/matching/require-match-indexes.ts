import type { SqlSession } from '@fds/database';
import type { Matchings } from '../../domain/records/near-records.js';

/** Tokens of these versions' records are not complete. */
export class IncompleteMatchIndexes extends Error {
  constructor(readonly versionUuids: readonly string[]) {
    super('the tokens of keys are not complete');
  }
}

/**
 * Are the tokens complete by which candidates are found? Call it while the versions are locked.
 *
 * @throws IncompleteMatchIndexes
 */
export const requireMatchIndexes = async (client: SqlSession, matchings: Matchings): Promise<void> => {
  if (matchings.size === 0) return;
  const { rows } = await client.query<{ readonly uuid: string; readonly fingerprint: string | null }>({
    name: 'records-read-match-indexes',
    text: 'SELECT domain_version_uuid AS uuid, fingerprint FROM match_index WHERE domain_version_uuid = ANY ($1::uuid[])',
    values: [[...matchings.keys()]],
  });
  const complete = new Map(rows.map(({ uuid, fingerprint }) => [uuid, fingerprint]));
  const incomplete = [...matchings].flatMap(([uuid, { tokens }]) =>
    complete.get(uuid) === tokens.fingerprint ? [] : uuid,
  );
  if (incomplete.length > 0) throw new IncompleteMatchIndexes(incomplete);
};
