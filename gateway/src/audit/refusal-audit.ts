import type { Change } from '@fds/database';
import { createKindBudgets, cutText, type EventForm, type KindBudgetsOptions } from './kind-budgets.js';
import { openCountedEntries, type AuditResources, type CountedEntries } from './open-counted-entries.js';

/** An access that was refused. */
export interface Refusal {
  /** Person or adaptor; undefined when the caller is not known. */
  readonly actorUuid?: string | undefined;
  /** Method of the request. */
  readonly action: string;
  /** Path below `/api`, or of another door. */
  readonly resource: string;
  readonly code: string;
  /** The refused request, without secrets. */
  readonly detail: string;
  /** Address that the request came from. */
  readonly address: string;
}

/** Refused accesses in the change log, with a window of a minute. */
export type RefusalAudit = CountedEntries<Refusal>;

const windowMs = 60_000;
const maxTextBytes = 256;
const maxWordBytes = 64;
const zoneOfPath = /^\/zones\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\/|$)/;

const toChange = ({ actorUuid, resource, ...data }: Refusal, count: number): Change => {
  const zoneUuid = zoneOfPath.exec(resource)?.[1];
  return {
    action: 'POST',
    resourceType: 'RefusedAccess',
    resource,
    ...(zoneUuid === undefined ? {} : { zoneUuid }),
    ...(actorUuid === undefined ? {} : { actorUuid }),
    data: { ...data, count },
  };
};

export const refusalForm: EventForm<Refusal> = {
  shorten: ({ actorUuid, action, resource, code, detail, address }) => ({
    actorUuid,
    action: cutText(action, maxWordBytes),
    resource: cutText(resource, maxTextBytes),
    code: cutText(code, maxWordBytes),
    detail: cutText(detail, maxTextBytes),
    address: cutText(address, maxWordBytes),
  }),
  // an anonymous caller is told apart by the address
  keyOf: ({ actorUuid, action, resource, code, detail, address }) =>
    [actorUuid === undefined ? address : '', action, resource, code, detail].join(' '),
  othersOf: (actorUuid) => ({
    actorUuid,
    action: 'ALL',
    resource: '/',
    code: 'OTHERS',
    detail: 'more kinds than are written in a minute',
    address: '',
  }),
};

export const openRefusalAudit = (options: AuditResources & KindBudgetsOptions): RefusalAudit =>
  openCountedEntries({
    ...options,
    budgets: createKindBudgets(refusalForm, options),
    toChange,
    windowMs,
    what: 'refused accesses',
  });
