import { compareModels, propertyPointer, type CompiledModel } from '@fds/model-schema';
import type { FaultList } from '@fds/errors';

/**
 * Changes that are refused when a version has data records (docs/reference/model-schema.md#changing-a-version): no
 * property may be removed or change its type, and the DR Key cannot change. Without records any change is allowed.
 */
export const checkModification = (before: CompiledModel, after: CompiledModel, faults: FaultList): void => {
  const { removed, changedType, drKeyChanged } = compareModels(before, after);
  for (const { path } of removed) {
    faults.add(propertyPointer(before, path), 'PROPERTY_REMOVED', `${path} cannot be removed while data records exist`);
  }
  for (const { before: property } of changedType) {
    faults.add(
      propertyPointer(before, property.path),
      'TYPE_CHANGED',
      `the type of ${property.path} cannot change while data records exist`,
    );
  }
  if (drKeyChanged) {
    faults.add('/drKeyProperties', 'DR_KEY_CHANGED', 'the DR Key cannot change while data records exist');
  }
};
