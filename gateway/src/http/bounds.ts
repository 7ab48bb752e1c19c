/**
 * Every bound on a resource that a caller can fill (docs/reference/rest-conventions.md#bounds-and-fairness). `/metrics`
 * counts how often each bound is reached.
 */
export const bounds = [
  'request_rate',
  'refusal_entries',
  'sign_in_entries',
  'sign_ins_under_way',
  'password_checks',
  'bus_packet',
  'bus_connections',
  'bus_pending_connections',
  'bus_connect_time',
  'bus_unread',
  'bus_subscriptions',
  'bus_payload',
  'sockets',
  'pending_sockets',
  'socket_message',
  'socket_unread',
  'subscriptions',
  'subscription_unread',
  'assembly_answer',
  'assembly_request',
  'assembly_caller',
  'assembly_total',
  'assembly_references',
  'assembly_unread',
  'graphql_limits',
  'graphql_planning',
  'gateway_proof',
  'search_queue',
  'statement_time',
  'answer_bytes',
  'notification_registrations',
  'notification_bytes',
  'notification_total_bytes',
  'webhook_requests',
  'notification_queue',
] as const;

type Bound = (typeof bounds)[number];

/** Counts one refusal, cut or wait because of a bound. */
export type CountBoundHit = (bound: Bound) => void;
