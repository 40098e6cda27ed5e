import { randomBytes } from "node:crypto";
import type { Account, Group } from "../model.ts";
import type { Network } from "../network-state.ts";
import { node, nowSeconds } from "../node.ts";
import { announce } from "./announce.ts";
import { freshInviteCode } from "./invite-codes.ts";
import { groupNode } from "./view.ts";

export interface NewGroup {
  subject: string;
  members: Account[];
  /** The client's request key, echoed in the announcement. */
  key?: string | undefined;
}

export function newGroup(
  network: Network<"delivery" | "directory" | "groupAddressing" | "groups" | "store">,
  by: Account,
  { subject, members, key }: NewGroup,
): Group {
  const at = nowSeconds();
  const group: Group = {
    id: `${freshGroupId(network)}@g.us`,
    creator: by.pn,
    createdAt: at,
    addressing: network.groupAddressing,
    members: new Map([[by.pn, "superadmin"]]),
    subject,
    subjectBy: by.pn,
    subjectAt: at,
    description: undefined,
    announce: false,
    locked: false,
    memberAddMode: "admin_add",
    joinApproval: false,
    ephemeralSeconds: 0,
    inviteCode: freshInviteCode(),
    revokedCodes: [],
    picture: undefined,
    requests: new Map(),
    left: new Map(),
  };
  for (const { pn } of members) if (!group.members.has(pn)) group.members.set(pn, "member");
  network.groups.set(group.id, group);
  network.store.saveGroup(group);
  announce(network, group, by, node("create", { type: "new", key }, [groupNode(network, group)]));
  return group;
}

function freshGroupId(network: Network<"groups">): string {
  for (;;) {
    const id = `120363${randomBytes(6).readUIntBE(0, 6).toString().padStart(15, "0").slice(-12)}`;
    if (!network.groups.has(`${id}@g.us`)) return id;
  }
}
