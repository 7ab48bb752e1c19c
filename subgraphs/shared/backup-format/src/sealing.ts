import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  randomBytes,
  scrypt,
  timingSafeEqual,
  type BinaryLike,
  type ScryptOptions,
} from 'node:crypto';
import { promisify } from 'node:util';

export type BackupFaultCode = 'NOT_A_BACKUP' | 'NEWER_FORMAT' | 'WRONG_PASSPHRASE' | 'DAMAGED';

/** A file that cannot be read as a backup. */
export class BackupFault extends Error {
  override readonly name = 'BackupFault';
  constructor(
    readonly code: BackupFaultCode,
    message: string,
  ) {
    super(message);
  }
}

const magic = 'FDS BACKUP 1\n';
const anyMagic = 'FDS BACKUP ';
const headerBytes = 64;
const saltAt = magic.length + 3;
const macAt = headerBytes - 32;
const chunkBytes = 65_536;
const tagBytes = 16;
const algorithm = 'aes-256-gcm';

/** 64 MiB of memory, and a quarter of a second, for each attempt to guess the passphrase. */
const standardCost = { exponent: 16, r: 8, p: 1 };
const maxScryptBytes = 256 * 2 ** 20;

const derive = promisify<BinaryLike, BinaryLike, number, ScryptOptions, Buffer>(scrypt);

interface Keys {
  readonly chunks: Buffer;
  readonly header: Buffer;
}

const deriveKeys = async (passphrase: string, header: Buffer): Promise<Keys> => {
  const [exponent = 0, r = 0, p = 0] = header.subarray(magic.length, saltAt);
  const cost = 2 ** exponent;
  // a foreign header must not take all memory or time
  if (exponent < 1 || r < 1 || p < 1 || p > 4 || 128 * cost * r > maxScryptBytes / 2)
    throw new BackupFault('DAMAGED', 'the beginning of the file was changed');
  const salt = header.subarray(saltAt, macAt);
  const bytes = await derive(passphrase.normalize('NFC'), salt, 64, { N: cost, r, p, maxmem: maxScryptBytes });
  return { chunks: bytes.subarray(0, 32), header: bytes.subarray(32) };
};

const macOf = (key: Buffer, header: Buffer): Buffer =>
  createHmac('sha256', key).update(header.subarray(0, macAt)).digest();

const nonceOf = (chunk: number, place: 'inner' | 'last'): Buffer => {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64BE(BigInt(chunk), 3);
  nonce[11] = place === 'last' ? 1 : 0;
  return nonce;
};

/**
 * Collects bytes into pieces of one size. The last piece may be shorter; it is empty when there were no bytes.
 *
 * @yields each piece, with its place
 */
const inPieces = async function* (source: AsyncIterable<Buffer>, size: number) {
  let held: Buffer[] = [];
  let length = 0;
  for await (const bytes of source) {
    held.push(bytes);
    length += bytes.length;
    // the rest is never empty here, so this piece is not the last
    if (length <= size) continue;
    const whole = Buffer.concat(held);
    let at = 0;
    for (; whole.length - at > size; at += size)
      yield { bytes: whole.subarray(at, at + size), place: 'inner' as const };
    held = [whole.subarray(at)];
    length = whole.length - at;
  }
  yield { bytes: Buffer.concat(held), place: 'last' as const };
};

/** Encrypts bytes under a passphrase. Two calls give different bytes. */
export const seal = async function* (source: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  const header = Buffer.alloc(headerBytes);
  header.write(magic);
  header.set([standardCost.exponent, standardCost.r, standardCost.p], magic.length);
  header.set(randomBytes(macAt - saltAt), saltAt);
  const keys = await deriveKeys(passphrase, header);
  header.set(macOf(keys.header, header), macAt);
  yield header;
  let chunk = 0;
  for await (const { bytes, place } of inPieces(source, chunkBytes)) {
    const cipher = createCipheriv(algorithm, keys.chunks, nonceOf(chunk, place)).setAAD(header);
    chunk += 1;
    yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  }
};

/** Takes the first bytes off a source. The rest is empty when the source has fewer bytes. */
const takeHeader = async (
  source: AsyncIterable<Buffer>,
): Promise<{ readonly header: Buffer; readonly rest: AsyncIterable<Buffer> }> => {
  const iterator = source[Symbol.asyncIterator]();
  let start = Buffer.alloc(0);
  while (start.length < headerBytes) {
    const next = await iterator.next();
    if (next.done === true) break;
    start = Buffer.concat([start, next.value]);
  }
  const rest = async function* () {
    try {
      yield start.subarray(headerBytes);
      yield* { [Symbol.asyncIterator]: () => iterator };
    } finally {
      await iterator.return?.();
    }
  };
  return { header: start.subarray(0, headerBytes), rest: rest() };
};

const requireMagic = (header: Buffer): void => {
  const start = header.toString('latin1');
  if (start.startsWith(magic)) return;
  if (start.startsWith(anyMagic))
    throw new BackupFault('NEWER_FORMAT', 'a newer version of fds wrote this backup: use that version');
  throw new BackupFault('NOT_A_BACKUP', 'this file is not a backup of fds');
};

/**
 * Decrypts what `seal` has written. Every chunk is authentic when it is returned.
 *
 * @throws BackupFault for another file, another passphrase, and bytes that were changed, removed or added
 */
export const unseal = async function* (source: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  const { header, rest } = await takeHeader(source);
  requireMagic(header);
  if (header.length < headerBytes) throw new BackupFault('DAMAGED', 'the file is incomplete');
  const keys = await deriveKeys(passphrase, header);
  if (!timingSafeEqual(macOf(keys.header, header), header.subarray(macAt)))
    throw new BackupFault('WRONG_PASSPHRASE', 'the passphrase is wrong, or the beginning of the file was changed');
  let chunk = 0;
  for await (const { bytes, place } of inPieces(rest, chunkBytes + tagBytes)) {
    if (bytes.length < tagBytes) throw new BackupFault('DAMAGED', 'the file is incomplete');
    const decipher = createDecipheriv(algorithm, keys.chunks, nonceOf(chunk, place), { authTagLength: tagBytes });
    decipher.setAAD(header).setAuthTag(bytes.subarray(-tagBytes));
    const plain = decipher.update(bytes.subarray(0, -tagBytes));
    try {
      decipher.final();
    } catch {
      throw new BackupFault('DAMAGED', `the file was changed or is incomplete, at chunk ${chunk}`);
    }
    chunk += 1;
    yield plain;
  }
};
