import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { compiledFolder } from './compiled-folder.js';

test.each([
  ['no folder is named', undefined, join('bundle', 'compiled')],
  ['the variable is empty', '', join('bundle', 'compiled')],
  ['a folder is named', join('var', 'cache'), join('var', 'cache', 'fds')],
])('the place of compiled code where %s', (_, named, expected) => {
  expect(compiledFolder('bundle', named)).toBe(expected);
});
