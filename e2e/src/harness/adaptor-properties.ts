import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CreatedAdaptor } from './catalogue.js';
import type { Leftovers } from './leftovers.js';
import type { Service } from './service.js';

/** Properties for an adaptor of the SDK, with a separate data directory that the leftovers remove. */
export const adaptorProperties = (
  leftovers: Leftovers,
  service: Pick<Service, 'baseUrl' | 'busUrl'>,
  adaptor: CreatedAdaptor,
): Readonly<Record<string, string>> => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'fds-adaptor-'));
  leftovers.add(() => rmSync(dataDirectory, { recursive: true, force: true }));
  return {
    'adaptor.uuid': adaptor.uuid,
    'client.id': adaptor.clientId,
    'client.secret': adaptor.clientSecret,
    'message.bus.url': service.busUrl,
    'auth.server.url': service.baseUrl,
    'data.directory': dataDirectory,
    port: '0',
  };
};
