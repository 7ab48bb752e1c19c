import { pointerTo } from '@fds/json';
import type { ModelProperty, Reference } from './model-property.js';

/** A cross-reference and its place. */
export interface LocatedReference {
  readonly reference: Reference;
  /** Dotted path of the property. */
  readonly path: string;
  /** Pointer of the `$ref` in the body that has `modelSchema`. */
  readonly pointer: string;
}

const locate = (properties: readonly ModelProperty[], at: string): readonly LocatedReference[] =>
  properties.flatMap((property) => {
    const pointer = pointerTo(`${at}/properties`, property.name);
    const { path } = property;
    if (property.type === 'reference') return [{ reference: property.reference, path, pointer: `${pointer}/$ref` }];
    if (property.type === 'object') return locate(property.properties, pointer);
    if (property.type !== 'array') return [];
    const { items } = property;
    return 'reference' in items
      ? [{ reference: items.reference, path, pointer: `${pointer}/items/$ref` }]
      : locate(items.properties, `${pointer}/items`);
  });

/** Every cross-reference of a model, depth first: the catalogue looks these up before it saves a version. */
export const referencesOf = (model: { readonly properties: readonly ModelProperty[] }): readonly LocatedReference[] =>
  locate(model.properties, '/modelSchema');
