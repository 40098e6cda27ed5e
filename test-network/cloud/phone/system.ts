import { nowSeconds } from "../../phone/dependencies.ts";
import type { CloudNetwork } from "../cloud-network.ts";
import { digits, wamidOf } from "../ids.ts";
import type { CloudNumber } from "../model.ts";

export interface SystemChange {
  phone: string;
  type: "user_changed_number" | "user_changed_user_id" | "customer_identity_changed";
  new_phone?: string | undefined;
}

/** A person keeps the user id when the number changes, and the number when the user id changes. */
export function reportSystem(cloud: CloudNetwork, number: CloudNumber, { phone, type, new_phone }: SystemChange): void {
  const before = cloud.person(number, phone);
  const now = new_phone ?? phone;
  const user_id = type === "user_changed_user_id" ? `${before.user_id.slice(0, 2)}.${digits(16)}` : before.user_id;
  if (type !== "customer_identity_changed") cloud.documents.put("user", `${number.waba_id}|${now}`, { user_id });
  const id = wamidOf(phone, digits(10), "in");
  const body = new_phone === undefined ? `User ${phone}: ${type}` : `User changed from ${phone} to ${new_phone}`;
  const message = {
    ...(before.wa_id !== undefined && { from: before.wa_id }),
    from_user_id: before.user_id,
    id,
    timestamp: String(nowSeconds()),
    type: "system",
    system: { type, body, ...(new_phone !== undefined && { wa_id: new_phone }), ...(type !== "customer_identity_changed" && { user_id }) },
  };
  cloud.report(number, `system:${id}`, "messages", { messages: [message] });
}
