import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import { crc32 } from 'node:zlib';

/** Compiled code of scripts, kept in files from one process to the next. */
export interface CompiledStore {
  /** The code that was kept for the script; undefined when it is absent or damaged. */
  read(script: string): Buffer | undefined;
  /** Keeps the code of the script. Where the folder cannot be written, nothing is kept. */
  write(script: string, code: Buffer): void;
}

const checksumBytes = 4;

const checksumOf = (code: Buffer): Buffer => {
  const checksum = Buffer.alloc(checksumBytes);
  checksum.writeUInt32LE(crc32(code));
  return checksum;
};

const removeIfThere = (file: string): void => {
  try {
    rmSync(file);
  } catch {
    // it was not written
  }
};

/**
 * A store in a folder that several processes may use at the same time: each file appears whole, by a rename. Its name has the
 * tag of the compiler, so that other versions of Node, other processors and other flags of V8 use other files. The
 * checksum finds damage, which V8 does not look for.
 */
export const createCompiledStore = (folder: string): CompiledStore => {
  const tag = cachedDataVersionTag().toString(16);
  const fileOf = (script: string): string => join(folder, `${script}.${tag}`);
  return {
    read: (script) => {
      try {
        const content = readFileSync(fileOf(script));
        const code = content.subarray(checksumBytes);
        return checksumOf(code).equals(content.subarray(0, checksumBytes)) ? code : undefined;
      } catch {
        return undefined;
      }
    },
    write: (script, code) => {
      const file = fileOf(script);
      const unfinished = `${file}.${process.pid}`;
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(unfinished, Buffer.concat([checksumOf(code), code]), { mode: 0o600 });
        renameSync(unfinished, file);
      } catch {
        // the next process compiles as this one did
        removeIfThere(unfinished);
      }
    },
  };
};
