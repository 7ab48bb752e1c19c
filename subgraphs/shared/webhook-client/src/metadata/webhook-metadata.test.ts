import { describe, expect, it } from '@jest/globals';
import { createWebhookSecret } from '../signing/webhook-secret.js';
import { everyTarget, publicTargets } from '../target/target-fault.js';
import { toWebhookTarget, webhookMetadataFaults } from './webhook-metadata.js';

const of = (metadata: Record<string, unknown> | null, rule = publicTargets) =>
  webhookMetadataFaults(metadata, '/metadata', rule).map(({ pointer, code }) => `${pointer} ${code}`);

const url = 'https://example.org/hook';

describe('the metadata of a webhook adaptor', () => {
  it('needs a url', () => {
    expect([of({ url }), of(null), of({}), of({ url: 7 })]).toEqual([
      [],
      ['/metadata/url REQUIRED'],
      ['/metadata/url REQUIRED'],
      ['/metadata/url INVALID_TYPE'],
    ]);
  });

  it('names a public target unless private ones are permitted', () => {
    const local = { url: 'http://127.0.0.1:1/' };
    expect([of(local), of(local, everyTarget)]).toEqual([['/metadata/url INVALID_VALUE'], []]);
  });

  it('has every fault reported at its place, without the secrets', () => {
    const metadata = {
      url: 'ftp://example.org',
      extra: 1,
      httpHeaders: [{ name: 'Host', value: 'enigma' }],
      oauth2Registration: { clientSecret: 'enigma' },
      secret: ['enigma', createWebhookSecret()],
    };
    expect(of(metadata)).toEqual([
      '/metadata/url INVALID_VALUE',
      '/metadata/extra UNKNOWN_PROPERTY',
      '/metadata/httpHeaders/0/name INVALID_VALUE',
      '/metadata/oauth2Registration INVALID_VALUE',
      '/metadata/oauth2Registration/clientId INVALID_VALUE',
      '/metadata/secret/0 WRONG_FORMAT',
    ]);
    expect(JSON.stringify(webhookMetadataFaults(metadata, '/metadata', publicTargets))).not.toContain('enigma');
  });

  it('has one signing secret, or several while one is replaced', () => {
    const [fresh, old] = [createWebhookSecret(), createWebhookSecret()];
    expect(toWebhookTarget({ url, secret: fresh }).secrets).toEqual([fresh]);
    expect(toWebhookTarget({ url, secret: [fresh, old] }).secrets).toEqual([fresh, old]);
    expect(toWebhookTarget({ url }).secrets).toEqual([]);
    expect(of({ url, secret: Array.from({ length: 5 }, createWebhookSecret) })).toEqual(['/metadata/secret TOO_LARGE']);
  });
});
