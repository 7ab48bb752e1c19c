import type { IncomingMessage } from 'node:http';
import { expect, it } from '@jest/globals';
import { createAddressOf } from './address-of.js';

const from = (remoteAddress: string, forwarded?: string): IncomingMessage =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage;

it.each<[says: string, trusted: string[], request: IncomingMessage, address: string]>([
  ['a peer', [], from('10.0.0.9'), '10.0.0.9'],
  ['a peer that is not trusted to name another', [], from('10.0.0.9', '1.2.3.4'), '10.0.0.9'],
  ['a peer that is not a proxy', ['10.1.0.0/16'], from('10.0.0.9', '1.2.3.4'), '10.0.0.9'],
  ['the address that the proxy names', ['10.0.0.0/8'], from('10.0.0.9', '1.2.3.4'), '1.2.3.4'],
  [
    'the address that the last trusted proxy names',
    ['10.0.0.0/8'],
    from('10.0.0.9', '6.6.6.6, 1.2.3.4, 10.0.0.8'),
    '1.2.3.4',
  ],
  ['a proxy that names itself', ['10.0.0.0/8'], from('10.0.0.9'), '10.0.0.9'],
])('tells %s', (_, trusted, request, address) => {
  expect(createAddressOf(trusted)(request)).toBe(address);
});
