import { describe, expect, it } from '@jest/globals';
import { readExpression } from './read-expression.js';

describe('an expression', () => {
  it.each([
    [`first_name & ' ' & last_name`, ['first_name', 'last_name'], ['first_name', 'last_name'], false],
    ['$$.name', ['name'], ['name'], false],
    ['$.name', ['name'], ['name'], false],
    ['items[price > 5].name', ['items'], ['items', 'name', 'price'], false],
    ['`first name` ? 1 : other', ['first name', 'other'], ['first name', 'other'], false],
    ['$code("country", country_code)', ['country_code'], ['country_code'], false],
    ['$lookup("city", city_id).name', ['city_id'], ['city_id', 'name'], false],
    ['$map(tags, function($v) { $v & suffix })', ['suffix', 'tags'], ['suffix', 'tags'], false],
    ['name ~> $uppercase', ['name'], ['name'], false],
    ['{"a": b}', ['b'], ['b'], false],
    ['$keys($)', [], [], true],
    ['*', [], [], true],
    ['$keys()', [], [], true],
    ['$string($$)', [], [], true],
    [`'X'`, [], [], false],
  ] as const)('%s reads', (text, roots, names, isWhole) => {
    const reads = readExpression(text);
    expect({ ...reads, roots: [...reads.roots].sort(), names: [...reads.names].sort() }).toEqual({
      roots,
      names,
      isWhole,
    });
  });

  it.each([
    ['a &', /position \d+/],
    ['9007199254740993', /more digits/],
    ['$now()', /\$now .*not allowed/],
    ['$eval(a)', /\$eval .*not allowed/],
    ['($f := $millis; $f())', /\$millis .*not allowed/],
    ['a & '.repeat(5_000) + 'a', /at most 10000/],
    ['('.repeat(4_900) + 'a' + ')'.repeat(4_900), /nested too deeply|not valid JSONata/],
  ])('%# is refused', (text, message) => {
    expect(() => readExpression(text)).toThrow(message);
  });
});
