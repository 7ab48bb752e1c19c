import { describe, expect, it } from '@jest/globals';
import passwords from '@zxcvbn-ts/language-common/dist/passwords.json.cjs';
import { weakPasswordFault } from './weak-password.js';

describe('a password', () => {
  it.each([
    'password',
    'PassWord',
    'password1',
    '12345678',
    'qwertyuiop',
    'iloveyou',
    'ann.smith',
    'AnnSmith2026!',
    'ann.smith ann.smith',
    '1-fds-2-fds',
    'Federated Data Service',
  ])('%s is too easy to guess', async (password) => {
    expect(await weakPasswordFault(password, ['ann.smith', 'x'])).toMatch(/^(?:is one of|consists of)/);
  });

  it.each(['correct horse', 'annual report plan', 'smithy of Ann', 'fdsk-91-kettle', 'xxxxYxxx7', 'Ärger im März'])(
    '%s is accepted',
    async (password) => {
      expect(await weakPasswordFault(password, ['ann.smith', 'x'])).toBeUndefined();
    },
  );

  it('is compared with more than the 3000 most common ones that are long enough', async () => {
    const long = passwords.filter(({ length }) => length >= 8);
    expect(long.length).toBeGreaterThan(3000);
    for (const password of long.slice(0, 3000)) {
      expect(await weakPasswordFault(password.toUpperCase(), [])).toBe('is one of the most common passwords');
    }
  });
});
