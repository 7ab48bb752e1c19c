import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/**
 * Seals positions of the change log for clients. A client without the deployment's key cannot
 * read the position of a cursor, make a cursor, or compare two cursors. All cursors have the same length.
 */
export interface CursorSealer {
  /** Equal positions get equal cursors, in every process and after a restart. */
  seal(position: bigint): string;
  /** Each call gives another cursor: a repeated one would show that no change was made. */
  sealSalted(position: bigint): string;
  /** Undefined when the text was not sealed with this key. */
  unseal(cursor: string): bigint | undefined;
}

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const saltBytes = 8;
const noSalt = Buffer.alloc(saltBytes);
const plainBytes = 8 + saltBytes;
const sealedBytes = nonceBytes + tagBytes + plainBytes;

/** @param deploymentKey see `loadDeploymentKey` */
export const createCursorSealer = (deploymentKey: Buffer): CursorSealer => {
  const derive = (purpose: string): Buffer => Buffer.from(hkdfSync('sha256', deploymentKey, '', purpose, 32));
  const [key, nonceKey] = [derive('fds: cursors'), derive('fds: nonces of cursors')];
  const sealWith = (position: bigint, salt: Buffer): string => {
    const plain = Buffer.concat([Buffer.alloc(8), salt]);
    plain.writeBigUInt64BE(position);
    // the nonce follows from the content: one nonce never encrypts two contents
    const nonce = createHmac('sha256', nonceKey).update(plain).digest().subarray(0, nonceBytes);
    const cipher = createCipheriv(algorithm, key, nonce);
    const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
  };
  // a change is sealed for one receiver after the other
  let latest: { readonly position: bigint; readonly cursor: string } | undefined;
  return {
    seal: (position) => {
      if (latest?.position !== position) latest = { position, cursor: sealWith(position, noSalt) };
      return latest.cursor;
    },
    sealSalted: (position) => sealWith(position, randomBytes(saltBytes)),
    unseal: (cursor) => {
      const bytes = Buffer.from(cursor, 'base64url');
      if (bytes.length !== sealedBytes) return undefined;
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
      decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      const plain = decipher.update(bytes.subarray(nonceBytes + tagBytes));
      try {
        decipher.final();
      } catch {
        return undefined;
      }
      return plain.readBigUInt64BE();
    },
  };
};
