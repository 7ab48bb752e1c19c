import { LRUCache } from 'lru-cache';
import {
  admitToReceiver,
  afterReceiverFailure,
  afterReceiverSuccess,
  defaultReceiverCircuitPolicy,
  type ReceiverCircuit,
  type ReceiverCircuitPolicy,
  type WebhookOutcome,
} from '@fds/webhook-client';

/**
 * SEND: a place is taken until `leave`. QUEUED: `next` returns the registration when it is its turn. WAIT: the host is
 * down until that time.
 */
type HostAdmission = { readonly kind: 'SEND' | 'QUEUED' } | { readonly kind: 'WAIT'; readonly untilMs: number };

/**
 * Divides the places of this process among hosts (scheme, name and port). Registrations of one host can take only some
 * of the places. While the host cannot be reached, only one of them tries.
 */
export interface HostGate {
  enter(origin: string, registrationUuid: string): HostAdmission;
  /** Records the outcome of an attempt. Any answer proves that the host can be reached. */
  note(origin: string, outcome: WebhookOutcome): void;
  /** Frees a place. */
  leave(origin: string): void;
  /** Removes the registration that has waited longest for a place from the queue, and returns it. */
  next(origin: string): string | undefined;
}

export interface HostGateOptions {
  /** Receivers of one host to which a process sends at the same time. */
  readonly receiversPerHost: number;
  readonly policy?: ReceiverCircuitPolicy;
  readonly now: () => Date;
}

interface Host {
  sending: number;
  readonly waiting: Set<string>;
}

/** Most hosts whose failures are remembered. */
const maxCircuits = 10_000;

export const createHostGate = (options: HostGateOptions): HostGate => {
  const { receiversPerHost, policy = defaultReceiverCircuitPolicy, now } = options;
  /** Hosts with places or queues. There are at most as many as registrations. */
  const hosts = new Map<string, Host>();
  const circuits = new LRUCache<string, ReceiverCircuit>({ max: maxCircuits });

  const hostOf = (origin: string): Host => {
    const host = hosts.get(origin) ?? { sending: 0, waiting: new Set() };
    hosts.set(origin, host);
    return host;
  };
  const forget = (origin: string, { sending, waiting }: Host): void => {
    if (sending === 0 && waiting.size === 0) hosts.delete(origin);
  };

  return {
    enter: (origin, registrationUuid) => {
      const host = hostOf(origin);
      if (host.sending >= receiversPerHost) {
        host.waiting.add(registrationUuid);
        return { kind: 'QUEUED' };
      }
      const known = circuits.get(origin);
      if (known !== undefined) {
        const { circuit, admission } = admitToReceiver(known, now().getTime());
        circuits.set(origin, circuit);
        if (admission.kind === 'WAIT') {
          forget(origin, host);
          return admission;
        }
      }
      host.sending += 1;
      return { kind: 'SEND' };
    },
    note: (origin, { isUnreachable }) => {
      const known = circuits.get(origin);
      if (isUnreachable === true) {
        circuits.set(origin, afterReceiverFailure(known ?? afterReceiverSuccess(), now().getTime(), policy));
      } else if (known !== undefined) {
        circuits.delete(origin);
      }
    },
    leave: (origin) => {
      const host = hostOf(origin);
      host.sending -= 1;
      forget(origin, host);
    },
    next: (origin) => {
      const host = hostOf(origin);
      const [first] = host.waiting;
      if (first !== undefined) host.waiting.delete(first);
      forget(origin, host);
      return first;
    },
  };
};
