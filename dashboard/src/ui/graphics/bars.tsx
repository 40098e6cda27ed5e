// A bar chart, with a table for screen readers.
import { useId } from "react";

export type Bar = {
  label: string;
  value: number;
  text?: string;
  pale?: boolean;
};

const HEIGHT = 120;
const STEP = 12;

type BarsProps = { label: string; bars: readonly Bar[]; unit: string; period: string };

export function Bars({ label, bars, unit, period }: BarsProps) {
  const id = useId();
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const width = bars.length * STEP;
  return (
    <figure className="min-w-0">
      <svg
        aria-hidden
        viewBox={`0 0 ${width} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="h-32 w-full border-b border-line text-good"
        fill="currentColor"
      >
        {bars.map(({ label: name, value, text, pale = false }, at) => {
          const height = value === 0 ? 0 : Math.max(2, (value / most) * (HEIGHT - 4));
          return (
            <rect key={`${id}${name}`} x={at * STEP + 1} y={HEIGHT - height} width={STEP - 2} height={height} opacity={pale ? 0.5 : 1}>
              <title>{`${name}: ${text ?? value}`}</title>
            </rect>
          );
        })}
      </svg>
      <p aria-hidden className="flex justify-between text-sm text-soft">
        <span>{bars[0]?.label}</span>
        <span>{bars.length > 1 ? bars.at(-1)?.label : ""}</span>
      </p>
      <div className="sr-only">
        <table>
          <caption>{label}</caption>
          <thead>
            <tr>
              <th scope="col">{period}</th>
              <th scope="col">{unit}</th>
            </tr>
          </thead>
          <tbody>
            {bars.map(({ label: name, value, text }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{text ?? value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

/** Shown in the attention colour from the share `attentionAt` (of 1) on. */
export function Level({ used, total, attentionAt = 1 }: { used: number; total: number; attentionAt?: number }) {
  const part = total === 0 ? 1 : Math.min(1, used / total);
  return (
    <svg
      aria-hidden
      viewBox="0 0 100 2"
      preserveAspectRatio="none"
      className={`h-2 w-full ${part >= attentionAt ? "text-attention" : "text-good"}`}
    >
      <rect width="100" height="2" className="fill-tint" />
      <rect width={part * 100} height="2" fill="currentColor" />
    </svg>
  );
}
