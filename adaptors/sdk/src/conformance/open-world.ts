import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type DownDataEvent, isJsonObject, type JsonObject, parseJson, stringifyJson } from '@fds/adaptor-protocol';
import type { ConformanceOptions, ForeignModel } from './conformance-options.js';
import type { Hub } from './hub.js';
import { openHub } from './open-hub.js';
import { fillTemplate } from './fill-template.js';
import { startSubject, type Subject } from './start-subject.js';

/** A check failed. */
export class CheckFailure extends Error {
  override readonly name = 'CheckFailure';
}

/** A check does not apply to this adaptor. */
export class CheckSkipped extends Error {
  override readonly name = 'CheckSkipped';
}

/** @throws CheckSkipped when the check needs the records of the adaptor and the adaptor keeps none */
export const requireRecords = ({ keepsRecords }: Pick<World, 'keepsRecords'>): void => {
  if (!keepsRecords) throw new CheckSkipped('the adaptor keeps no records');
};

/** @throws CheckSkipped when the events do not have the kit's own properties, or the adaptor keeps no records */
export const requireOwnModel = (world: Pick<World, 'keepsRecords' | 'hasOwnModel'>): void => {
  requireRecords(world);
  if (!world.hasOwnModel) throw new CheckSkipped('a template makes the events, and the check names their properties');
};

/** A hub and its adaptor, for one check. */
export interface World {
  readonly hub: Hub;
  readonly subject: Subject;
  readonly property: string;
  readonly nullable: string;
  readonly canChange: boolean;
  readonly canRefuse: boolean;
  readonly canGoAway: boolean;
  /** False: the checks do not read records or wait for links. */
  readonly keepsRecords: boolean;
  /** False: no check reads records by assembly requests. */
  readonly answersAssembly: boolean;
  /** The name of the record's key property. */
  readonly key: string;
  /** False: a template makes the events, so their members are not the kit's key and properties. */
  readonly hasOwnModel: boolean;
  /** False: events cannot carry the nullable property. */
  readonly hasNullable: boolean;
  readonly patienceMs: number;
  /** Starts the adaptor. It must not be running. */
  start(): void;
  /** Starts a second process with the same credentials and a different state. */
  startSecond(): Subject;
  /** Waits until the adaptor has reported STARTED and sent a hello since the call of `start`. */
  untilStarted(): Promise<void>;
  /** Removes the state that the adaptor keeps on disk. The adaptor must not be running. */
  loseState(): void;
  /** Makes an event that changes a record of the adaptor. */
  event(id: string, action: DownDataEvent['action'], more?: JsonObject): DownDataEvent;
  send(...events: readonly DownDataEvent[]): void;
  /** Waits until the adaptor has acknowledged all queued events. */
  untilAcknowledged(): Promise<void>;
  /** Reads the live record; null when the adaptor has none. Only for an adaptor that keeps records. */
  read(id: string): Promise<JsonObject | null>;
  /** Reads records, in the order of the ids. Only for an adaptor that keeps records. */
  readAll(ids: readonly string[]): Promise<readonly (JsonObject | null)[]>;
  /** Changes a property of a record in the adaptor's source, as a user of it does. Default: the first property. */
  change(id: string, value: string, property?: string): Promise<void>;
  /** Makes the source refuse every later write of the record. */
  refuse(id: string): Promise<void>;
  /** Puts the source out of the adaptor's reach. The result puts it back. */
  away(): Promise<() => Promise<void>>;
  /** @throws CheckFailure when the condition is not true in time */
  until(what: string, condition: () => boolean, patienceMs?: number): Promise<void>;
  close(): Promise<void>;
}

/** Runs READ_COMMAND for each parameter as RECORD_ID, one after the other, with a NUL after each output. */
const readEach = `for RECORD_ID in "$@"; do
  export RECORD_ID
  ( eval "$READ_COMMAND" ) || exit
  printf '\\000'
done`;

const maxReadBytes = 16 * 2 ** 20;

const withFolder = (metadata: JsonObject, folder: string): JsonObject => {
  const text = stringifyJson(metadata).replaceAll('${FOLDER}', JSON.stringify(folder).slice(1, -1));
  const value = parseJson(text);
  return isJsonObject(value) ? value : {};
};

