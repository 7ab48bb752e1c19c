// npm run journey:joining [-- --rows <n>]: install what is missing, build, and let a MariaDB join a PostgreSQL.
import { prepare } from '../../gateway/bin/prepare.mjs';

await prepare();
await import('../dist/journeys/joining/run-campaign.js');
