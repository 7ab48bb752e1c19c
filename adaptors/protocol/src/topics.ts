/** The channels of an adaptor: the last part of its topics. `up` is adaptor to server, `down` is server to adaptor. */
export const channels = [
  'down/data',
  'down/ack',
  'down/hello',
  'down/ops',
  'down/req',
  'down/check',
  'up/data',
  'up/ack',
  'up/hello',
  'up/ops',
  'up/status',
  'up/rsp',
  'up/link',
  'up/log',
] as const;
export type Channel = (typeof channels)[number];

/** The MQTT clients of an adaptor: two of the running process, and that of a process which only checks its configuration. */
export const roles = ['ops', 'data', 'check'] as const;
export type Role = (typeof roles)[number];

const roleOfChannel: Readonly<Record<Channel, Role>> = {
  'down/data': 'data',
  'down/ack': 'data',
  'down/hello': 'data',
  'down/ops': 'ops',
  'down/req': 'ops',
  'down/check': 'check',
  'up/data': 'data',
  'up/ack': 'data',
  'up/hello': 'data',
  'up/ops': 'ops',
  'up/status': 'ops',
  'up/rsp': 'ops',
  'up/link': 'ops',
  'up/log': 'ops',
};

/** The client of the adaptor that carries the channel. */
export const roleOf = (channel: Channel): Role => roleOfChannel[channel];

/** `<adaptorUuid>-ops`, `<adaptorUuid>-data` or `<adaptorUuid>-check`. */
export const clientIdOf = (adaptorUuid: string, role: Role): string => `${adaptorUuid}-${role}`;

const root = 'fds/v1/a/';
const topicPattern = /^fds\/v1\/a\/([^/+#]+)\/((?:up|down)\/[a-z]+)(?:\/([A-Za-z0-9_-]{1,64}))?$/;

export interface Topic {
  readonly adaptorUuid: string;
  readonly channel: Channel;
  /** The server instance that waits for the answer: `up/rsp/<instance>` only. */
  readonly instance?: string;
}

export const topicOf = ({ adaptorUuid, channel, instance }: Topic): string =>
  `${root}${adaptorUuid}/${channel}${instance === undefined ? '' : `/${instance}`}`;

const isChannel = (text: string): text is Channel => (channels as readonly string[]).includes(text);

/** Reads a topic name; undefined when it is not a topic of the adaptor bus. */
export const parseTopic = (topic: string): Topic | undefined => {
  const [, adaptorUuid, channel, instance] = topicPattern.exec(topic) ?? [];
  if (adaptorUuid === undefined || channel === undefined || !isChannel(channel)) return undefined;
  if (instance === undefined) return { adaptorUuid, channel };
  return channel === 'up/rsp' ? { adaptorUuid, channel, instance } : undefined;
};

/** The subscription of a client with the role. */
export const subscriptionsOf = (adaptorUuid: string, role: Role): readonly string[] =>
  channels
    .filter((channel) => channel.startsWith('down/') && roleOfChannel[channel] === role)
    .map((channel) => topicOf({ adaptorUuid, channel }));

/** The only subtree an adaptor may publish to. */
export const upTreeOf = (adaptorUuid: string): string => `${root}${adaptorUuid}/up/`;

/** The only subtree an adaptor may subscribe to. */
export const downTreeOf = (adaptorUuid: string): string => `${root}${adaptorUuid}/down/`;

/** The messages that a server process subscribes to. */
export interface ServerInterest {
  /** Last parts of `up` channels, for example `data`. Default: all. */
  readonly kinds?: readonly string[];
  /** The instance, if it receives its own answers. */
  readonly instance?: string;
}

/** Messages that only the process with the adaptor's lease takes. */
export const ownedKinds = ['data', 'ack', 'link', 'hello'] as const;

/** The subscriptions of the process that has the adaptor's lease. */
export const ownerSubscriptions = (adaptorUuid: string): readonly string[] =>
  ownedKinds.map((kind) => topicOf({ adaptorUuid, channel: `up/${kind}` }));

/** The subscriptions of a server for all adaptors. */
export const serverSubscriptions = ({ kinds = ['+'], instance }: ServerInterest = {}): readonly string[] => [
  ...kinds.map((kind) => `${root}+/up/${kind}`),
  ...(instance === undefined ? [] : [`${root}+/up/rsp/${instance}`]),
];
