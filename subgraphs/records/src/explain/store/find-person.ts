import type { Queryable } from '@fds/database';

/** A person, and the zones that know the person. */
export interface KnownPerson {
  readonly uuid: string;
  readonly name: string;
  readonly memberships: readonly { readonly zoneUuid: string; readonly zoneUserUuid: string }[];
}

export const findPerson = async (client: Queryable, personUuid: string): Promise<KnownPerson | undefined> => {
  const { rows } = await client.query<KnownPerson>({
    name: 'records-find-person',
    text: `SELECT p.uuid, coalesce(p.name, p.username) AS name,
                  (SELECT coalesce(jsonb_agg(jsonb_build_object('zoneUuid', u.zone_uuid, 'zoneUserUuid', u.uuid)), '[]')
                   FROM zone_user u WHERE u.person_uuid = p.uuid AND u.knows_person) AS memberships
           FROM person p WHERE p.uuid = $1`,
    values: [personUuid],
  });
  return rows[0];
};
