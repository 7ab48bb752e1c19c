import { isUuid } from '@fds/json';
import { readText, type FaultList } from '@fds/errors';
import type { PersonSettings, ToldPerson, UserInput } from './user.js';

const maxLength = 128;
const maxSsoId = 255;
const maxEmail = 254;
const printableAscii = /^[\x20-\x7e]+$/;
const controlCharacter = /\p{Cc}/u;
const unsendable = /[\p{Cc}\p{Cs}]/u;
const emailText = /^[^\s@]+@[^\s@]+$/;
const shortestPassword = 8;
const longestPassword = 1024;

const requireLength = (pointer: string, text: string | null, most: number, faults: FaultList): void => {
  if (text === null) return;
  const length = Array.from(text).length;
  if (length === 0 || length > most || text.trim() === '') {
    faults.add(pointer, 'OUT_OF_RANGE', `${pointer.slice(1)} must have 1 to ${most} characters`);
  }
};

const checkUsername = (username: string, faults: FaultList): void => {
  requireLength('/username', username, maxLength, faults);
  if (username !== username.trim() || controlCharacter.test(username)) {
    faults.add('/username', 'WRONG_FORMAT', 'username has no blanks at its ends and no control characters');
  } else if (isUuid(username)) {
    faults.add('/username', 'WRONG_FORMAT', 'username cannot be a UUID: UUIDs are client ids of adaptors');
  }
};

/** The data that a zone sends about a person whom it does not know. */
export const readToldPerson = (input: UserInput, faults: FaultList): ToldPerson => {
  const username = readText('/username', input.username, faults);
  if (username !== null) checkUsername(username, faults);
  const ssoId = readText('/ssoId', input.ssoId, faults);
  requireLength('/ssoId', ssoId, maxSsoId, faults);
  const name = readText('/name', input.name, faults);
  requireLength('/name', name, maxLength, faults);
  const email = readText('/email', input.email, faults);
  if (email !== null && (email.length > maxEmail || !emailText.test(email))) {
    faults.add('/email', 'WRONG_FORMAT', 'email must be an address such as ann@example.org');
  }
  return { username, ssoId, name, email };
};

/** The settings of a person who is created or changed. */
export const readPerson = (input: UserInput, isServiceAccount: boolean, faults: FaultList): PersonSettings => {
  const { username, ...settings } = readToldPerson(input, faults);
  if (username === null) faults.add('/username', 'REQUIRED', 'username is required');
  else if (isServiceAccount && !printableAscii.test(username)) {
    faults.add('/username', 'WRONG_FORMAT', 'the username of a service account is printable ASCII');
  }
  return { username: username ?? '', ...settings };
};

const ofPerson = ['username', 'ssoId', 'name', 'email'] as const;

/** Members of a person to which a change gives another value than the zone sees; undefined when there are none. */
export const readOtherwise = (input: UserInput, shown: ToldPerson): Partial<ToldPerson> | undefined => {
  const given = ofPerson.filter((member) => input[member] !== undefined && input[member] !== shown[member]);
  return given.length === 0 ? undefined : Object.fromEntries(given.map((member) => [member, input[member] ?? null]));
};

/**
 * The password that the input sets; undefined when it sets none.
 *
 * @param weakness why the password is too easy to guess
 */
export const readPassword = (
  { password }: UserInput,
  weakness: string | undefined,
  faults: FaultList,
): string | undefined => {
  if (password === null || password === undefined) return undefined;
  const length = Array.from(password).length;
  if (length < shortestPassword || length > longestPassword) {
    const detail = `password must have ${shortestPassword} to ${longestPassword} characters`;
    faults.add('/password', 'OUT_OF_RANGE', detail);
  } else if (weakness !== undefined) {
    faults.add('/password', 'TOO_COMMON', `password ${weakness}: choose another one`);
  }
  // no form and no header of a client can send them as they are
  if (unsendable.test(password)) {
    faults.add('/password', 'WRONG_FORMAT', 'password has no control characters and no halves of characters');
  }
  return password;
};

const statedMembers = ['username', 'ssoId', 'name', 'email', 'serviceAccount'] as const;

/** Another zone cannot set the password of a person who exists already. */
export const refusePassword = ({ password }: UserInput, faults: FaultList): void => {
  if (password !== undefined && password !== null) {
    faults.add('/password', 'NOT_ALLOWED', 'the person is known; change their password with PATCH');
  }
};

/** An existing person joins another zone. The input may repeat the data of the person, but not change it. */
export const checkKnownPerson = (
  input: UserInput,
  known: PersonSettings & { readonly serviceAccount: boolean },
  faults: FaultList,
): void => {
  for (const member of statedMembers) {
    const given = input[member];
    if (given === undefined || given === null || given === known[member]) continue;
    faults.add(`/${member}`, 'CONTRADICTION', `the person is known with another ${member}; change it with PATCH`);
  }
  refusePassword(input, faults);
};

/** Checks members of a user that can be set only at creation. */
export const checkFixedMembers = (
  input: UserInput,
  current: { readonly userUuid: string; readonly serviceAccount: boolean; readonly defaultZone: boolean },
  faults: FaultList,
): void => {
  const { userUuid, serviceAccount, defaultZone } = input;
  if (userUuid !== undefined && userUuid !== null && userUuid !== current.userUuid) {
    faults.add('/userUuid', 'NOT_ALLOWED', 'a membership stays with its person');
  }
  if (serviceAccount !== undefined && serviceAccount !== null && serviceAccount !== current.serviceAccount) {
    faults.add('/serviceAccount', 'NOT_ALLOWED', 'is decided when the person is created');
  }
  if (defaultZone === false && current.defaultZone) {
    faults.add('/defaultZone', 'NOT_ALLOWED', 'a person has a default zone; make another zone the default');
  }
};
