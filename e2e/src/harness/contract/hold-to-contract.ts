import { request } from 'undici';
import type { ApiDocument } from './api-document.js';
import { createContract, type Contract, type ReceivedAnswer, type SentRequest } from './contract.js';
import { noteDocument, noteShown } from './coverage-notes.js';

const contracts = new Map<string, Promise<Contract>>();

const load = async (origin: string): Promise<Contract> => {
  const { statusCode, body } = await request(`${origin}/api/openapi.json`);
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`no OpenAPI document at ${origin}: ${statusCode} ${text}`);
  const document = JSON.parse(text) as ApiDocument;
  noteDocument(document);
  return createContract(document);
};

/** The OpenAPI document of a server, read once. */
export const contractOf = (origin: string): Promise<Contract> => {
  const known = contracts.get(origin) ?? load(origin);
  contracts.set(origin, known);
  // a server that could not be asked is asked again
  known.catch(() => contracts.delete(origin));
  return known;
};

/**
 * Holds an answer from below `/api` to the OpenAPI document of the server that gave it. Others are nothing it speaks of.
 *
 * @throws Error that lists every deviation
 */
export const holdToContract = async (sent: SentRequest, answer: ReceivedAnswer): Promise<void> => {
  const { pathname, origin } = sent.url;
  if (pathname !== '/api' && !pathname.startsWith('/api/')) return;
  const contract = await contractOf(origin);
  const shown = contract.hold(sent, answer);
  if (shown !== undefined) noteShown(shown);
};
