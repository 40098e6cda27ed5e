// How the network names an account to clients: by phone, by LID, or by whichever of the two they may know.
import type { Account } from "./model.ts";

/** `usual`: the choice for accounts known both ways. */
export function namesByLid({ hidesNumber, phoneOnly }: Account, usual: boolean): boolean {
  return hidesNumber || (usual && !phoneOnly);
}

export function addressesOf(account: Account, byLid: boolean): { jid: string; other: string | undefined } {
  const { lidJid, pnJid, hidesNumber, phoneOnly } = account;
  return namesByLid(account, byLid)
    ? { jid: lidJid, other: hidesNumber ? undefined : pnJid }
    : { jid: pnJid, other: phoneOnly ? undefined : lidJid };
}
