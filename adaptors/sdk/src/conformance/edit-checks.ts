import { type DownDataEvent, isJsonObject, type JsonObject, type JsonValue, parseJson } from '@fds/adaptor-protocol';
import type { Check } from './check.js';
import { expectEqual, expectThat, expectValue } from './expect-that.js';
import type { TakenEvent } from './hub.js';
import { CheckSkipped, requireOwnModel, type World } from './open-world.js';

/** Records of a check. Its message arrives right after the user's change; the adaptor may read its source before or after it. */
const rounds = ['r1', 'r2', 'r3', 'r4'];

const requireChanges = (world: World): void => {
  requireOwnModel(world);
  if (!world.canChange) throw new CheckSkipped('no --change command is given');
};

const started = async (world: World): Promise<void> => {
  world.start();
  await world.untilStarted();
};

/** Sends an event in which these properties are new and the others are repeated; returns its number. */
const sendNew = (
  world: World,
  id: string,
  values: JsonObject,
  { changed, ...more }: Partial<DownDataEvent> = { changed: Object.keys(values) },
): number => {
  world.send({ ...world.event(id, 'PUT', values), ...(changed === undefined ? {} : { changed }), ...more });
  return world.hub.assigned;
};

/** Sends the records to the adaptor, and waits until it has applied them. */
const created = async (world: World, ids: readonly string[], values: JsonObject): Promise<void> => {
  for (const id of ids) {
    const changed = [world.key, ...Object.keys(values)];
    world.send({ ...world.event(id, 'POST', values), changed });
  }
  await world.untilAcknowledged();
};

const recordOf = ({ event: { json, jsonData } }: TakenEvent): JsonObject => {
  const value = json ?? (jsonData === undefined ? {} : parseJson(jsonData));
  return isJsonObject(value) ? value : {};
};

/** The first report of a record in which a property has the value; undefined: not yet. */
const reportOf = (world: World, id: string, property: string, value: JsonValue): TakenEvent | undefined =>
  world.hub.heard.events.find((taken) => {
    const record = recordOf(taken);
    return record[property] === value && record[world.key] === id;
  });

const untilReported = (world: World, property: string, values: ReadonlyMap<string, string>): Promise<void> =>
  world.until(`the users' changes ${[...values.values()].join(', ')} are reported`, () =>
    [...values].every(([id, value]) => reportOf(world, id, property, value) !== undefined),
  );

/** The adaptor states with the report that it had not applied the message before it read the record. */
const hadNotSeen = (world: World, report: TakenEvent, sequence: number): boolean => {
  const { seen } = report.event;
  // without `seen`, the acknowledgements that came before the event say it
  return seen === undefined
    ? report.acknowledgedBefore < sequence
    : seen.epoch !== world.hub.epoch || seen.applied < sequence;
};

