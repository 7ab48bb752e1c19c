import type { GraphqlExecutor, RequestContext } from '@fds/graphql';
import { describe, expect, it } from '@jest/globals';
import { createFileUploads } from './upload-file.js';

const partBytes = 512 * 1024;
const context: RequestContext = {
  principal: {
    kind: 'PERSON',
    uuid: 'caller',
    username: 'dgs',
    zones: [],
    defaultZoneUuid: undefined,
    permits: () => true,
  },
  requestId: 'test',
};

interface PartVariables {
  readonly uploadUuid?: string;
  readonly number: number;
  readonly content: string;
}

/** An API that stores the parts of one upload; `storing` may hold a part back. */
const openApi = (storing: (number: number) => Promise<void> = () => Promise.resolve()) => {
  const parts: Buffer[] = [];
  const uploads: (string | undefined)[] = [];
  const executor: GraphqlExecutor = {
    prepare: () => ({
      execute: async (variables) => {
        const { uploadUuid, number, content } = variables as unknown as PartVariables;
        await storing(number);
        if (number !== parts.length) throw new Error(`part ${number} came as number ${parts.length}`);
        parts.push(Buffer.from(content, 'base64'));
        uploads.push(uploadUuid);
        return { data: { result: { uuid: 'upload' } } };
      },
    }),
  };
  return { parts, uploads, executor };
};

const chunkOf = (index: number): Buffer => Buffer.alloc(partBytes / 2, index);

describe('an upload of a file', () => {
  it('stores the parts in their order, all in the upload that the first one began', async () => {
    const { parts, uploads, executor } = openApi();
    const chunks = async function* () {
      for (let index = 0; index < 5; index += 1) yield chunkOf(index);
    };
    const begun: string[] = [];
    await createFileUploads(executor, 10 * partBytes).send(chunks(), context, (uuid) => begun.push(uuid));
    expect(Buffer.concat(parts).equals(Buffer.concat([0, 1, 2, 3, 4].map(chunkOf)))).toBe(true);
    expect(parts.map(({ length }) => length)).toEqual([partBytes, partBytes, partBytes / 2]);
    expect(uploads).toEqual([undefined, 'upload', 'upload']);
    expect(begun).toEqual(['upload']);
  });

  it('receives one part, and no more, while the part before is stored', async () => {
    const read: number[] = [];
    const readWhileStored: number[] = [];
    let onSecondPart = (): void => undefined;
    const secondPart = new Promise<void>((resolve) => (onSecondPart = resolve));
    const { parts, executor } = openApi(async (number) => {
      if (number > 0) return;
      await secondPart;
      // a chunk of a third part would be read here, before this part is stored
      await new Promise<void>((resolve) => setImmediate(resolve));
      readWhileStored.push(...read);
    });
    const chunks = async function* () {
      for (let index = 0; index < 8; index += 1) {
        read.push(index);
        if (index === 3) onSecondPart();
        yield chunkOf(index);
      }
    };
    await createFileUploads(executor, 10 * partBytes).send(chunks(), context, () => undefined);
    expect(readWhileStored).toEqual([0, 1, 2, 3]);
    expect(parts).toHaveLength(4);
  });

  it('reports an upload that has begun before it throws the error of the file', async () => {
    const { executor } = openApi(() => new Promise((resolve) => setImmediate(resolve)));
    const chunks = async function* () {
      yield chunkOf(0);
      yield chunkOf(1);
      throw new Error('the file breaks off');
    };
    const begun: string[] = [];
    const sending = createFileUploads(executor, 10 * partBytes).send(chunks(), context, (uuid) => begun.push(uuid));
    await expect(sending).rejects.toThrow('the file breaks off');
    expect(begun).toEqual(['upload']);
  });

  it('throws the error of the last part', async () => {
    const { executor } = openApi((number) => (number === 1 ? Promise.reject(new Error('full')) : Promise.resolve()));
    const chunks = async function* () {
      for (let index = 0; index < 4; index += 1) yield chunkOf(index);
    };
    const sending = createFileUploads(executor, 10 * partBytes).send(chunks(), context, () => undefined);
    await expect(sending).rejects.toThrow('full');
  });
});
