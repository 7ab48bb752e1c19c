import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import type { JsonObject } from '@fds/adaptor-sdk';
import { parseFileSystemMetadata } from './file-system-metadata.js';

it('the example configurations of the README are valid', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const examples = [...readme.matchAll(/```json\n([\s\S]*?)```/g)].map(
    ([, text = '']) => JSON.parse(text) as JsonObject,
  );
  const types = examples.map((example) => parseFileSystemMetadata(example).type);
  expect(types).toEqual(['source', 'destination', 'source', 'destination', 'destination']);
});
