import type { PrismaTransaction } from '@fds/database';
import { referencesOf } from '@fds/model-schema';
import type { FaultList } from '@fds/errors';
import { checkReference, type TargetModel } from '../../domain/models/check-reference.js';
import { domainNameKey, type DomainType } from '../../domain/domains/domain.js';
import type { ReadVersion } from '../../domain/versions/domain-version.js';
import { loadModel, uniqueTargets } from '../../store/versions/load-model.js';

/** Largest value of the column for version numbers. */
const maxVersionNumber = 2_147_483_647;

const targetKey = (domain: string, versionNumber: number): string => `${domain.toLowerCase()}:${versionNumber}`;

/**
 * The targets of cross-references must exist, also if the version has other faults, and must have the properties that
 * the references name. A version may refer to itself. Domain names are compared ignoring case.
 */
export const checkReferences = async (
  tx: PrismaTransaction,
  { content, properties }: ReadVersion,
  self: {
    readonly domainName: string;
    readonly domainType: DomainType;
    readonly versionNumber: number;
  },
  faults: FaultList,
): Promise<void> => {
  const located = referencesOf({ properties });
  if (located.length === 0) return;
  const targets = await tx.domainVersion.findMany({
    where: {
      OR: uniqueTargets(
        located
          .filter(({ reference }) => reference.version <= maxVersionNumber)
          .map(({ reference }) => ({
            versionNumber: reference.version,
            domain: { nameKey: domainNameKey(reference.domain) },
          })),
      ),
    },
    include: { domain: { select: { name: true, domainType: true } } },
  });
  const known = new Map(targets.map((target) => [targetKey(target.domain.name, target.versionNumber), target]));
  const selfKey = targetKey(self.domainName, self.versionNumber);
  const models = new Map<string, TargetModel>(
    content === undefined ? [] : [[selfKey, { properties: content.model.properties, domainType: self.domainType }]],
  );
  for (const place of located) {
    const { domain, version } = place.reference;
    const key = targetKey(domain, version);
    // the properties of a faulty version are not known
    if (key === selfKey && content === undefined) continue;
    const stored = known.get(key);
    const target =
      models.get(key) ??
      (stored === undefined
        ? undefined
        : { properties: (await loadModel(stored)).properties, domainType: stored.domain.domainType as DomainType });
    if (target === undefined) {
      faults.add(place.pointer, 'UNKNOWN_REFERENCE', `there is no domain version ${domain}:v${version}`);
      continue;
    }
    models.set(key, target);
    checkReference(place, target, faults);
  }
};
