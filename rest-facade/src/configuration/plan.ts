import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '@fds/json';
import type { ConfigurationDocument, DocumentKind } from './document.js';
import { References, specMemberOf } from './from-spec.js';
import { openReading, type Reading } from './kinds.js';
import type { RefusalCause, Refused, RestReader } from './rest-client.js';

export type Action = 'CREATE' | 'UPDATE' | 'DELETE' | 'MOVE';

/** One change that a plan makes. */
export interface PlannedChange {
  readonly action: Action;
  readonly kind: DocumentKind;
  readonly name: string;
  /** Null for a resource that is created. */
  readonly uuid: string | null;
  /** Members as documents show them; null for a resource that is created. */
  readonly before: JsonValue;
  /** Null for a resource that is deleted. */
  readonly after: JsonValue;
  readonly changeVersion: number | null;
}

/** Credentials that a creation answered once. */
export interface CreatedClient {
  readonly kind: DocumentKind;
  readonly name: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The REST API of the service, in one transaction. */
export interface RestWorld extends RestReader {
  /** @throws Refused */
  write(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: JsonValue): Promise<JsonObject>;
  /** Undoes the work unless it is kept. */
  attempt<T>(work: () => Promise<T>, keeps: (result: T) => boolean): Promise<T>;
  /** Reads the permissions of the caller again, after a change of zones, roles or users. */
  refreshCaller(): Promise<void>;
  /** Is this the secret that the resource has at the pointer? */
  holdsSecret(kind: DocumentKind, resource: JsonObject, pointer: string, value: JsonValue): Promise<boolean>;
}

/** The state of a plan that is being made. */
export class Planning {
  readonly changes: PlannedChange[] = [];
  readonly clients: CreatedClient[] = [];
  readonly faults: RefusalCause[] = [];
  /** The former resources that the documents were compared with. */
  readonly compared: JsonValue[] = [];
  /** Names of zones that this plan creates. */
  readonly createdZones = new Set<string>();
  reading: Reading;
  references: References;

  constructor(
    readonly world: RestWorld,
    readonly documents: readonly ConfigurationDocument[],
  ) {
    this.reading = openReading(world);
    this.references = new References(this.reading);
  }

  /** After a change that others may refer to: names are read again. */
  forgetNames(): void {
    const { movedZones } = this.references;
    this.reading = openReading(this.world);
    this.references = new References(this.reading);
    for (const [path, uuid] of movedZones) this.references.movedZones.set(path, uuid);
  }

  /** The uuid of a resource; null where its zone, and so itself, is created by this plan. */
  shownUuid(name: string, uuid: string): string | null {
    return this.createdZones.has(name) || this.createdZones.has(name.slice(0, name.lastIndexOf('/'))) ? null : uuid;
  }

  /** The causes of a refused body, as causes of the document. */
  causesOf({ index }: ConfigurationDocument, refusal: Refused, within = ''): readonly RefusalCause[] {
    const isOfBody = refusal.causes.length > 0;
    return causesOf(isOfBody || within !== '' ? `/${index}/spec${within}` : `/${index}`, refusal);
  }
}

/** The causes of a refused body, as causes of the document at the pointer. */
const causesOf = (at: string, { causes, code, message }: Refused): readonly RefusalCause[] => {
  if (causes.length === 0) return [{ pointer: at, code, detail: message }];
  return causes.map((cause) => {
    if (!cause.pointer.startsWith('/')) return { ...cause, pointer: at };
    const [, member = '', ...rest] = cause.pointer.split('/');
    return { ...cause, pointer: [at, specMemberOf(member), ...rest].join('/') };
  });
};

export const isSame = (a: JsonValue | undefined, b: JsonValue | undefined): boolean =>
  canonicalJson(a ?? null) === canonicalJson(b ?? null);

/** Members that differ from those of the resource. A member that is left out is not compared. */
export const differing = (wanted: JsonObject, current: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(wanted).filter(([name, value]) => !isSame(value, current[name])));

const masked = '***';

/** Secrets that the wanted value gives, with pointers. The current value has `***` in their places. */
export const givenSecrets = (
  wanted: JsonValue | undefined,
  current: JsonValue | undefined,
  at = '',
): readonly (readonly [pointer: string, value: JsonValue])[] => {
  if (wanted === undefined || wanted === null) return [];
  if (current === masked) return wanted === masked ? [] : [[at, wanted]];
  if (Array.isArray(wanted) && Array.isArray(current))
    return wanted.flatMap((each, place) => givenSecrets(each, current[place], `${at}/${place}`));
  if (!isJsonObject(wanted) || !isJsonObject(current)) return [];
  return Object.entries(wanted).flatMap(([name, value]) => givenSecrets(value, current[name], `${at}/${name}`));
};

/** The wanted value, with `***` for the secrets that it leaves out: they are kept. */
export const keepSecrets = (wanted: JsonValue, current: JsonValue | undefined): JsonValue => {
  if (Array.isArray(wanted) && Array.isArray(current))
    return wanted.map((each, place) => keepSecrets(each, current[place]));
  if (!isJsonObject(wanted) || !isJsonObject(current)) return wanted;
  const kept = Object.entries(current).filter(([name, value]) => value === masked && !Object.hasOwn(wanted, name));
  return Object.fromEntries([
    ...Object.entries(wanted).map(([name, value]) => [name, keepSecrets(value as JsonValue, current[name])] as const),
    ...kept,
  ]);
};

/** A value without the secrets at pointers, as an export shows it. */
export const withoutGiven = (value: JsonValue, pointers: ReadonlySet<string>, at = ''): JsonValue => {
  if (Array.isArray(value)) return value.map((each, place) => withoutGiven(each, pointers, `${at}/${place}`));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const pointer = `${at}/${name}`;
      return pointers.has(pointer) ? [] : [[name, withoutGiven(member as JsonValue, pointers, pointer)]];
    }),
  );
};
