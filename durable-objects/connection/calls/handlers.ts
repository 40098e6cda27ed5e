import { fail, type Failure, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { CallRecord } from "@gateway/protocol/records.ts";
import type { NetworkClient } from "../session/network-client.ts";
import type { Stores } from "../store/stores.ts";
import type { HandlersOf } from "../handlers.ts";

/** Failures after which the rejection may still have succeeded, so the call's end must not be emitted. */
const OUTCOME_UNKNOWN: ReadonlySet<Failure["code"]> = new Set<Failure["code"]>(["network_timeout", "instance_reconnecting"]);

export function callHandlers(network: NetworkClient, stores: Stores): HandlersOf<"calls.list" | "calls.reject"> {
  return {
    "calls.list": ({ limit }) => succeed({ items: stores.calls.list(limit, Date.now()) }),

    "calls.reject": ({ call_id, from }) => rejectCall(network, stores, call_id, from),
  };
}

/** `from` contains the caller's digits, if the request has them. Fails with `call_not_found` or `call_ended`. */
export async function rejectCall(
  network: NetworkClient,
  stores: Stores,
  callId: string,
  from: string | null,
): Promise<Outcome<Record<string, never>>> {
  const call = ringingCall(stores.calls.get(callId, Date.now()), from);
  if (!call.ok) return call;
  // Marked first, because a rejection through the API emits no `call` event (docs/use/connection-api.md, "Changes").
  stores.calls.markRejectedHere(callId);
  const rejected = await network.command("calls.reject", { call_id: callId, from: call.value.from });
  if (rejected.ok) stores.calls.update({ ...call.value, status: "rejected" });
  else if (!OUTCOME_UNKNOWN.has(rejected.failure.code)) stores.calls.unmarkRejectedHere(callId);
  return rejected;
}

/** Returns this call if it still rings. A caller without a known phone number matches, because the customer cannot know it either. */
function ringingCall(call: CallRecord | null, from: string | null): Outcome<CallRecord> {
  if (call === null || (from !== null && call.from.phone !== null && call.from.phone !== from)) return fail("call_not_found");
  return call.status === "received" ? succeed(call) : fail("call_ended");
}
