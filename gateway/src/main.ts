// The service: reads its settings, starts the parts that they name, and ends at a signal.
import { createDrain, createLifetime, findUnknownSettings, openLog, runUntilSignal, type Log } from '@fds/service';
import { openTraces } from './composition/startup/open-traces.js';
import { loadServiceSettings, serviceSettings } from './composition/settings/service-settings.js';
import { startService } from './composition/start-service.js';
import { outliveLostConnections } from './composition/startup/outlive-lost-connections.js';
import { startText } from './composition/start-text.js';

const closeDeadlineMs = 30_000;

const fail = (error: unknown): never => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
};

const start = async (): Promise<void> => {
  const lifetime = createLifetime();
  const drain = createDrain();
  let log: Log | undefined;
  // before the first wait: bundled.ts hands the signals over when this module is loaded
  const end = runUntilSignal({ lifetime, log: () => log, drain, deadlineMs: closeDeadlineMs });
  try {
    const settings = loadServiceSettings(process.env);
    log = await openLog(settings.logLevel, settings.logFormat);
    for (const { variable, nearest } of findUnknownSettings(serviceSettings, process.env, 'FDS_')) {
      const hint = nearest === undefined ? 'docs/reference/settings.md lists the settings' : `did you mean ${nearest}?`;
      log.warn(`unknown setting ${variable}: ${hint}`);
    }
    outliveLostConnections(log);
    // opened first, closed last: the spans of the closing are sent too
    await openTraces(lifetime, log);
    console.log(startText(await startService(settings, { lifetime, drain, log })));
  } catch (error) {
    await lifetime.close().catch(() => undefined);
    // everything closes under the start: the process ends with the code of the closing
    if (!end.hasBegun) fail(error);
  }
};

/** Resolves when the service has started. */
export const started = start();
