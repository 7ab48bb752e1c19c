// The start of the bundled service: the chunks of main.ts, with compiled code of an earlier start.
import module from 'node:module';
import { fileURLToPath } from 'node:url';

/** Name of the chunk of main.ts: bundle.mjs puts it here. */
declare const serviceChunk: string;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isSupported = major > 22 || (major === 22 && minor >= 12);
const unsupported = `Node ${process.versions.node} is not supported: use 22.12 or newer, or npm start, which brings its own`;

// nothing is open yet
const endAtOnce = (): void => process.exit(0);
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, endAtOnce);

// NODE_COMPILE_CACHE names another folder, and Node then keeps compiled code without this call
if (isSupported) module.enableCompileCache(fileURLToPath(new URL('compiled', import.meta.url)));
else console.error(unsupported);
const { started } = (await import(serviceChunk)) as { readonly started: Promise<void> };
// main.ts listens now
for (const signal of ['SIGTERM', 'SIGINT']) process.off(signal, endAtOnce);
await started;
// now, because a process that is killed keeps nothing
if (isSupported) module.flushCompileCache();
