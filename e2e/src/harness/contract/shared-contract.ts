import type { ApiDocument } from './api-document.js';
import { createContract, type Contract } from './contract.js';

/** By the text of the document without addresses of servers. */
const created = new Map<string, Contract>();

/**
 * The contract of a document. Servers of tests, whose documents differ only in addresses, share one, so that its schemas
 * are compiled once in a worker.
 *
 * @param text of the document
 */
export const sharedContract = (text: string): Contract => {
  const place = text.replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'http://server');
  const contract = created.get(place) ?? createContract(JSON.parse(text) as ApiDocument);
  created.set(place, contract);
  return contract;
};
