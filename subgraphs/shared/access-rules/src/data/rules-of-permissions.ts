import type { Action } from '../permissions/action.js';
import type { CompiledGrants } from '../permissions/compile-grants.js';
import type { Grant } from '../permissions/grant.js';
import type { AccessRule } from './access-rule.js';

const any: Omit<AccessRule, 'effect' | 'actions' | 'drUuids'> = {
  zoneUuid: null,
  adaptorUuid: null,
  domainUuid: null,
  domainVersionUuid: null,
  properties: null,
};

const dataActions: readonly Action[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * The endpoints by which an action reaches all data: one of them is enough. Only endpoints are read here: a caller who
 * grants a pattern holds exactly the endpoints that the pattern reaches.
 */
const byEndpoint: readonly (readonly [of: Action, needs: Action, path: string])[] = [
  ['GET', 'GET', '/drs'],
  ['GET', 'GET', '/drs/?'],
  ['POST', 'POST', '/drs'],
  // in rules PUT and PATCH mean the same
  ['PUT', 'PATCH', '/drs/?'],
  ['PATCH', 'PATCH', '/drs/?'],
  ['DELETE', 'DELETE', '/drs/?'],
];

const oneRecord = /^\/?(?:api\/)?drs\/([0-9a-f-]{36})(?:\/\*)?$/i;

/**
 * A role without rules allows what its permissions allow: the rules that say so.
 *
 * @param grants of the role itself
 * @param compiled the same
 */
export const rulesOfPermissions = (grants: readonly Grant[], compiled: CompiledGrants): readonly AccessRule[] => {
  const everywhere = dataActions.filter((action) =>
    byEndpoint.some(([of, needs, path]) => of === action && compiled.permits(needs, path)),
  );
  const named = grants.flatMap(({ action, resource }): AccessRule[] => {
    const uuid = oneRecord.exec(resource)?.[1];
    return uuid === undefined
      ? []
      : [{ ...any, effect: 'ALLOW', actions: action === 'ALL' ? null : [action], drUuids: [uuid] }];
  });
  return [
    ...(everywhere.length === 0 ? [] : [{ ...any, effect: 'ALLOW', actions: everywhere, drUuids: null } as const]),
    ...named,
    { ...any, effect: 'DENY', actions: null, drUuids: null },
  ];
};

const isAboutAll = ({ effect: _effect, actions: _actions, ...selectors }: AccessRule): boolean =>
  Object.values(selectors).every((selector) => selector === null);

/** Do the rules begin by allowing every action on all data? The other rules do not matter: all data is visible. */
export const allowsAllData = ([first]: readonly AccessRule[]): boolean =>
  first?.effect === 'ALLOW' &&
  isAboutAll(first) &&
  dataActions.every((action) => first.actions?.includes(action) !== false);
