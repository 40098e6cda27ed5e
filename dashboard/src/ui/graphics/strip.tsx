// Shows one bar per hour. Its height shows messages, and its colour and hatching the worst status. A large strip shows only statuses.
import { timeFormat } from "../../domain/formats.ts";
import type { InstanceStatus } from "@gateway/protocol/connection.ts";
import { type HourState, isDown, type StripHour } from "../../domain/strip.ts";
import { useId } from "react";
import { UI } from "../../texts/catalogs.ts";
import { locale, useLanguage } from "../../texts/language.ts";
import { useTexts } from "../../texts/catalog.ts";

const STEP = 8;
const HEIGHT = 24;

const HATCHES: Partial<Record<HourState, string>> = { dropped: "d", connecting: "d", failed: "f" };

const FILLS: Record<HourState, string> = {
  connected: "fill-good",
  connecting: "fill-attention",
  dropped: "fill-attention",
  failed: "fill-bad",
  off: "fill-edge",
  none: "fill-line",
};

type StripProps = { hours: readonly StripHour[]; now: InstanceStatus | null; large?: boolean };

export function Strip({ hours, now, large = false }: StripProps) {
  const { strip: texts, status, justNow } = useTexts(UI);
  const language = useLanguage();
  const id = useId();
  const most = Math.max(1, ...hours.map(({ messages }) => messages));
  const total = hours.reduce((sum, { messages }) => sum + messages, 0);
  const down = hours.filter(({ state }) => state === "dropped" || state === "failed").length;
  const summary = `${texts.summary(hours.length, total, down)}${now !== null && isDown(now) ? `, ${justNow}: ${status[now]}` : ""}`;
  const hour = timeFormat(locale(language));
  const said = (at: StripHour) => `${hour.format(new Date(at.from))} – ${texts[at.state]}, ${texts.count(at.messages)}`;
  const bar = (state: HourState, box: Readonly<Record<"x" | "y" | "width" | "height", number>>) => (
    <>
      <rect {...box} className={FILLS[state]} />
      {HATCHES[state] !== undefined && <rect {...box} fill={`url(#${id}${HATCHES[state]})`} />}
    </>
  );
  return (
    <>
      {large && (
        <p aria-hidden className="flex flex-wrap gap-x-4 gap-y-1">
          <span className="font-semibold">{texts.state}</span>
          {[...new Set(hours.map(({ state }) => state))].map((state) => (
            <span key={state} className="flex items-center gap-1.5 text-soft">
              <svg viewBox="0 0 12 12" className="size-3">
                {bar(state, { x: 0, y: 0, width: 12, height: 12 })}
              </svg>
              {texts[state]}
            </span>
          ))}
        </p>
      )}
      <svg
        role="img"
        aria-label={summary}
        viewBox={`0 0 ${hours.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        className={large ? "h-3 w-full" : "h-6 w-36 max-w-full"}
      >
        <defs>
          <pattern id={`${id}d`} width="3" height="3" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect width="1.4" height="3" className="fill-surface" />
          </pattern>
          <pattern id={`${id}f`} width="3" height="3" patternUnits="userSpaceOnUse">
            <rect width="3" height="1.3" className="fill-surface" />
          </pattern>
        </defs>
        {hours.map((at, index) => {
          // Uses the square root, so that small counts stay visible.
          const height = large ? HEIGHT : at.state === "none" ? 1.5 : 4 + Math.sqrt(at.messages / most) * (HEIGHT - 4);
          const box = { x: index * STEP + 1, y: HEIGHT - height, width: STEP - 2, height };
          return (
            <g key={at.from} data-state={at.state}>
              {bar(at.state, box)}
              <title>{said(at)}</title>
            </g>
          );
        })}
      </svg>
      {large && (
        <p aria-hidden className="text-sm text-soft">
          {summary}
        </p>
      )}
      {large && (
        <div className="sr-only">
          <table>
            <caption>{summary}</caption>
            <thead>
              <tr>
                <th scope="col">{texts.hour}</th>
                <th scope="col">{texts.state}</th>
                <th scope="col">{texts.messages}</th>
              </tr>
            </thead>
            <tbody>
              {hours.map((at) => (
                <tr key={at.from}>
                  <th scope="row">{hour.format(new Date(at.from))}</th>
                  <td>{texts[at.state]}</td>
                  <td>{at.messages}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}
