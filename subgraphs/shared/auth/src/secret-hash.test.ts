import { expect, it } from '@jest/globals';
import { hashSecret, verifySecret } from './secret-hash.js';

it('recognises the secret that was hashed and no other', async () => {
  const hash = await hashSecret('correct horse');
  expect(hash).toMatch(/^scrypt\$16384\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
  expect(await verifySecret('correct horse', hash)).toBe(true);
  expect(await verifySecret('correct horse ', hash)).toBe(false);
  expect(await verifySecret('', hash)).toBe(false);
});

it('salts: the same secret hashes differently', async () => {
  expect(await hashSecret('secret')).not.toBe(await hashSecret('secret'));
});

it('recognises a secret however its letters are composed', async () => {
  expect(await verifySecret('\u00e9', await hashSecret('e\u0301'))).toBe(true);
});

it('refuses text that is not a hash', async () => {
  await expect(verifySecret('secret', 'plain')).rejects.toThrow();
});
