import { isJsonObject, type JsonObject, type JsonValue, pointerTo } from '@fds/json';
import { addressOrigin } from './address-origin.js';
import type { Secrets } from './split-secrets.js';

/** The member whose secrets go to an authorization server, and nothing else of the metadata does. */
const oauth2Client = 'oauth2Registration';

/** A part of the metadata with the receivers that it names. */
interface Branch {
  readonly pointer: string;
  readonly isAddress: boolean;
  readonly children: ReadonlyMap<string, Branch>;
  readonly origins: readonly string[];
  /** Equal for branches with the same receivers at the same places. */
  readonly receivers: string;
  readonly hasSecret: boolean;
}

const childrenOf = (value: JsonValue): readonly (readonly [string, JsonValue | undefined])[] => {
  if (Array.isArray(value)) return value.map((item: JsonValue, index) => [String(index), item] as const);
  return isJsonObject(value) ? Object.entries(value) : [];
};

const readBranch = (key: string, value: JsonValue, pointer: string, secrets: Secrets): Branch => {
  const origin = addressOrigin(key, value);
  const children = new Map<string, Branch>();
  for (const [name, child] of origin === undefined ? childrenOf(value) : []) {
    if (child === undefined) continue;
    const branch = readBranch(Array.isArray(value) ? key : name, child, pointerTo(pointer, name), secrets);
    children.set(name, branch);
  }
  const below = [...children].filter(([, { origins }]) => origins.length > 0);
  return {
    pointer,
    isAddress: origin !== undefined,
    children,
    origins: origin === undefined ? below.flatMap(([, { origins }]) => origins) : [origin],
    receivers: JSON.stringify(origin ?? below.map(([name, { receivers }]) => [name, receivers])),
    hasSecret: secrets.has(pointer) || [...children.values()].some(({ hasSecret }) => hasSecret),
  };
};

const authorizationServersOf = (client: Branch | undefined): readonly string[] =>
  ['issuerUri', 'tokenUri'].flatMap((member) => client?.children.get(member)?.origins ?? []);

const namesReceiver = (branch: Branch | undefined): boolean => (branch?.origins.length ?? 0) > 0;

/** Has the branch a receiver and a secret for it? */
const isIndependent = (branch: Branch | undefined): boolean => namesReceiver(branch) && branch?.hasSecret === true;

/** Metadata with its secrets, and the secrets by place. */
export interface RevealedMetadata {
  readonly metadata: JsonObject;
  readonly secrets: Secrets;
}

/**
 * Places of kept secrets that would be sent to another scheme, host or port than before.
 *
 * A secret may be sent to every receiver that the metadata names, with two exceptions. A branch with its own receiver and
 * secret is independent of another such branch: the databases of one adaptor. An OAuth 2.0 client sends its secret to
 * its authorization server only, which may be any that it named before. An address with a password in it is its own receiver.
 *
 * @param kept places of the secrets that are kept
 */
export const movedSecrets = (
  before: RevealedMetadata,
  after: RevealedMetadata,
  kept: ReadonlySet<string>,
): readonly string[] => {
  const moved: string[] = [];

  const add = ({ pointer, isAddress }: Branch): void => {
    if (kept.has(pointer) && !isAddress) moved.push(pointer);
  };
  const addAll = (branch: Branch): void => {
    add(branch);
    for (const child of branch.children.values()) addAll(child);
  };

  const visit = (old: Branch | undefined, now: Branch, isMoved: boolean): void => {
    if (isMoved) add(now);
    const names = new Set([...(old?.children.keys() ?? []), ...now.children.keys()]);
    names.delete(oauth2Client);
    const differs = (name: string): boolean =>
      (old?.children.get(name)?.receivers ?? '[]') !== (now.children.get(name)?.receivers ?? '[]');
    const independent = (name: string): boolean => isIndependent(old?.children.get(name) ?? now.children.get(name));
    const changed = [...names].filter(differs);
    const changedShared = changed.filter((name) => !independent(name));
    for (const [name, child] of now.children) {
      const oldChild = old?.children.get(name);
      if (name === oauth2Client) {
        const known = new Set(authorizationServersOf(oldChild));
        if (!authorizationServersOf(child).every((origin) => known.has(origin))) addAll(child);
        continue;
      }
      const around = namesReceiver(oldChild) && namesReceiver(child) ? changedShared : changed;
      visit(oldChild, child, isMoved || around.length > (around.includes(name) ? 1 : 0));
    }
  };

  const roots = [before, after].map(({ metadata, secrets }) => readBranch('', metadata, '', secrets));
  const [old, now] = roots as [Branch, Branch];
  // without any receiver a secret goes nowhere; a receiver that is added later is another change
  if (now.origins.length > 0 && old.receivers !== now.receivers) visit(old, now, false);
  return moved;
};
