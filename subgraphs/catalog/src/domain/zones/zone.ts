import { AppError, type FaultList, readName, readText } from '@fds/errors';

/** Members of a zone that a caller can write. */
export interface ZoneSettings {
  readonly name: string;
  readonly description: string | null;
  readonly parentZoneUuid: string | null;
  /** `lat,long` */
  readonly geoCoordinates: string | null;
  readonly active: boolean;
}

export interface Zone extends ZoneSettings {
  readonly uuid: string;
  readonly createdByUuid: string | null;
  readonly dateCreated: Date;
  readonly lastUpdated: Date;
  readonly changeVersion: number;
}

export type ZoneInput = { readonly [Name in keyof ZoneSettings]?: ZoneSettings[Name] | null } & {
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
