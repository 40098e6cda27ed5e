// The remedy for a refusal that neither waiting nor retrying resolves. Loaded only once it is needed.
import { useQuery } from "@tanstack/react-query";
import { reading } from "../../api/client.ts";
import type { RefusalCode } from "../../api/refusal.ts";
import { CONNECTIONS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { ButtonLink, buttonClass } from "../button.tsx";
import { useRole } from "../role-gate.tsx";
import { Support } from "../support.tsx";

export function Remedy({ code }: { code: RefusalCode }) {
  switch (code) {
    case "subscription_required":
      return <Subscribe />;
    case "instance_limit":
      return <Plan />;
    default:
      return <Support />;
  }
}

function Plan() {
  const texts = useTexts(CONNECTIONS);
  return (
    <ButtonLink to="/account" className="justify-self-start">
      {texts.plan}
    </ButtonLink>
  );
}

/** Shown only to the owner, because a shared connection uses the owner's subscription. */
function Subscribe() {
  const texts = useTexts(CONNECTIONS).noPlan;
  const { role } = useRole();
  const isOwn = role === null || role === "owner";
  const me = useQuery({ ...reading("GET /me", {}), enabled: isOwn }).data?.data;
  if (!isOwn || me === undefined) return null;
  if (me.billing_url === null) return <Support />;
  return (
    <a href={me.billing_url} rel="noreferrer" className={buttonClass("primary", "justify-self-start")}>
      {texts.subscribe}
    </a>
  );
}
