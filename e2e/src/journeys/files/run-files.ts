// The long form of the file journey: npm run journey:files [-- --files <n> --kills <n> --seed <n>].
import { createLeftovers } from '../../harness/leftovers.js';
import { readNumbers } from '../read-numbers.js';
import { openFileStage, runFileJourney } from './run-file-journey.js';

const wanted = readNumbers(process.argv.slice(2), { files: 5_000, kills: 15, seed: Date.now() % 1_000_000 });
console.error(`seed ${wanted.seed}`);
const leftovers = createLeftovers();
try {
  const result = await runFileJourney(leftovers, await openFileStage(leftovers), {
    ...wanted,
    victims: ['SOURCE', 'DESTINATION', 'SERVICE'],
    deadlineMs: 600_000,
  });
  console.log(JSON.stringify(result));
  if (result.firstEvents !== wanted.files) {
    console.error(`the source published ${result.firstEvents} events for ${wanted.files} files`);
    process.exitCode = 1;
  }
} finally {
  await leftovers.dispose();
}
