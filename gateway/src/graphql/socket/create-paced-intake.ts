import type { SocketFlow } from './create-answer-flow.js';

/** Takes the messages of a socket in order, no faster than their answers are read. */
export interface PacedIntake<Message> {
  take(message: Message): void;
}

export interface PacedIntakeOptions<Message> {
  readonly flow: Pick<SocketFlow, 'mayStart' | 'started' | 'ended'>;
  /** Stops reading. Messages that were read already may still be taken. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** When it is not, messages are dropped. */
  readonly isOpen: () => boolean;
  /** Settles when the message is done with and its answers are sent. */
  readonly handle: (message: Message) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/**
 * Pauses the connection while a message waits, so that at most the bytes of one read wait here. Suits messages that end
 * by themselves: a message that goes on until another message ends it would keep its place in the flow.
 */
export const createPacedIntake = <Message>(options: PacedIntakeOptions<Message>): PacedIntake<Message> => {
  const { flow, pause, resume, isOpen, handle, onError } = options;
  const waiting: Message[] = [];
  let isPaused = false;

  const run = async (message: Message): Promise<void> => {
    flow.started();
    try {
      await handle(message);
    } catch (error) {
      onError(error);
    } finally {
      flow.ended();
    }
  };

  const advance = (): void => {
    if (!isOpen()) waiting.length = 0;
    while (waiting.length > 0 && flow.mayStart(advance)) {
      const [message] = waiting.splice(0, 1);
      if (message !== undefined) void run(message);
    }
    if (waiting.length > 0 === isPaused) return;
    isPaused = !isPaused;
    if (isPaused) pause();
    else resume();
  };

  return {
    take: (message) => {
      waiting.push(message);
      advance();
    },
  };
};
