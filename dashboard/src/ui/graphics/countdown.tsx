import { UI } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { useSecondsLeft } from "../clock.ts";

const RADIUS = 20;
const ROUND = 2 * Math.PI * RADIUS;

/** `until` is ISO 8601 or Unix ms. A full circle stands for `totalSeconds`. Screen readers announce the time only on request. */
export function Countdown({ until, totalSeconds, size = 48 }: { until: string | number; totalSeconds: number; size?: number }) {
  const texts = useTexts(UI);
  const left = useSecondsLeft(new Date(until).getTime());
  const part = Math.min(1, left / totalSeconds);
  return (
    <svg
      role="timer"
      aria-label={texts.secondsLeft(left)}
      aria-live="off"
      width={size}
      height={size}
      viewBox="0 0 48 48"
      className="shrink-0"
    >
      <circle cx="24" cy="24" r={RADIUS} fill="none" strokeWidth="3" className="stroke-line" />
      <circle
        cx="24"
        cy="24"
        r={RADIUS}
        fill="none"
        strokeWidth="3"
        strokeDasharray={ROUND}
        strokeDashoffset={ROUND * (1 - part)}
        transform="rotate(-90 24 24)"
        className={left <= 10 ? "stroke-attention" : "stroke-ink"}
      />
      <text x="24" y="24" dominantBaseline="central" textAnchor="middle" className="fill-ink text-sm font-semibold" aria-hidden>
        {`${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`}
      </text>
    </svg>
  );
}
