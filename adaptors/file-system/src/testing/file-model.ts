/** The model that the adaptor requires (specification, File-system adaptor), in the form that the server sends. */
export const fileModel = {
  type: 'object',
  properties: {
    adaptorUuid: { type: 'string' },
    sourceUri: { type: 'string' },
    intermediateUri: { type: 'string' },
    destinationUri: { type: 'string' },
    action: { type: 'string', enum: ['NEW', 'UPDATED', 'DELETED'] },
    contentLength: { type: 'integer' },
    additionalParameters: {
      type: 'array',
      items: {
        type: 'object',
        properties: { key: { type: 'string' }, value: { type: 'string' } },
        required: ['key', 'value'],
      },
    },
  },
  required: ['adaptorUuid', 'sourceUri', 'action', 'contentLength'],
};
