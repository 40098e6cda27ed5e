// Draws columns over time. Counts are stacked, and levels overlap. A pointer, a tap or the arrow keys show one period's values.
import { type KeyboardEvent, type PointerEvent, useState } from "react";
import { namedPeriods, niceTop, stacked } from "../../domain/time-chart.ts";

export type Tone = "accent" | "edge" | "good" | "attention" | "bad" | "info";

/** `one` is the label for a count of 1, if it differs. */
export type Series<K extends string> = { key: K; label: string; one?: string; tone: Tone };

/** `pale` means that the period is still being counted. `note` is additional information about the period. */
export type Period<K extends string> = { at: string; label: string; values: Readonly<Record<K, number>>; pale?: boolean; note?: string };

const FILLS: Record<Tone, string> = {
  accent: "fill-accent",
  edge: "fill-edge",
  good: "fill-good",
  attention: "fill-attention",
  bad: "fill-bad",
  info: "fill-info",
};
const DOTS: Record<Tone, string> = {
  accent: "bg-accent",
  edge: "bg-edge",
  good: "bg-good",
  attention: "bg-attention",
  bad: "bg-bad",
  info: "bg-info",
};

const STEP = 12;
const HEIGHT = 120;
const NAMES = 6;

type TimeChartProps<K extends string> = {
  /** The chart's name and the table's caption. `titled` also shows it above the chart. */
  label: string;
  titled?: boolean;
  period: string;
  series: readonly Series<K>[];
  periods: readonly Period<K>[];
  format: (value: number) => string;
  /** Set this to the totals for the whole time span if the values are levels, such as durations. List the lowest series first. */
  levels?: Readonly<Record<K, number>>;
  /** Shown instead of the chart while all values are 0. */
  empty?: string;
};

