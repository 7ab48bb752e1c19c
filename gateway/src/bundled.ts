// The start of the bundled service: the chunks of main.ts, with compiled code of an earlier start.
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compiledFolder } from './code-cache/compiled-folder.js';
import { createCompiledStore } from './code-cache/compiled-store.js';
import { openChunks } from './code-cache/open-chunks.js';

/** Name of the chunk of main.ts: bundle.mjs puts it here. */
declare const serviceChunk: string;

/** A chunk that is loaded on demand is kept with the functions that its first use has run. */
const keepAfterMs = 5_000;

const folder = dirname(fileURLToPath(import.meta.url));
let isStarted = false;
const chunks = openChunks({
  folder,
  store: createCompiledStore(compiledFolder(folder, process.env['NODE_COMPILE_CACHE'])),
  requireOutside: createRequire(import.meta.url),
  onCompiled: () => {
    if (isStarted) setTimeout(chunks.keepCompiled, keepAfterMs).unref();
  },
});
const { started } = chunks.load(serviceChunk) as { readonly started: Promise<void> };
await started;
isStarted = true;
chunks.keepCompiled();
