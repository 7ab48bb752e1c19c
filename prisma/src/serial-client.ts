import pg from 'pg';

type Send = (...statement: readonly unknown[]) => Promise<unknown>;

/**
 * A connection that sends a statement only after the previous one was answered. Prisma reads the relations of a model
 * at the same time, even in a transaction, which has one connection. The next version of the driver refuses that.
 */
export class SerialClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    const send = super.query.bind(this) as unknown as Send;
    let answered: Promise<unknown> = Promise.resolve();
    const query: Send = (...statement) => {
      const answer = answered.then(() => send(...statement));
      answered = answer.catch(() => undefined);
      return answer;
    };
    Object.defineProperty(this, 'query', { value: query });
  }
}
