import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import { crc32 } from 'node:zlib';

/** A script, identified by its name and its text. */
export interface ScriptId {
  readonly name: string;
  /** CRC-32 of the text. V8 itself compares only the length of the text. */
  readonly textChecksum: number;
}

/** Compiled code of scripts, kept in files from one process to the next. */
export interface CompiledStore {
  /** The code that was kept for the script; undefined when it is absent, damaged or of another text. */
  read(script: ScriptId): Buffer | undefined;
  /** Keeps the code of the script. Where the folder cannot be written, nothing is kept. */
  write(script: ScriptId, code: Buffer): void;
}

const checksumBytes = 4;

/** Checksum of the text of the script and its code. */
const checksumOf = ({ textChecksum }: ScriptId, code: Buffer): Buffer => {
  const checksum = Buffer.alloc(checksumBytes);
  checksum.writeUInt32LE(crc32(code, textChecksum));
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
 * checksum finds damage and code of another text, which V8 does not look for.
 */
export const createCompiledStore = (folder: string): CompiledStore => {
  const tag = cachedDataVersionTag().toString(16);
  const fileOf = ({ name }: ScriptId): string => join(folder, `${name}.${tag}`);
  return {
    read: (script) => {
      try {
        const content = readFileSync(fileOf(script));
        const code = content.subarray(checksumBytes);
        return checksumOf(script, code).equals(content.subarray(0, checksumBytes)) ? code : undefined;
      } catch {
        return undefined;
      }
    },
    write: (script, code) => {
      const file = fileOf(script);
      const unfinished = `${file}.${process.pid}`;
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(unfinished, Buffer.concat([checksumOf(script, code), code]), { mode: 0o600 });
        renameSync(unfinished, file);
      } catch {
        // the next process compiles as this one did
        removeIfThere(unfinished);
      }
    },
  };
};
