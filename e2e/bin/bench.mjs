// npm run bench [-- <row> ... --json <file>]: install what is missing, build, and measure against the goals.
import { prepare } from '../../gateway/bin/prepare.mjs';

await prepare();
await import('../dist/bench/bench.js');
