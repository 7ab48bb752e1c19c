/** A failed attempt to apply a message, which asks for another one. */
export interface Failure {
  /** The resource that the message waits for; undefined: the handler named none. */
  readonly waitsFor: string | undefined;
  readonly reason: string;
  /** True: the cause concerns this message only, so untried messages are attempted however long an attempt takes. */
  readonly isOwn: boolean;
  readonly tookMs: number;
}

/** The group of a message whose attempt failed. */
interface FailedGroup {
  readonly name: string;
  readonly domain: string;
  /** True: the handler named the resource. */
  readonly isNamed: boolean;
}

/**
 * The resources that messages wait for, each with its waiting groups. A faulty resource is probed with the first message
 * of one group at a time, after growing delays.
 */
export interface Resources {
  isFaulty(resource: string): boolean;
  /** The resource that untried messages of a domain version wait for, because its attempts take long. */
  heldFor(domain: string): string | undefined;
  /** Lets a group wait for a resource. A resource that is not known is probed at once. */
  wait(resource: string, group: string): void;
  /** An attempt failed because of the resource. Its group waits for it. */
  fail(resource: string, group: FailedGroup, failure: Failure, nowMs: number, isProbe: boolean): void;
  /** An attempt without a wait has worked. */
  worked(domain: string): void;
  /** The group to attempt now, if a probe is due. */
  probe(nowMs: number): string | undefined;
  nextAtMs(): number;
  /** The attempt of a group is over. Returns the resource that it probed. */
  probed(group: string, tookMs: number, nowMs: number): string | undefined;
  /** A probe failed for another reason than its resource: the next probe is due, or the resource is forgotten. */
  undecided(resource: string, nowMs: number): void;
  /** The resource works. Returns the groups that waited for it. */
  release(resource: string): readonly string[];
  retryAll(nowMs: number): void;
  clear(): void;
}

interface Resource {
  readonly groups: Set<string>;
  /** Failed probes in a row. */
  failures: number;
  dueAtMs: number;
}

const [firstDelayMs, longestDelayMs] = [200, 30_000];
/** The event that a message waits for may come at any time. */
const longestOwnDelayMs = 1_000;
/** A failure that takes longer than this would slow the other messages down. */
const slowMs = 50;
/** Slow failures in a row of a domain version whose handler names no resource, before untried messages wait too. */
const slowFailures = 3;
/** Time between two probes of a resource, and between any two probes, as multiples of the time that a probe takes. */
const [restOfResource, restOfAll] = [10, 4];

const delayOf = (failures: number, { isOwn, tookMs }: Pick<Failure, 'isOwn' | 'tookMs'>): number =>
  Math.min(
    isOwn ? longestOwnDelayMs : longestDelayMs,
    Math.max(firstDelayMs * 2 ** Math.min(failures, 10), restOfResource * tookMs),
  );

export interface ResourcesOptions {
  /** Called when messages begin to wait for a resource (0 failed probes), and after each further failure. */
  readonly onFault: (resource: string, reason: string, failures: number) => void;
  /** Called when a resource works again, or when no message waits for it any longer. */
  readonly onOver: (resource: string) => void;
}

export const createResources = ({ onFault, onOver }: ResourcesOptions): Resources => {
  const resources = new Map<string, Resource>();
  const holds = new Map<string, string>();
  const slow = new Map<string, number>();
  /** The probe that runs. */
  let running: { readonly resource: string; readonly group: string } | undefined;
  /** The running probe began before all resources became due. If it fails, the next probe is due at once. */
  let isOutdated = false;
  let freeAtMs = 0;

  const obtain = (name: string, dueAtMs: number): Resource => {
    const known = resources.get(name);
    if (known !== undefined) return known;
    const created: Resource = { groups: new Set(), failures: 0, dueAtMs };
    resources.set(name, created);
    return created;
  };
  const hold = (resource: string, { domain, isNamed }: FailedGroup, tookMs: number): void => {
    if (tookMs < slowMs) return;
    const failures = (slow.get(domain) ?? 0) + 1;
    slow.set(domain, failures);
    if (isNamed || failures >= slowFailures) holds.set(domain, resource);
  };
  const forget = (resource: string): void => {
    resources.delete(resource);
    for (const [domain, held] of holds) {
      if (held !== resource) continue;
      holds.delete(domain);
      slow.delete(domain);
    }
    onOver(resource);
  };

  return {
    isFaulty: (resource) => resources.has(resource),
    heldFor: (domain) => holds.get(domain),
    wait: (resource, group) => {
      obtain(resource, 0).groups.add(group);
    },
    fail: (name, group, failure, nowMs, isProbe) => {
      const resource = obtain(name, nowMs + delayOf(0, failure));
      if (isProbe) {
        resource.failures += 1;
        resource.dueAtMs = nowMs + (isOutdated ? 0 : delayOf(resource.failures, failure));
        isOutdated = false;
      }
      resource.groups.add(group.name);
      if (!failure.isOwn) hold(name, group, failure.tookMs);
      onFault(name, failure.reason, resource.failures);
    },
    worked: (domain) => {
      slow.delete(domain);
    },
    probe: (nowMs) => {
      if (running !== undefined || nowMs < freeAtMs) return undefined;
      let due: readonly [string, Resource] | undefined;
      for (const entry of resources)
        if (entry[1].groups.size > 0 && entry[1].dueAtMs <= (due?.[1].dueAtMs ?? nowMs)) due = entry;
      const [group] = due?.[1].groups ?? [];
      if (due === undefined || group === undefined) return undefined;
      due[1].groups.delete(group);
      running = { resource: due[0], group };
      isOutdated = false;
      return group;
    },
    nextAtMs: () => {
      if (running !== undefined) return Infinity;
      let dueAtMs = Infinity;
      for (const resource of resources.values())
        if (resource.groups.size > 0) dueAtMs = Math.min(dueAtMs, resource.dueAtMs);
      return Math.max(dueAtMs, freeAtMs);
    },
    probed: (group, tookMs, nowMs) => {
      if (running?.group !== group) return undefined;
      const { resource } = running;
      running = undefined;
      freeAtMs = nowMs + (isOutdated ? 0 : restOfAll * tookMs);
      return resource;
    },
    undecided: (name, nowMs) => {
      const resource = resources.get(name);
      if (resource === undefined) return;
      if (resource.groups.size === 0) forget(name);
      else resource.dueAtMs = nowMs;
    },
    release: (name) => {
      const released = [...(resources.get(name)?.groups ?? [])];
      forget(name);
      return released;
    },
    retryAll: (nowMs) => {
      freeAtMs = nowMs;
      isOutdated = running !== undefined;
      for (const resource of resources.values()) {
        resource.failures = 0;
        resource.dueAtMs = nowMs;
      }
    },
    clear: () => {
      const known = [...resources.keys()];
      resources.clear();
      holds.clear();
      slow.clear();
      running = undefined;
      for (const resource of known) onOver(resource);
    },
  };
};
