// A typed client of the AddressGuard: itty-durable's own proxy types everything as `any`.
import { proxyDurable } from "itty-durable";
import type { GuardVerdict } from "../../domain/admission/address-guard.ts";

type AddressGuardStub = { get(name: string): { fail(now: number): Promise<GuardVerdict> } };

/** Counts a failed key for the guard of that name (see `guardName`). Called on failures only. */
export function countInvalidKey(namespace: DurableObjectNamespace, name: string, now: number): Promise<GuardVerdict> {
  const stub = proxyDurable(namespace, { name: "ADDRESS_GUARD", parse: true }) as AddressGuardStub;
  return stub.get(name).fail(now);
}
