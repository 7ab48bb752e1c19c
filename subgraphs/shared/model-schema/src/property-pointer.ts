import { nestedProperties, type ModelProperty } from './model-property.js';
import { pointerTo } from '@fds/json';

/**
 * Pointer of a property in the body that has `modelSchema`.
 *
 * @param path dotted path of a property of the model
 */
export const propertyPointer = (model: { readonly properties: readonly ModelProperty[] }, path: string): string => {
  let pointer = '';
  let container = '/modelSchema';
  let properties = model.properties;
  for (const name of path.split('.')) {
    pointer = pointerTo(`${container}/properties`, name);
    const property = properties.find((candidate) => candidate.name === name);
    container = property?.type === 'array' ? `${pointer}/items` : pointer;
    properties = property === undefined ? [] : nestedProperties(property);
  }
  return pointer;
};
