export type { DownKind, ServerBus, UpHandler, UpKind, UpMessage } from './server-bus.js';
