// Current problems of the deployment, and the search for any id. For administrators.
import * as z from "zod";
import { FAULT_KINDS } from "@gateway/domain/fleet/faults.ts";
import { count, one, time, timeOrNull, type ContractRow } from "./common.ts";

const Instance = z.strictObject({
  id: z.string(),
  name: z.string(),
  phone: z.string().nullable(),
  owner: z.strictObject({ id: z.string(), email: z.string() }),
});

const Fault = z.strictObject({
  kind: z.enum(FAULT_KINDS),
  code: z.string(),
  subject: z.string().nullable(),
  proxy_id: z.string().optional(),
  detail: z.string().nullable(),
  since: timeOrNull,
  count: count.nullable(),
  instance: Instance.nullable(),
});

const FOUND_KINDS = ["user", "instance", "proxy", "bridge", "key", "webhook", "audit", "request", "message", "delivery"] as const;

/** `instances` says how many of the instances were asked about the id. It is null if the text cannot be an object's id. */
const SearchResult = z.strictObject({
  found: z.array(
    z.strictObject({
      kind: z.enum(FOUND_KINDS),
      id: z.string(),
      title: z.string(),
      detail: z.string().nullable(),
      at: timeOrNull,
      instance: Instance.nullable(),
    }),
  ),
  instances: z.strictObject({ asked: count, of: count }).nullable(),
});

export const NOW_CONTRACT = {
  /** `numbers` counts all phone numbers with problems, but only the newest are listed. `one_machine` means that Cloudflare is not used. */
  "GET /admin/now": {
    response: one(z.strictObject({ checked_at: time, one_machine: z.boolean(), faults: z.array(Fault), numbers: count })),
  },
  "GET /admin/find": { query: z.object({ q: z.string().trim().min(1).max(300) }), response: one(SearchResult) },
} as const satisfies Record<string, ContractRow>;
