// How the network names an account to clients: by phone, by LID, or by the one of the two that they may know.
import type { Account } from "./model.ts";

/** `usual`: by LID, for accounts that clients know both ways. */
export function namesByLid({ hidesNumber, phoneOnly }: Account, usual: boolean): boolean {
  return hidesNumber || (usual && !phoneOnly);
}

/** The address of an account that clients see, and the other one, if they may know it. */
export function addressesOf(account: Account, byLid: boolean): { jid: string; other: string | undefined } {
  const { lidJid, pnJid, hidesNumber, phoneOnly } = account;
  return namesByLid(account, byLid)
    ? { jid: lidJid, other: hidesNumber ? undefined : pnJid }
    : { jid: pnJid, other: phoneOnly ? undefined : lidJid };
}
