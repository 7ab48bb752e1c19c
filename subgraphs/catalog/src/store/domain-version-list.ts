import type { Principal } from '@fds/auth';
import type { Database } from '@fds/database';
import type { Paged, PageRequest } from '@fds/graphql';
import { domainNameKey } from '../domain/domain.js';
import type { DomainVersion } from '../domain/domain-version.js';
import { mayReadVersion, requireAnyOf } from '../domain/visibility.js';
import { filterText, orderOf, readPage } from './read-page.js';

export interface DomainVersionFilter {
  readonly domainName?: string | null;
  readonly domainUuid?: string | null;
  readonly domainVersionUuid?: string | null;
  /** 0: each domain's default version. */
  readonly versionNumber?: number | bigint | null;
  readonly sort?: string | null;
}

const sortFields = ['domain.name', 'versionNumber', 'dateCreated', 'lastUpdated'];
const maxInt = 2_147_483_647n;

/** Versions the caller may read, as a condition. */
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

const numbered = (versionNumber: number | bigint) => {
  const inRange = BigInt(versionNumber) >= 1n && BigInt(versionNumber) <= maxInt;
  return inRange ? { versionNumber: Number(versionNumber) } : { uuid: { in: [] } };
};

/** Active versions of active domains that the caller may read. */
export const listDomainVersions = async (
  database: Database,
  { domainName, domainUuid, domainVersionUuid, versionNumber, sort }: DomainVersionFilter,
  page: PageRequest,
  principal: Principal,
): Promise<Paged<DomainVersion>> => {
  const orderBy = orderOf(sort, sortFields, 'domain.name,versionNumber').map((term) =>
    'domain.name' in term ? { domain: { name: term['domain.name'] } } : term,
  );
  const name = filterText('domainName', domainName);
  const domain = {
    active: true,
    ...(name === undefined ? {} : { nameKey: domainNameKey(name) }),
    ...(domainUuid ? { uuid: domainUuid } : {}),
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
    AND: [await visibleVersions(database, principal), wanted, domainVersionUuid ? { uuid: domainVersionUuid } : {}],
  };
  return readPage(
    page,
    () => database.prisma.domainVersion.count({ where }),
    (range) => database.prisma.domainVersion.findMany({ where, orderBy, ...range }),
  );
};
