import type { FaultList } from '@fds/errors';

/** A stored preference; an adaptor without one is bronze. */
export type PreferenceType = 'GOLD' | 'SILVER';

/** A type, or BRONZE: no preference. */
export type AdaptorTier = PreferenceType | 'BRONZE';

/** A zone's preference for an adaptor when it assembles records of a domain version. */
export interface Preference {
  readonly uuid: string;
  readonly zoneUuid: string;
  readonly domainVersionUuid: string;
  readonly adaptorUuid: string;
  readonly preferenceType: PreferenceType;
  readonly createdByUuid: string | null;
  readonly dateCreated: Date;
  readonly lastUpdated: Date;
  readonly changeVersion: number;
}

export type PreferenceInput = Pick<Preference, 'domainVersionUuid' | 'adaptorUuid' | 'preferenceType'>;

/** A preference in a request. */
export type AskedPreference = Pick<Preference, 'domainVersionUuid' | 'adaptorUuid'> & {
  readonly preferenceType: AdaptorTier;
};

/** Reads a gold or silver preference. The result is meaningless when there is a fault. */
export const readPreference = (asked: AskedPreference, pointer: string, faults: FaultList): PreferenceInput => {
  const { preferenceType } = asked;
  if (preferenceType !== 'BRONZE') return { ...asked, preferenceType };
  faults.add(`${pointer}/preferenceType`, 'NOT_ALLOWED', 'GOLD or SILVER; an adaptor that is not listed is bronze');
  return { ...asked, preferenceType: 'SILVER' };
};

/** The key of a preference within its zone. */
const preferenceKey = ({
  domainVersionUuid,
  adaptorUuid,
}: Pick<Preference, 'domainVersionUuid' | 'adaptorUuid'>): string => `${domainVersionUuid} ${adaptorUuid}`;

/** The changes that turn a zone's preferences into the requested ones. */
export interface PreferenceChanges {
  readonly added: readonly PreferenceInput[];
  /** Preferences whose type changes. */
  readonly changed: readonly Preference[];
  readonly removed: readonly Preference[];
}

/** Preferences that are unchanged keep uuid, dates and changeVersion. */
export const planPreferences = (
  current: readonly Preference[],
  wanted: readonly PreferenceInput[],
): PreferenceChanges => {
  const present = new Map(current.map((preference) => [preferenceKey(preference), preference]));
  const kept = new Set(wanted.map(preferenceKey));
  return {
    added: wanted.filter((input) => !present.has(preferenceKey(input))),
    changed: wanted.flatMap((input) => {
      const before = present.get(preferenceKey(input));
      if (before === undefined || before.preferenceType === input.preferenceType) return [];
      return { ...before, preferenceType: input.preferenceType };
    }),
    removed: current.filter((preference) => !kept.has(preferenceKey(preference))),
  };
};

/** An adaptor has one preference for a domain version, so a list that names the pair twice is contradictory. */
export const requireDistinct = (inputs: readonly AskedPreference[], faults: FaultList): void => {
  const seen = new Set<string>();
  for (const [index, input] of inputs.entries()) {
    const key = preferenceKey(input);
    if (seen.has(key)) faults.add(`/${index}`, 'DUPLICATE', 'the adaptor is named twice for the domain version');
    seen.add(key);
  }
};
