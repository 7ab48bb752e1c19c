import { describe, expect, it } from '@jest/globals';
import {
  adaptorSource,
  buildBatch,
  eventWindow,
  formatSequence,
  maxUnacknowledgedBytes,
  type CarriedEvent,
} from '@fds/adaptor-protocol';
import type { AdaptorView } from '../../domain/catalog.js';
import { emptyReport } from '../../domain/events/read-event.js';
import { createDataTaker, type DataTakerDependencies } from './create-data-taker.js';
import { Intakes } from './intakes.js';
import type { QueuedEvent } from './queued-event.js';

const epoch = '0199d0a0-0000-7000-8000-0000000000ee';
const adaptorUuid = '0199d0a0-0000-7000-8000-00000000000a';
const adaptor = { uuid: adaptorUuid, active: true, discoveryMode: false } as AdaptorView;
const silent = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };

const batch = (from: number, count: number, bytes = 10): Uint8Array => {
  const stamp = { id: 'b', source: adaptorSource(adaptorUuid), time: '2026-11-21T10:00:00Z' };
  const events = Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      id: 'e',
      type: 'fds.data.v1',
      sequence: formatSequence(from + index),
      data: { text: 'x'.repeat(bytes) },
    }),
  );
  return new TextEncoder().encode(buildBatch({ ...stamp, epoch }, events));
};

/** A server whose database does not commit. */
const openStalled = () => {
  const intakes = new Intakes();
  intakes.start(adaptorUuid, { upEpoch: epoch, upApplied: 0 });
  const queued: QueuedEvent[] = [];
  const asked: string[] = [];
  const arrivals: string[] = [];
  const take = createDataTaker({
    database: undefined as unknown as DataTakerDependencies['database'],
    relay: { position: () => undefined },
    log: silent as unknown as DataTakerDependencies['log'],
    newUuid: () => 'unused',
    findActive: async () => adaptor,
    handshakes: {
      serves: async () => true,
      refuseBatches: () => undefined,
      sendPosition: async (uuid) => void asked.push(uuid),
    },
    intakes,
    reader: {
      readData: async (_adaptor, { envelope }: Pick<CarriedEvent, 'envelope'>) => {
        const event = emptyReport(adaptor);
        return envelope.ok ? [{ event, reread: async () => event }] : [];
      },
    },
    acknowledge: () => undefined,
    loop: {
      addAll: (events) => {
        queued.push(...events);
        return new Promise(() => undefined);
      },
    },
    onQueued: () => undefined,
    onArrival: (arrival) => arrivals.push(arrival),
  });
  return { take: (payload: Uint8Array) => take({ adaptorUuid, kind: 'data', payload }), queued, asked, arrivals };
};

describe('the data taker, while nothing is committed', () => {
  it('holds no more events of an adaptor than its window, and asks it to go back', async () => {
    const { take, queued, asked, arrivals } = openStalled();
    for (let from = 1; from <= eventWindow; from += 128) await take(batch(from, 128));
    expect([queued.length, asked.length]).toEqual([eventWindow, 0]);
    await take(batch(eventWindow + 1, 128));
    expect([queued.length, asked.length]).toEqual([eventWindow, 1]);
    expect(arrivals).toEqual(['postponed']);
  });

  it('holds no more bytes of an adaptor than a whole window of the largest messages', async () => {
    const { take, queued, asked } = openStalled();
    const payload = batch(1, 1, 200_000);
    const most = Math.floor(maxUnacknowledgedBytes / payload.byteLength);
    for (let sequence = 1; sequence <= most; sequence += 1) await take(batch(sequence, 1, 200_000));
    expect([queued.length, asked.length]).toEqual([most, 0]);
    await take(batch(most + 1, 1, 200_000));
    expect([queued.length, asked.length]).toEqual([most, 1]);
  });
});
