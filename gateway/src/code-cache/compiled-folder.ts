import { join } from 'node:path';

/**
 * The folder of compiled code: in the bundle, or below the folder that NODE_COMPILE_CACHE names. An empty variable names
 * none, as for Node: a path without a folder would be one of the working directory.
 */
export const compiledFolder = (bundle: string, named: string | undefined): string =>
  named === undefined || named === '' ? join(bundle, 'compiled') : join(named, 'fds');
