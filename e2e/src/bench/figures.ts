import type { Figure } from './figure.js';
import { assemblyRates } from './figures/assembly-rates.js';
import { eventRates } from './figures/event-rates.js';
import { longQueue } from './figures/long-queue.js';

/** What `npm run bench -- --figures` measures. */
export const figures: readonly Figure[] = [eventRates, longQueue, assemblyRates];
