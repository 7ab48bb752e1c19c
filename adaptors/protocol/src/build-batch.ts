import { type Attributes, buildEnvelope } from './envelope.js';
import { batchType } from './messages/data-batch.js';

/** Maximum size of a batch without its events, in bytes. */
export const batchFrameBytes = 512;

/**
 * Builds the JSON text of a batch.
 *
 * @param events JSON text of each event, with its `sequence`, in the order of the sequences
 */
export const buildBatch = (
  attributes: Pick<Attributes, 'id' | 'source' | 'time'> & { readonly epoch: string },
  events: readonly string[],
): string => {
  const frame = buildEnvelope({ ...attributes, type: batchType, data: { events: [] } });
  const end = ']}}';
  return `${frame.slice(0, -end.length)}${events.join(',')}${end}`;
};
