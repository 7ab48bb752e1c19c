// npm run journey:databases [-- --edits <n> --kills <n> --seed <n>]:
// install what is missing, build, and run the long form of the journey through three databases.
import { prepare } from '../../gateway/bin/prepare.mjs';

await prepare();
await import('../dist/journeys/databases/run-databases.js');
