// npm run faults [-- --events <n> --kills <n> --queued <n> --rounds <n> --seed <n> --broker embedded|mosquitto --json <file>]:
// install what is missing, build, and run the long form of the fault suite.
import { prepare } from '../../gateway/bin/prepare.mjs';

await prepare();
await import('../dist/faults/run/run-faults.js');
