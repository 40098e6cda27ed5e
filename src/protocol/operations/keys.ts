import { z } from "zod";
import { KeyRecord } from "../records.ts";
import { BOTH_KINDS } from "./kinds.ts";
import { nothing, type OperationRow } from "./row.ts";

export const KEY_OPERATIONS = {
  "keys.list": { role: "owner", kinds: BOTH_KINDS, input: nothing, output: z.object({ items: z.array(KeyRecord) }) },
  /** The worker creates the key, since it holds the tag's secret; the object stores only the hash. Fails `key_limit`. */
  "keys.create": {
    role: "owner",
    kinds: BOTH_KINDS,
    input: z.object({ name: z.string().min(1).max(60), prefix: z.string(), hash: z.string() }),
    output: KeyRecord,
  },
  "keys.revoke": { role: "owner", kinds: BOTH_KINDS, input: z.object({ id: z.string() }), output: nothing },
} as const satisfies Record<string, OperationRow>;
