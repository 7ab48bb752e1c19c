import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** Header that proves to a part in another process that the sender is the gateway. */
export const gatewayProofHeader = 'x-fds-gateway';

/** The request that a proof was made for. The proof is not valid for any other request. */
interface ProvenRequest {
  readonly authorization: string | undefined;
  readonly requestId: string;
}

/** Proofs made with the deployment's key, a secret that only the processes of the deployment share. */
export interface GatewayProofs {
  prove(request: ProvenRequest): string;
  /** WRONG: made with another key, for another request, or more than a minute ago. */
  check(proof: string | undefined, request: ProvenRequest): 'PROVEN' | 'ABSENT' | 'WRONG';
}

const validMs = 60_000;
const purpose = 'fds: gateway to part';
const form = /^(\d{1,15})\.([\w-]{43})$/;

/** @param deploymentKey see `loadDeploymentKey` */
export const createGatewayProofs = (deploymentKey: Buffer, now: () => Date): GatewayProofs => {
  const key = Buffer.from(hkdfSync('sha256', deploymentKey, '', purpose, 32));
  const sign = (time: string, { authorization = '', requestId }: ProvenRequest): Buffer =>
    createHmac('sha256', key)
      .update(JSON.stringify([time, authorization, requestId]))
      .digest();
  return {
    prove: (request) => {
      const time = String(now().getTime());
      return `${time}.${sign(time, request).toString('base64url')}`;
    },
    check: (proof, request) => {
      if (proof === undefined) return 'ABSENT';
      const [, time = '', signature = ''] = form.exec(proof) ?? [];
      const isRecent = Math.abs(now().getTime() - Number(time)) <= validMs;
      const given = Buffer.from(signature, 'base64url');
      const expected = sign(time, request);
      return isRecent && given.length === expected.length && timingSafeEqual(given, expected) ? 'PROVEN' : 'WRONG';
    },
  };
};
