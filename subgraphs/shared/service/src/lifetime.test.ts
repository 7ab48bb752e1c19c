import { describe, expect, it } from '@jest/globals';
import { createLifetime } from './lifetime.js';

describe('createLifetime', () => {
  it('closes the last opened first, each after the one before has closed', async () => {
    const lifetime = createLifetime();
    const closed: string[] = [];
    const database = lifetime.own({ name: 'database', close: () => void closed.push('database') });
    lifetime.onClose(() => Promise.resolve().then(() => void closed.push('bus')));
    lifetime.own({ close: () => void closed.push('server') });
    expect(database.name).toBe('database');
    await lifetime.close();
    expect(closed).toEqual(['server', 'bus', 'database']);
  });

  it('closes once, however often it is asked', async () => {
    const lifetime = createLifetime();
    let times = 0;
    lifetime.onClose(() => void (times += 1));
    await Promise.all([lifetime.close(), lifetime.close()]);
    await lifetime.close();
    expect(times).toBe(1);
  });

  it('continues after a failing step and reports every failure', async () => {
    const lifetime = createLifetime();
    const closed: string[] = [];
    lifetime.onClose(() => void closed.push('database'));
    lifetime.onClose(() => {
      throw new Error('bus');
    });
    lifetime.onClose(() => Promise.reject(new Error('server')));
    await expect(lifetime.close()).rejects.toMatchObject({ errors: [new Error('server'), new Error('bus')] });
    expect(closed).toEqual(['database']);
  });

  it('closes at once what is opened after it has closed', async () => {
    const lifetime = createLifetime();
    await lifetime.close();
    const closed: string[] = [];
    lifetime.own({ close: () => void closed.push('late') });
    await lifetime.close();
    expect(closed).toEqual(['late']);
  });
});
