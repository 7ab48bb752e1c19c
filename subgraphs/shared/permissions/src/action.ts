/** What a request does to a resource. */
export type Action = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What a grant may say: one action, or all of them. */
export type GrantedAction = Action | 'ALL';

export const actions: readonly Action[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
