import { expect, it } from '@jest/globals';
import { toMetadataMessage } from './to-metadata-message.js';

it('names the resource by its absolute address, and its type', () => {
  const change = { action: 'PATCH', resourceType: 'AdaptorState', resource: '/zones/1/adaptors/2' } as const;
  expect(toMetadataMessage({ ...change, data: { state: 'PAUSED' } }, 'https://fds.example/')).toEqual({
    action: 'PATCH',
    resource: 'https://fds.example/api/zones/1/adaptors/2',
    type: 'AdaptorState',
    data: { state: 'PAUSED' },
  });
  expect(toMetadataMessage(change, 'https://fds.example').data).toEqual({});
});
