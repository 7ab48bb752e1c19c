import type { ModelProperty } from './model-property.js';
import { foldName } from './names/property-name.js';
import { formatReference } from './schema/parse-reference.js';

/** Formats that make text something else to search, sort and GraphQL: a moment in time, or a number. */
const typing: ReadonlySet<string> = new Set(['date', 'time', 'date-time', 'decimal']);

/**
 * The type of a property for collapsing and for the modification rules (docs/reference/model-schema.md#changing-a-version):
 * its `type`; with it what
 * an array or a reference leads to, and a format of dates, times and decimals. Other constraints do not belong to it.
 */
export const propertyType = (property: ModelProperty): string => {
  switch (property.type) {
    case 'reference': {
      const target = foldName(formatReference(property.reference));
      return `${property.reference.multivalued ? 'references' : 'reference'} ${target}`;
    }
    case 'array':
      return 'reference' in property.items ? `array ${foldName(formatReference(property.items.reference))}` : 'array';
    case 'string':
      return property.format !== undefined && typing.has(property.format) ? property.format : 'string';
    default:
      return property.type;
  }
};
