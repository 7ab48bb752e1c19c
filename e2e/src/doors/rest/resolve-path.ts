import type { Door } from '../open-doors.js';

type Uuids = Readonly<Record<string, string>>;

interface Listed {
  readonly uuid?: string;
}

/** The uuid of the first resource of a list answer. */
const firstUuid = (body: unknown): string | undefined => {
  const lists = Object.values(body ?? {}).filter((member): member is Listed[] => Array.isArray(member));
  return lists[0]?.[0]?.uuid;
};

const firstAt = async (path: string, doors: readonly Door[]): Promise<string | undefined> => {
  for (const door of doors) {
    const uuid = firstUuid((await door.rest<unknown>('GET', path)).body);
    if (uuid !== undefined) return uuid;
  }
  return undefined;
};

/**
 * Fills a documented path with uuids: known uuids by the name of the placeholder, otherwise the first uuid in the list
 * at the preceding path that one of the callers sees. Undefined: there is none.
 */
export const resolvePath = async (
  template: string,
  known: Uuids,
  doors: readonly Door[],
): Promise<string | undefined> => {
  let path = '';
  for (const segment of template.split('/').slice(1)) {
    const placeholder = /^\{(\w+)\}$/.exec(segment)?.[1];
    const value = placeholder === undefined ? segment : (known[placeholder] ?? (await firstAt(path, doors)));
    if (value === undefined) return undefined;
    path += `/${value}`;
  }
  return path;
};

/** The path with uuids of no resource. */
export const unknownPath = (template: string, uuid: string): string => template.replaceAll(/\{\w+\}/g, uuid);
