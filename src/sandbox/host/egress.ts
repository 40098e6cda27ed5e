// Which addresses the gateway can connect to. Checked when a connection is made, by the address its name resolved to, because a
// name that was checked earlier may resolve differently by then (docs/operate/untrusted-input.md, "Outgoing requests").

import { NON_PUBLIC_BLOCKS } from "@gateway/protocol/public-addresses.ts";

const COMPATIBILITY_DATE = "2026-10-01";

/** The runtime's "public" includes reserved blocks (documentation and benchmark networks, for example), so ours are denied as well. */
const PUBLIC = { allow: ["public"], deny: [...NON_PUBLIC_BLOCKS] };
/** A narrower block wins over a wider one. */
const PUBLIC_AND_LOOPBACK = { ...PUBLIC, allow: [...PUBLIC.allow, "127.0.0.1/32"] };

/** The service behind the EGRESS binding, through which all requests to customers' URLs go. */
export function egressService(strict: boolean) {
  return { network: strict ? PUBLIC : PUBLIC_AND_LOOPBACK };
}

/** The service for all other outgoing requests of the worker: public addresses only, as on the platform. */
export const OUTSIDE = {
  name: "outside",
  modules: true,
  compatibilityDate: COMPATIBILITY_DATE,
  script: "export default { fetch: (request, env) => env.NET.fetch(request) };",
  serviceBindings: { NET: { network: PUBLIC } },
};
