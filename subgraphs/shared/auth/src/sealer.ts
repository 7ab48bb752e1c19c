import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deploymentKeyBytes } from './deployment-key.js';

/** Encrypts secrets at rest with the deployment's key (AES-256-GCM). */
export interface Sealer {
  seal(text: string): string;
  /** @throws Error when the text was sealed with another key or changed */
  unseal(sealed: string): string;
}

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const version = 'v1.';
const otherKey =
  'FDS_SECRET_KEY: this is not the key that sealed the secrets of the database (without the setting: secret.key of FDS_DATA_DIR)';

/**
 * Seals to `v1.` and the base64url of nonce, tag and cipher text. Every call draws a new nonce, so sealing the same text
 * twice gives different results.
 *
 * @param key 32 bytes, see `loadDeploymentKey`
 * @throws RangeError when the key has another length
 */
export const createSealer = (key: Buffer): Sealer => {
  if (key.length !== deploymentKeyBytes) throw new RangeError(`the key must have ${deploymentKeyBytes} bytes`);
  return {
    seal: (text) => {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce);
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return version + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
    },
    unseal: (sealed) => {
      const bytes = Buffer.from(sealed.slice(version.length), 'base64url');
      if (!sealed.startsWith(version) || bytes.length < nonceBytes + tagBytes) throw new Error('not a sealed text');
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
      decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      const start = decipher.update(bytes.subarray(nonceBytes + tagBytes));
      try {
        return Buffer.concat([start, decipher.final()]).toString('utf8');
      } catch (cause) {
        throw new Error(otherKey, { cause });
      }
    },
  };
};
