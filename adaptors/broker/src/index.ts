export {
  type EmbeddedBroker,
  type EmbeddedBrokerOptions,
  openEmbeddedBroker,
  type Verdict,
} from './open-embedded-broker.js';
