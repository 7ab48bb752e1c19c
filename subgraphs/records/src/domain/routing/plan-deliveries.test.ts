import { beforeEach, describe, expect, it } from '@jest/globals';
import { compileChains } from '@fds/governance-rules';
import { createAdaptor, createWorld, denying, transactionUuid, uuid } from '../../testing/event-world.js';
import { RecordBook, type RecordState } from '../records/record-book.js';
import { applyPlan } from './apply-plan.js';
import type { RoutedEvent } from './compose-message.js';
import { contentOf } from './content-hashes.js';
import { nothingKnown, type KnownContent } from './known-content.js';
import { maxMessageBytes } from './message-limit.js';
import { Outbox } from './outbox.js';
import { planChange, planDeletion } from './plan-deliveries.js';

const json = { id: 1, name: 'Ada', note: 'new' };
const data = { json, content: contentOf(json) };
const source = createAdaptor('A');
const linked = createAdaptor('B');
const expecting = createAdaptor('C');
const unaware = createAdaptor('D');
/** Linked; governance denies it every change. */
const denied = createAdaptor('E', { zoneUuid: uuid(61) });
const adaptors = [source, linked, expecting, unaware, denied];
const { version } = createWorld({ domainType: 'SERVICE_DATA_STORE', adaptors });
const event: RoutedEvent = {
  uuid: uuid(1),
  source,
  version,
  transactionUuid,
  createTime: 5,
  drKey: { id: 1 },
};
const earlier: KnownContent = { ...nothingKnown, hashes: contentOf({ id: 1, name: 'Eve' }) };

const createContext = () => {
  const record: RecordState = {
    uuid: uuid(2),
    domainVersionUuid: version.uuid,
    keyDigest: 'digest',
    drKey: { id: 1 },
    json,
    createdByUuid: null,
    links: new Map(
      [linked, denied].map(({ uuid: adaptorUuid }) => [
        adaptorUuid,
        { adaptorUuid, keyDigest: 'digest', drKey: { id: 1 }, known: earlier },
      ]),
    ),
    expected: new Map([[expecting.uuid, earlier]]),
  };
  const book = new RecordBook([record]);
  const outbox = new Outbox(() => ({ downSequence: 7, downAcked: 0 }));
  const acls = [denying({ zoneUuid: uuid(61), put: 'DENY' })];
  const context = {
    catalog: { destinations: () => adaptors, bystanders: () => [] },
    governance: compileChains(acls),
    book,
    outbox,
  };
  /** Everything that a plan could change. */
  const state = () => ({
    record: structuredClone({ links: record.links, expected: record.expected }),
    changes: book.changes(),
    last: adaptors.map((adaptor) => outbox.last(adaptor.uuid)),
    leftOut: [...outbox.leftOut],
  });
  return { record, context, state };
};

let world: ReturnType<typeof createContext>;
beforeEach(() => {
  world = createContext();
});

describe('a plan for the destinations of a change', () => {
  it('changes neither the book nor the outbox before it is applied', () => {
    const before = world.state();
    const plan = planChange(world.context, event, world.record, data);
    expect(plan.deliveries).toHaveLength(3);
    expect(world.state()).toEqual(before);
    expect(planChange(world.context, event, world.record, data)).toEqual(plan);
  });

  it('queues its messages, and notes the content of each destination, when it is applied', () => {
    const { context, record, state } = world;
    const plan = planChange(context, event, record, data);
    applyPlan(context, record, plan);
    expect(state().last).toEqual([undefined, 8, 8, 8, undefined]);
    expect(record.links.get(linked.uuid)?.known.hashes).toEqual(data.content);
    expect(record.expected.get(expecting.uuid)?.hashes).toEqual(data.content);
    expect(record.expected.get(unaware.uuid)?.hashes).toEqual(data.content);
    expect(record.links.get(denied.uuid)?.known.withheld).toEqual(['id', 'name', 'note']);
    expect(state().changes.savedLinks.map(({ link }) => link.adaptorUuid)).toEqual([linked.uuid, denied.uuid]);
    expect(state().changes.updated).toEqual([record]);
  });

  it('leaves a message that is too large to the outbox, without a number', () => {
    const { context, record, state } = world;
    const large = { ...json, note: '"'.repeat(maxMessageBytes / 4) };
    const plan = planChange(context, event, record, { json: large, content: contentOf(large) });
    expect(plan.deliveries).toEqual([]);
    expect(state().leftOut).toEqual([]);
    applyPlan(context, record, plan);
    expect(state().leftOut).toHaveLength(3);
    expect(state().last).toEqual(adaptors.map(() => undefined));
  });
});

describe('a plan for the destinations of a deletion', () => {
  it('changes neither the book nor the outbox before it is applied', () => {
    const before = world.state();
    const plan = planDeletion(world.context, event, world.record);
    expect(plan.deliveries).toHaveLength(3);
    expect(world.state()).toEqual(before);
    applyPlan(world.context, world.record, plan);
    expect(world.state().last).toEqual([undefined, 8, 8, undefined, 8]);
    expect(world.record.links.get(linked.uuid)?.known).toMatchObject({ hashes: {}, deletionSent: true });
    expect(world.record.expected.get(expecting.uuid)?.deletionSent).toBe(true);
  });
});
