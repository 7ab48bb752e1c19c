/** The process id of a connection's backend; `pg` does not type it. */
export const processIdOf = (client: object): number | undefined =>
  'processID' in client && typeof client.processID === 'number' ? client.processID : undefined;
