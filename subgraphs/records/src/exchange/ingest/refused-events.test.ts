import { describe, expect, it } from '@jest/globals';
import type { Catalog } from '../../domain/catalog.js';
import { raiseIssue } from '../../domain/events/raise-issue.js';
import { readDataEvent } from '../../domain/events/read-event.js';
import { createAdaptor, createWorld, transactionUuid } from '../../testing/event-world.js';
import type { QueuedEvent } from './queued-event.js';
import { refusedEvent, releasedMeanwhile, rereadRefused } from './refused-events.js';

const { version } = createWorld();
const [barred, granted] = [createAdaptor('A', { actions: [] }), createAdaptor('A')];

const catalogOf = (adaptor = barred, isKnown = true): Pick<Catalog, 'adaptor' | 'version'> => ({
  adaptor: () => adaptor,
  version: () => (isKnown ? version : undefined),
});

const queue = (catalog: Pick<Catalog, 'adaptor' | 'version'>, number = 1): QueuedEvent => {
  const read = () =>
    readDataEvent(
      { ...catalog, versionByUuid: () => version, destinations: () => [], bystanders: () => [] },
      catalog.adaptor(barred.uuid) ?? barred,
      {
        action: 'POST',
        domain: 'Customer',
        version: 1,
        transactionUuid,
        createTime: 5,
        json: { id: number, name: 'x' },
      },
    );
  return { adaptor: barred, event: read(), position: undefined, reread: () => Promise.resolve(read()) };
};

/** A view that has what it was asked for only when it reads again. */
const createView = (before: Pick<Catalog, 'adaptor' | 'version'>, after: Pick<Catalog, 'adaptor' | 'version'>) => {
  const asked: { readonly adaptorUuids: readonly string[]; readonly domainNames: readonly string[] }[] = [];
  const catalog = {
    adaptor: (uuid: string) => (asked.length === 0 ? before : after).adaptor(uuid),
    version: (name: string, number: number) => (asked.length === 0 ? before : after).version(name, number),
  };
  const reloadNamed = (named: (typeof asked)[number]) => Promise.resolve(void asked.push(named));
  return { asked, catalog, reloadNamed };
};

describe('rereadRefused', () => {
  it('looks once for all of a batch', async () => {
    const view = createView(catalogOf(), catalogOf());
    const batch = Array.from({ length: 400 }, (_, number) => queue(view.catalog, number));
    expect(await rereadRefused(view, batch)).toEqual(batch);
    expect(view.asked).toEqual([{ adaptorUuids: [barred.uuid], domainNames: [] }]);
  });

  it('does not look where nothing is refused', async () => {
    const view = createView(catalogOf(granted), catalogOf(granted));
    await rereadRefused(view, [queue(view.catalog)]);
    expect(view.asked).toEqual([]);
  });

  it('continues the events with a new permission, with the adaptor as it is now', async () => {
    const view = createView(catalogOf(), catalogOf(granted));
    const [event] = await rereadRefused(view, [queue(view.catalog)]);
    expect([event?.event.kind, event?.adaptor]).toEqual(['RECORD_CHANGED', granted]);
  });

  it('continues the events of a new version', async () => {
    const view = createView(catalogOf(granted, false), catalogOf(granted));
    const [event] = await rereadRefused(view, [queue(view.catalog)]);
    expect(event?.event.kind).toBe('RECORD_CHANGED');
    expect(view.asked).toEqual([{ adaptorUuids: [], domainNames: ['Customer'] }]);
  });
});

describe('releasedMeanwhile', () => {
  const refuse = (queued: QueuedEvent, reason: 'FAULTY' | 'NOT_CAPABLE') =>
    refusedEvent(queued, raiseIssue({ newUuid: () => 'i' }, queued.adaptor, { event: queued.event, reason })) ?? [];
  const uncapable = [refuse(queue(catalogOf()), 'FAULTY')].flat();
  const unknown = [refuse(queue(catalogOf(granted, false)), 'FAULTY')].flat();

  it('releases what an adaptor that may do more since was refused', () => {
    expect(releasedMeanwhile(catalogOf(), uncapable)).toEqual([]);
    expect(releasedMeanwhile(catalogOf(granted), uncapable)).toEqual([{ kind: 'ADAPTORS', uuids: [barred.uuid] }]);
    const creating = [refuse(queue(catalogOf(granted)), 'NOT_CAPABLE')].flat();
    expect(releasedMeanwhile(catalogOf(granted), creating)).toEqual([{ kind: 'ADAPTORS', uuids: [barred.uuid] }]);
  });

  it('releases what waits for a version that is known since', () => {
    expect(releasedMeanwhile(catalogOf(granted, false), unknown)).toEqual([]);
    expect(releasedMeanwhile(catalogOf(granted), unknown)).toEqual([{ kind: 'CAUSE', cause: 'UNKNOWN_VERSION' }]);
  });
});
