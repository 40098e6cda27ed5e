// The LID of a person known by phone. The network wants messages to a person sent there, and no longer takes all of them by phone
// (docs/internals/sends.md, "Addressing").
import type { SessionContext } from "../session/session-context.ts";
import { addressOf, isPerson, userOf } from "./jids.ts";
import { lidMappingOf } from "./lid-mapping.ts";
import { registeredAmong } from "./registered-accounts.ts";

/** The network is asked for a LID that is not known here; null when it names none. */
export async function lidJidOf(ctx: SessionContext, phoneJid: string): Promise<string | null> {
  const phone = userOf(phoneJid);
  const own = lidMappingOf(ctx.session).own();
  if (phone === own.phone && own.lid !== null) return `${own.lid}@lid`;
  const { lidMapping } = ctx.sock.signalRepository;
  const lidJid = await lidMapping.getLIDForPN(phoneJid);
  if (lidJid !== null && phone !== null) await moveSession(ctx, phone, lidJid);
  return lidJid;
}

/**
 * Keeps the sessions that were made with the phone's address, under which nobody looks for them once the LID is known. Not while the pair
 * is being stored: a send that holds the lock may wait for that look-up.
 */
async function moveSession({ rows, sock }: SessionContext, phone: string, lidJid: string): Promise<void> {
  if (rows.get(`session|${phone}.0`) !== undefined) await sock.signalRepository.migrateSession(`${phone}@s.whatsapp.net`, lidJid);
}

/** The network says with its ack that what is known of this person's LID is out of date: it is asked by phone, which does not change. */
export async function refreshLid(ctx: SessionContext, jid: string): Promise<void> {
  const address = addressOf(jid);
  if (!isPerson(address)) return;
  const phone = address.kind === "phone" ? address.user : lidMappingOf(ctx.session).phoneOf(address.user);
  if (phone === null) return;
  await registeredAmong(ctx, [phone]);
  await lidJidOf(ctx, `${phone}@s.whatsapp.net`);
}
