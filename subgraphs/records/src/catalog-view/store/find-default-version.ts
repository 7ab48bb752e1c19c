import type { Queryable } from '@fds/database';

/** The default version of a domain. */
export const findDefaultVersion = async (client: Queryable, domainUuid: string): Promise<string | undefined> => {
  const { rows } = await client.query<{ readonly default_version_uuid: string | null }>({
    name: 'records-find-default-version',
    text: 'SELECT default_version_uuid FROM domain WHERE uuid = $1',
    values: [domainUuid],
  });
  return rows[0]?.default_version_uuid ?? undefined;
};
