import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';

const cost = { N: 16384, r: 8, p: 1 };
const saltBytes = 16;
const hashBytes = 32;

const derive = (secret: string, salt: Buffer, length: number, options: ScryptOptions): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(secret.normalize('NFC'), salt, length, options, (error, hash) => {
      if (error === null) resolve(hash);
      else reject(error);
    });
  });

/** Hashes a password or client secret to `scrypt$N$r$p$salt$hash` (base64url). Takes about 50 ms of a worker thread. */
export const hashSecret = async (secret: string): Promise<string> => {
  const salt = randomBytes(saltBytes);
  const hash = await derive(secret, salt, hashBytes, cost);
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join('$');
};

/**
 * Is this the secret that was hashed? Compares in constant time.
 *
 * @throws Error when the text is not a hash of `hashSecret`
 */
export const verifySecret = async (secret: string, hashed: string): Promise<boolean> => {
  const [scheme, N, r, p, salt, hash] = hashed.split('$');
  if (scheme !== 'scrypt' || salt === undefined || hash === undefined) throw new Error('not a scrypt hash');
  const expected = Buffer.from(hash, 'base64url');
  const options = { N: Number(N), r: Number(r), p: Number(p), maxmem: 256 * Number(N) * Number(r) };
  return timingSafeEqual(await derive(secret, Buffer.from(salt, 'base64url'), expected.length, options), expected);
};
