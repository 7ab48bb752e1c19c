import { describe, expect, it } from '@jest/globals';
import { eventually } from '../testing/eventually.js';
import { announceUntilHeard } from './announce-until-heard.js';

describe('an announcement', () => {
  it('is sent at once, then repeatedly until it is confirmed, and not after that', async () => {
    let said = 0;
    let ticks = 0;
    const announcement = announceUntilHeard(() => (said += 1), 1);
    announcement.begin();
    expect(said).toBe(1);
    await eventually(() => said >= 3);
    announcement.heard();
    const heardAfter = said;
    const clock = setInterval(() => (ticks += 1), 1);
    await eventually(() => ticks >= 10);
    clearInterval(clock);
    expect(said).toBe(heardAfter);
  });

  it('starts again at the next connection', async () => {
    let said = 0;
    const announcement = announceUntilHeard(() => (said += 1), 60_000);
    announcement.begin();
    announcement.heard();
    announcement.begin();
    announcement.heard();
    expect(said).toBe(2);
  });
});
