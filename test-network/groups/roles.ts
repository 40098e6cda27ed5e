import type { Account, Group } from "../model.ts";

export function isAdmin(group: Group, account: Account): boolean {
  const role = group.members.get(account.pn);
  return role === "admin" || role === "superadmin";
}

export function mayEdit(group: Group, account: Account): boolean {
  return group.members.has(account.pn) && (!group.locked || isAdmin(group, account));
}
