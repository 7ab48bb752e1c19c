import { describe, expect, it } from '@jest/globals';
import { mayChangeRows } from './may-change-rows.js';

const orders = { schema: 'crm', name: 'orders' };

describe('whether a statement of the log can change rows of crm.orders', () => {
  it.each([
    ['BEGIN', false],
    ['COMMIT', false],
    ['ROLLBACK TO `s`', false],
    ["XA END X'61',X'',1", false],
    ["XA COMMIT X'61',X'',1", true],
    ['TRUNCATE TABLE orders', true],
    ['/* of the job */ TRUNCATE /* all */ `crm`.`Orders`', true],
    ['-- of the job\n# twice\nDROP TABLE "orders"', true],
    ['TRUNCATE orders_old', false],
    ['CREATE TABLE invoices (id int)', false],
    ['ALTER TABLE new_orders EXCHANGE PARTITION p WITH TABLE orders', true],
    ['DROP DATABASE crm', true],
    ['DROP DATABASE shop', false],
    // a trigger or a function can change any table
    ['INSERT INTO invoices VALUES (1)', true],
    ['SET STATEMENT max_statement_time = 1 FOR TRUNCATE x', true],
    ['/*!50000 TRUNCATE x */', true],
    ['/*M!100000 TRUNCATE x */', true],
    ['', true],
  ])('%j: %s', (query, expected) => {
    expect(mayChangeRows(query, orders)).toBe(expected);
  });

  it('is true when the name is not plain, because its spelling depends on the session', () => {
    expect(mayChangeRows('DROP TABLE invoices', { schema: 'crm', name: 'Aufträge' })).toBe(true);
    expect(mayChangeRows('DROP TABLE `per son`', { schema: 'crm', name: 'per son' })).toBe(true);
    expect(mayChangeRows('DROP TABLE `a.b$`', { schema: 'crm', name: 'a.b$' })).toBe(true);
    expect(mayChangeRows('DROP TABLE `aXb$`', { schema: 'crm', name: 'a.b$' })).toBe(false);
  });
});
