/** An action of a request on a resource. */
export type Action = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Action of a grant: one action, or all of them. */
export type GrantedAction = Action | 'ALL';

export const actions: readonly Action[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
