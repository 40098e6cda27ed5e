import type { Account, Group } from "../model.ts";
import type { Network } from "../network-state.ts";
import { node, nowSeconds } from "../node.ts";
import { announce, announceToAdmins } from "./announce.ts";
import { participantNode } from "./view.ts";

export function admit(
  network: Network<"delivery" | "directory" | "store">,
  group: Group,
  by: Account,
  account: Account,
  reason: string,
): void {
  group.members.set(account.pn, "member");
  group.requests.delete(account.pn);
  group.left.delete(account.pn);
  network.store.saveGroup(group);
  announce(network, group, by, node("add", { reason }, [participantNode(group, account)]));
}

export function requestToJoin(
  network: Network<"delivery" | "directory" | "store">,
  group: Group,
  account: Account,
  method: "invite_link" | "non_admin_add",
  by: Account,
): void {
  group.requests.set(account.pn, { at: nowSeconds(), method, by: by.pn });
  network.store.saveGroup(group);
  announceToAdmins(network, group, by, node("created_membership_requests", { request_method: method }, [participantNode(group, account)]));
}

export function dropRequest(network: Network<"delivery" | "directory" | "store">, group: Group, by: Account, account: Account): void {
  group.requests.delete(account.pn);
  network.store.saveGroup(group);
  announceToAdmins(network, group, by, node("revoked_membership_requests", {}, [participantNode(group, account)]), [account.pn]);
}
