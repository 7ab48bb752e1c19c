import type { Principal } from '@fds/auth';
import type { Database } from '@fds/database';
import { AppError } from '@fds/errors';
import { filterText, orderOf, type Paged, type PageRequest, readPage } from '@fds/graphql';
import { domainNameKey } from '../../domain/domains/domain.js';
import type { DomainVersion } from '../../domain/versions/domain-version.js';
import { mayReadVersion, requireAnyOf } from '../../domain/visibility.js';
import { requireDomain } from '../domains/domain-actions.js';

export interface DomainVersionFilter {
  readonly domainName?: string | null;
  readonly domainUuid?: string | null;
  readonly domainVersionUuid?: string | null;
  /** 0 means each domain's default version. */
  readonly versionNumber?: number | bigint | null;
  readonly sort?: string | null;
}

const sortFields = ['domain.name', 'versionNumber', 'dateCreated', 'lastUpdated'];
const maxInt = 2_147_483_647n;

/** Condition for versions that the caller may read. */
const visibleVersions = async ({ prisma }: Database, principal: Principal) => {
  const everything = ['/domains/?/versions/?', '/domains/versions/?'];
  if (everything.some((path) => principal.permits('GET', path))) return {};
  const versions = await prisma.domainVersion.findMany({ select: { uuid: true, domainUuid: true } });
  const visible = versions.filter((version) => mayReadVersion(principal, version)).map((version) => version.uuid);
  if (visible.length === 0) requireAnyOf(principal, ['/domains/versions', '/domains/?/versions', '/domains']);
  return { uuid: { in: visible } };
};

const defaultVersions = async ({ prisma }: Database, domain: object) => {
  const rows = await prisma.domain.findMany({ where: domain, select: { defaultVersionUuid: true } });
  return { uuid: { in: rows.flatMap((row) => row.defaultVersionUuid ?? []) } };
};

/** @throws AppError INVALID_PARAMETER */
const numbered = (versionNumber: number | bigint) => {
  if (versionNumber < 0) {
    throw new AppError('INVALID_PARAMETER', 'versionNumber must be 0 (the default version) or more', {
      errors: [{ pointer: 'versionNumber', code: 'OUT_OF_RANGE', detail: '0 is the default version, N that one' }],
    });
  }
  return versionNumber <= maxInt ? { versionNumber: Number(versionNumber) } : { uuid: { in: [] } };
};

/** @param among returns the condition for the versions to list, after the filter has been read */
const listAmong = async (
  database: Database,
  among: () => Promise<object>,
  { domainName, domainUuid, domainVersionUuid, versionNumber, sort }: DomainVersionFilter,
  page: PageRequest,
): Promise<Paged<DomainVersion>> => {
  const orderBy = orderOf(sort, sortFields, 'domain.name,versionNumber');
  const name = filterText('domainName', domainName);
  const domain = {
    ...(name === undefined ? {} : { nameKey: domainNameKey(name) }),
    ...(domainUuid ? { uuid: domainUuid } : { active: true }),
  };
  const wanted =
    versionNumber === null || versionNumber === undefined
      ? {}
      : BigInt(versionNumber) === 0n
        ? await defaultVersions(database, domain)
        : numbered(versionNumber);
  const where = {
    active: true,
    domain,
    AND: [await among(), wanted, domainVersionUuid ? { uuid: domainVersionUuid } : {}],
  };
  return readPage(
    page,
    () => database.prisma.domainVersion.count({ where }),
    (range) => database.prisma.domainVersion.findMany({ where, orderBy, ...range }),
  );
};

/** Active versions that the caller may read: of active domains, or of the domain with the given uuid, active or not. */
export const listDomainVersions = (
  database: Database,
  filter: DomainVersionFilter,
  page: PageRequest,
  principal: Principal,
): Promise<Paged<DomainVersion>> => listAmong(database, () => visibleVersions(database, principal), filter, page);

/** Active versions of a domain. The caller's permission is checked before. @throws AppError NOT_FOUND for the domain */
export const listVersionsOfDomain = (
  database: Database,
  domainUuid: string,
  filter: Pick<DomainVersionFilter, 'versionNumber' | 'sort'>,
  page: PageRequest,
): Promise<Paged<DomainVersion>> =>
  listAmong(
    database,
    async () => {
      await requireDomain(database.prisma, domainUuid);
      return {};
    },
    { ...filter, domainUuid },
    page,
  );
