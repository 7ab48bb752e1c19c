import { guarded, requirePage } from '@fds/graphql';
import { FaultList } from '@fds/errors';
import type { DeliveryActions, RedeliveryInput } from '../actions/delivery-actions.js';

interface Key {
  readonly notificationId: string;
}

interface ListArguments extends Key {
  readonly status?: string | null;
  readonly from?: Date | null;
  readonly to?: Date | null;
  readonly page?: number | null;
  readonly size?: number | null;
}

const one = '/notifications/{notificationId}';

/** The delivery log of the caller's registrations. */
export const deliveryResolvers = (actions: DeliveryActions) => ({
  Query: {
    notificationMessages: guarded<ListArguments>(
      { mode: 'require', action: 'GET', resource: `${one}/messages` },
      ({ notificationId, status, from, to, ...page }, { principal }) => {
        const filter = { status: status ?? undefined, from: from ?? undefined, to: to ?? undefined };
        return actions.list(notificationId, principal, filter, requirePage(page));
      },
    ),
  },
  Mutation: {
    redeliverNotifications: guarded<Key & { readonly input: RedeliveryInput }>(
      { mode: 'require', action: 'POST', resource: `${one}/redeliveries` },
      async ({ notificationId, input }, { principal, purpose }) => ({
        messages: await actions.redeliver(notificationId, principal, input, new FaultList(purpose)),
      }),
      { checks: 'input' },
    ),
    skipNotificationMessage: guarded<Key & { readonly messageUuid: string }>(
      { mode: 'require', action: 'DELETE', resource: `${one}/messages/{messageUuid}` },
      async ({ notificationId, messageUuid }, { principal }) => {
        await actions.skip(notificationId, principal, messageUuid);
        return true;
      },
    ),
    renewNotificationSecret: guarded<Key>(
      { mode: 'require', action: 'POST', resource: `${one}/secret` },
      async ({ notificationId }, { principal }) => ({
        notificationId,
        secret: await actions.renewSecret(notificationId, principal),
      }),
    ),
  },
});
