import { compileChains, compileOperationalChain, type AclEntry, type OperationalRules } from '@fds/governance-rules';
import { stringifyJson, type JsonObject } from '@fds/json';
import { compileModelSchema } from '@fds/model-schema';
import { createRandom } from '@fds/testing';
import { capabilityKey, type AdaptorView, type DomainVersionView } from '../../domain/catalog.js';
import { createMeshAdaptor, type DownMessage, type MeshAdaptor, type UpMessage } from './mesh-adaptor.js';
import { createMeshClock } from './mesh-clock.js';
import { createMeshHistory } from './mesh-history.js';
import { meshProperties, type MeshAction, type MeshDenial, type MeshScenario } from './mesh-scenario.js';
import { createMeshServer } from './mesh-server.js';

/** How a mesh ended. */
export interface MeshEnd {
  /** It came to rest. */
  readonly settled: boolean;
  /** Where adaptors differ that should agree; sentences. */
  readonly differences: readonly string[];
  /** Changes that are lost or undone; sentences. Only of a mesh in which each value is set once and no record deleted. */
  readonly lost: readonly string[];
  /** Values that are gone and that no event names as overridden; sentences. As `lost`, of a mesh in which adaptors state what they have seen. */
  readonly unnamed: readonly string[];
  /** Those that are open at the end. */
  readonly issues: readonly string[];
  /** Messages that the server queued. */
  readonly messages: number;
}

const uuidOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
/** The zone that owns the domain. */
const zoneOfDomain = 0;
const zoneUuid = (zone: number): string => uuidOf(10 + zone);

/** @param requires a property that records must have */
const versionOf = ({ domainType }: MeshScenario, requires: string | null): DomainVersionView => {
  const { model } = compileModelSchema({
    modelSchema: {
      properties: Object.fromEntries([
        ['id', { type: 'integer' }],
        ...meshProperties.map((name) => [name, { type: 'string', required: name === requires }]),
      ]) as JsonObject,
    },
    drKeyProperties: ['id'],
  });
  if (model === undefined) throw new TypeError('the model does not compile');
  const names = {
    domainUuid: uuidOf(2),
    domainName: 'Customer',
    versionNumber: 1,
    zoneUuid: zoneUuid(zoneOfDomain),
    revision: '1.1',
  };
  return { uuid: uuidOf(1), domainType, active: true, model, ...names };
};

const viewsOf = ({ adaptors }: MeshScenario): AdaptorView[] =>
  adaptors.map(({ zone }, index) => ({
    uuid: uuidOf(100 + index),
    name: String(index),
    zoneUuid: zoneUuid(zone),
    active: true,
    state: 'STARTED',
    discoveryMode: false,
    capabilities: new Set(['POST', 'PUT', 'DELETE'].map((action) => capabilityKey('Customer', 1, action))),
  }));

const toEntry = ({ from, to, property }: MeshDenial, position: number): AclEntry => ({
  uuid: uuidOf(500 + position),
  zoneUuid: zoneUuid(to),
  chain: 'INBOUND',
  position,
  sourceZoneUuid: zoneUuid(from),
  sourceAdaptorUuid: null,
  destinationZoneUuid: null,
  destinationAdaptorUuid: null,
  domainVersionUuid: null,
  properties: [property],
  get: null,
  post: 'DENY',
  put: 'DENY',
  delete: null,
  active: true,
});

/** Keeps an adaptor from creating records. */
const operationalOf = (adaptorUuid: string | undefined): OperationalRules =>
  compileOperationalChain(
    adaptorUuid === undefined
      ? []
      : [
          {
            uuid: uuidOf(600),
            position: 0,
            sourceZoneUuid: null,
            sourceAdaptorUuid: adaptorUuid,
            domainVersionUuid: null,
            post: 'DENY',
            delete: null,
            active: true,
          },
        ],
  );

