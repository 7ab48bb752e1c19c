// npm run pack:adaptors [-- --out folder] [--as-built]: the tarballs of the SDK and of each adaptor. --as-built installs and
// builds nothing before.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { prepare, root } from '../../../gateway/bin/prepare.mjs';

const { values } = parseArgs({
  options: { out: { type: 'string', default: 'tarballs' }, 'as-built': { type: 'boolean', default: false } },
});
if (!values['as-built']) await prepare();
// built by now
const { packAdaptors } = await import('../dist/index.js');
for (const file of (await packAdaptors(root, resolve(values.out))).values()) console.log(file);
