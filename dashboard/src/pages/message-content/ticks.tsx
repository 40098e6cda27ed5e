import { Check, CheckCheck, Clock3, TriangleAlert } from "lucide-react";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import type { Message } from "../chats/reads.ts";

type Status = NonNullable<Message["status"]>;

/** The status is also given in words, for screen readers. */
export function Ticks({ status }: { status: Status }) {
  const texts = useTexts(CHATS);
  const Icon = { pending: Clock3, sent: Check, delivered: CheckCheck, read: CheckCheck, played: CheckCheck, failed: TriangleAlert }[status];
  const tone = status === "read" || status === "played" ? "text-good" : status === "failed" ? "text-bad" : "";
  return (
    <span className={`inline-flex items-center gap-1 ${tone}`} data-status={status} title={texts.status[status]}>
      <Icon size={15} aria-hidden />
      <span className={status === "failed" || status === "read" || status === "played" ? "" : "sr-only"}>{texts.status[status]}</span>
    </span>
  );
}
