import { CredentialStore } from './credentials.js';
import { Hub } from './hub.js';

/** The resources that each command uses. */
export interface CommandContext {
  readonly store: CredentialStore;
  readonly hub: Hub;
  /** Name of the context that the user chose; undefined: the current one. */
  readonly contextName: string | undefined;
  /** Prints data to standard output. */
  print(text: string): void;
  /** Prints a message to standard error. */
  say(text: string): void;
  /** Reads standard input to its end. */
  readInput(): Promise<string>;
}

/** Input of more bytes is refused, before it fills the memory. */
const maxInputBytes = 64 * 1024 * 1024;

const readStandardInput = async (): Promise<string> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxInputBytes) throw new Error(`standard input has more than ${maxInputBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

export const createCommandContext = (contextName: string | undefined): CommandContext => {
  const store = new CredentialStore(process.env);
  return {
    store,
    hub: new Hub(store, contextName),
    contextName,
    print: (text) => void process.stdout.write(`${text}\n`),
    say: (text) => void process.stderr.write(`${text}\n`),
    readInput: readStandardInput,
  };
};
