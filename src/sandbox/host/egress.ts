// What the gateway can connect to at all: judged when a connection is made, by the address that a name has then led to, since a
// name that was looked up before may lead elsewhere now (docs/security.md, "Outgoing requests").

import { NON_PUBLIC_BLOCKS } from "../../domain/egress/public-addresses.ts";

const COMPATIBILITY_DATE = "2026-10-01";

/** What the runtime takes for public has holes (documentation and benchmark networks among them): ours are denied as well. */
const PUBLIC = { allow: ["public"], deny: [...NON_PUBLIC_BLOCKS] };
/** A narrower block wins over a wider one. */
const AND_THIS_MACHINE = { ...PUBLIC, allow: [...PUBLIC.allow, "127.0.0.1/32"] };

/** Behind the binding EGRESS, through which everything goes whose URL a customer gave. */
export function egressService(strict: boolean) {
  return { network: strict ? PUBLIC : AND_THIS_MACHINE };
}

/** Where all other requests of the worker go out: public addresses only, as on the platform. */
export const OUTSIDE = {
  name: "outside",
  modules: true,
  compatibilityDate: COMPATIBILITY_DATE,
  script: "export default { fetch: (request, env) => env.NET.fetch(request) };",
  serviceBindings: { NET: { network: PUBLIC } },
};