/** Opens a hub and prepares an adaptor on it, without starting the adaptor. */
export const openWorld = async (options: ConformanceOptions): Promise<World> => {
  const { domain = 'customer', version = 1, key = 'id', property = 'name', nullable = 'note' } = options;
  const { command, changeCommand, readCommand, keepsNoRecords = false, patienceMs = 10_000 } = options;
  const folder = mkdtempSync(join(tmpdir(), 'fds-conformance-'));
  const domainVersionUuid = randomUUID();
  const text = { type: 'string' };
  const ownModel: ForeignModel = {
    drKeyProperties: [key],
    modelSchema: { properties: { [key]: text, [property]: text, [nullable]: text } },
  };
  const { drKeyProperties, modelSchema, event: template } = options.model ?? ownModel;
  const hub = await openHub({
    capabilities: ['POST', 'PUT', 'DELETE', 'GET'].map((action) => ({
      domainName: domain,
      versionNumber: version,
      action,
    })),
    metadata: withFolder(options.metadata ?? {}, folder),
    domainVersions: [
      {
        domain,
        version,
        domainVersionUuid,
        drKeyProperties,
        modelSchema,
      },
    ],
    patienceMs,
  });
  const uuids = new Map<string, string>();
  const uuidOf = (id: string): string => {
    const uuid = uuids.get(id) ?? randomUUID();
    uuids.set(id, uuid);
    return uuid;
  };
  const environment = (dataDirectory: string): Record<string, string> => ({
    ADAPTOR_UUID: hub.adaptorUuid,
    CLIENT_ID: hub.adaptorUuid,
    CLIENT_SECRET: hub.secret,
    MESSAGE_BUS_URL: hub.url,
    AUTH_SERVER_URL: 'http://127.0.0.1:9',
    HOSTNAME: '127.0.0.1',
    PORT: '0',
    DATA_DIRECTORY: join(folder, dataDirectory),
    RECORD_FOLDER: folder,
  });
  let subject: Subject | undefined;
  let before = { states: 0, hellos: 0 };
  const others: Subject[] = [];

  const until: World['until'] = async (what, condition, ms = patienceMs) => {
    const end = performance.now() + ms;
    while (!condition()) {
      if (performance.now() > end) throw new CheckFailure(`${what}: not within ${ms} ms`);
      await sleep(10);
    }
  };
  const recordOf = (id: string, more: JsonObject): JsonObject =>
    template === undefined ? { [key]: id, ...more } : fillTemplate(template, { id, folder, property, nullable }, more);
  const run = async (
    shellCommand: string,
    variables: Readonly<Record<string, string>>,
    parameters: readonly string[] = [],
  ): Promise<string> => {
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', shellCommand, 'sh', ...parameters], {
      cwd: folder,
      env: { ...process.env, ...environment('state'), ...variables },
      maxBuffer: maxReadBytes,
    });
    return stdout;
  };
  const toRecord = (output: string): JsonObject | null => {
    const text = output.trim();
    const value = text === '' ? null : parseJson(text);
    if (value !== null && !isJsonObject(value)) throw new CheckFailure(`the --read command prints no record: ${text}`);
    return value;
  };
  const readAll: World['readAll'] = async (ids) => {
    if (readCommand !== undefined) {
      const output = await run(readEach, { READ_COMMAND: readCommand }, ids);
      return output.split('\0').slice(0, ids.length).map(toRecord);
    }
    const wanted = ids.map((id) => ({ drUuid: uuidOf(id), drKey: { [key]: id } }));
    const records = await hub.ask({ domain, version, records: wanted });
    return ids.map(
      (id) => records.find(({ drKey, drUuid }) => drUuid === uuidOf(id) || drKey?.[key] === id)?.data ?? null,
    );
  };
  const current = (): Subject => {
    if (subject === undefined) throw new Error('the adaptor was not started');
    return subject;
  };

  return {
    hub,
    get subject() {
      return current();
    },
    property,
    nullable,
    canChange: changeCommand !== undefined,
    canRefuse: options.refuseCommand !== undefined,
    canGoAway: options.awayCommand !== undefined && options.backCommand !== undefined,
    keepsRecords: !keepsNoRecords,
    key,
    hasOwnModel: template === undefined,
    answersAssembly: !keepsNoRecords && readCommand === undefined,
    hasNullable: template === undefined || stringifyJson(template).includes('${NULLABLE}'),
    patienceMs,
    start: () => {
      before = { states: hub.heard.states.length, hellos: hub.heard.hellos.length };
      subject = startSubject(command, environment('state'), folder);
    },
    startSecond: () => {
      const second = startSubject(command, environment('second'), folder);
      others.push(second);
      return second;
    },
    untilStarted: async () => {
      await until('the adaptor reports STARTED and says hello', () => {
        if (!current().running) throw new CheckFailure(`the adaptor ended:\n${current().output()}`);
        const { states, hellos } = hub.heard;
        return hellos.length > before.hellos && states.slice(before.states).some(({ state }) => state === 'STARTED');
      });
    },
    loseState: () => rmSync(join(folder, 'state'), { recursive: true, force: true }),
    event: (id, action, more = {}) => {
      const record = recordOf(id, more);
      return {
        action,
        drUuid: uuidOf(id),
        domain,
        version,
        domainVersionUuid,
        sourceAdaptorUuid: null,
        destinationAdaptorUuid: hub.adaptorUuid,
        transactionUuid: randomUUID(),
        createTime: Date.now(),
        drKey: stringifyJson(drKeyProperties.map((name) => record[name] ?? null)),
        jsonData: stringifyJson(record),
        messageGroup: uuidOf(id),
      };
    },
    send: (...events) => hub.send(events),
    untilAcknowledged: () => until('all events are acknowledged', () => hub.acknowledged === hub.assigned),
    read: async (id) => (await readAll([id]))[0] ?? null,
    readAll,
    change: async (id, value, changed = property) => {
      if (changeCommand === undefined) throw new CheckSkipped('no --change command is given');
      await run(changeCommand, { RECORD_ID: id, RECORD_PROPERTY: changed, RECORD_VALUE: value });
    },
    refuse: async (id) => {
      if (options.refuseCommand === undefined) throw new CheckSkipped('no --refuse command is given');
      await run(options.refuseCommand, { RECORD_ID: id });
    },
    away: async () => {
      const { awayCommand, backCommand } = options;
      if (awayCommand === undefined || backCommand === undefined)
        throw new CheckSkipped('no --away and --back commands are given');
      await run(awayCommand, {});
      return async () => void (await run(backCommand, {}));
    },
    until,
    close: async () => {
      await Promise.all([subject, ...others].map(async (one) => one?.stop(2_000)));
      await hub.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
