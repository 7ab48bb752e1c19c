import { fileURLToPath } from 'node:url';
import { defineConfig } from 'prisma/config';

// The command line wants to download a native schema engine; the stand-in runs the same engine as WebAssembly from npm.
process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= fileURLToPath(
  new URL('./tools/prisma-schema-engine.mjs', import.meta.url),
);
process.env['CHECKPOINT_DISABLE'] ??= '1';

export default defineConfig({
  schema: 'schema',
  migrations: { path: 'migrations' },
  datasource: { url: process.env['FDS_DATABASE_URL'] ?? 'postgresql://postgres:postgres@127.0.0.1:5432/fds' },
});
