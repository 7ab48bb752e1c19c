import type { IncomingMessage } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';

/** Returns the address that a request came from. */
export type AddressOf = (request: IncomingMessage) => string;

/**
 * Determines the address for connections outside fastify by fastify's rule: the peer, or the address in
 * X-Forwarded-For, as far as proxies are trusted.
 *
 * @param trustedProxies addresses or networks
 */
export const createAddressOf = (trustedProxies: readonly string[]): AddressOf => {
  if (trustedProxies.length === 0) return ({ socket }) => socket.remoteAddress ?? '';
  const trust = proxyAddr.compile([...trustedProxies]);
  return (request) => proxyAddr(request, trust);
};
