import { guarded, requirePage } from '@fds/graphql';
import { FaultList } from '@fds/resource-rules';
import type { DeliveryStore, RedeliveryInput } from '../store/deliveries/delivery-store.js';

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
export const deliveryResolvers = (store: DeliveryStore) => ({
  Query: {
    notificationMessages: guarded<ListArguments>(
      { mode: 'require', action: 'GET', resource: `${one}/messages` },
      ({ notificationId, status, from, to, ...page }, { principal }) => {
        const filter = { status: status ?? undefined, from: from ?? undefined, to: to ?? undefined };
        return store.list(notificationId, principal, filter, requirePage(page));
      },
    ),
  },
  Mutation: {
    redeliverNotifications: guarded<Key & { readonly input: RedeliveryInput }>(
      { mode: 'require', action: 'POST', resource: `${one}/redeliveries` },
      async ({ notificationId, input }, { principal, purpose }) => ({
        messages: await store.redeliver(notificationId, principal, input, new FaultList(purpose)),
      }),
      { checks: 'input' },
    ),
    skipNotificationMessage: guarded<Key & { readonly messageUuid: string }>(
      { mode: 'require', action: 'DELETE', resource: `${one}/messages/{messageUuid}` },
      async ({ notificationId, messageUuid }, { principal }) => {
        await store.skip(notificationId, principal, messageUuid);
        return true;
      },
    ),
    renewNotificationSecret: guarded<Key>(
      { mode: 'require', action: 'POST', resource: `${one}/secret` },
      async ({ notificationId }, { principal }) => ({
        notificationId,
        secret: await store.renewSecret(notificationId, principal),
      }),
    ),
  },
});
