import type { ResponseBody } from "../../api/client.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import type { TextsOf } from "../../texts/catalog.ts";
import type { DELIVERIES } from "../../texts/catalogs.ts";

export type DeliveryTexts = TextsOf<typeof DELIVERIES>;

export type Delivery = ResponseBody<"GET /connections/{id}/webhook/deliveries">["data"][number];
type Status = Delivery["status"];

export function isStatus(value: string): value is Status {
  return Object.hasOwn(TONES, value);
}

/** Omits the query, which may contain a secret. */
export function addressOf(url: string): string {
  const { host, pathname } = new URL(url);
  return host + pathname;
}

const TONES: Record<Status, Tone> = { pending: "info", delivered: "good", failed: "bad", skipped: "neutral" };
const SHAPES: Record<Status, string> = { pending: "◐", delivered: "●", failed: "▲", skipped: "○" };

export function StatusBadge({ status, texts }: { status: Status; texts: DeliveryTexts }) {
  return (
    <Badge tone={TONES[status]}>
      <span aria-hidden>{SHAPES[status]}</span> {texts.status[status]}
    </Badge>
  );
}

export function AnswerText({ status, error, texts }: { status: number | null; error: string | null; texts: DeliveryTexts }) {
  const short = error !== null && Object.hasOwn(texts.short, error) ? texts.short[error as keyof DeliveryTexts["short"]] : error;
  if (status === null && short === null) return <span className="text-soft">–</span>;
  return (
    <span>
      {status !== null && <span className="font-semibold">{status}</span>}
      {short !== null && (
        <span className="text-soft">
          {status === null ? "" : " · "}
          {short}
        </span>
      )}
    </span>
  );
}
