import type { PrismaTransaction } from '@fds/database';
import type { FaultList } from '@fds/errors';
import type { AskedPreference } from '../../domain/preferences/preference.js';

type Reference = 'domainVersionUuid' | 'adaptorUuid';

/**
 * Checks that the resources in preferences exist. An adaptor may belong to any zone, and need not have the capability
 * GET yet.
 *
 * @param pointerOf pointer to a preference in the input
 */
export const checkPreferenceReferences = async (
  tx: PrismaTransaction,
  inputs: readonly Pick<AskedPreference, Reference>[],
  pointerOf: (index: number) => string,
  faults: FaultList,
): Promise<void> => {
  const among = (name: Reference) => ({
    where: { uuid: { in: [...new Set(inputs.map((input) => input[name]))] } },
    select: { uuid: true },
  });
  const known = new Set(
    [
      ...(await tx.domainVersion.findMany(among('domainVersionUuid'))),
      ...(await tx.adaptor.findMany(among('adaptorUuid'))),
    ].map(({ uuid }) => uuid),
  );
  const resources = { domainVersionUuid: 'domain version', adaptorUuid: 'adaptor' } as const;
  for (const [index, input] of inputs.entries()) {
    for (const name of ['domainVersionUuid', 'adaptorUuid'] as const) {
      if (known.has(input[name])) continue;
      faults.add(`${pointerOf(index)}/${name}`, 'UNKNOWN_REFERENCE', `there is no ${resources[name]} ${input[name]}`);
    }
  }
};
