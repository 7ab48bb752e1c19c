// npm run journey:two-way [-- --histories <n> --seed <n> --records <n>]:
// install what is missing, build, and run the long form of the random test of two-way exchange.
import { prepare } from '../../gateway/bin/prepare.mjs';

await prepare();
await import('../dist/journeys/two-way/run-campaign.js');
