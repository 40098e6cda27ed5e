// Addresses that the gateway may connect to, checked on each connect, because names can resolve differently later.

import { NON_PUBLIC_BLOCKS } from "@gateway/protocol/addresses/public.ts";

const COMPATIBILITY_DATE = "2026-10-01";

/** The runtime counts reserved blocks (documentation, benchmarks) as public, so they are denied explicitly. */
const PUBLIC = { allow: ["public"], deny: [...NON_PUBLIC_BLOCKS] };
/** The narrower block takes precedence, so loopback is allowed. */
const PUBLIC_AND_LOOPBACK = { ...PUBLIC, allow: [...PUBLIC.allow, "127.0.0.1/32"] };

/** The EGRESS binding, used for requests to customers' URLs. */
export function egressService(strict: boolean) {
  return { network: strict ? PUBLIC : PUBLIC_AND_LOOPBACK };
}

export const OUTSIDE = {
  name: "outside",
  modules: true,
  compatibilityDate: COMPATIBILITY_DATE,
  script: "export default { fetch: (request, env) => env.NET.fetch(request) };",
  serviceBindings: { NET: { network: PUBLIC } },
};
