import type { ResolveHook } from 'node:module';

const globalsUrl = new URL('./jest-globals.js', import.meta.url).href;

/** Hook of Node's module loader: `@jest/globals` itself refuses to be loaded without jest's own module loader. */
export const resolve: ResolveHook = (specifier, context, next) =>
  specifier === '@jest/globals' ? { url: globalsUrl, shortCircuit: true } : next(specifier, context);
