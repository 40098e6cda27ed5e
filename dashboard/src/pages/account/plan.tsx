import { ExternalLink } from "lucide-react";
import { planState } from "../../domain/plan.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Level } from "../../ui/graphics/bars.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { useNow } from "../../ui/clock.ts";
import { Support } from "../../ui/support.tsx";
import { ACCOUNT } from "../../texts/catalogs.ts";
import { locale, useLanguage } from "../../texts/language.ts";
import { useTexts } from "../../texts/catalog.ts";
import type { Me } from "./profile.tsx";

const TONES: Readonly<Record<string, Tone>> = { active: "good", trialing: "info", past_due: "attention", canceled: "bad" };

export function Plan({ me: { subscription, usage, billing_url: billing } }: { me: Me }) {
  const texts = useTexts(ACCOUNT).plan;
  const state = planState(subscription, useNow());
  const isStopped = state.kind === "past_due" || state.kind === "stopped";
  return (
    <div className="grid gap-4">
      <p className="flex flex-wrap items-center gap-2">
        <span className="text-lg font-semibold break-words">{subscription === null ? texts.none : subscription.plan}</span>
        {subscription !== null && <Badge tone={TONES[subscription.status] ?? "neutral"}>{texts.statuses[subscription.status]}</Badge>}
      </p>
      {subscription === null ? <p>{texts.noneText}</p> : <Usage used={usage.instances} allowed={subscription.max_instances} />}
      {subscription !== null && subscription.current_period_end !== null && <PeriodEnd at={subscription.current_period_end} />}
      {state.kind === "running" && <p className="text-soft">{texts.noEnd}</p>}
      {state.kind === "ending" && (
        <div className={state.soon ? "rounded-md border border-attention px-3 py-2" : ""}>
          <p className={state.soon ? "font-semibold text-attention" : "font-semibold"}>
            {state.soon && <span aria-hidden>▲ </span>}
            {texts.days(state.days)}
          </p>
          <p className="text-soft">{texts.atEnd}</p>
        </div>
      )}
      {isStopped && (
        <p className="rounded-md border border-bad px-3 py-2">
          <span aria-hidden className="text-bad">
            ▲{" "}
          </span>
          {state.kind === "past_due" ? texts.pastDue : texts.ended}
        </p>
      )}
      {billing === null ? (
        <div className="text-sm text-soft">
          <p>{texts.billingNone}</p>
          <Support />
        </div>
      ) : (
        <a href={billing} rel="noreferrer" className={buttonClass(isStopped ? "primary" : "plain", "justify-self-start")}>
          <ExternalLink size={16} aria-hidden className="shrink-0" />
          {texts.billing}
        </a>
      )}
    </div>
  );
}

function Usage({ used, allowed }: { used: number; allowed: number }) {
  const texts = useTexts(ACCOUNT).plan;
  const isFull = used >= allowed;
  const number = new Intl.NumberFormat(locale(useLanguage()));
  return (
    <div className="grid gap-1">
      <p className="flex justify-between gap-4">
        <span>{texts.used}</span>
        <span className="font-semibold">{texts.usedOf(number.format(used), number.format(allowed))}</span>
      </p>
      <Level used={used} total={allowed} />
      {isFull && <p className="text-sm text-attention">{used > allowed ? texts.over(used - allowed) : texts.full}</p>}
    </div>
  );
}

function PeriodEnd({ at }: { at: string }) {
  const texts = useTexts(ACCOUNT).plan;
  const language = useLanguage();
  const shown = new Intl.DateTimeFormat(locale(language), { dateStyle: "long" }).format(new Date(at));
  return (
    <p className="flex justify-between gap-4">
      <span>{texts.periodEnds}</span>
      <time dateTime={at} className="font-semibold">
        {shown}
      </time>
    </p>
  );
}
