import { z } from "zod";
import { RefusalGroup, RequestRecord } from "../records.ts";
import { BOTH_KINDS } from "./kinds.ts";
import type { OperationRow } from "./row.ts";

export const REQUEST_OPERATIONS = {
  /** Newest first. `before`: the place of a record, exclusive. */
  "requests.list": {
    role: "viewer",
    kinds: BOTH_KINDS,
    input: z.object({
      status: z.object({ from: z.number().int(), to: z.number().int() }).nullable(),
      code: z.string().nullable(),
      route: z.string().nullable(),
      caller: z.string().nullable(),
      limit: z.number().int().min(1).max(100),
      before: z.number().int().nullable(),
    }),
    output: z.object({ items: z.array(RequestRecord.extend({ place: z.number().int() })), more: z.boolean() }),
  },
  "requests.summary": {
    role: "viewer",
    kinds: BOTH_KINDS,
    input: z.object({}),
    output: z.object({
      total: z.number().int(),
      refusals: z.array(RefusalGroup),
      routes: z.array(z.string()),
      callers: z.array(RequestRecord.shape.caller),
    }),
  },
  "requests.get": { role: "viewer", kinds: BOTH_KINDS, input: z.object({ id: z.string() }), output: RequestRecord },
} as const satisfies Record<string, OperationRow>;
