import type { PrismaTransaction } from '@fds/database';
import { isJsonObject, parseJson } from '@fds/json';
import type { FaultList } from '@fds/errors';
import type { NamedByAcls } from '../../domain/acls/acl-warnings.js';

const selectors = {
  sourceZoneUuid: 'zone',
  destinationZoneUuid: 'zone',
  sourceAdaptorUuid: 'adaptor',
  destinationAdaptorUuid: 'adaptor',
  domainVersionUuid: 'domain version',
} as const;

type Selector = keyof typeof selectors;
type Resource = (typeof selectors)[Selector];
type Named = { readonly [Name in Selector]?: string | null };

const topLevelNames = (modelSchema: string): ReadonlySet<string> => {
  const model = parseJson(modelSchema);
  const properties = isJsonObject(model) ? model['properties'] : undefined;
  return new Set(isJsonObject(properties) ? Object.keys(properties).map((name) => name.toLowerCase()) : []);
};

/**
 * Checks the resources that entries name. Every uuid that does not exist is reported as UNKNOWN_REFERENCE, with a
 * pointer.
 *
 * @param placeOf pointer to an entry in the input
 */
export const checkAclReferences = async (
  tx: PrismaTransaction,
  inputs: readonly Named[],
  placeOf: (index: number) => string,
  faults: FaultList,
): Promise<NamedByAcls> => {
  const uuidsOf = (resource: Resource): string[] => [
    ...new Set(
      inputs.flatMap((input) =>
        (Object.keys(selectors) as Selector[]).flatMap((name) =>
          selectors[name] === resource ? (input[name] ?? []) : [],
        ),
      ),
    ),
  ];
  const among = (resource: Resource) => ({ uuid: { in: uuidsOf(resource) } });
  const select = { uuid: true } as const;
  const adaptors = await tx.adaptor.findMany({ where: among('adaptor'), select: { uuid: true, zoneUuid: true } });
  const zones = await tx.zone.findMany({ where: among('zone'), select });
  const versions = await tx.domainVersion.findMany({
    where: among('domain version'),
    select: { uuid: true, modelSchema: true },
  });
  const known = new Set([...adaptors, ...zones, ...versions].map(({ uuid }) => uuid));
  for (const [index, input] of inputs.entries()) {
    for (const name of Object.keys(selectors) as Selector[]) {
      const uuid = input[name];
      if (!uuid || known.has(uuid)) continue;
      faults.add(`${placeOf(index)}/${name}`, 'UNKNOWN_REFERENCE', `there is no ${selectors[name]} ${uuid}`);
    }
  }
  return {
    adaptorZones: new Map(adaptors.map(({ uuid, zoneUuid }) => [uuid, zoneUuid])),
    versionProperties: new Map(versions.map(({ uuid, modelSchema }) => [uuid, topLevelNames(modelSchema)])),
  };
};
