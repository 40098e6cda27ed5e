import { memo } from "react";
import type { Answer } from "../../api/client.ts";
import { nextStep } from "../../domain/connection-list.ts";
import { StatusText } from "../../ui/lamp.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { StepButton } from "./step.tsx";
import { CONNECTIONS } from "../../texts/catalogs.ts";

type Needy = Answer<"GET /connections">["attention"][number];

export const Attention = memo(function Attention({ items, total }: { items: readonly Needy[]; total: number }) {
  const texts = useTexts(CONNECTIONS);
  return (
    <section aria-labelledby="attention" className="min-w-0 rounded-md border border-attention bg-surface">
      <h2 id="attention" className="px-4 pt-3 pb-1 text-lg">
        {texts.attention}
      </h2>
      <ul>
        {items.map((item) => (
          <li key={item.id} className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 px-4 py-2">
            <div className="min-w-0">
              <p className="font-semibold break-words">{item.name}</p>
              <StatusText status={item.status} reason={item.status_reason} since={item.status_changed_at} />
            </div>
            <StepButton connection={item} step={nextStep(item)} kind="primary" />
          </li>
        ))}
      </ul>
      {total > items.length && <p className="px-4 pb-3 text-sm text-soft">{texts.attentionMore(total - items.length)}</p>}
    </section>
  );
});
