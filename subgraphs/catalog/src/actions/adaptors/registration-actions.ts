import { randomBytes } from 'node:crypto';
import type { Principal, Sealer } from '@fds/auth';
import { inTransaction } from '@fds/database';
import { adaptorResource, lockAdaptor } from '../../store/adaptors/adaptor-rows.js';
import { adaptorNotFound } from './require-adaptor.js';
import { logAs, type StoreTools } from '../../store/catalog-writer.js';
import type { ForgetHolders } from '../zones/zone-roles.js';

/** Credentials of an adaptor for the message bus and the authorization server. */
interface Registration {
  readonly uuid: string;
  readonly zoneUuid: string;
  /** The adaptor's uuid. */
  readonly clientId: string;
  readonly clientSecret: string;
  readonly messageBusUrl: string;
  readonly messageBusUrls: readonly string[];
}

export interface RegistrationActions {
  /** @throws AppError NOT_FOUND */
  read(zoneUuid: string, adaptorUuid: string): Promise<Registration>;
  /**
   * Issues a new secret and ends all tokens. The old secret stays valid for the grace period, 0 = not at all. @throws
   * AppError NOT_FOUND
   */
  reissue(zoneUuid: string, adaptorUuid: string, principal: Principal): Promise<Registration>;
}

export interface RegistrationTools extends StoreTools {
  readonly sealer: Sealer;
  /** `tcp://<host>:<port>` first, then TLS and websocket if they exist. */
  readonly messageBusUrls: readonly [string, ...string[]];
  readonly secretGraceSeconds: number;
  readonly forgetHolders: ForgetHolders;
}

/** 256 bits. */
export const newClientSecret = (): string => randomBytes(32).toString('base64url');

export const createRegistrationActions = (tools: RegistrationTools): RegistrationActions => {
  const { database, now, sealer, messageBusUrls, secretGraceSeconds, forgetHolders } = tools;

  const toRegistration = (uuid: string, zoneUuid: string, clientSecret: string): Registration => ({
    uuid,
    zoneUuid,
    clientId: uuid,
    clientSecret,
    messageBusUrl: messageBusUrls[0],
    messageBusUrls,
  });

  return {
    read: async (zoneUuid, adaptorUuid) => {
      const row = await database.prisma.adaptorRegistration.findFirst({
        where: { adaptorUuid, adaptor: { zoneUuid } },
      });
      if (row === null) throw adaptorNotFound(adaptorUuid);
      return toRegistration(adaptorUuid, zoneUuid, sealer.unseal(row.sealedSecret));
    },
    reissue: async (zoneUuid, adaptorUuid, principal) => {
      const registration = await inTransaction(database, async (tx) => {
        // re-issues are serialised, because each one keeps the secret that it replaces
        await lockAdaptor(tx, adaptorUuid);
        const row = await tx.adaptorRegistration.findFirst({ where: { adaptorUuid, adaptor: { zoneUuid } } });
        if (row === null) throw adaptorNotFound(adaptorUuid);
        const secret = newClientSecret();
        const time = now();
        const oldSecretUntil = new Date(time.getTime() + secretGraceSeconds * 1000);
        const grace = secretGraceSeconds > 0;
        await tx.adaptorRegistration.update({
          where: { adaptorUuid },
          data: {
            sealedSecret: sealer.seal(secret),
            previousSealedSecret: grace ? row.sealedSecret : null,
            previousUntil: grace ? oldSecretUntil : null,
            tokenEpoch: { increment: 1 },
          },
          select: { adaptorUuid: true },
        });
        await logAs(tx, principal, {
          action: 'POST',
          resourceType: 'Adaptor',
          resource: `${adaptorResource({ uuid: adaptorUuid, zoneUuid })}/registration`,
          resourceUuid: adaptorUuid,
          zoneUuid,
          // sessions end at once, and again when the old secret expires
          data: { uuid: adaptorUuid, zoneUuid, oldSecretUntil: oldSecretUntil.getTime() },
        });
        return toRegistration(adaptorUuid, zoneUuid, secret);
      });
      forgetHolders();
      return registration;
    },
  };
};
