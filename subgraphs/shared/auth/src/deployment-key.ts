import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { openPrivateFile } from './private-file.js';

export const deploymentKeyBytes = 32;

/** Where the deployment's key comes from. */
export interface DeploymentKeySource {
  /** Folder that keeps a generated key, in `secret.key`. */
  readonly dataDir: string;
  /** Setting FDS_SECRET_KEY: base64 of 32 bytes. Needed when several machines share a database. */
  readonly secretKey?: string | undefined;
}

const parseKey = (text: string, place: string): Buffer => {
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length !== deploymentKeyBytes) throw new Error(`${place} must be base64 of ${deploymentKeyBytes} bytes`);
  return key;
};

/**
 * The key that seals the deployment's secrets: from the setting, otherwise from the data directory, generated at first start.
 *
 * @throws Error that names the setting or file when its content is not a key
 */
export const loadDeploymentKey = async ({ dataDir, secretKey }: DeploymentKeySource): Promise<Buffer> => {
  if (secretKey !== undefined) return parseKey(secretKey, 'FDS_SECRET_KEY');
  const path = join(dataDir, 'secret.key');
  return parseKey(await openPrivateFile(path, () => `${randomBytes(deploymentKeyBytes).toString('base64')}\n`), path);
};