/** Do two adaptors get a property from the same sources, each other included? */
const shareIt = (
  { adaptors, denials, domainType }: MeshScenario,
  [one, other]: readonly [number, number],
  property: string,
) => {
  const isDenied = (from: number, zone: number | undefined): boolean =>
    denials.some(
      (denial) => denial.property === property && denial.from === adaptors[from]?.zone && denial.to === zone,
    );
  // the store is a destination in the zone of its domain, and others get a stored property from there
  const isKeptFromStore = (from: number): boolean =>
    domainType === 'SERVICE_DATA_STORE' && isDenied(from, zoneOfDomain);
  const passes = (from: number, to: number): boolean => !isDenied(from, adaptors[to]?.zone) && !isKeptFromStore(from);
  return (
    passes(one, other) &&
    passes(other, one) &&
    adaptors.every((_, index) => index === one || index === other || passes(index, one) === passes(index, other))
  );
};

const differencesOf = (scenario: MeshScenario, adaptors: readonly MeshAdaptor[]): string[] => {
  const found: string[] = [];
  const ids = new Set(adaptors.flatMap(({ rows }) => [...rows.keys()]));
  for (const [one, adaptor] of adaptors.entries()) {
    for (const [other, second] of adaptors.entries()) {
      if (other <= one) continue;
      for (const id of ids) {
        const [row, otherRow] = [adaptor.rows.get(id), second.rows.get(id)];
        if ((row === undefined) !== (otherRow === undefined)) {
          found.push(
            `record ${id} is ${row === undefined ? 'not ' : ''}at ${one}, and ${row === undefined ? '' : 'not '}at ${other}`,
          );
          continue;
        }
        for (const property of meshProperties) {
          if (
            (row?.[property] ?? null) === (otherRow?.[property] ?? null) ||
            !shareIt(scenario, [one, other], property)
          )
            continue;
          const show = (value: JsonObject[string]): string => stringifyJson(value ?? null);
          found.push(
            `${property} of ${id}: ${show(row?.[property])} at ${one}, ${show(otherRow?.[property])} at ${other}`,
          );
        }
      }
    }
  }
  return found;
};

/** False for a malformed message. */
const isDataAction = (action: string): boolean => ['POST', 'PUT', 'DELETE'].includes(action);

/** At the end everything is allowed, and a steward drops malformed events: then no event may wait. */
const endOf = ({ actions }: MeshScenario): readonly MeshAction[] => {
  const lastMs = actions.at(-1)?.atMs ?? 0;
  // one behind another shows only when the first is dropped
  const unreadable = actions.filter(({ kind }) => kind === 'GARBLE');
  return [
    { atMs: lastMs + 700, kind: 'RULES', requires: null, denied: null },
    ...unreadable.map((_, index): MeshAction => ({ atMs: lastMs + 2_500 + index * 500, kind: 'DROP_UNREADABLE' })),
  ];
};

/** Tasks after the last action within which a mesh must come to rest. */
const maxTasks = 60_000;

/**
 * Lets a mesh of adaptors live through a scenario, on a bus and a clock that are simulated. The decisions of the server are
 * the real ones.
 *
 * @param onMessage called for each message on the wire, to trace a fault
 */
