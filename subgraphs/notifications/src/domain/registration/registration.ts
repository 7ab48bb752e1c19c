import type { EventEntry } from '@fds/change-events';
import type { OAuth2Registration, WebhookHeader } from '@fds/webhook-client';

/** Messages are sent for ACTIVE and FAILING registrations. */
export type RegistrationStatus = 'ACTIVE' | 'FAILING' | 'DISABLED' | 'REFUSED';

/**
 * The part of a registration that its user writes. Values of headers and the client's secret are in clear or masked,
 * depending on the place of use.
 */
export interface RegistrationContent {
  readonly callback: string;
  readonly callbackType: 'WEB_HOOK';
  readonly events: readonly EventEntry[];
  readonly httpHeaders: readonly WebhookHeader[];
  readonly oauth2Registration: OAuth2Registration | null;
}

/** A registration in answers to its user, without secrets. */
export interface ShownRegistration extends RegistrationContent {
  readonly notificationId: string;
  readonly userUuid: string;
  readonly status: RegistrationStatus;
  readonly lastDelivery: Date | null;
  readonly lastError: string | null;
  readonly dateCreated: Date;
  readonly lastUpdated: Date;
}
