import { readFile } from 'node:fs/promises';
import { emitKeypressEvents } from 'node:readline';
import type { CommandContext } from '../command-context.js';
import { usageFailure } from '../failure.js';

export interface PassphraseOptions {
  readonly passphraseFile?: string;
  readonly passphraseStdin?: boolean;
}

const variable = 'FDS_BACKUP_PASSPHRASE';
/** A shorter one is easy to guess. */
const shortCharacters = 12;

interface Key {
  readonly name?: string;
  readonly ctrl?: boolean;
  readonly sequence?: string;
}

/** Reads a line of the terminal without showing it. */
const askHidden = (question: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { stdin, stderr } = process;
    stderr.write(question);
    emitKeypressEvents(stdin);
    stdin.setRawMode(true);
    let text = '';
    const end = (work: () => void): void => {
      stdin.setRawMode(false).pause().off('keypress', onKey);
      stderr.write('\n');
      work();
    };
    const onKey = (character: string | undefined, { name, ctrl, sequence }: Key): void => {
      if (name === 'return' || name === 'enter') end(() => resolve(text));
      else if (ctrl === true && (name === 'c' || name === 'd'))
        end(() => reject(usageFailure('no passphrase was entered')));
      else if (name === 'backspace') text = text.slice(0, -1);
      else if (ctrl !== true && character !== undefined && sequence !== undefined && !/\p{Cc}/u.test(sequence))
        text += character;
    };
    stdin.on('keypress', onKey).resume();
  });

const askTwice = async (): Promise<string> => {
  const first = await askHidden('Passphrase: ');
  if ((await askHidden('The same again: ')) !== first) throw usageFailure('the two passphrases differ');
  return first;
};

/** The line end of an editor or of `echo` does not belong to it. */
const firstLine = (text: string): string => text.replace(/\r?\n[^]*$/, '');

const loadPassphrase = async (
  { readInput }: CommandContext,
  { passphraseFile, passphraseStdin }: PassphraseOptions,
  purpose: 'seal' | 'open',
): Promise<string> => {
  if (passphraseFile !== undefined && passphraseStdin === true)
    throw usageFailure('use either --passphrase-file or --passphrase-stdin');
  if (passphraseFile !== undefined) {
    const text = await readFile(passphraseFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw usageFailure(`${passphraseFile} cannot be read: ${error.code ?? 'unknown cause'}`);
    });
    return firstLine(text);
  }
  if (passphraseStdin === true) return firstLine(await readInput());
  const given = process.env[variable];
  if (given !== undefined) return given;
  if (process.stdin.isTTY) return purpose === 'seal' ? askTwice() : askHidden('Passphrase: ');
  throw usageFailure(`a passphrase is needed: use --passphrase-file, --passphrase-stdin or ${variable}`);
};

/**
 * The passphrase of a backup: of a file, of standard input, of the environment, or asked for on a terminal.
 *
 * @throws Failure 2 without one
 */
export const readPassphrase = async (
  context: CommandContext,
  options: PassphraseOptions,
  purpose: 'seal' | 'open',
): Promise<string> => {
  const passphrase = await loadPassphrase(context, options, purpose);
  if (passphrase === '') throw usageFailure('the passphrase is empty');
  if (purpose === 'seal' && passphrase.length < shortCharacters)
    context.say(
      `the passphrase has fewer than ${shortCharacters} characters: a person with the file may guess it, and then reads every secret of the hub`,
    );
  return passphrase;
};
