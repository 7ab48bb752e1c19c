import { type MqttConnection, openMqttConnection } from '@fds/adaptor-bus';
import {
  adaptorSource,
  buildMessage,
  clientIdOf,
  type OpsRequest,
  parseMessage,
  subscriptionsOf,
  topicOf,
} from '@fds/adaptor-protocol';
import type { AdaptorConfiguration } from '../handlers.js';
import { newUuid } from '../new-uuid.js';
import { configurationIn, unconfigured } from '../operations/configuration-in.js';
import { metadataMayName, readAdaptorProperties } from '../properties/adaptor-properties.js';
import type { PropertySources } from '../properties/load-properties.js';
import { resolveVariables } from '../properties/resolve-variables.js';

/** The configuration did not arrive, for a reason of the connection. */
export class NoConfiguration extends Error {
  override readonly name = 'NoConfiguration';
}

const askAgainMs = 5_000;
const silent = { info: () => undefined, warn: () => undefined };

/**
 * Asks the server for the configuration of the adaptor, over a separate connection: a running process of the adaptor is
 * not disturbed, and its state does not change. Variables in the metadata are replaced.
 *
 * @throws PropertyFault; NoConfiguration; Error when a variable of the metadata is not set
 */
export const loadConfiguration = async (
  sources: PropertySources,
  deadlineMs = 30_000,
): Promise<AdaptorConfiguration> => {
  const properties = readAdaptorProperties(sources);
  const { adaptorUuid, messageBusUrl: url } = properties;
  const requestId = newUuid();
  let connection: MqttConnection | undefined;
  let asking: NodeJS.Timeout | undefined;
  let deadline: NodeJS.Timeout | undefined;
  let unreachable: string | undefined;

  const ask = (): void => {
    const envelope = { id: newUuid(), source: adaptorSource(adaptorUuid), time: new Date().toISOString() };
    const payload = buildMessage('up/ops', { ...envelope, type: 'fds.check.v1', data: { requestId } });
    // a request that is lost is repeated
    connection?.publish(topicOf({ adaptorUuid, channel: 'up/ops' }), payload).catch(() => undefined);
  };
  try {
    const request = await new Promise<OpsRequest>((resolve, reject) => {
      const fail = (reason: string): void => reject(new NoConfiguration(reason));
      deadline = setTimeout(
        () =>
          fail(
            unreachable === undefined
              ? `the server did not send the configuration within ${deadlineMs / 1000} seconds: is it running, and of this version?`
              : `the message bus at ${url} cannot be reached (${unreachable})`,
          ),
        deadlineMs,
      );
      connection = openMqttConnection({
        url,
        clientId: clientIdOf(adaptorUuid, 'check'),
        username: properties.clientId,
        password: properties.clientSecret,
        subscriptions: subscriptionsOf(adaptorUuid, 'check'),
        onUp: () => {
          unreachable = undefined;
          ask();
        },
        onDown: () => undefined,
        onMessage: (_topic, payload) => {
          const parsed = parseMessage('down/check', payload);
          if (parsed.ok && parsed.value.data.requestId === requestId) resolve(parsed.value.data);
        },
        onRefused: (reason) => fail(`the message bus refuses adaptor ${adaptorUuid} (${reason})`),
        onUnreachable: (reason) => {
          unreachable = reason;
        },
        log: silent,
      });
      asking = setInterval(ask, askAgainMs);
    });
    const configuration = configurationIn(request, unconfigured);
    const mayName = metadataMayName(properties, sources);
    return { ...configuration, metadata: resolveVariables(configuration.metadata, process.env, mayName) };
  } finally {
    clearTimeout(deadline);
    clearInterval(asking);
    await connection?.close();
  }
};
