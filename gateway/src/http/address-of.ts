import type { IncomingMessage } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';

/** Where a request comes from. */
export type AddressOf = (request: IncomingMessage) => string;

/**
 * The rule by which fastify determines the address of HTTP requests, for connections outside it: the peer, or the address in
 * X-Forwarded-For, as far as proxies are trusted.
 *
 * @param trustedProxies addresses or networks
 */
export const createAddressOf = (trustedProxies: readonly string[]): AddressOf => {
  if (trustedProxies.length === 0) return ({ socket }) => socket.remoteAddress ?? '';
  const trust = proxyAddr.compile([...trustedProxies]);
  return (request) => proxyAddr(request, trust);
};
