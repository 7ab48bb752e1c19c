import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';
import type { CompiledStore, ScriptId } from './compiled-store.js';

type Require = (id: string) => unknown;

/** The value of the text of a chunk. */
type ChunkBody = (exports: object, require: Require, module: { exports: object }, bundleUrl: string) => void;

export interface ChunksOptions {
  /** Folder of the bundle. A chunk is a file in it whose name has a hash of its content. */
  readonly folder: string;
  readonly store: CompiledStore;
  /** Loads what is not in the bundle. */
  readonly requireOutside: Require;
  /** Called when a chunk had no compiled code. */
  readonly onCompiled: () => void;
}

/** The chunks of a bundle. */
export interface Chunks {
  /** Loads a chunk, and those that it needs; each once. */
  load(name: string): unknown;
  /** Keeps the compiled code of the chunks that had none, with the functions that have run until now. */
  keepCompiled(): void;
}

/** A chunk is loaded relative to the one that needs it, and all are in one folder. */
const relative = './';

/** Opens the chunks of a bundle. Chunks are scripts and not modules, because V8 gives modules no compiled code on Node 20. */
export const openChunks = ({ folder, store, requireOutside, onCompiled }: ChunksOptions): Chunks => {
  const bundleUrl = pathToFileURL(join(folder, 'main.mjs')).href;
  const loaded = new Map<string, { exports: object }>();
  const compiledHere = new Map<ScriptId, Script>();

  const compile = (name: string): Script => {
    const filename = join(folder, name);
    const text = readFileSync(filename);
    const id = { name, textChecksum: crc32(text) };
    const kept = store.read(id);
    // chunks are ASCII; V8 keeps such a text in one byte for each character
    const script = new Script(text.toString('latin1'), {
      filename,
      ...(kept === undefined ? {} : { cachedData: kept }),
    });
    if (script.cachedDataRejected !== false) {
      compiledHere.set(id, script);
      onCompiled();
    }
    return script;
  };

  const load = (name: string): object => {
    const known = loaded.get(name);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    loaded.set(name, module);
    try {
      const body = compile(name).runInThisContext() as ChunkBody;
      body(module.exports, requireIn, module, bundleUrl);
    } catch (error) {
      loaded.delete(name);
      throw error;
    }
    return module.exports;
  };
  const requireIn: Require = (id) => (id.startsWith(relative) ? load(id.slice(relative.length)) : requireOutside(id));

  return {
    load,
    keepCompiled: () => {
      for (const [id, script] of compiledHere) store.write(id, script.createCachedData());
      compiledHere.clear();
    },
  };
};
