import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';

/** Channels of LISTEN: changes by resource type, and messages that are queued for adaptors by uuid. */
export type NewsChannel = 'fds_change_log' | 'fds_delivery';

/** The news of one transaction: the texts of each channel. */
export type News = ReadonlyMap<NewsChannel, ReadonlySet<string>>;

const current = new AsyncLocalStorage<Map<NewsChannel, Set<string>>>();

/** Notes news of the transaction in progress. They are announced when it is committed. */
export const noteNews = (channel: NewsChannel, texts: Iterable<string>): void => {
  const news = current.getStore();
  if (news === undefined) return;
  const noted = news.get(channel) ?? new Set();
  for (const text of texts) noted.add(text);
  if (noted.size > 0) news.set(channel, noted);
};

/** Runs a transaction. `onCommitted` gets its news after the commit; a transaction that is rolled back has none. */
export const withNews = async <T>(transaction: () => Promise<T>, onCommitted: (news: News) => void): Promise<T> => {
  const news = new Map<NewsChannel, Set<string>>();
  const result = await current.run(news, transaction);
  if (news.size > 0) onCommitted(news);
  return result;
};

/** Announces news to the other processes. */
export interface Announcer {
  announce(news: News): void;
  /** Announces the rest. Later news is left to the polls of its readers. */
  close(): Promise<void>;
}

/** Between two announcements, in milliseconds. Texts of this time are announced together. */
const pauseMs = 20;

/** Adaptors that are named in one announcement. For more, every process looks at its own. */
const maxNamed = 64;

/**
 * Announces after the commit, in a separate statement: a transaction that notifies keeps other notifying transactions waiting
 * until its commit is on disk. News that is lost, because this process ends or the database does not answer, is found by the
 * polls of its readers within a second.
 */
export const createAnnouncer = (pool: Pick<pg.Pool, 'query'>): Announcer => {
  const waiting = new Map<NewsChannel, Set<string>>();
  let sending: Promise<void> | undefined;
  let isClosed = false;

  const send = async (): Promise<void> => {
    const rows = [...waiting].flatMap(([channel, texts]) =>
      channel === 'fds_delivery' && texts.size > maxNamed
        ? [[channel, ''] as const]
        : [...texts].map((text) => [channel, text] as const),
    );
    waiting.clear();
    await pool
      .query({
        name: 'database-announce',
        text: 'SELECT pg_notify(n.channel, n.text) FROM unnest($1::text[], $2::text[]) AS n(channel, text)',
        values: [rows.map(([channel]) => channel), rows.map(([, text]) => text)],
      })
      .catch(() => undefined);
  };
  const run = async (): Promise<void> => {
    // the commits of one turn share an announcement
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (waiting.size > 0) {
      await send();
      if (!isClosed) await new Promise<void>((resolve) => setTimeout(resolve, pauseMs));
    }
    sending = undefined;
  };

  return {
    announce: (news) => {
      if (isClosed) return;
      for (const [channel, texts] of news) waiting.set(channel, new Set([...(waiting.get(channel) ?? []), ...texts]));
      sending ??= run();
    },
    close: async () => {
      isClosed = true;
      await sending;
    },
  };
};
