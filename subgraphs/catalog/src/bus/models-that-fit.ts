import { maxPayloadBytes, stringifyJson, type OpsRequest } from '@fds/adaptor-protocol';

/** Room for the envelope around the data of a message. */
const envelopeBytes = 4 * 1024;

const bytesOf = (value: object): number => Buffer.byteLength(stringifyJson(value));

/**
 * Leaves out the largest models until the message fits on the wire. The adaptor needs the models only to check its
 * configuration, and the rest of the message for its work.
 */
export const withModelsThatFit = (request: OpsRequest): OpsRequest => {
  let excess = bytesOf(request) - (maxPayloadBytes - envelopeBytes);
  if (excess <= 0 || request.domainVersions === undefined) return request;
  const sizes = request.domainVersions.map(({ modelSchema }) => (modelSchema === undefined ? 0 : bytesOf(modelSchema)));
  const left = new Set<number>();
  for (const index of sizes.map((_, at) => at).sort((a, b) => (sizes[b] ?? 0) - (sizes[a] ?? 0))) {
    if (excess <= 0) break;
    left.add(index);
    excess -= sizes[index] ?? 0;
  }
  return {
    ...request,
    domainVersions: request.domainVersions.map(({ modelSchema, ...version }, index) =>
      modelSchema === undefined || left.has(index) ? version : { ...version, modelSchema },
    ),
  };
};
