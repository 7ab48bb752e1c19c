// Loaded into the service that is fuzzed: reports when input changed a prototype of JavaScript's own objects.
const watched = { Object, Array, String, Number, Boolean, Function, Map, Set, RegExp, Date, Promise, Error } as const;

const membersOf = (): string =>
  Object.entries(watched)
    .map(([name, constructor]) => `${name}: ${Reflect.ownKeys(constructor.prototype).map(String).join(' ')}`)
    .join('\n');

let known = membersOf();

/** Prints a line that the fuzz campaign looks for. */
const report = (): void => {
  const now = membersOf();
  if (now === known) return;
  known = now;
  process.stderr.write('A PROTOTYPE HAS CHANGED\n');
};

// packages may add members while they load
setTimeout(() => {
  known = membersOf();
  setInterval(report, 200).unref();
  process.once('exit', report);
}, 1_000).unref();
