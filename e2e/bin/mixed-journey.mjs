// npm run journey:mixed [-- --minutes <n> --seed <n>]:
// install what is missing, build, and edit three databases while they have faults.
import { prepare } from '../../gateway/bin/prepare.mjs';

await prepare();
await import('../dist/journeys/mixed/run-mixed-journey.js');
