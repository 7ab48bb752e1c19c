import { randomUUID } from 'node:crypto';
import { buildBatch, type DownDataEvent, parseMessage, serverSource } from '@fds/adaptor-protocol';
import type { Check } from './check.js';
import { expectEqual, expectThat, expectValue } from './expect-that.js';
import { CheckSkipped, requireRecords, type World } from './open-world.js';

/** Starts the adaptor on a hub that offers batches. Skips the check if the adaptor offers none. */
const startedWithBatches = async (world: World): Promise<void> => {
  requireRecords(world);
  world.hub.usesBatches = true;
  world.start();
  await world.untilStarted();
  if (world.hub.heard.hellos.at(-1)?.batch === undefined) throw new CheckSkipped('the adaptor offers no batches');
};

const values = (world: World, from: number, to: number): DownDataEvent[] =>
  Array.from({ length: to - from + 1 }, (_, index) =>
    world.event('a', 'PUT', { [world.property]: String(from + index) }),
  );

/** Sends messages again that were queued before, in one batch. */
const repeat = (world: World, sequences: readonly number[]): void => {
  const messages = sequences.map((sequence) => world.hub.messageOf(sequence));
  const first = parseMessage('down/data', Buffer.from(messages[0] ?? ''));
  if (!first.ok || first.value.epoch === undefined) throw new Error('the hub wrote no event');
  const { epoch } = first.value;
  const stamp = { id: randomUUID(), source: serverSource, time: new Date().toISOString() };
  world.hub.sendRaw(buildBatch({ ...stamp, epoch }, messages));
};

/** Checks of batches, which are optional: an adaptor that offers them must handle them correctly. */
export const batchChecks: readonly Check[] = [
  {
    id: 'batch-order',
    clause: 'Several events in one message',
    level: 'SHOULD',
    sentence: 'applies the events of the batches that it offers to accept, in order, and acknowledges each number',
    run: async (world) => {
      await startedWithBatches(world);
      world.send(...values(world, 1, 300));
      await world.untilAcknowledged();
      expectThat('the hub sent batches', world.hub.batchesSent > 0);
      await expectValue(world, 'a', '300');
    },
  },
  {
    id: 'batch-duplicate',
    clause: 'Several events in one message',
    level: 'SHOULD',
    sentence: 'drops the events of a batch that it has already handled, and acknowledges again',
    run: async (world) => {
      await startedWithBatches(world);
      world.send(...values(world, 1, 4));
      await world.untilAcknowledged();
      const acks = world.hub.heard.acks.length;
      repeat(world, [1, 2]);
      await world.until('another acknowledgement', () => world.hub.heard.acks.length > acks);
      expectEqual('the acknowledged number', world.hub.heard.acks.at(-1)?.upto, 4);
      await expectValue(world, 'a', '4');
    },
  },
  {
    id: 'batch-unreadable',
    clause: 'Several events in one message',
    level: 'SHOULD',
    sentence: 'reports an event of a batch that it cannot handle, and applies the others',
    run: async (world) => {
      await startedWithBatches(world);
      world.send(...values(world, 1, 1), { ...world.event('a', 'PUT'), jsonData: '{' }, ...values(world, 3, 3));
      await world.untilAcknowledged();
      await world.until('the error is reported', () => world.hub.heard.errors.some(({ kind }) => kind === 'DATA'));
      await expectValue(world, 'a', '3');
    },
  },
  {
    id: 'batch-frame',
    clause: 'Several events in one message',
    level: 'SHOULD',
    sentence: 'applies no event of a batch whose numbers do not follow each other, and says hello',
    run: async (world) => {
      await startedWithBatches(world);
      world.send(...values(world, 1, 3));
      await world.untilAcknowledged();
      const hellos = world.hub.heard.hellos.length;
      repeat(world, [2, 1]);
      await world.until('a hello', () => world.hub.heard.hellos.length > hellos);
      world.send(...values(world, 4, 5));
      await world.untilAcknowledged();
      await expectValue(world, 'a', '5');
    },
  },
];
