import { Check } from "lucide-react";
import { type Stage, stepOf, STEPS } from "../../domain/pairing.ts";
import { useTexts } from "../../texts/catalog.ts";
import { PAIR } from "../../texts/catalogs.ts";

export function Steps({ stage }: { stage: Stage }) {
  const texts = useTexts(PAIR).steps;
  const now = stepOf(stage);
  return (
    <ol aria-label={texts.label} className="grid grid-cols-2 gap-x-4 gap-y-2 sm:grid-cols-4">
      {STEPS.map((step, at) => (
        <li
          key={step}
          aria-current={at === now ? "step" : undefined}
          className={`flex items-center gap-1.5 border-t-2 pt-1.5 ${at === now ? "border-accent font-semibold" : at < now ? "border-good" : "border-line text-soft"}`}
        >
          {at < now && <Check size={16} aria-hidden className="text-good" />}
          {texts[step]}
        </li>
      ))}
    </ol>
  );
}
