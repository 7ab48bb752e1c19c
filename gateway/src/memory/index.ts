export { openIdleCollector } from './open-idle-collector.js';
