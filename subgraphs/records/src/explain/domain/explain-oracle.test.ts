import { expect, it } from '@jest/globals';
import { casesOf } from '@fds/testing';
import fc from 'fast-check';
import type { AclEntry } from '@fds/governance-rules';
import type { AdaptorView } from '../../domain/catalog.js';
import type { EventOutcome } from '../../domain/events/event-outcome.js';
import { readExplanation, writeExplanation } from '../../domain/events/explanation.js';
import { createAdaptor, createWorld, denying, uuid } from '../../testing/event-world.js';
import type { KeptDelivery, KeptEvent } from './kept-event.js';
import { explainDestinations } from './explain-destinations.js';

const names = ['A', 'B', 'C', 'D', 'E', 'F'] as const;
type Name = (typeof names)[number];
const zones = [uuid(50), uuid(60), uuid(61)];
const properties = ['id', 'name', 'note'] as const;

interface Role {
  readonly zone: number;
  readonly discovering: boolean;
  readonly state: string;
  readonly actions: readonly string[];
}
interface Entry {
  readonly zone: number;
  readonly from: number | null;
  readonly properties: readonly string[];
  readonly post: 'ALLOW' | 'DENY' | null;
  readonly put: 'ALLOW' | 'DENY' | null;
}
interface Report {
  readonly source: number;
  readonly id: number;
  readonly name: string;
  readonly note: string;
}
interface Scene {
  readonly roles: readonly Role[];
  readonly entries: readonly Entry[];
  readonly reports: readonly Report[];
}

const effect = fc.constantFrom('ALLOW' as const, 'DENY' as const, null);
const scenes: fc.Arbitrary<Scene> = fc.record({
  roles: fc.array(
    fc.record({
      zone: fc.nat(2),
      discovering: fc.constantFrom(false, false, true),
      state: fc.constantFrom('STARTED', 'STARTED', 'PAUSED', 'DOWN', 'DOWN_PAUSED'),
      actions: fc.constantFrom(['POST', 'PUT', 'DELETE'], ['POST', 'PUT'], ['PUT'], ['POST'], ['GET'], []),
    }),
    { minLength: names.length, maxLength: names.length },
  ),
  entries: fc.array(
    fc.record({
      zone: fc.nat(2),
      from: fc.constantFrom(null, 0, 1, 2),
      properties: fc.subarray([...properties]),
      post: effect,
      put: effect,
    }),
    { maxLength: 6 },
  ),
  reports: fc.array(
    fc.record({
      source: fc.nat(1),
      id: fc.constantFrom(1, 2),
      name: fc.constantFrom('Ada', 'Grace'),
      note: fc.constantFrom('x', 'y'),
    }),
    { minLength: 1, maxLength: 8 },
  ),
});

/** A and B report, so they are capable of everything; F is not active. */
const adaptorsOf = ({ roles }: Scene): readonly AdaptorView[] =>
  names.map((name, index) => {
    const role = roles[index]!;
    const reports = index < 2;
    return createAdaptor(name, {
      zoneUuid: zones[role.zone]!,
      active: name !== 'F',
      discoveryMode: !reports && role.discovering,
      state: role.state,
      actions: reports ? ['POST', 'PUT', 'DELETE'] : role.actions,
    });
  });

const entriesOf = ({ entries }: Scene): readonly AclEntry[] =>
  entries.map(({ zone, from, ...entry }, position) =>
    denying({
      ...entry,
      uuid: uuid(700 + position),
      position,
      zoneUuid: zones[zone]!,
      sourceZoneUuid: from === null ? null : zones[from]!,
    }),
  );

interface Expected {
  readonly status: string;
  readonly reason: string | null;
  readonly removed: readonly string[];
}

