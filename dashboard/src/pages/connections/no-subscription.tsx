// The first page of an account without a subscription. It says what is missing and how to get it.
import { useQuery } from "@tanstack/react-query";
import { CreditCard, RotateCw } from "lucide-react";
import { reading } from "../../api/client.ts";
import { useState } from "react";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Support } from "../../ui/support.tsx";
import { CONNECTIONS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { listReading } from "./search.ts";

export function NoSubscription() {
  const texts = useTexts(CONNECTIONS).noPlan;
  const billing = useQuery(reading("GET /me", {})).data?.data.billing_url ?? null;
  const isNamed = useQuery(reading("GET /session", {})).data?.data.support !== null;
  // The subscription is bought or activated elsewhere, so the list is read whenever the user comes back.
  const list = useQuery({ ...listReading({}), refetchOnWindowFocus: "always" });
  const [checked, setChecked] = useState(false);
  const check = async () => {
    await list.refetch();
    setChecked(true);
  };
  return (
    <div className="grid max-w-prose justify-items-start gap-3 p-4 sm:p-6">
      <CreditCard size={40} strokeWidth={1.25} aria-hidden className="text-soft" />
      <p className="text-xl font-semibold">{texts.title}</p>
      <p>{billing === null ? texts.ask : texts.text}</p>
      <div className="flex flex-wrap gap-2">
        {billing !== null && (
          <a href={billing} rel="noreferrer" className={buttonClass("primary")}>
            {texts.subscribe}
          </a>
        )}
        <Button icon={RotateCw} busy={list.isFetching} onClick={() => void check()}>
          {texts.again}
        </Button>
      </div>
      <p role="status" className="text-soft empty:absolute">
        {checked && !list.isFetching && texts.notYet}
      </p>
      {isNamed && <Support />}
    </div>
  );
}
