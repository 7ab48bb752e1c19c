import type { PrismaTransaction } from '@fds/database';
import { isJsonObject, parseJson, stringifyJson } from '@fds/json';
import { referencesOf, type CompiledModel } from '@fds/model-schema';
import { domainNameKey } from '../domain/domain.js';
import type { FaultList } from '../domain/fault-list.js';

/** Of the column that holds version numbers. */
const maxVersionNumber = 2_147_483_647;

const hasProperty = (modelSchema: string, property: string): boolean => {
  const schema = parseJson(modelSchema);
  const properties = isJsonObject(schema) && isJsonObject(schema['properties']) ? schema['properties'] : {};
  return Object.keys(properties).some((name) => name.toLowerCase() === property.toLowerCase());
};

/** The targets of cross-references must exist; a version may refer to itself. */
export const checkReferences = async (
  tx: PrismaTransaction,
  model: CompiledModel,
  self: { readonly domainName: string; readonly versionNumber: number },
  faults: FaultList,
): Promise<void> => {
  const located = referencesOf(model);
  if (located.length === 0) return;
  const targets = await tx.domainVersion.findMany({
    where: {
      OR: located
        .filter(({ reference }) => reference.version <= maxVersionNumber)
        .map(({ reference }) => ({
          versionNumber: reference.version,
          domain: { nameKey: domainNameKey(reference.domain) },
        })),
    },
    select: { versionNumber: true, modelSchema: true, domain: { select: { nameKey: true } } },
  });
  const known = new Map(targets.map((it) => [`${it.domain.nameKey}:${it.versionNumber}`, it.modelSchema]));
  const selfKey = `${domainNameKey(self.domainName)}:${self.versionNumber}`;
  known.set(selfKey, stringifyJson(model.modelSchema));
  for (const { reference, pointer } of located) {
    const schema = known.get(`${domainNameKey(reference.domain)}:${reference.version}`);
    const target = `${reference.domain}:v${reference.version}`;
    if (schema === undefined) faults.add(pointer, 'UNKNOWN_REFERENCE', `there is no domain version ${target}`);
    else if (reference.property !== undefined && !hasProperty(schema, reference.property)) {
      faults.add(pointer, 'UNKNOWN_REFERENCE', `${target} has no property ${reference.property}`);
    }
  }
};
