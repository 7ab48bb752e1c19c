/** Takes values of one series of a histogram. */
interface Distribution {
  observe(value: number): void;
}

export type Labels = Readonly<Record<string, string>>;

/** A histogram with labels. The caller bounds the values of the labels. */
export interface Histogram {
  /** The series of a key. The first call creates it. */
  series(...key: readonly string[]): Distribution;
  /** Removes the series that have the text in their keys. */
  forget(part: string): void;
  /** In the Prometheus text format. */
  text(): string;
}

export interface HistogramDefinition {
  readonly name: string;
  readonly help: string;
  /** Upper ends of the buckets, in ascending order. */
  readonly buckets: readonly number[];
  /** The labels of a series. Series with equal labels are shown as one; undefined: it is not shown yet. */
  readonly labelsOf: (...key: readonly string[]) => Labels | undefined;
}

/** A label value with the escapes of the text format. */
const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');

class Series implements Distribution {
  readonly counts: Float64Array;
  sum = 0;

  constructor(private readonly buckets: readonly number[]) {
    this.counts = new Float64Array(buckets.length + 1);
  }

  observe(value: number): void {
    const { buckets, counts } = this;
    let low = 0;
    let high = buckets.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (value <= (buckets[middle] ?? Infinity)) high = middle;
      else low = middle + 1;
    }
    counts[low] = (counts[low] ?? 0) + 1;
    this.sum += value;
  }

  add({ counts, sum }: Series): void {
    for (const [index, count] of counts.entries()) this.counts[index] = (this.counts[index] ?? 0) + count;
    this.sum += sum;
  }
}

/**
 * A histogram whose observation costs a look-up and an addition. Every request and statement is observed, and the
 * histogram of prom-client builds a text of all labels each time.
 */
export const createHistogram = ({ name, help, buckets, labelsOf }: HistogramDefinition): Histogram => {
  const all = new Map<string, { readonly key: readonly string[]; readonly series: Series }>();

  const linesOf = (labels: string, { counts, sum }: Series): string[] => {
    let total = 0;
    const lines = [...buckets.map(String), '+Inf'].map((end, index) => {
      total += counts[index] ?? 0;
      return `${name}_bucket{${labels}${labels === '' ? '' : ','}le="${end}"} ${total}`;
    });
    const braces = labels === '' ? '' : `{${labels}}`;
    return [...lines, `${name}_sum${braces} ${sum}`, `${name}_count${braces} ${total}`];
  };

  /** The series by the text of their labels. */
  const shown = (): ReadonlyMap<string, Series> => {
    const byLabels = new Map<string, Series>();
    for (const { key, series } of all.values()) {
      const labels = labelsOf(...key);
      if (labels === undefined) continue;
      const text = Object.entries(labels)
        .map(([label, value]) => `${label}="${escaped(value)}"`)
        .join(',');
      const merged = byLabels.get(text) ?? new Series(buckets);
      merged.add(series);
      byLabels.set(text, merged);
    }
    return byLabels;
  };

  return {
    series: (...key) => {
      const text = key.length === 1 ? (key[0] ?? '') : key.join('\0');
      let known = all.get(text);
      if (known === undefined) all.set(text, (known = { key, series: new Series(buckets) }));
      return known.series;
    },
    forget: (part) => {
      for (const [text, { key }] of all) if (key.includes(part)) all.delete(text);
    },
    text: () =>
      [
        `# HELP ${name} ${help}`,
        `# TYPE ${name} histogram`,
        ...[...shown()].flatMap(([labels, series]) => linesOf(labels, series)),
        '',
      ].join('\n'),
  };
};
