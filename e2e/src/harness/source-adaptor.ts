import { startAdaptor, type AdaptorHandlers, type RunningAdaptor } from '@fds/adaptor-sdk';
import { adaptorProperties } from './adaptor-properties.js';
import type { CreatedAdaptor } from './catalogue.js';
import type { Leftovers } from './leftovers.js';
import type { Service } from './service.js';

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };

/**
 * An adaptor of the SDK in the process of the test. The leftovers stop it.
 *
 * @param more properties in addition to those of the harness
 */
export const startSourceAdaptor = async (
  leftovers: Leftovers,
  service: Pick<Service, 'baseUrl' | 'busUrl'>,
  adaptor: CreatedAdaptor,
  handlers: AdaptorHandlers,
  more: Readonly<Record<string, string>> = {},
): Promise<RunningAdaptor> => {
  const running = await startAdaptor({
    handlers,
    log: silent,
    properties: { ...adaptorProperties(leftovers, service, adaptor), ...more },
  });
  leftovers.add(() => running.stop());
  return running;
};
