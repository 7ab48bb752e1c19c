import { createRandom, type Random } from '@fds/testing';

/** How an adaptor of a mesh behaves. */
export interface MeshAdaptorPlan {
  readonly zone: number;
  /**
   * CHANGES: the changes of its users, at once. ECHO: its applied messages, too. SCAN: it looks at its rows now and then, applied
   * or not. COMPARES: it looks at its rows now and then, and compares them with the values that it last reported or
   * applied: it reports only changes of its users, writes only `changed`, and keeps values that it has not reported yet.
   */
  readonly reports: 'CHANGES' | 'ECHO' | 'SCAN' | 'COMPARES';
  /** Does it report whole records, or changes? */
  readonly extent: 'WHOLE' | 'CHANGED';
  /** Properties that it writes in capitals, for every change. */
  readonly capitalises: readonly string[];
  /** Does it report the messages that it has seen? An adaptor without `seen` needs a wire without losses. */
  readonly tells: 'SEEN' | 'NOTHING';
  /** Does it write only the properties that a message names as changed, or all that the message has? */
  readonly writes: 'CHANGED' | 'ALL';
  /** Where it reports its links. A report on `up/link` may overtake events, and events may overtake it. */
  readonly links: 'IN_SEQUENCE' | 'ON_UP_LINK';
}

/** Something that happens at an adaptor. GARBLE: as SET, but the event is unreadable. */
type AdaptorAction = { readonly atMs: number; readonly adaptor: number } & (
  | { readonly kind: 'SET' | 'GARBLE'; readonly id: number; readonly property: string; readonly value: string }
  /** Sets the value that was there before, if the mesh is quiet: then it is certain that the adaptor means it. */
  | { readonly kind: 'SET_BACK'; readonly id: number; readonly property: string }
  | { readonly kind: 'DELETE'; readonly id: number }
  | { readonly kind: 'PAUSE' | 'CUT'; readonly forMs: number }
  | { readonly kind: 'CRASH' }
);

/** Something that a steward does at the server. */
type StewardAction = { readonly atMs: number } & (
  | {
      readonly kind: 'RULES';
      /** The property that the model requires. */
      readonly requires: string | null;
      /** The adaptor that may not create records. */
      readonly denied: number | null;
    }
  /** Closes an issue without a retry: which of those that are open. */
  | { readonly kind: 'DROP'; readonly choice: number }
  | { readonly kind: 'DROP_UNREADABLE' }
);

export type MeshAction = AdaptorAction | StewardAction;

/** Governance keeps a property from going from one zone to another. */
export interface MeshDenial {
  readonly from: number;
  readonly to: number;
  readonly property: string;
}

export interface MeshScenario {
  readonly seed: number;
  readonly domainType: 'FEDERATED' | 'SERVICE_DATA_STORE';
  readonly adaptors: readonly MeshAdaptorPlan[];
  readonly denials: readonly MeshDenial[];
  readonly actions: readonly MeshAction[];
  /** Milliseconds that a message takes on the wire, and a commit. */
  readonly maxDelayMs: number;
  readonly loss: number;
  readonly doubles: number;
  /** Acknowledged messages of an outbox that keep their content. */
  readonly keptMessages: number;
}

export const meshProperties: readonly string[] = ['a', 'b', 'c'];
const values = ['x', 'y', 'z', 'Y', 'w'] as const;

const randomAdaptor = (random: Random): Omit<MeshAdaptorPlan, 'links' | 'writes'> => ({
  zone: random.below(3),
  reports: random.pick(['CHANGES', 'CHANGES', 'ECHO', 'SCAN']),
  extent: random.pick(['WHOLE', 'CHANGED']),
  capitalises: random.chance(0.25) ? [random.pick(meshProperties)] : [],
  tells: random.pick(['SEEN', 'SEEN', 'NOTHING']),
});

const randomAction = (random: Random, adaptors: number, lastsMs: number, deletes: number): AdaptorAction => {
  const place = { atMs: random.below(lastsMs), adaptor: random.below(adaptors) };
  const id = 1 + random.below(2);
  if (random.chance(0.06)) return { ...place, kind: random.pick(['PAUSE', 'CUT']), forMs: random.below(800) };
  if (random.chance(0.03)) return { ...place, kind: 'CRASH' };
  if (random.chance(deletes)) return { ...place, kind: 'DELETE', id };
  return { ...place, kind: 'SET', id, property: random.pick(meshProperties), value: random.pick(values) };
};

/** Shares of what happens in random meshes, from 0 to 1. */
export interface MeshShares {
  /** Deletions among the actions, in half of the meshes. */
  readonly deletes: number;
  /** Adaptors that report their links on `up/link`. */
  readonly upLinks: number;
  /** Adaptors that compare. Default: none. */
  readonly compares?: number;
}

/** A mesh of 2 to 6 adaptors, always the same for a seed. */
export const randomScenario = (seed: number, shares: MeshShares): MeshScenario => {
  const random = createRandom(seed);
  const count = 2 + random.below(5);
  // a separate sequence: the rest of a mesh does not depend on it
  const linking = createRandom(seed ^ 0x11_4c);
  const writing = createRandom(seed ^ 0x3717e);
  const comparing = createRandom(seed ^ 0x16_c0);
  const adaptors = Array.from({ length: count }, (): MeshAdaptorPlan => {
    const plan = randomAdaptor(random);
    return {
      ...plan,
      reports: comparing.chance(shares.compares ?? 0) ? 'COMPARES' : plan.reports,
      links: linking.chance(shares.upLinks) ? 'ON_UP_LINK' : 'IN_SEQUENCE',
      writes: writing.pick(['CHANGED', 'ALL']),
    };
  });
  const domainType = random.pick(['FEDERATED', 'FEDERATED', 'SERVICE_DATA_STORE'] as const);
  // a separate sequence: other events in a mesh do not depend on it
  const denying = domainType === 'FEDERATED' ? random : createRandom(~seed);
  const deletes = denying.chance(0.5) ? shares.deletes : 0;
  const isDenied = denying.chance(0.6);
  const denials = Array.from({ length: isDenied ? 1 + denying.below(3) : 0 }, () => ({
    from: denying.below(3),
    to: denying.below(3),
    property: denying.pick(meshProperties),
  })).filter(({ from, to }) => from !== to);
  const lastsMs = 20 + random.below(1_500);
  const actions = Array.from({ length: 4 + random.below(30) }, () => randomAction(random, count, lastsMs, deletes));
  return {
    seed,
    domainType,
    adaptors,
    denials,
    actions: actions.toSorted((a, b) => a.atMs - b.atMs),
    maxDelayMs: random.pick([2, 20, 200]),
    loss: random.pick([0, 0, 0.05]),
    doubles: random.pick([0, 0.05]),
    keptMessages: 0,
  };
};
