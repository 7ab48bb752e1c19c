import { chmodSync, mkdirSync } from 'node:fs';
import { firstPasswords } from './first-passwords.js';
import { freePort } from './free-port.js';
import { serviceScript, spawnScript } from './spawned.js';
import { waitForHealth } from './wait-for-health.js';

/**
 * Starts a service once in `dataDir` and stops it. Tests copy the directory and so avoid the time of a first start: the
 * creation of the database cluster, and its migrations.
 *
 * @throws Error when the service does not start or does not stop cleanly
 */
export const prepareData = async (dataDir: string): Promise<void> => {
  mkdirSync(dataDir);
  chmodSync(dataDir, 0o755);
  const [port, busPort, assemblyPort] = [await freePort(), await freePort(), await freePort()];
  const service = spawnScript({
    script: serviceScript,
    environment: {
      FDS_PORT: String(port),
      FDS_BUS_PORT: String(busPort),
      FDS_ASSEMBLY_PORT: String(assemblyPort),
      FDS_DATA_DIR: dataDir,
      FDS_DRAIN_SECONDS: '0',
      FDS_ADMIN_PASSWORD: firstPasswords.admin,
      FDS_DGS_PASSWORD: firstPasswords.dgs,
    },
  });
  try {
    await waitForHealth(`http://127.0.0.1:${port}`, service);
  } finally {
    await service.end('SIGTERM');
  }
};
