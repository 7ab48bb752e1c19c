import { randomUUID } from 'node:crypto';
import type { Check } from './check.js';
import { expectEqual, expectThat, expectValue } from './expect-that.js';
import { CheckFailure, CheckSkipped, type World } from './open-world.js';

const started = async (world: World): Promise<void> => {
  world.start();
  await world.untilStarted();
};

const answerTo = (world: World, requestId: string) =>
  world.hub.heard.answers.find((answer) => answer.requestId === requestId);

const untilAnswered = async (world: World, requestId: string): Promise<void> =>
  world.until('the operation is answered', () => answerTo(world, requestId) !== undefined);

/** Starts the adaptor with a variable in its metadata that it must refuse. */
const refusesVariable = async (world: World, name: string): Promise<void> => {
  world.hub.metadata = { ...world.hub.metadata, conformance: { note: `\${${name}}` } };
  world.start();
  await world.until('ERROR is reported with the name of the variable', () =>
    world.hub.heard.states.some(
      ({ state, stateMessage }) => state === 'ERROR' && stateMessage?.includes(name) === true,
    ),
  );
};

/** Checks of the connection, states and operations. */
export const lifeChecks: readonly Check[] = [
  {
    id: 'start',
    clause: 'The life of a connection, 1 to 3',
    level: 'MUST',
    sentence: 'reports STARTING, takes START, says hello, reports STARTED and answers the START',
    run: async (world) => {
      await started(world);
      expectEqual('the first state', world.hub.heard.states[0]?.state, 'STARTING');
      await world.until('START is answered', () =>
        world.hub.heard.answers.some(({ operation, accepted }) => operation === 'START' && accepted),
      );
    },
  },
  {
    id: 'start-paused',
    clause: 'The life of a connection, 3',
    level: 'MUST',
    sentence: 'reports PAUSED, and says no hello, when START says PAUSE',
    run: async (world) => {
      world.hub.startState = 'PAUSE';
      world.start();
      await world.until('PAUSED is reported', () => world.hub.heard.states.some(({ state }) => state === 'PAUSED'));
      expectEqual('the number of hellos', world.hub.heard.hellos.length, 0);
      const requestId = world.hub.operate({ operation: 'PLAY' });
      await world.untilStarted();
      await untilAnswered(world, requestId);
    },
  },
  {
    id: 'pause',
    clause: 'The life of a connection, 5',
    level: 'MUST',
    sentence: 'PAUSE ends the data client; events wait and are sent in order after PLAY; operations continue',
    run: async (world) => {
      await started(world);
      await untilAnswered(world, world.hub.operate({ operation: 'PAUSE' }));
      await world.until('PAUSED is reported', () => world.hub.heard.states.at(-1)?.state === 'PAUSED');
      const { acknowledged } = world.hub;
      for (let n = 1; n <= 20; n += 1) world.send(world.event('a', 'PUT', { [world.property]: String(n) }));
      await untilAnswered(world, world.hub.operate({ operation: 'HEALTH' }));
      expectEqual('the acknowledged events while it is paused', world.hub.acknowledged, acknowledged);
      await untilAnswered(world, world.hub.operate({ operation: 'PLAY' }));
      await world.untilAcknowledged();
      await expectValue(world, 'a', '20');
    },
  },
  {
    id: 'operations',
    clause: 'fds.ops.v1',
    level: 'MUST',
    sentence: 'answers HEALTH, METRICS, REFRESH_STATE and METADATA under their requestId',
    run: async (world) => {
      await started(world);
      for (const operation of ['HEALTH', 'METRICS', 'REFRESH_STATE', 'METADATA'] as const) {
        const requestId = world.hub.operate({ operation });
        await untilAnswered(world, requestId);
        const answer = answerTo(world, requestId);
        expectEqual(`the operation of the answer to ${operation}`, answer?.operation, operation);
        expectThat(`${operation} is accepted`, answer?.accepted === true);
        if (operation === 'HEALTH') expectThat('HEALTH has a health', answer?.health !== undefined);
        if (operation === 'METRICS') expectThat('METRICS has metrics', answer?.metrics !== undefined);
      }
    },
  },
  {
    id: 'variables',
    clause: 'fds.ops.v1',
    level: 'SHOULD',
    sentence:
      'reports ERROR and the name of a variable in the metadata that its environment does not have, until it is corrected',
    run: async (world) => {
      const { metadata } = world.hub;
      await refusesVariable(world, 'FDS_CONFORMANCE_UNSET');
      world.hub.metadata = metadata;
      await untilAnswered(world, world.hub.configure());
      await world.untilStarted();
    },
  },
  {
    id: 'secret-variable',
    clause: 'fds.ops.v1',
    level: 'SHOULD',
    sentence: 'reports ERROR when the metadata names the variable of its client secret, and does not show the secret',
    run: async (world) => {
      await refusesVariable(world, 'CLIENT_SECRET');
      const shown = JSON.stringify(world.hub.heard.states) + world.subject.output();
      expectThat('the state messages and the output do not show the secret', !shown.includes(world.hub.secret));
    },
  },
  {
    id: 'unknown-messages',
    clause: 'Envelope',
    level: 'MUST',
    sentence: 'ignores members and message types that it does not know',
    run: async (world) => {
      await started(world);
      const future = { specversion: '1.0', id: randomUUID(), source: '/server', time: new Date().toISOString() };
      world.hub.sendOps(JSON.stringify({ ...future, type: 'fds.future.v1', data: { of: 'the future' } }));
      const requestId = randomUUID();
      const data = { operation: 'HEALTH', requestId, member: { of: 'the future' } };
      world.hub.sendOps(
        JSON.stringify({
          ...future,
          id: randomUUID(),
          type: 'fds.ops.v1',
          correlationid: requestId,
          extension: 1,
          data,
        }),
      );
      await untilAnswered(world, requestId);
    },
  },
  {
    id: 'reconnection',
    clause: 'Connecting',
    level: 'MUST',
    sentence: 'connects again after a lost connection and continues',
    run: async (world) => {
      await started(world);
      const hellos = world.hub.heard.hellos.length;
      world.hub.disconnect();
      world.send(world.event('a', 'PUT', { [world.property]: 'after' }));
      await world.until('the adaptor sends another hello', () => world.hub.heard.hellos.length > hellos);
      await world.untilAcknowledged();
      await expectValue(world, 'a', 'after');
    },
  },
  {
    id: 'clock',
    clause: 'fds.assembly.request.v1',
    level: 'SHOULD',
    sentence: "answers assembly requests when its clock and the server's clock differ by an hour",
    run: async (world) => {
      if (!world.answersAssembly) throw new CheckSkipped('the adaptor does not answer assembly requests');
      world.hub.skewMs = -3_600_000;
      await started(world);
      world.send(world.event('a', 'PUT', { [world.property]: 'x' }));
      await world.untilAcknowledged();
      await expectValue(world, 'a', 'x');
    },
  },
  {
    id: 'takeover',
    clause: 'fds.superseded.v1',
    level: 'SHOULD',
    sentence:
      'the earlier of two processes with the same credentials ends, with an exit code other than 0, and the later one continues',
    run: async (world) => {
      await started(world);
      if (world.hub.heard.states[0]?.instance === undefined)
        throw new CheckFailure('the state reports name no instance, so the server cannot settle a take-over');
      const later = world.startSecond();
      const exitCode = await world.subject.ended(world.patienceMs);
      expectThat('the earlier process ends', exitCode !== undefined);
      expectThat('its exit code is not 0, because a supervisor would take 0 for a requested stop', exitCode !== 0);
      const hellos = world.hub.heard.hellos.length;
      world.send(world.event('a', 'PUT', { [world.property]: 'x' }));
      await world.until(
        'the later process says hello',
        () => world.hub.heard.hellos.length > hellos || world.hub.acknowledged > 0,
      );
      await world.untilAcknowledged();
      expectThat('the later process runs', later.running);
    },
  },
  {
    id: 'shutdown',
    clause: 'fds.ops.v1',
    level: 'MUST',
    sentence: 'acknowledges SHUTDOWN, reports DOWN and ends',
    run: async (world) => {
      await started(world);
      const requestId = world.hub.operate({ operation: 'SHUTDOWN', code: randomUUID() });
      await untilAnswered(world, requestId);
      expectEqual('acknowledged', answerTo(world, requestId)?.acknowledged, true);
      expectEqual('the exit code', await world.subject.ended(world.patienceMs), 0);
      await world.until('DOWN is reported', () => world.hub.heard.states.at(-1)?.state === 'DOWN');
    },
  },
];
