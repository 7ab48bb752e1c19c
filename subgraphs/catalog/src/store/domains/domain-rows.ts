import type { PrismaTransaction } from '@fds/database';
import type { Domain, DomainType } from '../../domain/domains/domain.js';

type DomainRow = Omit<Domain, 'domainType'> & { readonly domainType: string; readonly nameKey: string };

export const toDomain = ({ nameKey: _nameKey, domainType, ...row }: DomainRow): Domain => ({
  ...row,
  domainType: domainType as DomainType,
});

/** Locks the domain's row until the transaction ends, so that version numbers are assigned one after the other. */
export const lockDomain = (tx: PrismaTransaction, uuid: string): Promise<unknown> =>
  tx.$queryRaw`SELECT 1 FROM domain WHERE uuid = ${uuid}::uuid FOR UPDATE`;

/** How many capabilities and cross-references use the name of a domain, ignoring case. */
export const countUsesOfName = async (
  tx: PrismaTransaction,
  name: string,
): Promise<{ readonly capabilities: number; readonly references: number }> => {
  const named = { where: { domainName: { equals: name, mode: 'insensitive' } } } as const;
  const [row] = await tx.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM domain_version
    WHERE model_schema ILIKE ${`%"/domains/${name.replaceAll('_', '\\_')}:v%`}`;
  return {
    capabilities: (await tx.adaptorCapability.count(named)) + (await tx.adaptorTypeCapability.count(named)),
    references: row?.count ?? 0,
  };
};
