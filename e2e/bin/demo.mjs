// npm run demo: install what is missing, build, and run the demo until Ctrl-C.
import { prepare } from '../../gateway/bin/prepare.mjs';

await prepare();
await import('../dist/demo/demo.js');
