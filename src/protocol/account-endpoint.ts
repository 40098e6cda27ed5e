// A webhook endpoint of the Account API, as the worker pushes it to every Connection object that delivers to it.
import * as z from "zod";

export const AccountEndpoint = z.object({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  /** Plaintext; the object encrypts its own copy. */
  secret: z.string().nullable(),
  /** Already validated (`validateCustomHeaders`). */
  headers: z.record(z.string(), z.string()),
  retry_count: z.number().int().min(0).max(5),
  timeout_ms: z.number().int().min(1_000).max(30_000),
  is_active: z.boolean(),
});
export type AccountEndpoint = z.infer<typeof AccountEndpoint>;
