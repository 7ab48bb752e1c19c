// npm run fuzz [-- --cases <n> --minutes <n> --seed <n> --only <target>,<target>]: install what is missing, build, and send hostile
// input to every door.
import { prepare } from '../../gateway/bin/prepare.mjs';

await prepare();
await import('../dist/fuzz/run/run-fuzz.js');
