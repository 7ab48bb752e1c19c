import { describe, expect, it } from '@jest/globals';
import { compileDataAccess, type AccessRule } from '@fds/access-rules';
import { compileModelSchema } from '@fds/model-schema';
import { planMerge } from './merge-plan.js';
import { readRequestedProperties } from './requested-properties.js';
import { createVisibility, mayAsk } from './visibility.js';

const text = { type: 'string' };
const { model } = compileModelSchema({
  modelSchema: { properties: { id: text, name: text, phone: text } },
  drKeyProperties: ['id'],
});
if (model === undefined) throw new Error('the model does not compile');
const compiled = model;

const source = { adaptorUuid: 'a', name: 'A', zoneUuid: 'z', zoneName: 'Z', tier: 'GOLD' } as const;
const hides = (...properties: string[]): AccessRule => ({
  effect: 'DENY',
  actions: null,
  zoneUuid: null,
  adaptorUuid: 'a',
  domainUuid: null,
  domainVersionUuid: null,
  properties: properties.length === 0 ? null : properties,
  drUuids: null,
});

const see = (withheld: readonly string[], rules?: readonly AccessRule[], permitted = true) => {
  const access =
    rules === undefined
      ? undefined
      : compileDataAccess([rules], new Map([['a', 'z']])).of('GET', {
          uuid: 'v',
          domainUuid: 'd',
          zoneUuid: 'z',
          model: compiled,
        });
  const governed = { permits: () => permitted, withheld: () => withheld };
  const visible = createVisibility(governed, access)(source, 'r');
  return {
    visible: [visible.extent, ...['id', 'name', 'phone'].filter((name) => visible.has(name))],
    asks: [undefined, [], ['phone'], ['phone', 'id']].map((names) =>
      mayAsk(planMerge(readRequestedProperties(names, compiled.properties), compiled), visible),
    ),
  };
};

describe('the part of a record from a source that a caller may see', () => {
  it.each<[string, ReturnType<typeof see>, string[], boolean[]]>([
    ['everything', see([]), ['ALL', 'id', 'name', 'phone'], [true, true, true, true]],
    ['less by governance', see(['phone']), ['SOME', 'id', 'name'], [true, true, false, true]],
    ['less by rules', see([], [hides('phone')]), ['SOME', 'id', 'name'], [true, true, false, true]],
    ['less by both', see(['id'], [hides('phone')]), ['SOME', 'name'], [true, true, false, false]],
    ['nothing by governance', see([], undefined, false), ['NONE'], [false, false, false, false]],
    ['nothing by rules', see([], [hides()]), ['NONE'], [false, false, false, false]],
  ])('%s', (_, seen, visible, asks) => {
    expect(seen).toEqual({ visible, asks });
  });
});