export function TimeChart<K extends string>({ label, titled = false, period, series, periods, format, levels, empty }: TimeChartProps<K>) {
  const [off, setOff] = useState<ReadonlySet<K>>(new Set());
  const [chosen, setChosen] = useState<number | null>(null);
  const shown = series.filter(({ key }) => !off.has(key));
  const heightOf = ({ values }: Period<K>) => {
    const heights = shown.map(({ key }): number => values[key]);
    return levels === undefined ? heights.reduce((sum, height) => sum + height, 0) : Math.max(0, ...heights);
  };
  const totalOf = (key: K): number => levels?.[key] ?? periods.reduce((sum, { values }) => sum + values[key], 0);
  const caption = titled && <figcaption className="font-semibold">{label}</figcaption>;
  if (empty !== undefined && series.every(({ key }) => totalOf(key) === 0)) {
    return (
      <figure className="grid min-w-0 gap-2" aria-label={label}>
        {caption}
        <p className="grid min-h-24 place-items-center rounded-md bg-tint p-4 text-center text-soft">{empty}</p>
      </figure>
    );
  }
  const top = niceTop(Math.max(0, ...periods.map(heightOf)));
  const read = chosen === null ? undefined : periods[chosen];
  const point = ({ currentTarget, clientX }: PointerEvent<SVGSVGElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    setChosen(Math.min(periods.length - 1, Math.max(0, Math.floor(((clientX - left) / width) * periods.length))));
  };
  const step = (event: KeyboardEvent) => {
    const last = periods.length - 1;
    const at = chosen ?? last;
    const to = { ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    setChosen(Math.min(last, Math.max(0, to)));
  };
  const counts = (countOf: (key: K) => number) =>
    shown.map((each) => `${format(countOf(each.key))} ${nameFor(each, countOf(each.key))}`).join(", ");
  const toggle = (key: K) => {
    const next = new Set(off);
    if (!next.delete(key)) next.add(key);
    if (next.size < series.length) setOff(next);
  };
  return (
    <figure className="grid min-w-0 gap-2" aria-label={label}>
      {caption}
      <div className="flex flex-wrap gap-x-4 gap-y-1">
        {series.map((each) => {
          const { key, tone } = each;
          const count = read === undefined ? totalOf(key) : read.values[key];
          return (
            <button
              key={key}
              type="button"
              aria-pressed={!off.has(key)}
              onClick={() => toggle(key)}
              className="group flex min-h-11 items-center gap-2 rounded-md px-1 hover:bg-tint pointer-fine:min-h-8"
            >
              <span
                aria-hidden
                className={`size-3 rounded-full forced-color-adjust-none ${off.has(key) ? "border-2 border-edge" : DOTS[tone]}`}
              />
              <span className={off.has(key) ? "text-soft line-through" : ""}>
                <span className="font-semibold">{format(count)}</span> {nameFor(each, count)}
              </span>
            </button>
          );
        })}
        <span className="ml-auto self-center text-sm text-soft">
          {read !== undefined && `${read.label}${read.note === undefined ? "" : ` · ${read.note}`}`}
        </span>
      </div>
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2">
        <span aria-hidden className="flex h-40 min-w-9 flex-col justify-between text-right text-sm leading-none text-soft">
          <span>{format(top)}</span>
          <span>{format(top / 2)}</span>
          <span>0</span>
        </span>
        <svg
          role="slider"
          tabIndex={0}
          aria-label={label}
          aria-valuemin={1}
          aria-valuemax={periods.length}
          aria-valuenow={(chosen ?? periods.length - 1) + 1}
          aria-valuetext={read === undefined ? counts(totalOf) : `${read.label}: ${counts((key) => read.values[key])}`}
          viewBox={`0 0 ${periods.length * STEP} ${HEIGHT}`}
          preserveAspectRatio="none"
          onKeyDown={step}
          onFocus={() => setChosen((before) => before ?? periods.length - 1)}
          onBlur={() => setChosen(null)}
          onPointerDown={point}
          onPointerMove={point}
          // A tapped period stays selected until something else is tapped.
          onPointerLeave={({ pointerType }) => {
            if (pointerType === "mouse") setChosen(null);
          }}
          className="h-40 w-full border-b border-edge"
        >
          {[0, HEIGHT / 2].map((y) => (
            <line key={y} x1="0" x2={periods.length * STEP} y1={y} y2={y} className="stroke-line" vectorEffect="non-scaling-stroke" />
          ))}
          {periods.map((each, at) => (
            <Column key={each.at} at={at} period={each} shown={shown} top={top} overlap={levels !== undefined} isChosen={at === chosen} />
          ))}
        </svg>
        <span />
        <span aria-hidden className="relative h-5 text-sm text-soft">
          {/* A phone shows only every third name, because more would overlap. */}
          {namedPeriods(periods.length, NAMES).map((at, index, { length }) => (
            <span
              key={at}
              className={`absolute -translate-x-1/2 whitespace-nowrap last:right-0 last:!left-auto last:translate-x-0 ${(length - 1 - index) % 3 !== 0 ? "hidden sm:block" : ""}`}
              style={{ left: `${((at + 0.5) / periods.length) * 100}%` }}
            >
              {periods[at]?.label}
            </span>
          ))}
        </span>
      </div>
      <div className="sr-only">
        <table>
          <caption>{label}</caption>
          <thead>
            <tr>
              <th scope="col">{period}</th>
              {series.map(({ key, label: name }) => (
                <th key={key} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {periods.map((each) => (
              <tr key={each.at}>
                <th scope="row">
                  {each.label}
                  {each.note !== undefined && ` (${each.note})`}
                </th>
                {series.map(({ key }) => (
                  <td key={key}>{format(each.values[key])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

function nameFor({ label, one = label }: { label: string; one?: string }, count: number): string {
  return count === 1 ? one : label;
}

type ColumnProps<K extends string> = {
  at: number;
  period: Period<K>;
  shown: readonly Series<K>[];
  top: number;
  overlap: boolean;
  isChosen: boolean;
};

function Column<K extends string>({ at, period: { values, pale = false }, shown, top, overlap, isChosen }: ColumnProps<K>) {
  // The smallest count is at least one pixel high, so that one failure among thousands is visible.
  const stack = stacked(
    shown.map(({ key }) => values[key]),
    top,
    HEIGHT,
    1.5,
  );
  const parts = stack.map(({ from, size }, index) => ({ from: overlap ? 0 : from, size, series: shown[index] }));
  return (
    <g opacity={pale ? 0.5 : 1}>
      <rect x={at * STEP} y="0" width={STEP} height={HEIGHT} className={isChosen ? "fill-tint" : "fill-transparent"} />
      {/* Draws the highest level first, so that the lower ones are drawn over it. */}
      {parts.toReversed().map(({ from, size, series }) => (
        <rect
          key={series?.key}
          x={at * STEP + 1.5}
          y={Math.max(0, HEIGHT - from - size)}
          width={STEP - 3}
          height={size}
          className={FILLS[series?.tone ?? "edge"]}
        />
      ))}
    </g>
  );
}
