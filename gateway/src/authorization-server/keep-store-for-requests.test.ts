import { AsyncLocalStorage } from 'node:async_hooks';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { keepStoreForRequests } from './keep-store-for-requests.js';

class CountedStore extends AsyncLocalStorage<string> {
  turnedOff = 0;
  override disable(): void {
    this.turnedOff += 1;
    super.disable();
  }
}

/** A provider whose requests end when the test says so, and which then reads its store. */
const openProvider = () => {
  const store = new CountedStore();
  const keep = keepStoreForRequests(store);
  const ask = (name: string) => {
    const request = new IncomingMessage(new Socket());
    let end = (_error?: Error): void => undefined;
    const ended = new Promise<void>((resolve, reject) => {
      end = (error) => (error === undefined ? resolve() : reject(error));
    });
    let seen: string | undefined;
    const handled = keep(() =>
      store.run(name, async () => {
        await ended;
        seen = store.getStore();
      }),
    )(request, new ServerResponse(request));
    return { end, handled, seen: () => seen };
  };
  return { store, ask };
};

describe('keepStoreForRequests', () => {
  it('turns the store off when the last request under way ends', async () => {
    const { store, ask } = openProvider();
    const [one, other] = [ask('one'), ask('other')];
    one.end();
    await one.handled;
    expect(store.turnedOff).toBe(0);
    other.end();
    await other.handled;
    expect(store.turnedOff).toBe(1);
    expect([one.seen(), other.seen()]).toEqual(['one', 'other']);
  });

  it('turns the store on again for the next request', async () => {
    const { ask } = openProvider();
    for (const name of ['first', 'second']) {
      const asked = ask(name);
      asked.end();
      await asked.handled;
      expect(asked.seen()).toBe(name);
    }
  });

  it('turns the store off after a request that fails', async () => {
    const { store, ask } = openProvider();
    const asked = ask('failing');
    asked.end(new Error('no answer'));
    await expect(asked.handled).rejects.toThrow('no answer');
    expect(store.turnedOff).toBe(1);
  });
});
