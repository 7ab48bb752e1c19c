import { clientIdOf, downTreeOf, maxPayloadBytes, parseTopic, roles, upTreeOf } from '@fds/adaptor-protocol';

/**
 * The adaptor that a client belongs to. The client id is the uuid with the role of the client, and the user name is the
 * uuid.
 */
export const adaptorOfClient = (clientId: string, username: string): string | undefined =>
  roles.some((role) => clientId === clientIdOf(username, role)) ? username : undefined;

/** Longest topic filter, in characters. The filters of the bus have less than 100. */
const maxFilterLength = 256;

/** May the adaptor subscribe to the filter? It may subscribe to its own `down` tree, without shared subscriptions. */
export const maySubscribe = (adaptorUuid: string, filter: string): boolean =>
  filter.length <= maxFilterLength && filter.startsWith(downTreeOf(adaptorUuid));

export interface Publication {
  readonly topic: string;
  readonly retain: boolean;
  readonly bytes: number;
}

/** Reason why the adaptor may not publish this; undefined when it may. */
export const refusalOfPublication = (
  adaptorUuid: string,
  { topic, retain, bytes }: Publication,
): string | undefined => {
  if (!topic.startsWith(upTreeOf(adaptorUuid))) return 'the topic is not in its own up tree';
  if (parseTopic(topic) === undefined) return 'the topic is not a topic of the adaptor bus';
  if (retain && !topic.endsWith('/up/status')) return 'only up/status may be retained';
  return bytes > maxPayloadBytes ? `the payload is larger than ${maxPayloadBytes} bytes` : undefined;
};
