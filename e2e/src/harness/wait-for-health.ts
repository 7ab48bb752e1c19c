import { eventually } from '@fds/testing';
import { request } from 'undici';
import type { Spawned } from './spawned.js';

/** Waits until a service is healthy. @throws Error when its process has ended, or after three minutes */
export const waitForHealth = async (baseUrl: string, process: Spawned): Promise<void> => {
  await eventually(
    async () => {
      if (!process.running) throw new Error(`the service ended:\n${process.output()}`);
      const { statusCode, body } = await request(`${baseUrl}/health`);
      await body.dump();
      if (statusCode !== 200) throw new Error(`health answers ${statusCode}:\n${process.output()}`);
    },
    { deadlineMs: 180_000 },
  );
};
