import { randomBytes } from "node:crypto";
import type { Group } from "../model.ts";
import type { Network } from "../network-state.ts";

export function freshInviteCode(): string {
  return randomBytes(16).toString("base64url");
}

export function groupByCode(network: Network<"groups">, code: string | undefined): Group | undefined {
  for (const group of network.groups.values()) if (group.inviteCode === code) return group;
  return undefined;
}

export function wasRevoked(network: Network<"groups">, code: string | undefined): boolean {
  for (const group of network.groups.values()) if (code !== undefined && group.revokedCodes.includes(code)) return true;
  return false;
}
