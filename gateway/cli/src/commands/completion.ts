import { basename } from 'node:path';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';

const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** The words that may follow a command: its subcommands, the choices of its arguments, and its options. */
const wordsOf = (command: Command): readonly string[] => [
  ...command.commands.map((each) => each.name()),
  ...command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
  ...command.options.flatMap(({ long }) => (long === undefined ? [] : [long])),
  '--help',
];

const bashScript = (program: Command): string => `_fds() {
  local current=\${COMP_WORDS[COMP_CWORD]} command= words= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
      --context) ((i++)) ;;
      -*) ;;
      *) command=\${COMP_WORDS[i]}; break ;;
    esac
  done
  case $command in
    '') words='${wordsOf(program).join(' ')}' ;;
${program.commands.map((each) => `    ${each.name()}) words='${wordsOf(each).join(' ')}' ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _fds fds`;

const fishText = (text: string): string => `'${text.replaceAll(/['\\]/g, '\\$&')}'`;

const fishScript = (program: Command): string =>
  program.commands
    .flatMap((command) => {
      const name = command.name();
      const after = `complete -c fds -n '__fish_seen_subcommand_from ${name}'`;
      return [
        `complete -c fds -f -n __fish_use_subcommand -a ${name} -d ${fishText(command.description())}`,
        ...command.registeredArguments.flatMap(({ argChoices = [] }) =>
          argChoices.map((choice) => `${after} -a ${choice}`),
        ),
        ...command.options.flatMap(({ long, description }) =>
          long === undefined ? [] : [`${after} -l ${long.slice(2)} -d ${fishText(description)}`],
        ),
      ];
    })
    .join('\n');

const scripts: Readonly<Record<Shell, (program: Command) => string>> = {
  bash: bashScript,
  zsh: (program) => `autoload -Uz bashcompinit && bashcompinit\n${bashScript(program)}`,
  fish: fishScript,
};

/** `fds completion [shell]`: prints the script; without a name that of the user's shell. */
export const completion = ({ print }: CommandContext, program: Command, given: Shell | undefined): void => {
  const own = basename(process.env['SHELL'] ?? '');
  print(scripts[given ?? shells.find((shell) => shell === own) ?? 'bash'](program));
};
