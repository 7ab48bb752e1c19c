import { createGuardedConnector } from './create-guarded-connector.js';
import type { ResolveHost } from '../target/resolve-host.js';
import { createExchange, type Exchange, type ExchangeOptions } from './create-exchange.js';
import { createReceiverPools } from './create-receiver-pools.js';

export interface GuardedExchangeOptions extends Omit<ExchangeOptions, 'pools'> {
  readonly resolve: ResolveHost;
  /** Time to connect. */
  readonly connectMs: number;
}

/** Exchanges on connections to permitted addresses. */
export interface GuardedExchange {
  readonly exchange: Exchange;
  /** Ends all connections. */
  close(): Promise<void>;
}

export const openGuardedExchange = (options: GuardedExchangeOptions): GuardedExchange => {
  const { rule, resolve, connectMs, maxRequests, maxReceiverRequests } = options;
  const pools = createReceiverPools({
    connect: createGuardedConnector({ rule, resolve, timeoutMs: connectMs }),
    maxReceivers: maxRequests * 2,
    connectionsPerReceiver: maxReceiverRequests,
  });
  return { exchange: createExchange({ ...options, pools }), close: () => pools.close() };
};