/** The contract, read sentence by sentence over plain values. It shares no code with the planner. */
class Oracle {
  readonly #scene: Scene;
  /** By adaptor and record: the values that it reported or was sent. */
  readonly #holds = new Map<string, Map<string, unknown>>();
  readonly #linked = new Set<string>();
  readonly #created = new Set<number>();

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  #role(name: Name): Role {
    return this.#scene.roles[names.indexOf(name)]!;
  }

  #entryOf(source: Name, destination: Name, action: 'POST' | 'PUT', property: string): number | undefined {
    const [from, to] = [this.#role(source).zone, this.#role(destination).zone];
    const index = this.#scene.entries.findIndex((entry) => {
      if (entry.zone !== to) return false;
      // a null selector means every other zone
      if (entry.from === null ? from === to : entry.from !== from) return false;
      const decided = action === 'POST' ? entry.post : entry.put;
      return decided !== null && (entry.properties.length === 0 || entry.properties.includes(property));
    });
    const decided = action === 'POST' ? this.#scene.entries[index]?.post : this.#scene.entries[index]?.put;
    return decided === 'DENY' ? index : undefined;
  }

  report({ source: index, ...values }: Report): Readonly<Record<string, Expected>> {
    const source = names[index]!;
    const key = `${source}${values.id}`;
    const before = this.#holds.get(key);
    const isEcho =
      before !== undefined &&
      this.#created.has(values.id) &&
      properties.every((name) => before.get(name) === values[name]);
    const creates = !this.#created.has(values.id);
    this.#created.add(values.id);
    this.#holds.set(key, new Map(Object.entries(values)));
    this.#linked.add(key);
    const expected: Record<string, Expected> = {};
    for (const name of names) {
      const one = this.#destination(name, source, values, { isEcho, creates, before });
      if (one !== undefined) expected[name] = one;
    }
    return expected;
  }

  #destination(
    name: Name,
    source: Name,
    values: Omit<Report, 'source'>,
    {
      isEcho,
      creates,
      before,
    }: {
      readonly isEcho: boolean;
      readonly creates: boolean;
      readonly before: ReadonlyMap<string, unknown> | undefined;
    },
  ): Expected | undefined {
    const role = this.#role(name);
    const reports = name === 'A' || name === 'B';
    const actions = reports ? ['POST', 'PUT', 'DELETE'] : role.actions;
    const not = (reason: string, removed: readonly string[] = [], status = 'NOT_SENT'): Expected => ({
      status,
      reason,
      removed,
    });
    if (actions.length === 0) return undefined;
    if (name === source) return not('SOURCE');
    if (isEcho) return not('ECHO');
    const key = `${name}${values.id}`;
    const held = this.#holds.get(key);
    if (!reports && role.discovering && held === undefined && !creates) return not('DISCOVERY');
    if (name === 'F') return not('INACTIVE');
    const action = this.#linked.has(key) ? 'PUT' : 'POST';
    if (!actions.includes(action)) return not('NOT_CAPABLE');
    const isNew = (property: (typeof properties)[number]): boolean => held?.get(property) !== values[property];
    // a value that the source only repeats replaces no other value
    const carried = properties.filter(
      (property) =>
        property === 'id' ||
        before?.get(property) !== values[property] ||
        held?.get(property) === undefined ||
        held.get(property) === values[property],
    );
    const denied = carried.filter((property) => this.#entryOf(source, name, action, property) !== undefined);
    const removed = denied
      .filter(isNew)
      .map((property) => `${property} ${this.#entryOf(source, name, action, property)}`)
      .toSorted();
    if (denied.length === carried.length) return not('DENIED', removed, 'DENIED');
    const news = carried.filter((property) => !denied.includes(property) && isNew(property));
    if (held !== undefined && news.length === 0) {
      // the key alone is not news
      return denied.some((property) => property !== 'id' && isNew(property))
        ? not('DENIED', removed, 'DENIED')
        : not('NOTHING_NEW', removed);
    }
    const after = new Map(held);
    for (const property of carried) if (!denied.includes(property)) after.set(property, values[property]);
    this.#holds.set(key, after);
    const reason = ['PAUSED', 'DOWN_PAUSED'].includes(role.state) ? 'PAUSED' : role.state === 'DOWN' ? 'AWAY' : null;
    return { status: 'QUEUED', reason, removed };
  }
}

const keptEvent = (outcome: EventOutcome): KeptEvent => {
  const event = outcome.event ?? outcome.echo;
  if (event === undefined) throw new TypeError('nothing is kept');
  return {
    uuid: event.uuid,
    transactionUuid: event.transactionUuid,
    requestId: null,
    action: event.action,
    matchStatus: event.matchStatus,
    recordUuid: event.recordUuid,
    domainVersionUuid: event.domainVersionUuid,
    sourceAdaptorUuid: event.sourceAdaptorUuid,
    drKey: '{}',
    denied: event.denied,
    notStored: null,
    changed: event.changed ?? null,
    explanation: writeExplanation(event, outcome),
    dateCreated: null,
    isEcho: outcome.echo !== undefined,
  };
};

const explained = (
  outcome: EventOutcome,
  adaptors: readonly AdaptorView[],
  version: ReturnType<typeof createWorld>['version'],
): Readonly<Record<string, Expected>> => {
  const deliveries = outcome.deliveries.map((delivery): KeptDelivery => ({
    ...delivery,
    status: 'QUEUED',
    content: delivery.content ?? null,
    notApplied: null,
    dateCreated: new Date(0),
    ahead: 0,
    state: adaptors.find((adaptor) => adaptor.uuid === delivery.adaptorUuid)?.state ?? null,
    sentAt: null,
    acknowledgedAt: null,
    attempts: 1,
  }));
  const event = keptEvent(outcome);
  const catalog = {
    adaptor: (adaptorUuid: string) => adaptors.find((adaptor) => adaptor.uuid === adaptorUuid),
    destinations: () => [],
    bystanders: () => [],
  };
  const shown = explainDestinations(event, readExplanation(event.explanation ?? ''), deliveries, { catalog, version });
  return Object.fromEntries(
    shown.map(({ adaptor, status, reason, removed }) => [
      adaptor.name,
      {
        status,
        reason,
        removed: removed.map(({ property, aclUuid }) => `${property} ${Number(aclUuid?.slice(-3)) - 700}`),
      },
    ]),
  );
};

const cases = casesOf(300);

it(`the explanation of an event is that of the contract, read naively, in ${cases} random scenes`, () => {
  fc.assert(
    fc.property(scenes, (scene) => {
      const adaptors = adaptorsOf(scene);
      const world = createWorld({ adaptors, acls: entriesOf(scene), acknowledged: true });
      const oracle = new Oracle(scene);
      for (const report of scene.reports) {
        const { source, ...json } = report;
        const outcome = world.happen(names[source]!, { action: 'PUT', json });
        expect(explained(outcome, adaptors, world.version)).toEqual(oracle.report(report));
      }
    }),
    { numRuns: cases },
  );
});
