import type { ServiceInUse } from '../../harness/service.js';

/** One series of `/metrics`. */
export interface MetricSeries {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const labelsOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...text.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = '', value = '']) => [name, value]),
  );

/** The series of a text of `/metrics`. */
export const seriesOf = (text: string): readonly MetricSeries[] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const found = /^([a-z_:0-9]+)(?:\{(.*)\})? (\S+)$/.exec(line);
      if (found === null) throw new Error(`not a line of /metrics: ${line}`);
      const [, name = '', labels = '', value] = found;
      return { name, labels: labelsOf(labels), value: Number(value) };
    });

/** The text of `/metrics`. */
export const metricsText = async ({ baseUrl }: Pick<ServiceInUse, 'baseUrl'>): Promise<string> => {
  const answer = await fetch(`${baseUrl}/metrics`);
  if (answer.status !== 200) throw new Error(`/metrics answers ${answer.status}`);
  return answer.text();
};

/** The sum of the series with the name and the labels. Undefined: no series has them. */
export const sumOf = (
  series: readonly MetricSeries[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined => {
  const found = series.filter(
    (one) => one.name === name && Object.entries(labels).every(([label, value]) => one.labels[label] === value),
  );
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
};
