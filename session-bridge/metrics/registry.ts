// Prometheus text format 0.0.4. It is hand-written, because the usual library has had no release since 2024.

export type Labels = Readonly<Record<string, string>>;
export type Sample = { labels?: Labels; value: number };

type Family = { name: string; help: string; type: "counter" | "gauge" | "histogram"; lines: () => string[] };

export const METRICS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export class Registry {
  readonly #families: Family[] = [];

  counter(name: string, help: string): Counter {
    const counter = new Counter(name);
    this.#families.push({ name, help, type: "counter", lines: () => counter.lines() });
    return counter;
  }

  histogram(name: string, help: string, bounds: readonly number[]): Histogram {
    const histogram = new Histogram(name, bounds);
    this.#families.push({ name, help, type: "histogram", lines: () => histogram.lines() });
    return histogram;
  }

  observed(type: "gauge" | "counter", name: string, help: string, read: () => readonly Sample[]): void {
    this.#families.push({ name, help, type, lines: () => read().map(({ labels = {}, value }) => line(name, labels, value)) });
  }

  text(): string {
    return this.#families
      .flatMap(({ name, help, type, lines }) => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines()])
      .concat("")
      .join("\n");
  }
}

export class Counter {
  readonly #name: string;
  readonly #values = new Map<string, { labels: Labels; value: number }>();

  constructor(name: string) {
    this.#name = name;
  }

  add(labels: Labels = {}, value = 1): void {
    const key = labelText(labels);
    const known = this.#values.get(key);
    if (known === undefined) this.#values.set(key, { labels, value });
    else known.value += value;
  }

  lines(): string[] {
    return [...this.#values.values()].map(({ labels, value }) => line(this.#name, labels, value));
  }
}

type Series = { labels: Labels; buckets: number[]; sum: number };

export class Histogram {
  readonly #name: string;
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, Series>();

  constructor(name: string, bounds: readonly number[]) {
    this.#name = name;
    this.#bounds = bounds;
  }

  observe(value: number, labels: Labels = {}): void {
    const key = labelText(labels);
    let series = this.#series.get(key);
    if (series === undefined) {
      series = { labels, buckets: Array.from({ length: this.#bounds.length + 1 }, () => 0), sum: 0 };
      this.#series.set(key, series);
    }
    const at = this.#bounds.findIndex((bound) => value <= bound);
    const bucket = at === -1 ? this.#bounds.length : at;
    series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1;
    series.sum += value;
  }

  lines(): string[] {
    return [...this.#series.values()].flatMap(({ labels, buckets, sum }) => {
      let count = 0;
      const counted = buckets.map((own, index) => {
        count += own;
        return line(`${this.#name}_bucket`, { ...labels, le: String(this.#bounds[index] ?? "+Inf") }, count);
      });
      return [...counted, line(`${this.#name}_sum`, labels, sum), line(`${this.#name}_count`, labels, count)];
    });
  }
}

function line(name: string, labels: Labels, value: number): string {
  return `${name}${labelText(labels)} ${value}`;
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}
