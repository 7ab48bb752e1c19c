export { type BrokerBound, type BrokerLimits, defaultBrokerLimits } from './connections/broker-limits.js';
export {
  type EmbeddedBroker,
  type EmbeddedBrokerOptions,
  openEmbeddedBroker,
  type Verdict,
} from './open-embedded-broker.js';
