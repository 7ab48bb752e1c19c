#!/usr/bin/env node
import { existsSync } from 'node:fs';
import module from 'node:module';

const bundle = new URL('../dist/bundle/fds.mjs', import.meta.url);
if (existsSync(bundle)) {
  // Node 22.1 and newer keep the compiled bundle, so that the next start is shorter
  module.enableCompileCache?.();
  await import(bundle.href);
} else {
  process.stderr.write('fds: this checkout is not built yet: run npm start, or npm run build\n');
  process.exitCode = 1;
}
