import { AppError, type ErrorCause } from '@fds/errors';
import type { AclEffect, Chain } from '@fds/governance-rules';
import type { AclInput, Placement } from './acl-input.js';
import { chainNames } from './chain.js';

/** An entry that is about to be stored. */
export interface NewEntry {
  readonly uuid: string;
  readonly zoneUuid: string;
  readonly chain: Chain;
  readonly position: number;
  readonly name: string | null;
  readonly sourceZoneUuid: string | null;
  readonly sourceAdaptorUuid: string | null;
  readonly destinationZoneUuid: string | null;
  readonly destinationAdaptorUuid: string | null;
  readonly domainVersionUuid: string | null;
  readonly properties: string[];
  readonly get: AclEffect | null;
  readonly post: AclEffect | null;
  readonly put: AclEffect | null;
  readonly delete: AclEffect | null;
  readonly active: boolean;
  readonly dateCreated: Date;
  readonly lastUpdated: Date;
}

/** The chain the entries join. */
export interface TargetChain {
  readonly zoneUuid: string;
  readonly chain: Chain;
  /** Entries it has. */
  readonly length: number;
}

const maxNameLength = 128;

/** Faults an entry has by itself, by pointer into the list of inputs. */
const faultsOf = (input: AclInput, index: number, { zoneUuid, chain }: TargetChain): ErrorCause[] => {
  const faults: ErrorCause[] = [];
  const { ownZone } = chainNames[chain];
  const own = input[ownZone];
  if (own !== undefined && own !== null && own !== zoneUuid) {
    const detail = `${ownZone} is the zone of the chain, ${zoneUuid}`;
    faults.push({ pointer: `/${index}/${ownZone}`, code: 'FOREIGN_ZONE', detail });
  }
  if ((input.name ?? '').length > maxNameLength) {
    const detail = `name has at most ${maxNameLength} characters`;
    faults.push({ pointer: `/${index}/name`, code: 'TOO_LONG', detail });
  }
  for (const [at, property] of (input.properties ?? []).entries()) {
    if (property !== '') continue;
    faults.push({ pointer: `/${index}/properties/${at}`, code: 'BLANK', detail: 'a property name is not blank' });
  }
  return faults;
};

const placementFaults = ({ append, position }: Placement, length: number): ErrorCause[] => {
  const pointer = 'position';
  if (position === null || position === undefined) return [];
  if (append === true) return [{ pointer, code: 'CONTRADICTION', detail: 'append and position exclude each other' }];
  if (position >= 0 && position <= length) return [];
  return [{ pointer, code: 'OUT_OF_RANGE', detail: `position must be from 0 to ${length}` }];
};

/** Everything that is wrong with inputs by themselves and with their place, by pointer into the list or parameter. */
export const inputFaults = (inputs: readonly AclInput[], placement: Placement, target: TargetChain): ErrorCause[] => [
  ...inputs.flatMap((input, index) => faultsOf(input, index, target)),
  ...placementFaults(placement, target.length),
];

/**
 * Refuses inputs for all their causes.
 *
 * @throws AppError UNKNOWN_REFERENCE, INVALID_PARAMETER when there is nothing else; otherwise VALIDATION_FAILED
 */
export const requireNoFaults = (errors: readonly ErrorCause[]): void => {
  if (errors.length === 0) return;
  if (errors.every(({ code }) => code === 'UNKNOWN_REFERENCE')) {
    throw new AppError('UNKNOWN_REFERENCE', 'an entry names what does not exist', { errors });
  }
  if (errors.every(({ pointer }) => !pointer.startsWith('/'))) {
    throw new AppError('INVALID_PARAMETER', errors.map(({ detail }) => detail).join('; '), { errors });
  }
  throw new AppError('VALIDATION_FAILED', 'an entry is not valid', { errors });
};

/**
 * Makes entries of inputs without faults, in the given order, at the front of the chain unless placed elsewhere. The
 * entries at or behind the first new position move back.
 */
export const planEntries = (
  inputs: readonly AclInput[],
  placement: Placement,
  target: TargetChain,
  { now, newUuid }: { readonly now: Date; readonly newUuid: () => string },
): NewEntry[] => {
  const front = placement.position ?? (placement.append === true ? target.length : 0);
  const { zoneUuid, chain } = target;
  return inputs.map((input, index) => ({
    uuid: newUuid(),
    zoneUuid,
    chain,
    position: front + index,
    name: input.name ?? null,
    sourceZoneUuid: input.sourceZoneUuid ?? null,
    sourceAdaptorUuid: input.sourceAdaptorUuid ?? null,
    destinationZoneUuid: input.destinationZoneUuid ?? null,
    destinationAdaptorUuid: input.destinationAdaptorUuid ?? null,
    domainVersionUuid: input.domainVersionUuid ?? null,
    properties: [...new Set(input.properties)],
    get: input.get ?? null,
    post: input.post ?? null,
    put: input.put ?? null,
    delete: input.delete ?? null,
    active: input.active ?? true,
    dateCreated: now,
    lastUpdated: now,
    [chainNames[chain].ownZone]: zoneUuid,
  }));
};
