// The first page of an account without a subscription. It says what is missing, and the only way to get it.
import { useQuery } from "@tanstack/react-query";
import { CreditCard } from "lucide-react";
import { reading } from "../../api/client.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Support } from "../../ui/support.tsx";
import { CONNECTIONS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";

export function NoSubscription() {
  const texts = useTexts(CONNECTIONS).noPlan;
  const billing = useQuery(reading("GET /me", {})).data?.data.billing_url ?? null;
  return (
    <div className="grid max-w-prose justify-items-start gap-3 p-4 sm:p-6">
      <CreditCard size={40} strokeWidth={1.25} aria-hidden className="text-soft" />
      <p className="text-xl font-semibold">{texts.title}</p>
      <p>{billing === null ? texts.ask : texts.text}</p>
      {billing !== null && (
        <a href={billing} rel="noreferrer" className={buttonClass("primary")}>
          {texts.subscribe}
        </a>
      )}
      <Support />
    </div>
  );
}
