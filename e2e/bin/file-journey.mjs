// npm run journey:files [-- --files <n> --kills <n> --seed <n>]:
// install what is missing, build, and run the long form of the file journey.
import { prepare } from '../../gateway/bin/prepare.mjs';

await prepare();
await import('../dist/journeys/files/run-files.js');