export const simulateMesh = (scenario: MeshScenario, onMessage?: (line: string) => void): MeshEnd => {
  const random = createRandom(scenario.seed ^ 0x5eed);
  const clock = createMeshClock();
  let ids = 1_000;
  const newUuid = (): string => uuidOf((ids += 1));
  const views = viewsOf(scenario);
  const connections = views.map(() => 0);
  const busyUntil = new Map<string, number>();
  const history = createMeshHistory();
  let rules = { version: versionOf(scenario, null), operational: operationalOf(undefined) };

  /** Carries in order, unless it loses or doubles. */
  const carry = (index: number, direction: 'up' | 'down', deliver: () => void): void => {
    const connection = connections[index];
    const isSure = scenario.adaptors[index]?.tells === 'NOTHING';
    if (!isSure && random.chance(scenario.loss)) return;
    const queue = `${direction}${index}`;
    const copies = random.chance(scenario.doubles) ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      const atMs = Math.max(busyUntil.get(queue) ?? 0, clock.nowMs + random.below(scenario.maxDelayMs));
      busyUntil.set(queue, atMs);
      clock.after(atMs - clock.nowMs, () => {
        if (connections[index] === connection) deliver();
      });
    }
  };
  const tell = (from: string, message: UpMessage | DownMessage): void =>
    onMessage?.(`${clock.nowMs} ${from} ${stringifyJson(message)}`);

  const indexOf = (uuid: string): number => views.findIndex((view) => view.uuid === uuid);
  const server = createMeshServer({
    rules: () => rules,
    adaptors: views,
    governance: compileChains(scenario.denials.map(toEntry)),
    keptMessages: scenario.keptMessages,
    onDropped: history.dropped,
    onOverridden: history.overrode,
    clock,
    newUuid,
    commitMs: () => 1 + random.below(Math.min(20, scenario.maxDelayMs)),
    send: (uuid, message) =>
      carry(indexOf(uuid), 'down', () => {
        tell(`server to ${indexOf(uuid)}`, message);
        adaptors[indexOf(uuid)]?.take(message);
      }),
  });
  const adaptors = scenario.adaptors.map((plan, index) =>
    createMeshAdaptor({
      uuid: views[index]?.uuid ?? '',
      plan,
      clock,
      random,
      newUuid,
      send: (message) => {
        // `up/link` is not in the queue of the sequence, and the broker holds a report until the server has it
        if (message.kind === 'LINK') clock.after(1 + random.below(scenario.maxDelayMs), () => arrive(index, message));
        else carry(index, 'up', () => arrive(index, message));
      },
    }),
  );
  const arrive = (index: number, message: UpMessage): void => {
    tell(`${index} to server`, message);
    if (message.kind === 'DATA' && 'event' in message && isDataAction(message.event.action)) {
      history.reported(message.event.transactionUuid, message.event.json);
    }
    server.take(views[index]?.uuid ?? '', message);
  };
  const disconnect = (index: number): void => {
    connections[index] = (connections[index] ?? 0) + 1;
    adaptors[index]?.disconnect();
    server.disconnected(views[index]?.uuid ?? '');
  };
  const idle = (): boolean => server.idle && adaptors.every((adaptor) => adaptor.idle);

  const govern = (action: MeshAction): void => {
    if (action.kind === 'DROP') server.drop(action.choice);
    if (action.kind === 'DROP_UNREADABLE') server.drop('UNREADABLE');
    if (action.kind !== 'RULES') return;
    const denied = action.denied === null ? undefined : views[action.denied]?.uuid;
    rules = { version: versionOf(scenario, action.requires), operational: operationalOf(denied) };
    server.release();
  };
  const act = (action: MeshAction): void => {
    onMessage?.(`${clock.nowMs} ${stringifyJson(action)}`);
    if (!('adaptor' in action)) {
      govern(action);
      return;
    }
    const adaptor = adaptors[action.adaptor];
    if (adaptor === undefined) return;
    if (action.kind === 'SET' || action.kind === 'GARBLE') history.set(adaptor, action);
    if (action.kind === 'SET_BACK' && idle()) {
      const value = history.setBack(adaptors, action);
      if (value !== undefined) adaptor.set(action.id, action.property, value);
    }
    if (action.kind === 'SET') adaptor.set(action.id, action.property, action.value);
    if (action.kind === 'GARBLE') adaptor.garble(action.id, action.property, action.value);
    if (action.kind === 'DELETE') adaptor.delete(action.id);
    if (action.kind === 'CRASH') {
      disconnect(action.adaptor);
      adaptor.crash();
      adaptor.connect();
    }
    if (action.kind === 'PAUSE' || action.kind === 'CUT') {
      disconnect(action.adaptor);
      clock.after(action.forMs, () => {
        connections[action.adaptor] = (connections[action.adaptor] ?? 0) + 1;
        adaptor.connect();
      });
    }
  };
  for (const adaptor of adaptors) adaptor.connect();
  for (const action of [...scenario.actions, ...endOf(scenario)]) clock.after(action.atMs, () => act(action));
  const lastMs = (scenario.actions.at(-1)?.atMs ?? 0) + 1_000;
  const tick = (): void => {
    server.tick();
    for (const adaptor of adaptors) adaptor.tick();
    if (clock.nowMs < lastMs || !idle()) clock.after(500, tick);
  };
  clock.after(500, tick);

  const settled = clock.run(maxTasks) && idle();
  return {
    settled,
    differences: settled ? differencesOf(scenario, adaptors) : [],
    lost: settled ? history.faults(adaptors) : [],
    unnamed: settled ? history.unnamed(adaptors) : [],
    issues: server.issues,
    messages: server.messages,
  };
};
