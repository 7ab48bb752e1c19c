import { compileEvents, type EventEntry, type EventFilter } from '@fds/change-events';
import type { Database } from '@fds/database';

/** A registration that is sent to, as changes are compared with it. */
export interface RegistrationFilter extends EventFilter {
  readonly uuid: string;
  readonly userUuid: string;
  /** Changes at or below it came before the registration. */
  readonly afterPosition: bigint;
  /** May it want changes of records? */
  readonly reachesRecords: boolean;
}

interface Row {
  readonly uuid: string;
  readonly user_uuid: string;
  readonly events: string;
  readonly after_position: bigint;
}

const first = /^\/?(?:api\/)?([^/]*)/;
const reachesRecords = ({ resource }: EventEntry): boolean =>
  ['drs', '?', '*'].includes(first.exec(resource)?.[1] ?? '');

/** The registrations that are sent to, compiled. */
export const loadFilters = async ({ pool }: Pick<Database, 'pool'>): Promise<readonly RegistrationFilter[]> => {
  const { rows } = await pool.query<Row>({
    name: 'notifications-filters',
    text: `SELECT uuid, user_uuid, events, after_position FROM notification_registration
           WHERE status IN ('ACTIVE', 'FAILING')`,
  });
  return rows.map((row) => {
    const events = JSON.parse(row.events) as EventEntry[];
    return {
      ...compileEvents(events),
      uuid: row.uuid,
      userUuid: row.user_uuid,
      afterPosition: row.after_position,
      reachesRecords: events.some(reachesRecords),
    };
  });
};
