// npm start: install what is missing, build, and become the service. One process, so that a signal to npm ends it.
import { prepare } from './prepare.mjs';

await prepare();
process.env.NODE_ENV ??= 'production';
process.env.APOLLO_TELEMETRY_DISABLED ??= 'true';
await import('../dist/main.js');
