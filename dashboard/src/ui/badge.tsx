import type { ReactNode } from "react";

export type Tone = "neutral" | "good" | "attention" | "bad" | "info";

const TONES: Record<Tone, string> = {
  neutral: "border-line text-soft",
  good: "border-good text-good",
  attention: "border-attention text-attention",
  bad: "border-bad text-bad",
  info: "border-info text-info",
};

export function Badge({ tone = "neutral", children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={`inline-flex items-center gap-1 rounded-md border bg-surface px-1.5 text-sm font-semibold whitespace-nowrap ${TONES[tone]}`}
    >
      {children}
    </span>
  );
}
