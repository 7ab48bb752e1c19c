import { actions as allActions, type Action, type GrantedAction } from '@fds/access-rules';

/** A path with `{placeholders}`, and its actions. */
export interface ResourceActions {
  readonly resource: string;
  readonly actions: readonly GrantedAction[];
}

const isAction = (action: GrantedAction): action is Action => allActions.some((each) => each === action);

/**
 * Returns for each resource the actions that are permitted on at least one of its paths.
 *
 * @param permitsSome whether an action is permitted on some path of a pattern, in which `?` is any segment
 * @param zoneUuid value of `{zoneUuid}`; undefined means any zone
 */
export const grantedActions = (
  asked: readonly ResourceActions[],
  permitsSome: (action: Action, pattern: string) => boolean,
  zoneUuid?: string,
): ResourceActions[] =>
  asked.map(({ resource, actions }) => {
    const pattern = resource.replaceAll('{zoneUuid}', zoneUuid ?? '?').replaceAll(/\{\w+\}/g, '?');
    const wanted = actions.includes('ALL') ? allActions : actions.filter(isAction);
    return { resource, actions: wanted.filter((action) => permitsSome(action, pattern)) };
  });
