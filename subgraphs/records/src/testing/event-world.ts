import type { UpDataEvent } from '@fds/adaptor-protocol';
import { compileChains, compileOperationalChain, type AclEntry, type OperationalEntry } from '@fds/governance-rules';
import { parseJson, type JsonObject } from '@fds/json';
import { compileModelSchema } from '@fds/model-schema';
import { capabilityKey, type AdaptorView, type Catalog, type DomainVersionView } from '../domain/catalog.js';
import { decideEvent } from '../domain/events/decide-event.js';
import type { EventOutcome } from '../domain/events/event-outcome.js';
import { readDataEvent, readLink } from '../domain/events/read-event.js';
import { Outbox } from '../domain/routing/outbox.js';
import { indexSent, type SentMessage } from '../domain/routing/sent-message.js';
import type { Seen } from '../domain/routing/seen.js';
import { RecordBook } from '../domain/records/record-book.js';
import { toSentMessages } from './sent-messages.js';
import { noReferences, ReferenceBook } from '../domain/references/reference-book.js';

export const uuid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
export const transactionUuid = uuid(999);

export const createVersion = (domainType: DomainVersionView['domainType']): DomainVersionView => {
  const { model } = compileModelSchema({
    modelSchema: {
      properties: { id: { type: 'integer' }, name: { type: 'string', required: true }, note: { type: 'string' } },
    },
    drKeyProperties: ['id'],
  });
  if (model === undefined) throw new TypeError('the model does not compile');
  return {
    uuid: uuid(1),
    domainUuid: uuid(2),
    domainName: 'Customer',
    domainType,
    versionNumber: 1,
    zoneUuid: uuid(50),
    revision: '1.1',
    active: true,
    model,
  };
};

export const createAdaptor = (
  name: string,
  options: Partial<AdaptorView> & { readonly actions?: readonly string[] } = {},
) => {
  const { actions = ['POST', 'PUT', 'DELETE'], ...rest } = options;
  return {
    uuid: uuid(100 + name.charCodeAt(0)),
    name,
    zoneUuid: uuid(50),
    active: true,
    state: 'STARTED',
    discoveryMode: false,
    capabilities: new Set(actions.map((action) => capabilityKey('Customer', 1, action))),
    ...rest,
  } satisfies AdaptorView;
};

export const denying = (entry: Partial<AclEntry>): AclEntry => ({
  uuid: uuid(70),
  zoneUuid: uuid(60),
  chain: 'INBOUND',
  position: 0,
  sourceZoneUuid: null,
  sourceAdaptorUuid: null,
  destinationZoneUuid: null,
  destinationAdaptorUuid: null,
  domainVersionUuid: null,
  properties: [],
  get: null,
  post: null,
  put: null,
  delete: null,
  active: true,
  ...entry,
});

/** Is there an action besides GET? */
const sends = (capabilities: ReadonlySet<string>): boolean =>
  [...capabilities].some((capability) => !capability.endsWith(':GET'));

/** A world of three adaptors A, B and C, in which events happen one after another. */
export const createWorld = (
  options: {
    readonly domainType?: DomainVersionView['domainType'];
    readonly adaptors?: readonly AdaptorView[];
    readonly acls?: readonly AclEntry[];
    readonly operational?: readonly OperationalEntry[];
    /** Every adaptor acknowledges each message at once. Default: none acknowledges any. */
    readonly acknowledged?: boolean;
  } = {},
) => {
  const version = createVersion(options.domainType ?? 'FEDERATED');
  const adaptors = options.adaptors ?? ['A', 'B', 'C'].map((name) => createAdaptor(name));
  const byName = new Map(adaptors.map((adaptor) => [adaptor.name, adaptor]));
  const catalog: Catalog = {
    version: (name, number) => (name === version.domainName && number === 1 ? version : undefined),
    versionByUuid: () => version,
    adaptor: (adaptorUuid) => adaptors.find((adaptor) => adaptor.uuid === adaptorUuid),
    destinations: () => adaptors.filter(({ active, capabilities }) => active && sends(capabilities)),
    bystanders: () =>
      adaptors.filter(({ active, capabilities }) => capabilities.size > 0 && (!active || !sends(capabilities))),
  };
  const book = new RecordBook([]);
  const parked = new Set<string>();
  const sentMessages: SentMessage[] = [];
  let ids = 1000;
  const context = {
    catalog,
    governance: compileChains(options.acls ?? []),
    operational: compileOperationalChain(options.operational ?? []),
    book,
    outbox: new Outbox(
      () => ({ downSequence: 0, downAcked: options.acknowledged === true ? Number.MAX_SAFE_INTEGER : 0 }),
      new Map(),
      (...origin) => indexSent(sentMessages)(...origin),
    ),
    references: new ReferenceBook(book, noReferences),
    newUuid: () => uuid((ids += 1)),
    isBlocked: (adaptorUuid: string, _version: string, digest: string) => parked.has(`${adaptorUuid}:${digest}`),
  };
  const requireAdaptor = (name: string): AdaptorView => {
    const adaptor = byName.get(name);
    if (adaptor === undefined) throw new TypeError(`no adaptor ${name}`);
    return adaptor;
  };
  const nameOf = (adaptorUuid: string): string => adaptors.find((adaptor) => adaptor.uuid === adaptorUuid)?.name ?? '?';

  return {
    book,
    parked,
    version,
    leftOut: () => context.outbox.leftOut,
    requireAdaptor,
    /** @param seen the position that the source had applied before. Default: everything that it was sent */
    happen: (name: string, event: Partial<UpDataEvent> & Pick<UpDataEvent, 'action'>, seen?: Seen): EventOutcome => {
      const source = requireAdaptor(name);
      const whole = { domain: 'Customer', version: 1, transactionUuid, createTime: 5, ...event };
      const outcome = decideEvent(context, source, readDataEvent(catalog, source, whole), seen);
      sentMessages.push(...toSentMessages(outcome));
      return outcome;
    },
    report: (name: string, action: 'LINK' | 'UNLINK', drUuid: string, drKey?: JsonObject): EventOutcome => {
      const source = requireAdaptor(name);
      const named = { drUuid, ...(drKey === undefined ? {} : { drKey }) };
      const event = readLink(catalog, source, { action, domain: 'Customer', version: 1, ...named });
      if (event === undefined) throw new TypeError('no link');
      return decideEvent(context, source, event);
    },
    /** `B POST {"id":1}` per message. */
    sent: ({ deliveries }: EventOutcome): string[] =>
      deliveries.map(({ adaptorUuid, action, message }) => {
        const { jsonData } = parseJson(message) as { jsonData: string };
        return `${nameOf(adaptorUuid)} ${action} ${jsonData}`;
      }),
    /** `B PUT name,note` per message: the properties that its `changed` names; `B DELETE -` where it has none. */
    changed: ({ deliveries }: EventOutcome): string[] =>
      deliveries.map(({ adaptorUuid, action, message }) => {
        const { changed } = parseJson(message) as { changed?: readonly string[] };
        return `${nameOf(adaptorUuid)} ${action} ${changed?.toSorted().join() ?? '-'}`;
      }),
  };
};
