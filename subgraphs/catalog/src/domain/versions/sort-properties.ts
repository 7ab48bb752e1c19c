import type { CatalogueProperty } from '@fds/model-schema';

const fields = ['name', 'type', 'required', 'drKey'] as const;

/** The sort keys of a list of properties. */
export const propertySortFields: readonly string[] = fields;

interface Term {
  readonly field: string;
  readonly descending: boolean;
}

const keyOf = (property: CatalogueProperty, field: string): string | number => {
  const value = property[field as (typeof fields)[number]];
  return typeof value === 'boolean' ? Number(value) : value;
};

const compareBy =
  (terms: readonly Term[]) =>
  (one: CatalogueProperty, other: CatalogueProperty): number => {
    for (const { field, descending } of terms) {
      const [a, b] = [keyOf(one, field), keyOf(other, field)];
      if (a !== b) return a < b === descending ? 1 : -1;
    }
    return 0;
  };

/** The properties in the requested order. Equal ones, and all without terms, keep the order of the model. */
export const sortProperties = <Property extends CatalogueProperty>(
  properties: readonly Property[],
  terms: readonly Term[],
): readonly Property[] => (terms.length === 0 ? properties : properties.toSorted(compareBy(terms)));
