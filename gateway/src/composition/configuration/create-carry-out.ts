import { AppError } from '@fds/errors';
import type { CarryOut } from '@fds/governance';
import type { IdentityDirectory } from '@fds/identity';
import { createRestCalls } from '@fds/rest-facade';
import { planDocuments, Refused } from '@fds/rest-facade/configuration';
import { once, type Log } from '@fds/service';
import { createGraphqlExecutor } from '../../executor/graphql-executor.js';
import type { StitchedGateway } from '../../stitching/stitched-gateway.js';
import { createWorld } from './configuration-world.js';
import type { HoldsSecret } from './holds-secret.js';

export interface CarryOutOptions {
  readonly gateway: StitchedGateway;
  readonly directory: Pick<IdentityDirectory, 'readPrincipal'>;
  readonly holdsSecret: HoldsSecret;
  readonly log: Log;
}

/** Carries out documents by the REST API of this process. */
export const createCarryOut = ({ gateway, directory, holdsSecret, log }: CarryOutOptions): CarryOut => {
  const calls = once(() =>
    createRestCalls({ executor: createGraphqlExecutor({ gateway, log }), schema: gateway.staticSchema }),
  );
  return async (documents, options, caller, joined) => {
    const { principal, requestId } = caller;
    const world = createWorld({
      call: calls(),
      caller: { principal, requestId },
      joined,
      readCaller: () => directory.readPrincipal(principal.uuid),
      holdsSecret,
    });
    try {
      return await planDocuments(world, documents, options);
    } catch (error) {
      // a refusal that belongs to no document
      if (error instanceof Refused) throw new AppError('CONFLICT', error.message);
      throw error;
    }
  };
};

/** The function that carries documents out, once the gateway of this process is open. */
export interface CarryOutSlot {
  readonly carryOut: CarryOut;
  fill(carryOut: CarryOut): void;
}

/** Until it is filled, planning is unavailable. */
export const createCarryOutSlot = (): CarryOutSlot => {
  let found: CarryOut | undefined;
  return {
    carryOut: (...given) => {
      if (found === undefined)
        throw new AppError(
          'UNAVAILABLE',
          'this process cannot plan: gateway, catalog, governance, records and notifications run in one process for it',
        );
      return found(...given);
    },
    fill: (carryOut) => {
      found = carryOut;
    },
  };
};
