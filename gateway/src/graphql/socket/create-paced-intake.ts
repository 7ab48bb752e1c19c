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
  /** May the message not be handled before the flow allows another operation? */
  readonly needsPlace: (message: Message) => boolean;
  /** Settles when the message is done with and its answers are sent. */
  readonly handle: (message: Message) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/**
 * Pauses the connection while a message waits, so that at most the bytes of one read wait here. A message that needs no
 * place is handled at once unless one that came earlier waits.
 */
export const createPacedIntake = <Message>(options: PacedIntakeOptions<Message>): PacedIntake<Message> => {
  const { flow, pause, resume, isOpen, needsPlace, handle, onError } = options;
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
      // a message that ends an operation does not wait for an operation to end
      if (!needsPlace(message) && isOpen() && waiting.length === 0) return void run(message);
      waiting.push(message);
      advance();
    },
  };
};
