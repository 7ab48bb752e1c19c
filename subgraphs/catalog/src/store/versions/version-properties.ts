import type { PrismaTransaction } from '@fds/database';
import { catalogueProperties, type CatalogueProperty, type CompiledModel } from '@fds/model-schema';

/** A property of a version's model as the catalogue shows it. */
export interface VersionProperty extends CatalogueProperty {
  readonly uuid: string;
}

/** The stored data of a property: its uuid, and a description that was set on it alone. */
export interface PropertyRow {
  readonly uuid: string;
  readonly domainVersionUuid: string;
  readonly name: string;
  readonly description: string | null;
}

/** The model's properties in its order, with their stored data. */
export const toVersionProperties = (model: CompiledModel, rows: readonly PropertyRow[]): readonly VersionProperty[] => {
  const stored = new Map(rows.map((row) => [row.name, row]));
  return catalogueProperties(model).flatMap((property) => {
    const row = stored.get(property.name);
    if (row === undefined) return [];
    return [{ ...property, uuid: row.uuid, ...(row.description === null ? {} : { description: row.description }) }];
  });
};

/**
 * Brings the stored properties in line with the model: a property that stays, names matching ignoring case, keeps its
 * uuid, and the description that was set on it unless the model itself now says another one.
 *
 * @param before the model until now; undefined for a new version
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
  await tx.domainVersionProperty.createMany({
    data: later.map(({ name }) => ({ uuid: newUuid(), domainVersionUuid, name })),
    skipDuplicates: true,
  });
};
