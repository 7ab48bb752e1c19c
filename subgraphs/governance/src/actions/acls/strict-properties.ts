import type { PrismaTransaction } from '@fds/database';
import type { FaultList } from '@fds/errors';
import { closest, distance } from 'fastest-levenshtein';
import type { ZoneAclContent } from '../../domain/acls/acl-content.js';

/** May the author read this domain version? Only its property names are suggested. */
export type MayReadVersion = (version: { readonly uuid: string; readonly domainUuid: string }) => boolean;

/** Names among which the nearest one is searched for, for an entry of any domain version. */
const maxCandidates = 5_000;

type Named = Pick<ZoneAclContent, 'domainVersionUuid' | 'properties'>;

const hasProperties = ({ properties }: Named): boolean => properties !== null && properties.length > 0;

const nearestOf = (name: string, candidates: readonly string[]): string => {
  if (candidates.length === 0) return '';
  const nearest = closest(name.toLowerCase(), [...candidates]);
  return distance(name.toLowerCase(), nearest.toLowerCase()) <= Math.max(2, name.length / 3)
    ? `; the nearest one is ${JSON.stringify(nearest)}`
    : '';
};

/**
 * Reports every property of the entries that their domain version does not have, or for an entry of any version, that no version
 * has. Case is ignored, as when the entry decides.
 *
 * @param placeOf pointer to an entry in the input
 */
export const requireKnownProperties = async (
  tx: PrismaTransaction,
  entries: readonly Named[],
  placeOf: (index: number) => string,
  mayRead: MayReadVersion,
  faults: FaultList,
): Promise<void> => {
  const ofVersions = new Set(entries.filter(hasProperties).map(({ domainVersionUuid }) => domainVersionUuid));
  const known = new Map<string | null, readonly { readonly name: string; readonly isReadable: boolean }[]>();
  for (const domainVersionUuid of ofVersions) {
    const rows = await tx.domainVersionProperty.findMany({
      where: { ...(domainVersionUuid === null ? {} : { domainVersionUuid }), name: { not: { contains: '.' } } },
      select: { name: true, domainVersion: { select: { uuid: true, domainUuid: true } } },
      ...(domainVersionUuid === null ? { distinct: ['name'], take: maxCandidates } : {}),
    });
    known.set(
      domainVersionUuid,
      rows.map(({ name, domainVersion }) => ({ name, isReadable: mayRead(domainVersion) })),
    );
  }
  const existsSomewhere = async (name: string): Promise<boolean> =>
    (await tx.domainVersionProperty.count({ where: { name: { equals: name, mode: 'insensitive' } } })) > 0;
  for (const [index, { domainVersionUuid, properties }] of entries.entries()) {
    const candidates = known.get(domainVersionUuid) ?? [];
    const names = new Set(candidates.map(({ name }) => name.toLowerCase()));
    for (const [at, name] of (properties ?? []).entries()) {
      if (names.has(name.toLowerCase()) || (domainVersionUuid === null && (await existsSomewhere(name)))) continue;
      const readable = candidates.flatMap((each) => (each.isReadable ? [each.name] : []));
      const where = domainVersionUuid === null ? 'no domain version has' : 'the domain version does not have';
      const detail = `${where} a property ${JSON.stringify(name)}${nearestOf(name, readable)}`;
      faults.add(`${placeOf(index)}/properties/${at}`, 'UNKNOWN_PROPERTY', detail);
    }
  }
};
