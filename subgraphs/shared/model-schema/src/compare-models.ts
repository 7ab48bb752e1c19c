import type { CompiledModel } from './compiled-model.js';
import { nestedProperties, type ModelProperty } from './model-property.js';
import { foldName } from './names/property-name.js';
import { propertyType } from './property-type.js';

/**
 * Differences between a new model and an old one, for the modification rules
 * (docs/reference/model-schema.md#changing-a-version).
 */
export interface ModelComparison {
  /** New properties; the members of a new container are not listed again. */
  readonly added: readonly ModelProperty[];
  /** Properties that are gone; the members of a removed container are not listed again. */
  readonly removed: readonly ModelProperty[];
  /** Properties of another type, see `propertyType`. */
  readonly changedType: readonly { readonly before: ModelProperty; readonly after: ModelProperty }[];
  /** Are the DR Key properties others, or in another order? */
  readonly drKeyChanged: boolean;
}

interface Findings {
  readonly added: ModelProperty[];
  readonly removed: ModelProperty[];
  readonly changedType: { readonly before: ModelProperty; readonly after: ModelProperty }[];
}

const compare = (before: readonly ModelProperty[], after: readonly ModelProperty[], findings: Findings): void => {
  const later = new Map(after.map((property) => [foldName(property.name), property]));
  for (const property of before) {
    const folded = foldName(property.name);
    const successor = later.get(folded);
    later.delete(folded);
    if (successor === undefined) findings.removed.push(property);
    else if (propertyType(property) !== propertyType(successor)) {
      findings.changedType.push({ before: property, after: successor });
    } else compare(nestedProperties(property), nestedProperties(successor), findings);
  }
  findings.added.push(...later.values());
};

/**
 * Compares two models of one version. Names match ignoring case; constraints and descriptions do not belong to a type.
 */
export const compareModels = (before: CompiledModel, after: CompiledModel): ModelComparison => {
  const findings: Findings = { added: [], removed: [], changedType: [] };
  compare(before.properties, after.properties, findings);
  const keys = ({ drKeyProperties }: CompiledModel) => drKeyProperties.map(foldName).join(' ');
  return { ...findings, drKeyChanged: keys(before) !== keys(after) };
};
