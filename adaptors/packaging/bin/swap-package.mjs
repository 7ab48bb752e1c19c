// `npm pack` in the folder of a package: prepack (in) and postpack (out).
import { fileURLToPath } from 'node:url';
import { swapIn, swapOut } from '../dist/swap-package.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
if (process.argv[2] === 'in') await swapIn(root, process.cwd());
else swapOut(process.cwd());
