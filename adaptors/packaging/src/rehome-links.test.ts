import { describe, expect, it } from '@jest/globals';
import { rehomeLinks } from './rehome-links.js';

const placed = new Map([
  ['adaptors/sdk/README.md', 'README.md'],
  ['docs/protocols/adaptor-bus.md', 'docs/protocols/adaptor-bus.md'],
  ['adaptors/protocol/asyncapi.json', 'docs/protocols/asyncapi.json'],
]);

const rehome = (text: string, from = 'docs/protocols/adaptor-bus.md', to = from): string =>
  rehomeLinks({ text, from, to, placed });

describe('the links of a page that moves into a package', () => {
  it.each([
    ['lead to the new place of a file', '[SDK](../../adaptors/sdk/README.md)', '[SDK](../../README.md)'],
    ['keep their anchor', '[x](../../adaptors/sdk/README.md#promised)', '[x](../../README.md#promised)'],
    ['lead to a file that moved next to the page', '[x](../../adaptors/protocol/asyncapi.json)', '[x](asyncapi.json)'],
    ['become text when the package lacks the file', 'see [decision `36`](../decisions/0036.md).', 'see decision `36`.'],
    [
      'stay when they are addresses',
      '[x](https://example.org/a.md) [y](#here)',
      '[x](https://example.org/a.md) [y](#here)',
    ],
    ['are ignored in code', '`[x](../no.md)`\n```\n[x](../no.md)\n```\n', '`[x](../no.md)`\n```\n[x](../no.md)\n```\n'],
    ['may have a text of two lines', '[the\nSDK](../../adaptors/sdk/README.md)', '[the\nSDK](../../README.md)'],
    ['follow a code block in a list', '  ```sh\n  a [b](c)\n  ```\n[x](gone.md)', '  ```sh\n  a [b](c)\n  ```\nx'],
  ])('%s', (_, text, expected) => {
    expect(rehome(text)).toBe(expected);
  });

  it('are resolved from the old place of the page and written for the new one', () => {
    const text = '[bus](../../docs/protocols/adaptor-bus.md)';
    expect(rehome(text, 'adaptors/sdk/README.md', 'README.md')).toBe('[bus](docs/protocols/adaptor-bus.md)');
  });
});
