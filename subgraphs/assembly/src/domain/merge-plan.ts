import type { ModelProperty } from '@fds/model-schema';
import { wholeProperty, type RequestedProperty } from './requested-properties.js';

/** The properties that a merge uses. Computed once for a request. */
export interface MergePlan {
  /** Are all properties requested completely? */
  readonly isEverything: boolean;
  /** In the order of the model. */
  readonly requested: readonly RequestedProperty[];
  /**
   * The properties that sources are asked for: the requested ones, and the others of their groups, which decide on the
   * source. In the order of the model.
   */
  readonly read: readonly RequestedProperty[];
  /** By the name of a requested property: the names that decide together, including its own. */
  readonly deciding: ReadonlyMap<string, readonly string[]>;
}

/** The parts of a model that a merge needs. */
export interface MergedModel {
  readonly properties: readonly ModelProperty[];
  readonly propertyGroups: readonly (readonly string[])[];
}

/** @param requested see `readRequestedProperties` */
export const planMerge = (requested: readonly RequestedProperty[], model: MergedModel): MergePlan => {
  const groups = new Map(model.propertyGroups.flatMap((group) => group.map((name) => [name, group] as const)));
  const deciding = new Map(requested.map(({ property: { name } }) => [name, groups.get(name) ?? [name]]));
  const byName = new Map(requested.map((each) => [each.property.name, each]));
  const decisive = new Set([...deciding.values()].flat());
  return {
    isEverything: model.properties.every((property, index) => requested[index] === wholeProperty(property)),
    requested,
    read: model.properties
      .filter(({ name }) => decisive.has(name))
      .map((property) => byName.get(property.name) ?? wholeProperty(property)),
    deciding,
  };
};
