import { describe, expect, it } from '@jest/globals';
import { readWebhookMessage } from './webhook-message.js';

const event = {
  action: 'PUT',
  drUuid: '01a2077d-0000-7000-8000-000000000001',
  domain: 'person',
  version: 2,
  domainVersionUuid: '01a2077d-0000-7000-8000-000000000002',
  sourceAdaptorUuid: '01a2077d-0000-7000-8000-000000000003',
  destinationAdaptorUuid: '01a2077d-0000-7000-8000-000000000004',
  transactionUuid: '01a2077d-0000-7000-8000-000000000005',
  createTime: 1_795_420_800_000,
  drKey: '[9223372036854775807]',
  jsonData: '{"n":9223372036854775807}',
  messageGroup: 'x',
};

describe('the message of a webhook', () => {
  it('has the members of a data notification and no others, with every digit', () => {
    const { domain, version, messageGroup: _group, ...notification } = event;
    const read = readWebhookMessage(JSON.stringify(event));
    expect(JSON.parse(read.body)).toEqual(notification);
    expect(read).toMatchObject({ domain, version, action: 'PUT', createTime: 1_795_420_800_000 });
  });

  it('shows null for a change that no adaptor made', () => {
    const { sourceAdaptorUuid: _source, ...without } = event;
    expect(JSON.parse(readWebhookMessage(JSON.stringify(without)).body)).toMatchObject({ sourceAdaptorUuid: null });
  });

  it('is made of a data event only', () => {
    expect(() => readWebhookMessage('[]')).toThrow(TypeError);
  });
});
