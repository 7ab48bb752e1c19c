import type { BrokerLimits } from '@fds/adaptor-broker';
import type { ServerBus } from '@fds/adaptor-bus';
import type { Database } from '@fds/database';
import type { BusAuthenticator } from '@fds/identity';
import type { Lifetime, Log } from '@fds/service';
import type { CountBoundHit } from '../http/bounds.js';
import { followRegistrations } from './follow-registrations.js';
import { bindPort } from './startup/bind-port.js';
import { heardBy, usesBus } from './settings/service-parts.js';
import type { ServiceSettings } from './settings/service-settings.js';

/** The bus of this process. */
export interface OpenedBus {
  readonly bus: ServerBus;
  /** Address that adaptors connect to. */
  readonly url: string;
  /** EMBEDDED: the broker is in this process, so that no adaptor is connected when it starts. */
  readonly kind: 'EMBEDDED' | 'EXTERNAL';
}

export interface BusOptions {
  readonly settings: ServiceSettings;
  readonly database: Database;
  readonly authenticate: BusAuthenticator;
  readonly instanceUuid: string;
  /** Counts the refusals of the embedded broker and the connections that it ends because of a limit. */
  readonly onBoundHit: CountBoundHit;
  readonly lifetime: Lifetime;
  readonly log: Log;
}

const limitsOf = (settings: ServiceSettings): BrokerLimits => ({
  maxPacketBytes: settings.busMaxPacketBytes,
  maxConnections: settings.busMaxConnections,
  maxPending: settings.busMaxPending,
  maxPendingPerAddress: settings.busPendingPerAddress,
  connectMs: settings.busConnectSeconds * 1000,
  maxUnreadBytes: settings.busMaxUnreadBytes,
  maxUnreadTotalBytes: settings.busMaxUnreadTotalBytes,
  maxSubscriptions: settings.busMaxSubscriptions,
});

const openEmbedded = async (options: BusOptions): Promise<OpenedBus> => {
  const { settings, database, authenticate, instanceUuid, onBoundHit, lifetime, log } = options;
  const { openEmbeddedBroker } = await import('@fds/adaptor-broker');
  const broker = lifetime.own(
    await bindPort({ variable: 'FDS_BUS_PORT', host: settings.host, port: settings.busPort }, () =>
      openEmbeddedBroker({
        host: settings.host,
        port: settings.busPort,
        authenticate,
        instance: instanceUuid,
        limits: limitsOf(settings),
        onBoundHit,
        log,
      }),
    ),
  );
  await followRegistrations({ database, lifetime, log, disconnect: (adaptorUuid) => broker.disconnect(adaptorUuid) });
  // a broker that listens on every address has the host name of the server
  const isEverywhere = settings.host === '0.0.0.0' || settings.host === '::';
  const host = isEverywhere ? new URL(settings.baseUrl ?? 'http://localhost').hostname : settings.host;
  return { bus: broker.bus, url: `tcp://${host}:${broker.port}`, kind: 'EMBEDDED' };
};

const connectExternal = async (
  { settings, instanceUuid, lifetime, log }: BusOptions,
  url: string,
): Promise<OpenedBus> => {
  const { connectServerBus } = await import('@fds/adaptor-bus');
  const bus = connectServerBus({
    url,
    username: settings.busUsername ?? '',
    password: settings.busPassword?.reveal() ?? '',
    clientId: `fds-server-${instanceUuid}`,
    kinds: [...new Set(settings.parts.flatMap((part) => heardBy[part]))],
    instance: instanceUuid,
    log,
  });
  return { bus: lifetime.own(bus), url, kind: 'EXTERNAL' };
};

/** Opens the embedded broker, or connects to the broker of the settings; undefined when no part needs a bus. */
export const openBus = async (options: BusOptions): Promise<OpenedBus | undefined> => {
  const { busUrl, parts } = options.settings;
  if (!usesBus(parts)) return undefined;
  return busUrl === undefined ? openEmbedded(options) : connectExternal(options, busUrl);
};
