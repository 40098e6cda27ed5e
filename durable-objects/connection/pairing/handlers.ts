// Pairing links: made by who may pair the number, used by who holds its phone.
import { fail, succeed } from "@gateway/protocol/failures.ts";
import type { OperationName } from "@gateway/protocol/operations.ts";
import type { PairingLinks } from "./pairing-links.ts";
import type { Identity } from "../instance/identity.ts";
import type { Instance } from "../instance/instance.ts";
import type { HandlersOf } from "../handlers.ts";

type PairingOperation = Extract<OperationName, `pairing.${string}`>;

export function pairingOperations(links: PairingLinks, identity: Identity, instance: Instance): HandlersOf<PairingOperation> {
  return {
    "pairing.list": (_input, { now }) => succeed({ items: links.list(now) }),
    "pairing.create": (input, { now }) => (instance.state.status === "connected" ? fail("already_connected") : links.create(input, now)),
    "pairing.revoke": ({ id }, { now }) => links.revoke(id, now),
    "pairing.revoke_of": ({ created_by: maker }, { now }) => {
      links.revokeOf(maker, now);
      return succeed({});
    },
    "pairing.end": (_input, { call, now }) => {
      const link = call.caller.kind === "pairing_link" ? links.find(call.caller.hash, now) : null;
      if (link !== null) links.revoke(link.id, now);
      return succeed({});
    },
    "pairing.show": (_input, { call, now }) => {
      const link = call.caller.kind === "pairing_link" ? links.find(call.caller.hash, now) : null;
      if (link === null || identity.record === null) return fail("pairing_link_not_found");
      if (link.ended === null) links.opened(link.id, now);
      const { status, reason } = instance.state;
      return succeed({ link, connection_id: identity.record.id, status, status_reason: reason });
    },
  };
}
