// npm run check: types (the build), format, lint, layer rules, dead code, decisions, freshness of generated files.
import { install, turbo } from '../../gateway/bin/prepare.mjs';

await install();
await turbo('build', 'check:format', 'check:lint', 'check:layers', 'check:dead', 'check:decisions', 'check:generated');
