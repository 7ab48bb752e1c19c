import type { Check } from './check.js';
import { expectEqual, expectThat, expectValue } from './expect-that.js';
import { CheckSkipped, requireRecords, type World } from './open-world.js';

const started = async (world: World): Promise<void> => {
  world.start();
  await world.untilStarted();
};

const values = (world: World, from: number, to: number, id = 'a') =>
  Array.from({ length: to - from + 1 }, (_, index) =>
    world.event(id, 'PUT', { [world.property]: String(from + index) }),
  );

/** Checks of events to the adaptor. */
export const dataChecks: readonly Check[] = [
  {
    id: 'order',
    clause: 'Sequences, receiver',
    level: 'MUST',
    sentence: 'applies the events of one group in order and acknowledges each number once it is done',
    run: async (world) => {
      requireRecords(world);
      await started(world);
      world.send(...values(world, 1, 300, 'a'), ...values(world, 1, 300, 'b'));
      await world.untilAcknowledged();
      await expectValue(world, 'a', '300');
      await expectValue(world, 'b', '300');
      const acks = world.hub.heard.acks.length;
      world.hub.sendRaw(world.hub.messageOf(world.hub.assigned));
      await world.until('an acknowledgement of the repeated event', () => world.hub.heard.acks.length > acks);
      expectEqual('the last acknowledged number', world.hub.heard.acks.at(-1)?.upto, world.hub.assigned);
      const uptos = world.hub.heard.acks.map(({ upto }) => upto);
      expectEqual(
        'acknowledgements that go back',
        uptos.filter((upto, at) => upto < (uptos[at - 1] ?? 0)),
        [],
      );
    },
  },
  {
    id: 'duplicate',
    clause: 'Sequences, receiver',
    level: 'MUST',
    sentence: 'drops a number that it has already handled and acknowledges again',
    run: async (world) => {
      await started(world);
      world.send(...values(world, 1, 3));
      await world.untilAcknowledged();
      const acks = world.hub.heard.acks.length;
      world.hub.sendRaw(world.hub.messageOf(1));
      await world.until('another acknowledgement', () => world.hub.heard.acks.length > acks);
      expectEqual('the acknowledged number', world.hub.heard.acks.at(-1)?.upto, 3);
      await expectValue(world, 'a', '3');
    },
  },
  {
    id: 'gap',
    clause: 'Sequences, receiver',
    level: 'MUST',
    sentence: 'drops a number beyond the next one and says hello',
    run: async (world) => {
      await started(world);
      world.send(...values(world, 1, 1));
      await world.untilAcknowledged();
      const hellos = world.hub.heard.hellos.length;
      world.hub.sendRaw(world.hub.messageOf(1).replace(/"sequence":"(\d+)1"/, '"sequence":"$19"'));
      await world.until('a hello', () => world.hub.heard.hellos.length > hellos);
      expectEqual('its position', world.hub.heard.hellos.at(-1)?.applied, 1);
      world.send(...values(world, 2, 3));
      await world.untilAcknowledged();
      await expectValue(world, 'a', '3');
    },
  },
  {
    id: 'null-and-absent',
    clause: 'fds.data.v1 on down/data',
    level: 'MUST',
    sentence: 'writes null for a property that is null and keeps the value of a property that is absent',
    run: async (world) => {
      requireRecords(world);
      if (!world.hasNullable) throw new CheckSkipped('the events of the model have no property that may be null');
      await started(world);
      world.send(world.event('a', 'POST', { [world.property]: 'x', [world.nullable]: 'y' }));
      world.send(world.event('a', 'PUT', { [world.nullable]: null }));
      await world.untilAcknowledged();
      const record = await world.read('a');
      expectEqual('the absent property', record?.[world.property], 'x');
      expectEqual('the property that is null', record?.[world.nullable] ?? null, null);
    },
  },
  {
    id: 'delete',
    clause: 'fds.link.v1, fds.assembly.request.v1',
    level: 'MUST',
    sentence: 'reports LINK after a POST and UNLINK after a DELETE, and has no record then',
    run: async (world) => {
      requireRecords(world);
      await started(world);
      world.send(world.event('a', 'POST', { [world.property]: 'x' }));
      await world.until('LINK is reported', () => world.hub.heard.links.some(({ action }) => action === 'LINK'));
      world.send(world.event('a', 'DELETE'));
      await world.until('UNLINK is reported', () => world.hub.heard.links.some(({ action }) => action === 'UNLINK'));
      await world.untilAcknowledged();
      expectEqual('the record', await world.read('a'), null);
    },
  },
  {
    id: 'unknown-property',
    clause: 'Sequences, receiver',
    level: 'MUST',
    sentence: 'continues after an event with a property that its source does not have',
    run: async (world) => {
      await started(world);
      world.send(
        world.event('a', 'PUT', { [world.property]: '1', ofTheFuture: { deep: [1] } }),
        ...values(world, 2, 2),
      );
      await world.untilAcknowledged();
      await expectValue(world, 'a', '2');
    },
  },
  {
    id: 'unreadable',
    clause: 'Sequences, receiver',
    level: 'MUST',
    sentence: 'reports an event that it cannot handle, and counts it as done',
    run: async (world) => {
      await started(world);
      world.send({ ...world.event('a', 'PUT'), jsonData: '{' }, ...values(world, 2, 2));
      await world.untilAcknowledged();
      await world.until('the error is reported', () => world.hub.heard.errors.some(({ kind }) => kind === 'DATA'));
      await expectValue(world, 'a', '2');
    },
  },
  {
    id: 'new-epoch',
    clause: 'Sequences, epochs',
    level: 'MUST',
    sentence: 'begins at 0 when the server opens a new epoch',
    run: async (world) => {
      await started(world);
      world.send(...values(world, 1, 5));
      await world.untilAcknowledged();
      world.hub.loseMemory();
      world.hub.disconnect();
      world.send(...values(world, 6, 9));
      await world.untilAcknowledged();
      await expectValue(world, 'a', '9');
    },
  },
  {
    id: 'lost-state',
    clause: 'Sequences, epochs',
    level: 'MUST',
    sentence: 'starts with epoch null when its state is lost, and applies the events that were not acknowledged',
    run: async (world) => {
      await started(world);
      world.send(...values(world, 1, 5));
      await world.untilAcknowledged();
      await world.subject.kill();
      world.loseState();
      world.send(...values(world, 6, 9));
      const hellos = world.hub.heard.hellos.length;
      await started(world);
      expectEqual('the epoch of its first hello', world.hub.heard.hellos[hellos]?.epoch, null);
      await world.untilAcknowledged();
      await expectValue(world, 'a', '9');
    },
  },
  {
    id: 'hello-after-restart',
    clause: 'Sequences, hello',
    level: 'MUST',
    sentence: 'its hello after a restart names the epoch and at least the number that it has acknowledged',
    run: async (world) => {
      await started(world);
      world.send(...values(world, 1, 5));
      await world.untilAcknowledged();
      await world.subject.stop(5_000);
      const hellos = world.hub.heard.hellos.length;
      await started(world);
      const { epoch, applied } = world.hub.heard.hellos[hellos] ?? {};
      expectThat(`it names its epoch, not ${epoch}`, epoch === world.hub.heard.acks.at(-1)?.epoch);
      expectEqual('its position', applied, 5);
    },
  },
];
