import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@fds/testing';
import { requireStatus } from '../../harness/catalogue.js';
import { signIn, type Client } from '../../harness/client.js';
import type { Leftovers } from '../../harness/leftovers.js';
import type { Figure } from '../figure.js';
import { interleaved } from '../interleaved.js';
import { percentile } from '../percentile.js';
import { onStage } from '../stage/open-stage.js';

/**
 * Rounds are short, so that other work on the machine affects both sides. The percentiles are over all rounds together.
 */
const rounds = 10;
const changesPerRound = 80;
const pauseMs = 20;
/** Each count is compared with no dead receiver. Each receiver has its own registration. */
const deadCounts = [1, 20];

/** Opens an HTTP server on a free port. @returns its origin */
const listen = async (leftovers: Leftovers, answer: RequestListener): Promise<string> => {
  const server = createServer(answer);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  leftovers.add(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** A receiver that notes when each zone arrived. */
const openArrivals = async (leftovers: Leftovers) => {
  const arrivedAt = new Map<string, number>();
  const origin = await listen(leftovers, (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const atMs = performance.now();
      const { data } = JSON.parse(Buffer.concat(parts).toString('utf8')) as { data: { name: string } };
      arrivedAt.set(data.name, atMs);
      response.writeHead(204).end();
    });
  });
  return { origin, arrivedAt };
};

/**
 * Receivers that never answer. Each has its own port, because the service limits the simultaneous requests to one host.
 */
const openDead = async (leftovers: Leftovers, count: number) => {
  let unanswered = 0;
  let most = 0;
  const origins: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const origin = await listen(leftovers, (_, response) => {
      unanswered += 1;
      most = Math.max(most, unanswered);
      response.once('close', () => {
        unanswered -= 1;
      });
    });
    origins.push(origin);
  }
  return { origins, mostUnanswered: () => most };
};

type Arrivals = Awaited<ReturnType<typeof openArrivals>>;

const register = async (admin: Client, callback: string): Promise<string> => {
  const events = [{ resource: '/zones/?', actions: ['PATCH', 'PUT'] }];
  requireStatus(await admin.rest('PUT', '/notifications', { callback, callbackType: 'WEB_HOOK', events }), 204);
  const { body } = await admin.rest<{ notifications: { notificationId: string; callback: string }[] }>(
    'GET',
    '/notifications?size=1000',
  );
  return body.notifications.find((each) => each.callback === callback)?.notificationId ?? '';
};

/** Makes one change at a time. Measures from the request that makes it to its arrival at the receiver. */
const changeLightly = async (
  rename: (name: string) => Promise<void>,
  { arrivedAt }: Arrivals,
  signal: AbortSignal,
): Promise<number[]> => {
  const waitsMs: number[] = [];
  for (let index = 0; index < changesPerRound; index += 1) {
    signal.throwIfAborted();
    const name = `zone ${randomUUID()}`;
    const sentMs = performance.now();
    await rename(name);
    await eventually(
      () => {
        if (!arrivedAt.has(name)) throw new Error('the change has not arrived');
      },
      { intervalMs: 5 },
    );
    waitsMs.push((arrivedAt.get(name) ?? NaN) - sentMs);
    arrivedAt.clear();
    await delay(pauseMs + (index % 7));
  }
  return waitsMs;
};

const inMs = (value: number): string => `${value.toFixed(1)} ms`;

const describe = (waitsMs: readonly number[]): string =>
  `p50 ${inMs(percentile(waitsMs, 50))}, p99 ${inMs(percentile(waitsMs, 99))}`;

/** Ratio of a percentile of one side to the same percentile of the other side. */
const ratio = (subjectMs: readonly number[], floorMs: readonly number[], percent: number): string =>
  (percentile(subjectMs, percent) / percentile(floorMs, percent)).toFixed(2);

export const webhookDelivery: Figure = {
  what: 'Delivery of a notification, alone and next to receivers that never answer',
  deadlineMs: 300_000,
  run: (signal, tell) =>
    onStage(
      signal,
      async ({ leftovers, service }) => {
        const admin = await signIn({ ...service, username: 'admin', password: service.passwords.admin });
        const { body: zone } = requireStatus(
          await admin.rest<{ readonly uuid: string; readonly changeVersion: number }>('POST', '/zones', {
            name: 'changed',
          }),
          201,
        );
        const arrivals = await openArrivals(leftovers);
        await register(admin, `${arrivals.origin}/hook`);
        let { changeVersion } = zone;
        const rename = async (name: string): Promise<void> => {
          requireStatus(await admin.rest('PATCH', `/zones/${zone.uuid}`, { name, changeVersion }), 200);
          changeVersion += 1;
        };
        const measure = (): Promise<number[]> => changeLightly(rename, arrivals, signal);
        tell(
          `from the request that makes the change to its arrival; ${rounds} rounds of ${changesPerRound} changes, one at a time`,
        );
        for (const count of deadCounts) {
          const dead = await openDead(leftovers, count);
          const measured = await interleaved({
            rounds,
            subject: async () => {
              const registered: string[] = [];
              for (const origin of dead.origins) registered.push(await register(admin, `${origin}/${randomUUID()}`));
              try {
                return await measure();
              } finally {
                for (const id of registered) requireStatus(await admin.rest('DELETE', `/notifications/${id}`), 204);
              }
            },
            floor: measure,
          });
          const subject = measured.flatMap((round) => round.subject);
          const floor = measured.flatMap((round) => round.floor);
          tell(
            `${count} that never answer (${dead.mostUnanswered()} requests at once): ${describe(subject)}; without: ${describe(floor)}; ` +
              `ratio of p50 ${ratio(subject, floor, 50)}, of p99 ${ratio(subject, floor, 99)}`,
          );
        }
      },
      { FDS_WEBHOOK_ALLOW_PRIVATE: 'true' },
    ),
};
