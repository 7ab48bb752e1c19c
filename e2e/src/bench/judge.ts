import type { FigureGoal } from './row.js';
import type { Spread } from '../measure/spread.js';

/** STRETCH: better than the stretch goal. The median decides. */
export type Verdict = 'MISSED' | 'GOAL' | 'STRETCH';

export const judge = ({ better, goal, stretch }: FigureGoal, { median }: Spread): Verdict => {
  const reaches = (limit: number): boolean => (better === 'higher' ? median >= limit : median <= limit);
  if (reaches(stretch)) return 'STRETCH';
  return reaches(goal) ? 'GOAL' : 'MISSED';
};
