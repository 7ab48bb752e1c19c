import type { Door } from './open-doors.js';

type Uuids = Readonly<Record<string, string>>;

interface Listed {
  readonly uuid?: string;
}

/** The uuid of the first resource of a list answer. */
const firstUuid = (body: unknown): string | undefined => {
  const lists = Object.values(body ?? {}).filter((member): member is Listed[] => Array.isArray(member));
  return lists[0]?.[0]?.uuid;
};

/**
 * Fills a documented path with uuids: those that are known by the name of their placeholder, else the first that the list
 * at the path before it shows. Undefined: there is none.
 */
export const resolvePath = async (template: string, known: Uuids, door: Door): Promise<string | undefined> => {
  let path = '';
  for (const segment of template.split('/').slice(1)) {
    const placeholder = /^\{(\w+)\}$/.exec(segment)?.[1];
    const value =
      placeholder === undefined
        ? segment
        : (known[placeholder] ?? firstUuid((await door.rest<unknown>('GET', path)).body));
    if (value === undefined) return undefined;
    path += `/${value}`;
  }
  return path;
};

/** The path with uuids that name nothing. */
export const unknownPath = (template: string, uuid: string): string => template.replaceAll(/\{\w+\}/g, uuid);
