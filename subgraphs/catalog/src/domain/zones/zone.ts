import { AppError, type FaultList, readName, readText } from '@fds/errors';

/** Decides which values previews show as chosen. Nothing is sent. */
interface ReconciliationPolicy {
  readonly values: 'KEEP' | 'ADAPTOR' | 'OTHERS' | 'PREFERENCES' | 'LATEST';
  readonly missingHere: 'SEND' | 'KEEP';
  readonly missingThere: 'SEND' | 'KEEP';
}

/** How often the adaptors of a zone are compared with the others. */
interface ReconciliationSchedule {
  readonly everyHours: number;
  readonly policy: ReconciliationPolicy;
}

/** Members that are left out are KEEP. */
interface ReconciliationScheduleInput {
  readonly everyHours: number;
  readonly policy?: { readonly [Member in keyof ReconciliationPolicy]?: ReconciliationPolicy[Member] | null } | null;
}

/** Members of a zone that a caller can write. */
export interface ZoneSettings {
  readonly name: string;
  readonly description: string | null;
  readonly parentZoneUuid: string | null;
  /** `lat,long` */
  readonly geoCoordinates: string | null;
  readonly active: boolean;
  /** Null: adaptors are compared only on request. */
  readonly reconcile: ReconciliationSchedule | null;
}

export interface Zone extends ZoneSettings {
  readonly uuid: string;
  readonly createdByUuid: string | null;
  readonly dateCreated: Date;
  readonly lastUpdated: Date;
  readonly changeVersion: number;
}

export type ZoneInput = { readonly [Name in Exclude<keyof ZoneSettings, 'reconcile'>]?: ZoneSettings[Name] | null } & {
  readonly reconcile?: ReconciliationScheduleInput | null;
  readonly changeVersion?: number | bigint | null;
  /** Persons. Only used at creation. */
  readonly adminUserUuids?: readonly string[] | null;
  /** Persons. Only used at creation. */
  readonly dataStewardUserUuids?: readonly string[] | null;
};

const coordinate = /^\s*(-?\d{1,3}(?:\.\d+)?)\s*,\s*(-?\d{1,3}(?:\.\d+)?)\s*$/;

const isCoordinates = (text: string): boolean => {
  const [, latitude, longitude] = coordinate.exec(text) ?? [];
  return latitude !== undefined && Math.abs(Number(latitude)) <= 90 && Math.abs(Number(longitude)) <= 180;
};

const holderMembers = ['adminUserUuids', 'dataStewardUserUuids'] as const;

/**
 * Holders are given when a zone is created, at least one of each kind that is given. Later they are members of its
 * roles.
 */
const checkHolders = (input: ZoneInput, isNew: boolean, faults: FaultList): void => {
  for (const name of holderMembers) {
    const uuids = input[name];
    if (uuids === null || uuids === undefined) continue;
    if (!isNew) faults.add(`/${name}`, 'NOT_ALLOWED', 'can be given when a zone is created; later change its roles');
    else if (uuids.length === 0) faults.add(`/${name}`, 'OUT_OF_RANGE', 'name at least one person, or leave it out');
  }
};

const longestHours = 8_760;

const readSchedule = (
  input: ReconciliationScheduleInput | null | undefined,
  faults: FaultList,
): ReconciliationSchedule | null => {
  if (input === null || input === undefined) return null;
  const { everyHours, policy } = input;
  if (everyHours < 1 || everyHours > longestHours) {
    const detail = `must be from 1 to ${longestHours}, not ${everyHours}`;
    faults.add('/reconcile/everyHours', 'OUT_OF_RANGE', detail);
  }
  return {
    everyHours,
    policy: {
      values: policy?.values ?? 'KEEP',
      missingHere: policy?.missingHere ?? 'KEEP',
      missingThere: policy?.missingThere ?? 'KEEP',
    },
  };
};

/**
 * Reads the settings of a zone that is created (`current` undefined) or replaced. An absent member becomes null, except
 * for parent and `active`, which stay unchanged. A replacement without a parent does not move the zone.
 */
export const readZone = (input: ZoneInput, current: ZoneSettings | undefined, faults: FaultList): ZoneSettings => {
  checkHolders(input, current === undefined, faults);
  const geoCoordinates = readText('/geoCoordinates', input.geoCoordinates, faults);
  if (geoCoordinates !== null && !isCoordinates(geoCoordinates)) {
    faults.add('/geoCoordinates', 'WRONG_FORMAT', 'geoCoordinates must be "lat,long" in degrees');
  }
  return {
    name: readName(input.name, 2, faults),
    description: readText('/description', input.description, faults),
    parentZoneUuid: input.parentZoneUuid === undefined ? (current?.parentZoneUuid ?? null) : input.parentZoneUuid,
    geoCoordinates,
    active: input.active ?? current?.active ?? true,
    reconcile: readSchedule(input.reconcile, faults),
  };
};

/**
 * A zone may not be moved below itself.
 *
 * @param ancestors the new parent, its parent, and so on up to the root
 * @throws AppError CONFLICT
 */
export const requireNoCycle = (zoneUuid: string, ancestors: readonly string[]): void => {
  if (!ancestors.includes(zoneUuid)) return;
  throw new AppError('CONFLICT', 'a zone cannot be below itself', {
    errors: [{ pointer: '/parentZoneUuid', code: 'CYCLE', detail: 'the parent is the zone itself or below it' }],
  });
};
