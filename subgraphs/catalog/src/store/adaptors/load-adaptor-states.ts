import type { Queryable } from '@fds/database';

/** The state of an adaptor, with the names by which people know it. */
export interface AdaptorStateRow {
  readonly uuid: string;
  readonly name: string;
  /** Name of its zone. */
  readonly zone: string;
  readonly state: string;
}

/** Reads the states of all adaptors, the oldest adaptor first. */
export const loadAdaptorStates = async (session: Queryable): Promise<readonly AdaptorStateRow[]> => {
  const { rows } = await session.query<AdaptorStateRow>({
    name: 'catalog-adaptor-states',
    text: `SELECT a.uuid, a.name, z.name AS zone, a.state FROM adaptor a JOIN zone z ON z.uuid = a.zone_uuid
           ORDER BY a.uuid`,
  });
  return rows;
};
