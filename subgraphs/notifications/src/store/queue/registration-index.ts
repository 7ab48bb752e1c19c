import { createEventIndex, type ChangeEvent, type EventEntry } from '@fds/change-events';
import type { Database } from '@fds/database';

/** The active registrations, indexed by the changes that they match. */
export interface RegistrationIndex {
  readonly size: number;
  /** Can any of them match changes of records? */
  readonly reachesRecords: boolean;
  /** All registrations ignore changes up to this position; undefined when no registration exists. */
  firstPosition(): bigint | undefined;
  /** The registrations that match a change at a position, with their users. */
  wanting(change: ChangeEvent, position: bigint): readonly WantingRegistration[];
  /** Reads a registration again. A registration that no longer exists, or receives no messages, matches no changes. */
  refresh(registrationUuid: string): Promise<void>;
}

export interface WantingRegistration {
  readonly registrationUuid: string;
  readonly userUuid: string;
}

interface Row {
  readonly uuid: string;
  readonly user_uuid: string;
  readonly events: string;
  readonly after_position: bigint;
}

interface Known {
  readonly userUuid: string;
  /** Changes at or below this position are older than the registration. */
  readonly afterPosition: bigint;
  readonly reachesRecords: boolean;
}

const first = /^\/?(?:api\/)?([^/]*)/;
const reachesRecords = ({ resource }: EventEntry): boolean =>
  ['drs', '?', '*'].includes(first.exec(resource)?.[1] ?? '');

const load = async ({ pool }: Pick<Database, 'pool'>, registrationUuid?: string): Promise<readonly Row[]> => {
  const { rows } = await pool.query<Row>({
    name: 'notifications-registered-events',
    text: `SELECT uuid, user_uuid, events, after_position FROM notification_registration
           WHERE status IN ('ACTIVE', 'FAILING') AND ($1::uuid IS NULL OR uuid = $1)`,
    values: [registrationUuid ?? null],
  });
  return rows;
};

/** Loads the active registrations. */
export const openRegistrationIndex = async (database: Pick<Database, 'pool'>): Promise<RegistrationIndex> => {
  const index = createEventIndex();
  const known = new Map<string, Known>();
  let withRecords = 0;

  const forget = (uuid: string): void => {
    if (known.get(uuid)?.reachesRecords === true) withRecords -= 1;
    known.delete(uuid);
    index.delete(uuid);
  };
  const remember = ({ uuid, user_uuid: userUuid, events, after_position: afterPosition }: Row): void => {
    const entries = JSON.parse(events) as EventEntry[];
    const reaches = entries.some(reachesRecords);
    if (reaches) withRecords += 1;
    known.set(uuid, { userUuid, afterPosition, reachesRecords: reaches });
    index.set(uuid, entries);
  };

  for (const row of await load(database)) remember(row);

  return {
    get size() {
      return known.size;
    },
    get reachesRecords() {
      return withRecords > 0;
    },
    firstPosition: () => {
      let smallest: bigint | undefined;
      for (const { afterPosition } of known.values()) {
        if (smallest === undefined || afterPosition < smallest) smallest = afterPosition;
      }
      return smallest;
    },
    wanting: (change, position) =>
      [...index.find(change)].flatMap((registrationUuid) => {
        const { userUuid, afterPosition } = known.get(registrationUuid) ?? {};
        return userUuid === undefined || afterPosition === undefined || position <= afterPosition
          ? []
          : [{ registrationUuid, userUuid }];
      }),
    refresh: async (registrationUuid) => {
      const [row] = await load(database, registrationUuid);
      forget(registrationUuid);
      if (row !== undefined) remember(row);
    },
  };
};
