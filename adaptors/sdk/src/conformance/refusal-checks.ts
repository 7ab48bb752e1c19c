import type { DownDataEvent } from '@fds/adaptor-protocol';
import type { Check } from './check.js';
import { expectEqual, expectThat, expectValue } from './expect-that.js';
import { CheckSkipped, requireOwnModel, requireRecords, type World } from './open-world.js';

/** An adaptor that acknowledges although its source is away does it within this time. */
const awayMs = 3_000;

/** An acknowledgement that follows a report of waiting messages arrives within this time. */
const settleMs = 1_000;

const requireRefusals = ({ canRefuse }: World): void => {
  if (!canRefuse) throw new CheckSkipped('no --refuse command is given');
};

const requireAway = (world: World): void => {
  requireRecords(world);
  if (!world.canGoAway) throw new CheckSkipped('no --away and --back commands are given');
};

const started = async (world: World): Promise<void> => {
  world.start();
  await world.untilStarted();
};

/** Waits until the condition is true, or the time is over. */
const untilOr = (world: World, ms: number, condition: () => boolean): Promise<void> => {
  const end = performance.now() + ms;
  return world.until('the time is over', () => performance.now() > end || condition(), ms + 1_000);
};

/** Does the adaptor report that it cannot handle the message? */
const refusalOf = (world: World, sequence: number, { drUuid, transactionUuid }: DownDataEvent) =>
  world.hub.heard.errors.find(
    (error) =>
      error.kind === 'DATA' &&
      error.level === 'ERROR' &&
      (error.sequence === sequence || (error.transactionUuid === transactionUuid && error.drUuid === drUuid)),
  );

const saysAway = ({ heard }: World['hub'], statesBefore: number, errorsBefore: number): boolean =>
  heard.waiting.some(({ sequences }) => sequences.length > 0) ||
  heard.states.slice(statesBefore).some(({ stateMessage = '' }) => stateMessage !== '') ||
  heard.errors.slice(errorsBefore).some(({ kind, message }) => kind !== 'DATA' && message !== '');

