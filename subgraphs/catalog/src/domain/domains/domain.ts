import { AppError, type FaultList, readCutDescription } from '@fds/errors';
import { graphqlDomainName, isDomainName } from '@fds/model-schema';

export type DomainType = 'FEDERATED' | 'SERVICE_DATA_STORE';

/** Members of a domain that a caller can write, except the default version. */
export interface DomainSettings {
  readonly name: string;
  readonly description: string | null;
  readonly domainType: DomainType;
  readonly zoneUuid: string;
  readonly active: boolean;
}

export interface Domain extends DomainSettings {
  readonly uuid: string;
  readonly defaultVersionUuid: string | null;
  readonly createdByUuid: string | null;
  readonly dateCreated: Date;
  readonly lastUpdated: Date;
  readonly changeVersion: number;
}

export type DomainInput = { readonly [Name in keyof DomainSettings]?: DomainSettings[Name] | null } & {
  readonly defaultVersionUuid?: string | null;
  readonly defaultVersionNumber?: number | bigint | null;
  readonly changeVersion?: number | bigint | null;
};

/**
 * The key that must differ between domains: names are compared ignoring case, and a dash equals an underscore in
 * GraphQL.
 */
export const domainNameKey = (name: string): string => graphqlDomainName(name).toLowerCase();

const readDomainName = (name: string | null | undefined, faults: FaultList): string => {
  if (name === null || name === undefined) faults.add('/name', 'REQUIRED', 'name is required');
  else if (!isDomainName(name)) {
    faults.add(
      '/name',
      'WRONG_FORMAT',
      'name must be 2 to 128 letters, digits, dashes and underscores, begin with a letter and have no two separators in a row',
    );
  }
  return name ?? '';
};

/**
 * Reads the settings of a domain that is created (`current` undefined) or replaced. An absent description becomes null;
 * absent type, zone and `active` stay unchanged.
 *
 * @param defaultZoneUuid owning zone of a new domain whose input has no zone
 */
export const readDomain = (
  input: DomainInput,
  current: DomainSettings | undefined,
  defaultZoneUuid: string | undefined,
  faults: FaultList,
): DomainSettings => {
  const zoneUuid = input.zoneUuid ?? current?.zoneUuid ?? defaultZoneUuid;
  if (zoneUuid === undefined) faults.add('/zoneUuid', 'REQUIRED', 'you have no default zone: name the owning zone');
  return {
    name: readDomainName(input.name, faults),
    description: readCutDescription(input.description, faults),
    domainType: input.domainType ?? current?.domainType ?? 'SERVICE_DATA_STORE',
    zoneUuid: zoneUuid ?? '',
    active: input.active ?? current?.active ?? true,
  };
};

const unpatched = ['name', 'domainType', 'zoneUuid'] as const;

/**
 * A patch accepts the description, active and the default version (docs/reference/model-schema.md#domains). Other members
 * may be sent back unchanged.
 */
export const checkPatch = (input: DomainInput, current: DomainSettings, faults: FaultList): void => {
  for (const member of unpatched) {
    if (input[member] !== undefined && input[member] !== current[member]) {
      faults.add(`/${member}`, 'NOT_ALLOWED', `PATCH does not change ${member}: use PUT`);
    }
  }
};

/** A domain cannot lose its default version: null is accepted only if it has none. */
export const checkDefaultKept = (
  input: DomainInput,
  { defaultVersionUuid }: Pick<Domain, 'defaultVersionUuid'>,
  faults: FaultList,
): void => {
  if (defaultVersionUuid === null) return;
  for (const member of ['defaultVersionUuid', 'defaultVersionNumber'] as const) {
    if (input[member] === null) faults.add(`/${member}`, 'REQUIRED', 'a domain with versions has a default version');
  }
};

/** The type cannot change once a version exists (docs/reference/model-schema.md#domains). @throws AppError CONFLICT */
export const requireTypeKept = (current: DomainSettings, next: DomainSettings, versionCount: number): void => {
  if (versionCount === 0 || current.domainType === next.domainType) return;
  throw new AppError('CONFLICT', 'the type of a domain with versions cannot change', {
    errors: [{ pointer: '/domainType', code: 'IN_USE', detail: `the domain has ${versionCount} versions` }],
  });
};

/** @throws AppError DUPLICATE_NAME */
export const duplicateDomainName = (name: string): AppError<'DUPLICATE_NAME'> =>
  new AppError('DUPLICATE_NAME', `a domain with the name ${name}, or one that is the same in GraphQL, exists`, {
    errors: [
      { pointer: '/name', code: 'DUPLICATE_NAME', detail: 'names are compared ignoring case, dash as underscore' },
    ],
  });
