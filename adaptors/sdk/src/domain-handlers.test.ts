import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { AssemblyRequest } from '@fds/adaptor-protocol';
import { withDomains } from './domain-handlers.js';
import { type AdaptorHandlers, ApplyError, type IncomingEvent } from './handlers.js';

const event = (domain: string, version: number, action: IncomingEvent['action']): IncomingEvent => ({
  action,
  drUuid: randomUUID(),
  domain,
  version,
  domainVersionUuid: randomUUID(),
  sourceAdaptorUuid: null,
  destinationAdaptorUuid: randomUUID(),
  transactionUuid: randomUUID(),
  createTime: 0,
  drKey: '[]',
  jsonData: '{}',
  messageGroup: 'g',
  json: {},
  drKeyValues: [],
  position: { epoch: randomUUID(), sequence: 1 },
});
const request = (domain: string): AssemblyRequest => ({
  requestUuid: randomUUID(),
  domain,
  version: 1,
  domainVersionUuid: randomUUID(),
  records: null,
  requestedProperties: null,
  timeoutMilliseconds: 1,
});

/** Handlers that record their calls. */
const noted = (): { calls: string[]; handlers: AdaptorHandlers } => {
  const calls: string[] = [];
  return {
    calls,
    handlers: {
      domains: {
        'customer:1': {
          post: () => void calls.push('post 1'),
          put: () => void calls.push('put 1'),
          get: async () => ({ records: [], totalElements: 1 }),
        },
        'customer:2': { delete: () => void calls.push('delete 2'), health: () => 'DOWN' },
      },
    },
  };
};

describe('handlers by domain version and action', () => {
  it('receive the events of their version and action', async () => {
    const { calls, handlers } = noted();
    const { apply } = withDomains(handlers);
    await apply?.(event('customer', 1, 'PUT'));
    await apply?.(event('customer', 1, 'POST'));
    await apply?.(event('customer', 2, 'DELETE'));
    expect(calls).toEqual(['put 1', 'post 1', 'delete 2']);
  });

  it('leave other events and requests to the general handlers', async () => {
    const { calls, handlers } = noted();
    const general = withDomains({
      ...handlers,
      apply: ({ domain, action }) => void calls.push(`general ${action} ${domain}`),
      assemble: async () => ({ records: [], totalElements: 2 }),
    });
    await general.apply?.(event('customer', 1, 'DELETE'));
    await general.apply?.(event('invoice', 1, 'PUT'));
    expect(calls).toEqual(['general DELETE customer', 'general PUT invoice']);
    const { signal } = new AbortController();
    expect(await general.assemble?.(request('invoice'), signal)).toMatchObject({ totalElements: 2 });
    expect(await general.assemble?.(request('customer'), signal)).toMatchObject({ totalElements: 1 });
  });

  it('refuse an event or a request without a handler', () => {
    const { handlers } = noted();
    const { apply, assemble } = withDomains(handlers);
    const refused = expect.objectContaining({
      name: 'ApplyError',
      retry: 'NEVER',
      message: expect.stringContaining('POST of customer:2') as unknown,
    }) as unknown as Error;
    expect(() => apply?.(event('customer', 2, 'POST'))).toThrow(refused);
    // a name of Object.prototype is not a domain
    expect(() => apply?.(event('constructor', 1, 'POST'))).toThrow(ApplyError);
    expect(() => assemble?.(request('invoice'), new AbortController().signal)).toThrow('invoice:1');
  });

  it('are shown at the health endpoint, each under its name', () => {
    const { handlers } = noted();
    expect(withDomains({ ...handlers, health: () => ({ 'invoice:1': 'UP' }) }).health?.()).toEqual({
      'customer:1': 'UP',
      'customer:2': 'DOWN',
      'invoice:1': 'UP',
    });
  });

  it("are called on the author's object", () => {
    class Handlers implements AdaptorHandlers {
      readonly domains = { 'customer:1': {} };
      #played = 0;
      get played(): number {
        return this.#played;
      }
      play(): void {
        this.#played += 1;
      }
    }
    const handlers = new Handlers();
    void withDomains(handlers).play?.();
    expect(handlers.played).toBe(1);
  });
});