/** Checks of messages that cannot be applied, or not yet: none of them counts as applied. */
export const refusalChecks: readonly Check[] = [
  {
    id: 'refusal',
    clause: 'fds.adaptor.error.v1',
    level: 'MUST',
    sentence: 'reports a message that its source refuses, names it, and counts it neither as applied nor as linked',
    run: async (world) => {
      requireRefusals(world);
      await started(world);
      world.send(world.event('a', 'POST', { [world.property]: '1' }));
      await world.untilAcknowledged();
      await world.refuse('a');
      await world.refuse('c');
      const refused = [
        world.event('a', 'PUT', { [world.property]: '2' }),
        world.event('c', 'POST', { [world.property]: '2' }),
      ];
      const before = world.hub.assigned;
      world.send(...refused, world.event('b', 'POST', { [world.property]: '2' }));
      await world.untilAcknowledged();
      await world.until('both messages are reported as errors of kind DATA, with their sequence', () =>
        refused.every((event, index) => refusalOf(world, before + index + 1, event) !== undefined),
      );
      await expectValue(world, 'b', '2');
      const linked = world.hub.heard.links.some(({ drUuid }) => drUuid === refused[1]?.drUuid);
      expectThat('a refused POST is not linked', !linked);
    },
  },
  {
    id: 'refusal-title',
    clause: 'fds.adaptor.error.v1, title',
    level: 'SHOULD',
    sentence: 'gives a refusal a title for a steward: one line, without the text of the driver',
    run: async (world) => {
      requireRefusals(world);
      await started(world);
      await world.refuse('a');
      const event = world.event('a', 'POST', { [world.property]: '2' });
      world.send(event);
      await world.until('the error is reported', () => refusalOf(world, 1, event) !== undefined);
      const { title, message, properties } = refusalOf(world, 1, event) ?? {};
      expectThat('there is a title', title !== undefined && title.trim() !== '');
      expectThat(`the title is one line: ${title}`, title?.includes('\n') === false);
      expectThat('message has more than the title', title !== message);
      const known = [world.key, world.property, world.nullable];
      const strange = world.hasOwnModel ? (properties ?? []).filter((name) => !known.includes(name)) : [];
      expectEqual('properties that are not of the model', strange, []);
    },
  },
  {
    id: 'not-applied',
    clause: 'fds.adaptor.error.v1, properties',
    level: 'SHOULD',
    sentence: 'names the properties that it applied a message without',
    run: async (world) => {
      requireOwnModel(world);
      await started(world);
      world.send(world.event('a', 'POST', { [world.property]: '1', ofTheFuture: 'x' }));
      await world.untilAcknowledged();
      if (Object.hasOwn((await world.read('a')) ?? {}, 'ofTheFuture')) return;
      await world.until('a warning names the property that was not applied', () =>
        world.hub.heard.errors.some(
          ({ level, kind, properties, sequence, drUuid }) =>
            level === 'WARN' &&
            kind === 'DATA' &&
            properties?.includes('ofTheFuture') === true &&
            (sequence === 1 || drUuid === world.event('a', 'PUT').drUuid),
        ),
      );
    },
  },
  {
    id: 'away',
    clause: 'fds.waiting.v1, fds.adaptor.error.v1',
    level: 'MUST',
    sentence: 'does not count a message as applied while its source is away, and says so or applies it later',
    run: async (world) => {
      requireAway(world);
      await started(world);
      world.send(world.event('a', 'POST', { [world.property]: '1' }));
      await world.untilAcknowledged();
      const bringBack = await world.away();
      const event = world.event('a', 'PUT', { [world.property]: '2' });
      world.send(event);
      const sequence = world.hub.assigned;
      await untilOr(world, awayMs, () => world.hub.acknowledged >= sequence);
      const isDone = world.hub.acknowledged >= sequence;
      await bringBack();
      await world.untilAcknowledged();
      if (isDone)
        await world.until(
          'a message that was acknowledged while the source was away is reported as an error',
          () => refusalOf(world, sequence, event) !== undefined,
        );
      else if (refusalOf(world, sequence, event) === undefined) await expectValue(world, 'a', '2');
      expectEqual('faults of its messages', world.hub.heard.faults, []);
    },
  },
  {
    id: 'away-state',
    clause: 'fds.adaptor.error.v1, kind SOURCE',
    level: 'SHOULD',
    sentence:
      'states that its source is away, by fds.adaptor.error.v1 of kind SOURCE, by its state, or by fds.waiting.v1',
    run: async (world) => {
      requireAway(world);
      await started(world);
      world.send(world.event('a', 'POST', { [world.property]: '1' }));
      await world.untilAcknowledged();
      const { states, errors } = world.hub.heard;
      const [statesBefore, errorsBefore] = [states.length, errors.length];
      const bringBack = await world.away();
      world.send(world.event('a', 'PUT', { [world.property]: '2' }));
      await world.until('the adaptor states it', () => saysAway(world.hub, statesBefore, errorsBefore));
      await bringBack();
      await world.untilAcknowledged();
    },
  },
  {
    id: 'waiting',
    clause: 'fds.waiting.v1',
    level: 'MUST',
    sentence:
      'keeps the messages that it reports as waiting, also over a kill, and ends before them its acknowledged position',
    run: async (world) => {
      requireAway(world);
      await started(world);
      const ids = ['a', 'b'];
      world.send(...ids.map((id) => world.event(id, 'POST', { [world.property]: '1' })));
      await world.untilAcknowledged();
      const bringBack = await world.away();
      world.send(...ids.map((id) => world.event(id, 'PUT', { [world.property]: '2' })));
      const last = world.hub.assigned;
      const waits = () => world.hub.heard.waiting.some(({ sequences }) => sequences.includes(last));
      await untilOr(world, awayMs, waits);
      if (!waits()) throw new CheckSkipped('the adaptor reports no waiting messages');
      const isDone = () => world.hub.acknowledged >= last - 1;
      await untilOr(world, settleMs, isDone);
      expectThat('the acknowledged position ends before the waiting messages', !isDone());
      await world.subject.kill();
      await bringBack();
      await started(world);
      await world.untilAcknowledged();
      for (const id of ids) await expectValue(world, id, '2');
      expectEqual('faults of its messages', world.hub.heard.faults, []);
    },
  },
];
