import { describe, expect, it } from '@jest/globals';
import { resolveText, resolveVariables, VariableFault } from './resolve-variables.js';

const environment = { DB_PASSWORD: 'ge$heim${X}', EMPTY: '' };

describe('variables in a configuration', () => {
  it.each([
    ['${DB_PASSWORD}', 'ge$heim${X}'],
    ['a ${EMPTY}b ${DB_PASSWORD}', 'a b ge$heim${X}'],
    ['$${DB_PASSWORD}', '${DB_PASSWORD}'],
    ['$$${EMPTY}', '$${EMPTY}'],
    ['$1 ${1} $ $$ {X}', '$1 ${1} $ $$ {X}'],
  ])('%s becomes %s', (text, resolved) => {
    expect(resolveText(text, environment)).toEqual({ text: resolved, missing: [] });
  });

  it('are replaced at any depth, and numbers stay exact', () => {
    const metadata = { list: [{ 'a/b': '${DB_PASSWORD}' }], big: 9223372036854775807n, none: null };
    expect(resolveVariables(metadata, environment, () => true)).toEqual({
      ...metadata,
      list: [{ 'a/b': 'ge$heim${X}' }],
    });
  });

  it('are reported with their place when they are not set, and no value is shown', () => {
    const metadata = { secret: '${DB_PASSWORD}${NONE}', list: [{ 'a/b': '${OTHER}' }] };
    const failure = (): unknown => resolveVariables(metadata, environment, () => true);
    expect(failure).toThrow(VariableFault);
    expect(failure).toThrow(
      /^\/secret: the environment variable NONE is not set; \/list\/0\/a~1b: the environment variable OTHER is not set$/,
    );
  });

  it('are refused with their place when the configuration may not name them, and no value is shown', () => {
    const metadata = { url: 'https://example.org/${DB_PASSWORD}', other: '${EMPTY}$${DB_PASSWORD}' };
    const failure = (): unknown => resolveVariables(metadata, environment, (name) => name !== 'DB_PASSWORD');
    expect(failure).toThrow(/^\/url: the metadata may not name the environment variable DB_PASSWORD$/);
  });
});
