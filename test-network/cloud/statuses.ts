import type { CloudNetwork } from "./cloud-network.ts";
import { webhookError } from "./graph/errors.ts";
import { groupIdOf } from "./ids.ts";
import type { CloudNumber, SentMessage } from "./model.ts";

export type Status = {
  status: "sent" | "delivered" | "read" | "played" | "failed";
  at: number;
  from: string | null;
  code?: number;
};

const DAY_SECONDS = 86_400;

export function reportStatus(cloud: CloudNetwork, number: CloudNumber, sent: SentMessage, { status, at, from, code }: Status): void {
  const opaque = sent.opaque !== null && !cloud.faults.strike(number.phone_number_id, "no_opaque");
  const value = {
    id: sent.wamid,
    status,
    timestamp: String(at),
    ...recipientOf(cloud, number, sent, from),
    ...(opaque && { biz_opaque_callback_data: sent.opaque }),
    ...((status === "sent" || status === "delivered") && pricing(sent)),
    ...(code !== undefined && { errors: [webhookError(code)] }),
  };
  cloud.report(number, `status:${sent.wamid}:${status}:${from ?? ""}`, "messages", { statuses: [value] });
}

function recipientOf(cloud: CloudNetwork, number: CloudNumber, { chat_id }: SentMessage, from: string | null): Record<string, string> {
  if (chat_id.endsWith("@g.us")) {
    const group = groupIdOf(number.phone, chat_id);
    return { recipient_id: group, recipient_type: "group", group_id: group, ...(from !== null && { recipient_participant_id: from }) };
  }
  const { wa_id, user_id } = cloud.person(number, chat_id.replace(/@.*$/, ""));
  return { ...(wa_id !== undefined && { recipient_id: wa_id }), recipient_user_id: user_id };
}

function pricing({ category, at, chat_id, wamid }: SentMessage): Record<string, unknown> {
  const id = Buffer.from(`${chat_id}|${Math.floor(at / DAY_SECONDS)}|${category}|${wamid.slice(6, 10)}`)
    .toString("hex")
    .slice(0, 32);
  const type = category === "service" ? "free_customer_service" : "regular";
  return {
    conversation: { id, expiration_timestamp: String(at + DAY_SECONDS), origin: { type: category } },
    pricing: { billable: category !== "service", pricing_model: "PMP", category, type },
  };
}
