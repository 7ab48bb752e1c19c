import type { Figure } from './figure.js';
import { adaptorRates } from './figures/adaptor-rates.js';
import { assemblyFirstRecord } from './figures/assembly-first-record.js';
import { assemblyMemory } from './figures/assembly-memory.js';
import { assemblyRates } from './figures/assembly-rates.js';
import { assemblyReferences } from './figures/assembly-references.js';
import { eventRates } from './figures/event-rates.js';
import { longQueue } from './figures/long-queue.js';
import { webhookDelivery } from './figures/webhook-delivery.js';

/** The figures that `npm run bench -- --figures` measures. */
export const figures: readonly Figure[] = [
  eventRates,
  adaptorRates,
  longQueue,
  assemblyRates,
  assemblyFirstRecord,
  assemblyReferences,
  assemblyMemory,
  webhookDelivery,
];