/** Checks of an exchange in both directions: no change of a user is lost. */
export const editChecks: readonly Check[] = [
  {
    id: 'repeated-values',
    clause: 'fds.data.v1 on down/data, changed',
    level: 'MUST',
    sentence: 'writes the properties that changed names, and none of those that the message repeats',
    run: async (world) => {
      requireOwnModel(world);
      const { property, nullable } = world;
      await started(world);
      await created(world, ['a'], { [property]: 'p1', [nullable]: 'n1' });
      sendNew(world, 'a', { [property]: 'p2', [nullable]: 'repeated' }, { changed: [property] });
      await world.untilAcknowledged();
      const record = await world.read('a');
      expectEqual('the new property', record?.[property], 'p2');
      expectEqual('the repeated property', record?.[nullable], 'n1');
    },
  },
  {
    id: 'read-condition',
    clause: 'fds.data.v1 on down/data, read',
    level: 'MUST',
    sentence: 'writes a property that read names only where its source still holds that value',
    run: async (world) => {
      requireOwnModel(world);
      const { property } = world;
      await started(world);
      await created(world, ['a', 'b'], { [property]: 'now' });
      sendNew(world, 'a', { [property]: 'next' }, { changed: [property], read: { [property]: 'former' } });
      sendNew(world, 'b', { [property]: 'next' }, { changed: [property], read: { [property]: 'now' } });
      await world.untilAcknowledged();
      await expectValue(world, 'a', 'now');
      await expectValue(world, 'b', 'next');
    },
  },
  {
    id: 'read-kept',
    clause: 'fds.data.v1 on down/data, read',
    level: 'MUST',
    sentence: 'keeps and reports the value of its source where it is no longer the one that read names',
    run: async (world) => {
      requireChanges(world);
      const { property } = world;
      await started(world);
      await created(world, rounds, { [property]: 'now' });
      const edits = new Map<string, string>();
      for (const id of rounds) {
        edits.set(id, `mine-${id}`);
        await world.change(id, `mine-${id}`);
        sendNew(world, id, { [property]: 'next' }, { changed: [property], read: { [property]: 'now' } });
      }
      await world.untilAcknowledged();
      await untilReported(world, property, edits);
      for (const [id, edit] of edits) await expectValue(world, id, edit);
    },
  },
  {
    id: 'unreported-change',
    clause: 'fds.data.v1 on down/data, changed',
    level: 'MUST',
    sentence: 'keeps and reports a change that it has not reported when a message of another property arrives',
    run: async (world) => {
      requireChanges(world);
      const { property, nullable } = world;
      await started(world);
      await created(world, rounds, { [property]: 'old', [nullable]: 'n' });
      const [edits, sequences] = [new Map<string, string>(), new Map<string, number>()];
      for (const id of rounds) {
        edits.set(id, `edit-${id}`);
        await world.change(id, `edit-${id}`, nullable);
        sequences.set(id, sendNew(world, id, { [property]: 'new', [nullable]: 'n' }, { changed: [property] }));
      }
      await world.untilAcknowledged();
      await untilReported(world, nullable, edits);
      const records = await world.readAll(rounds);
      for (const [index, id] of rounds.entries()) {
        const [record, edit, sequence] = [records[index], edits.get(id) ?? '', sequences.get(id) ?? 0];
        expectEqual(`the property that the user of ${id} changed`, record?.[nullable], edit);
        expectEqual(`the property that the message of ${id} changed`, record?.[property], 'new');
        const stale = world.hub.heard.events.find(
          (taken) => recordOf(taken)[property] === 'old' && reportOf(world, id, nullable, edit) === taken,
        );
        const isHonest = stale === undefined || hadNotSeen(world, stale, sequence);
        expectThat(
          `the report of ${id} has the value before the message, but says in seen that it was applied`,
          isHonest,
        );
      }
    },
  },
  {
    id: 'same-property',
    clause: 'fds.data.v1 on down/data, changed',
    level: 'MUST',
    sentence: 'reports a change that crosses a message of the same property, and says in seen that it had not seen it',
    run: async (world) => {
      requireChanges(world);
      const { property } = world;
      await started(world);
      await created(world, rounds, { [property]: 'base' });
      const [edits, sequences] = [new Map<string, string>(), new Map<string, number>()];
      for (const id of rounds) {
        edits.set(id, `mine-${id}`);
        await world.change(id, `mine-${id}`);
        sequences.set(id, sendNew(world, id, { [property]: `theirs-${id}` }));
      }
      await world.untilAcknowledged();
      await untilReported(world, property, edits);
      const records = await world.readAll(rounds);
      for (const [index, id] of rounds.entries()) {
        const held = records[index]?.[property] ?? null;
        expectThat(
          `${id} holds one of both values, not ${JSON.stringify(held)}`,
          held === `mine-${id}` || held === `theirs-${id}`,
        );
        const report = reportOf(world, id, property, edits.get(id) ?? '');
        const isHonest = report !== undefined && hadNotSeen(world, report, sequences.get(id) ?? 0);
        expectThat(`the report of ${id} ends its seen before the message that the user had not seen`, isHonest);
      }
    },
  },
  {
    id: 'unreported-delete',
    clause: 'fds.data.v1 on down/data, changed',
    level: 'MUST',
    sentence: 'reports a change that crosses a DELETE of its record, and says in seen that it had not seen the DELETE',
    run: async (world) => {
      requireChanges(world);
      const { property } = world;
      await started(world);
      await created(world, rounds, { [property]: 'base' });
      const [edits, sequences] = [new Map<string, string>(), new Map<string, number>()];
      for (const id of rounds) {
        edits.set(id, `mine-${id}`);
        await world.change(id, `mine-${id}`);
        world.send(world.event(id, 'DELETE'));
        sequences.set(id, world.hub.assigned);
      }
      await world.untilAcknowledged();
      await untilReported(world, property, edits);
      const records = await world.readAll(rounds);
      for (const [index, id] of rounds.entries()) {
        const record = records[index] ?? null;
        if (record !== null) expectEqual(`the property of ${id}, which was kept`, record[property], `mine-${id}`);
        const report = reportOf(world, id, property, edits.get(id) ?? '');
        const isHonest = report !== undefined && hadNotSeen(world, report, sequences.get(id) ?? 0);
        expectThat(`the report of ${id} ends its seen before the DELETE that the user had not seen`, isHonest);
      }
    },
  },
];
