// Addresses that the gateway may connect to. Checked at the connection, because a name may resolve differently than before
// (docs/operate/untrusted-input.md, "Outgoing requests").

import { NON_PUBLIC_BLOCKS } from "@gateway/protocol/public-addresses.ts";

const COMPATIBILITY_DATE = "2026-10-01";

/** The runtime counts reserved blocks (documentation, benchmarks) as public. */
const PUBLIC = { allow: ["public"], deny: [...NON_PUBLIC_BLOCKS] };
/** The narrower block wins. */
const PUBLIC_AND_LOOPBACK = { ...PUBLIC, allow: [...PUBLIC.allow, "127.0.0.1/32"] };

/** The EGRESS binding: requests to customers' URLs use it. */
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
