// How the network identifies an account to clients: by phone, by LID, or by whichever of the two they are allowed to know.
import type { Account } from "./model.ts";

/** `usual`: the form for accounts that are known both by phone and by LID. */
export function namesByLid({ hidesNumber, phoneOnly }: Account, usual: boolean): boolean {
  return hidesNumber || (usual && !phoneOnly);
}

export function addressesOf(account: Account, byLid: boolean): { jid: string; other: string | undefined } {
  const { lidJid, pnJid, hidesNumber, phoneOnly } = account;
  return namesByLid(account, byLid)
    ? { jid: lidJid, other: hidesNumber ? undefined : pnJid }
    : { jid: pnJid, other: phoneOnly ? undefined : lidJid };
}
