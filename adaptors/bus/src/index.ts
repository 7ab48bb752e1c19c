export { connectServerBus, type ServerBusOptions } from './connect-server-bus.js';
export {
  type ConnectionLog,
  type MqttConnection,
  type MqttConnectionOptions,
  openMqttConnection,
} from './mqtt-connection.js';
export type { DownKind, ServerBus, UpHandler, UpKind, UpMessage, UpObserver } from './server-bus.js';
