import { describe, expect, it } from '@jest/globals';
import { graphqlPropertyName, isDomainName, nestedTypeName, pageTypeName, recordTypeName } from './graphql-names.js';

describe('names in GraphQL', () => {
  it('are made of the names of the model', () => {
    expect(recordTypeName('sales-Order', 12)).toBe('dr_sales_Order_12');
    expect(pageTypeName('dr_a_1')).toBe('dr_a_1_page');
    expect(nestedTypeName('dr_a_1', 'ship-to.geo')).toBe('dr_a_1__ship_to__geo');
  });

  it.each([
    ['a-b', 'a_b'],
    ['_a', '_a'],
    ['__proto__', '_proto__'],
    ['_-a', '_a'],
  ])('map the property %s to %s', (property, name) => {
    expect(graphqlPropertyName(property)).toBe(name);
  });

  it.each(['ab', 'A1', 'a-b_c', 'a'.repeat(128), 'a_', 'a-'])('admit the domain name %s', (name) => {
    expect(isDomainName(name)).toBe(true);
  });

  it.each(['', 'a', '1a', '_a', '-a', 'a b', 'é1', 'a__b', 'a--b', 'a-_b', 'a'.repeat(129)])(
    'refuse the domain name %s',
    (name) => {
      expect(isDomainName(name)).toBe(false);
    },
  );
});
