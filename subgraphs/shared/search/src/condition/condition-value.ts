import { foldText } from '../values/fold-text.js';
import { readInstant } from '../values/read-instant.js';
import { comparisonOf, type SearchProperty } from './search-condition.js';

const decimal = /^[+-]?\d{1,300}(?:\.\d{1,300})?(?:[eE][+-]?\d{1,3})?$/;
const date = /^\d{4}-\d\d-\d\d$/;

/**
 * A value of an expression, or of a parent record, in the form in which the property's values compare.
 *
 * @returns the form, or a description of acceptable values
 */
export const readConditionValue = (
  property: SearchProperty,
  text: string,
): { readonly value: string } | { readonly expected: string } => {
  switch (comparisonOf(property)) {
    case 'number':
      return decimal.test(text) ? { value: text.replace(/^\+/, '') } : { expected: 'a number' };
    case 'boolean': {
      const folded = foldText(text);
      return folded === 'true' || folded === 'false' ? { value: folded } : { expected: 'true or false' };
    }
    case 'instant': {
      const value = readInstant(text);
      return value === undefined ? { expected: 'a date-time such as 2026-01-31T12:00:00Z, or a date' } : { value };
    }
    case 'text':
      if (property.format === 'date' && !date.test(text)) return { expected: 'a date such as 2026-01-31' };
      return { value: foldText(text) };
  }
};
