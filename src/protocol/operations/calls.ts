import { z } from "zod";
import { CallRecord } from "../records.ts";
import { BOTH_KINDS } from "./kinds.ts";
import { nothing, type OperationRow } from "./row.ts";

export const CALL_OPERATIONS = {
  "calls.list": {
    role: "viewer",
    kinds: BOTH_KINDS,
    input: z.object({ limit: z.number().int().min(1).max(200) }),
    output: z.object({ items: z.array(CallRecord) }),
  },
  /** `from`: the caller's digits. Fails `call_not_found`, also for another caller, and `call_ended` when it no longer rings. */
  "calls.reject": {
    role: "operator",
    kinds: BOTH_KINDS,
    input: z.object({ call_id: z.string(), from: z.string().nullable() }),
    output: nothing,
  },
} as const satisfies Record<string, OperationRow>;
