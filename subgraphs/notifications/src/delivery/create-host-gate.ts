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

/** SEND: a place is taken until `leave`. QUEUED: `next` gives the registration its turn. WAIT: the host is down until then. */
type HostAdmission = { readonly kind: 'SEND' | 'QUEUED' } | { readonly kind: 'WAIT'; readonly untilMs: number };

/**
 * Shares the places of this process among hosts (scheme, name and port). Registrations of one host take some places only, and
 * none while the host cannot be reached, apart from one that tries.
 */
export interface HostGate {
  enter(origin: string, registrationUuid: string): HostAdmission;
  /** Notes an attempt. Any answer shows that the host can be reached. */
  note(origin: string, outcome: WebhookOutcome): void;
  /** Frees a place. */
  leave(origin: string): void;
  /** Takes the registration from the queue that has waited longest for a place. */
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

/** Hosts whose failures are remembered. */
const maxCircuits = 10_000;

export const createHostGate = (options: HostGateOptions): HostGate => {
  const { receiversPerHost, policy = defaultReceiverCircuitPolicy, now } = options;
  /** Hosts with places or queues; there are no more of them than registrations. */
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
