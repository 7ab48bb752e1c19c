import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAdaptor, type AdaptorHandlers, type RunningAdaptor } from '@fds/adaptor-sdk';
import type { CreatedAdaptor } from './catalogue.js';
import type { Leftovers } from './leftovers.js';
import type { Service } from './service.js';

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };

/** An adaptor in the process of the test, made with the SDK; it stops with the leftovers. */
export const startSourceAdaptor = async (
  leftovers: Leftovers,
  service: Pick<Service, 'baseUrl' | 'busUrl'>,
  adaptor: CreatedAdaptor,
  handlers: AdaptorHandlers,
): Promise<RunningAdaptor> => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'fds-adaptor-'));
  leftovers.add(() => rmSync(dataDirectory, { recursive: true, force: true }));
  const running = await startAdaptor({
    handlers,
    log: silent,
    properties: {
      'adaptor.uuid': adaptor.uuid,
      'client.id': adaptor.clientId,
      'client.secret': adaptor.clientSecret,
      'message.bus.url': service.busUrl,
      'auth.server.url': service.baseUrl,
      'data.directory': dataDirectory,
      port: '0',
    },
  });
  leftovers.add(() => running.stop());
  return running;
};
