import { addressKind, settings } from '@fds/service';
import { anyPort } from './any-port.js';

/** The protocols that the bus client supports. */
const brokerAddress = addressKind(
  ['tcp:', 'mqtt:', 'tls:', 'ssl:', 'mqtts:', 'ws:', 'wss:'],
  'an address of an MQTT broker such as tcp://broker.example.org:1883 or tls://broker.example.org:8883',
);

/** The adaptor bus and the bounds of the embedded broker. */
export const busSettings = {
  busPort: settings.integer('FDS_BUS_PORT', 'Port of the embedded broker. 0 = any free port.', 1883, anyPort),
  busUrl: settings.url(
    'FDS_BUS_URL',
    'External MQTT broker (tcp://host:port) instead of the embedded one.',
    brokerAddress,
  ),
  busUsername: settings.optionalText('FDS_BUS_USERNAME', 'User name of the server at the external broker.'),
  busPassword: settings.secret('FDS_BUS_PASSWORD', 'Password of the server at the external broker.'),
  busMaxConnections: settings.integer(
    'FDS_BUS_MAX_CONNECTIONS',
    'Most connections to the embedded broker. An adaptor has two.',
    4096,
    { min: 16, max: 1_000_000 },
  ),
  busMaxPending: settings.integer(
    'FDS_BUS_MAX_PENDING',
    'Most connections to the embedded broker that are not authenticated yet.',
    1024,
    { min: 1, max: 100_000 },
  ),
  busPendingPerAddress: settings.integer(
    'FDS_BUS_PENDING_PER_ADDRESS',
    'The same for the connections of one address.',
    256,
    { min: 1, max: 100_000 },
  ),
  busConnectSeconds: settings.integer(
    'FDS_BUS_CONNECT_SECONDS',
    'Time in which a connection to the embedded broker must be authenticated.',
    10,
    { min: 1, max: 300 },
  ),
  busMaxPacketBytes: settings.integer(
    'FDS_BUS_MAX_PACKET_BYTES',
    'Largest MQTT packet that the embedded broker reads: a payload of 256 KiB and its topic.',
    263_168,
    { min: 16_384, max: 1_048_576 },
  ),
  busMaxUnreadBytes: settings.integer(
    'FDS_BUS_MAX_UNREAD_BYTES',
    'Most bytes that wait in the embedded broker for a client that does not read. A whole window of data events has 64 MiB.',
    83_886_080,
    { min: 68_157_440, max: 1_073_741_824 },
  ),
  busMaxUnreadTotalBytes: settings.integer(
    'FDS_BUS_MAX_UNREAD_TOTAL_BYTES',
    'The same for all clients together. The client that leaves most unread is ended first.',
    268_435_456,
    { min: 83_886_080, max: 68_719_476_736 },
  ),
  busMaxSubscriptions: settings.integer(
    'FDS_BUS_MAX_SUBSCRIPTIONS',
    'Most topic filters that a client of the embedded broker may subscribe to.',
    16,
    { min: 5, max: 1000 },
  ),
} as const;
