import { request } from 'undici';
import type { ApiDocument, Door } from './api-document.js';
import type { Contract, ReceivedAnswer, SentRequest } from './contract.js';
import { noteDocument, noteShown } from './coverage-notes.js';
import { sharedContract } from './shared-contract.js';

const contracts = new Map<string, Promise<Contract>>();

const load = async (origin: string): Promise<Contract> => {
  const { statusCode, body } = await request(`${origin}/api/openapi.json`);
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`no OpenAPI document at ${origin}: ${statusCode} ${text}`);
  noteDocument(JSON.parse(text) as ApiDocument);
  return sharedContract(text);
};

/** The OpenAPI document of a server, read once. */
export const contractOf = (origin: string): Promise<Contract> => {
  const known = contracts.get(origin) ?? load(origin);
  contracts.set(origin, known);
  // after a failure, the next call asks the server again
  known.catch(() => contracts.delete(origin));
  return known;
};

/** Origins of assembly services, each with the address of the server that documents it. */
const assemblies = new Map<string, string>();

/** Validates answers of an assembly service against the document of its server. */
export const documentAssembly = (assemblyUrl: string, baseUrl: string): void => {
  assemblies.set(new URL(assemblyUrl).origin, baseUrl);
};

/** The server that documents an address, and the door at this address. */
const placeOf = ({ pathname, origin }: URL): { readonly server: string; readonly door: Door } | undefined => {
  if (pathname === '/api' || pathname.startsWith('/api/')) return { server: origin, door: 'api' };
  const server = assemblies.get(origin);
  return server === undefined || pathname !== '/request' ? undefined : { server, door: 'assembly' };
};

/**
 * Validates an answer from below `/api`, or from an assembly service, against the OpenAPI document of the server. The
 * document does not cover other answers.
 *
 * @throws Error that lists every deviation
 */
export const holdToContract = async (sent: Omit<SentRequest, 'door'>, answer: ReceivedAnswer): Promise<void> => {
  const place = placeOf(sent.url);
  if (place === undefined) return;
  const contract = await contractOf(place.server);
  const shown = contract.hold({ ...sent, door: place.door }, answer);
  if (shown !== undefined) noteShown(shown);
};
