import type { PrismaTransaction } from '@fds/database';
import type { DomainVersion } from '../../domain/versions/domain-version.js';
import { loadModel } from './load-model.js';
import { catalogueProperties, type CatalogueProperty, type CompiledModel } from '@fds/model-schema';

/** A property of a version's model in the catalogue. */
export interface VersionProperty extends CatalogueProperty {
  readonly uuid: string;
}

/** The stored data of a property: its uuid, and a description that was set separately. */
interface PropertyRow {
  readonly uuid: string;
  readonly domainVersionUuid: string;
  readonly name: string;
  readonly description: string | null;
}

/** The model's properties in order, with their stored data. */
const toVersionProperties = (model: CompiledModel, rows: readonly PropertyRow[]): readonly VersionProperty[] => {
  const stored = new Map(rows.map((row) => [row.name, row]));
  return catalogueProperties(model).flatMap((property) => {
    const row = stored.get(property.name);
    if (row === undefined) return [];
    return [{ ...property, uuid: row.uuid, ...(row.description === null ? {} : { description: row.description }) }];
  });
};

/** The catalogued properties of versions, in the order of their models. */
export const loadVersionProperties = async (
  tx: Pick<PrismaTransaction, 'domainVersionProperty'>,
  versions: readonly DomainVersion[],
): Promise<readonly (readonly VersionProperty[])[]> => {
  const rows = await tx.domainVersionProperty.findMany({
    where: { domainVersionUuid: { in: versions.map((version) => version.uuid) } },
  });
  const byVersion = Map.groupBy(rows, (row) => row.domainVersionUuid);
  const properties = [];
  for (const version of versions)
    properties.push(toVersionProperties(await loadModel(version), byVersion.get(version.uuid) ?? []));
  return properties;
};

/** Prisma takes some 0.1 ms for each row in one piece. */
const rowsOfStatement = 200;

/**
 * Updates the stored properties to the model. A property that stays (names match ignoring case) keeps its uuid. It also
 * keeps the description that was set separately, unless the model now has another one.
 *
 * @param before the previous model; undefined for a new version
 */
export const saveProperties = async (
  tx: PrismaTransaction,
  domainVersionUuid: string,
  before: CompiledModel | undefined,
  after: CompiledModel,
  newUuid: () => string,
): Promise<void> => {
  const fold = (name: string): string => name.toLowerCase();
  const earlier = new Map(
    (before === undefined ? [] : catalogueProperties(before)).map((property) => [fold(property.name), property]),
  );
  const later = catalogueProperties(after);
  const names = new Set(later.map((property) => fold(property.name)));
  const gone = [...earlier].filter(([folded]) => !names.has(folded)).map(([, { name }]) => name);
  const respelt = later.filter((property) => {
    const known = earlier.get(fold(property.name));
    return known !== undefined && known.name !== property.name;
  });
  const redescribed = later.filter((property) => {
    const known = earlier.get(fold(property.name));
    return known !== undefined && known.description !== property.description;
  });
  await tx.domainVersionProperty.deleteMany({ where: { domainVersionUuid, name: { in: gone } } });
  for (const { name } of respelt) {
    const known = earlier.get(fold(name))?.name ?? name;
    await tx.domainVersionProperty.updateMany({ where: { domainVersionUuid, name: known }, data: { name } });
  }
  await tx.domainVersionProperty.updateMany({
    where: { domainVersionUuid, name: { in: redescribed.map((property) => property.name) } },
    data: { description: null },
  });
  for (let from = 0; from < later.length; from += rowsOfStatement) {
    const some = later.slice(from, from + rowsOfStatement);
    await tx.domainVersionProperty.createMany({
      data: some.map(({ name }) => ({ uuid: newUuid(), domainVersionUuid, name })),
      skipDuplicates: true,
    });
  }
};
