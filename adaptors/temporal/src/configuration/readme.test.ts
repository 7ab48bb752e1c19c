import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import type { JsonObject } from '@fds/adaptor-sdk';
import { parseTemporalMetadata } from './temporal-metadata.js';

it('the example configuration of the README is valid', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const examples = [...readme.matchAll(/```json\n([\s\S]*?)```/g)].map(
    ([, text = '']) => JSON.parse(text) as JsonObject,
  );
  expect(examples.map((example) => Object.keys(parseTemporalMetadata(example)))).toEqual([['store', 'retentionDays']]);
});
