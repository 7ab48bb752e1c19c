import type { SocketFlow } from './create-answer-flow.js';

/** Handles the messages of a socket in order, no faster than their answers are read. */
export interface PacedIntake<Message> {
  take(message: Message): void;
}

export interface PacedIntakeOptions<Message> {
  readonly flow: Pick<SocketFlow, 'mayStart' | 'started' | 'ended'>;
  /** Stops reading. Messages that were read already may still arrive. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** When it returns false, messages are dropped. */
  readonly isOpen: () => boolean;
  /** Must the message wait until the flow allows another operation? */
  readonly needsPlace: (message: Message) => boolean;
  /** Settles when the message is handled and its answers are sent. */
  readonly handle: (message: Message) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/**
 * Pauses the connection while a message waits, so that at most the bytes of one read wait here. A message that needs no
 * place is handled at once, unless an earlier message waits.
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
      // a message that ends an operation must not wait for an operation to end
      if (!needsPlace(message) && isOpen() && waiting.length === 0) return void run(message);
      waiting.push(message);
      advance();
    },
  };
};
