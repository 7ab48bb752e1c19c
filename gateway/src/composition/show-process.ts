import { hostname } from 'node:os';
import { openPresence } from '@fds/governance';
import type { OpenedBus } from './open-bus.js';
import type { Platform } from './open-platform.js';
import { serviceVersion } from './service-version.js';
import type { ServiceSettings } from './settings/service-settings.js';
import type { ServiceRun } from './service-run.js';

export interface ShownProcess {
  readonly settings: ServiceSettings;
  readonly platform: Platform;
  readonly openedBus: OpenedBus | undefined;
  readonly instanceUuid: string;
  readonly run: ServiceRun;
}

/** Shows the process to the others, which count it when they share out the adaptors. Call it when the process is ready. */
export const showProcess = async (shown: ShownProcess): Promise<void> => {
  const { settings, platform, openedBus, instanceUuid, run } = shown;
  const { database, log } = platform;
  const constant = {
    uuid: instanceUuid,
    parts: settings.parts,
    version: serviceVersion(),
    host: hostname(),
    dateStarted: new Date(performance.timeOrigin),
  };
  const presence = await openPresence({
    database,
    log,
    state: () => ({
      ...constant,
      takesLeases: settings.parts.includes('records') && !run.drain.hasBegun,
      busConnected: openedBus?.bus.connected,
      changeLogPosition: [...database.logReaders]
        .map(({ position }) => position())
        .reduce<bigint | undefined>((slowest, at) => (slowest === undefined || at < slowest ? at : slowest), undefined),
    }),
  });
  run.lifetime.own(presence);
  // the others get its adaptors while it still answers
  run.drain.onBegin(() => {
    presence
      .renew()
      .catch((error: unknown) => log.warn({ err: error }, 'the others do not know yet that this process ends'));
  });
};
