import type { z } from "zod";
import type { CallRecord } from "../../protocol/records.ts";
import type { Call } from "../schemas/call.ts";
import { phoneOf } from "./message.ts";

export function renderCall({ from, ...call }: CallRecord): z.input<typeof Call> {
  const phone = phoneOf(from);
  return { ...call, from: phone, phone };
}
