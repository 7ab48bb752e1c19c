import type { MqttClient } from 'mqtt';

/**
 * Publishes with QoS 1, with a limited number of unacknowledged messages.
 *
 * @throws Error when the broker does not accept a message
 */
export const publishWithin = (
  client: MqttClient,
  topic: string,
  payloads: readonly string[],
  window: number,
): Promise<void> =>
  new Promise((resolve, reject) => {
    let next = 0;
    let acknowledged = 0;
    const publishNext = (): void => {
      const payload = payloads[next];
      if (payload === undefined) return;
      next += 1;
      client.publish(topic, payload, { qos: 1 }, (error) => {
        if (error) reject(error);
        acknowledged += 1;
        if (acknowledged === payloads.length) resolve();
        else publishNext();
      });
    };
    for (let started = 0; started < window; started += 1) publishNext();
  });
