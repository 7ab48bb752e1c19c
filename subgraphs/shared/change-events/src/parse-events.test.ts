import { FaultList } from '@fds/errors';
import { describe, expect, it } from '@jest/globals';
import { parseEvents } from './parse-events.js';

const faultsOf = (value: unknown): string[] => {
  const faults = new FaultList();
  parseEvents('/events', value, faults);
  return faults.causes.map(({ pointer, code }) => `${pointer} ${code}`);
};

describe('the events of a registration', () => {
  it('are read, each action once', () => {
    const faults = new FaultList();
    const value = [{ resource: '/api/zones/*', actions: ['POST', 'ALL', 'POST'] }];
    expect(parseEvents('/events', value, faults)).toEqual([{ resource: '/api/zones/*', actions: ['POST', 'ALL'] }]);
    expect(faults.isEmpty).toBe(true);
  });

  it.each<[unknown, string[]]>([
    [undefined, ['/events REQUIRED']],
    [null, ['/events REQUIRED']],
    [{}, ['/events INVALID_VALUE']],
    [[], ['/events INVALID_VALUE']],
    [Array.from({ length: 101 }, () => ({ resource: '/zones/?', actions: ['ALL'] })), ['/events INVALID_VALUE']],
    [['/zones'], ['/events/0 INVALID_VALUE']],
    [[{}], ['/events/0/resource REQUIRED', '/events/0/actions REQUIRED']],
    [[{ resource: 5, actions: [] }], ['/events/0/resource INVALID_VALUE', '/events/0/actions INVALID_VALUE']],
    [[{ resource: 'zones', actions: ['ALL'] }], ['/events/0/resource INVALID_VALUE']],
    [[{ resource: '/zones/a*', actions: ['ALL'] }], ['/events/0/resource INVALID_VALUE']],
    [[{ resource: '/zones//a', actions: ['ALL'] }], ['/events/0/resource INVALID_VALUE']],
    [
      [
        { resource: '/zones/?', actions: ['ALL'] },
        { resource: '/zones/?', actions: ['GET', 'post', 7] },
      ],
      ['/events/1/actions/0 UNKNOWN_VALUE', '/events/1/actions/1 UNKNOWN_VALUE', '/events/1/actions/2 UNKNOWN_VALUE'],
    ],
    [[{ resource: '/zones/?', actions: ['ALL'], 'a/b~': 1 }], ['/events/0/a~1b~0 UNKNOWN_PROPERTY']],
  ])('%j has the faults %j', (value, expected) => expect(faultsOf(value)).toEqual(expected));
});
