import type { UpKind } from '@fds/adaptor-bus';
import { subgraphNames, type SubgraphName } from '@fds/graphql';

/** Parts that a process can run: the gateway with all HTTP doors, and the subgraphs. */
export const serviceParts = ['gateway', ...subgraphNames] as const;
export type Part = (typeof serviceParts)[number];

/** Does the subgraph run in a process with these parts? Records include the assembly engine. */
export const holds = (parts: readonly Part[], subgraph: SubgraphName): boolean =>
  parts.includes(subgraph) || (subgraph === 'assembly' && parts.includes('records'));

/** Topics that each part uses on the adaptor bus. */
export const heardBy: Readonly<Record<Part, readonly UpKind[]>> = {
  gateway: [],
  catalog: ['status', 'ops', 'log'],
  governance: [],
  records: ['data', 'hello', 'ack', 'link', 'ops', 'rsp', 'status'],
  assembly: ['rsp', 'status'],
  notifications: [],
};

/** Does a part of the process communicate with adaptors? */
export const usesBus = (parts: readonly Part[]): boolean => parts.some((part) => heardBy[part].length > 0);
