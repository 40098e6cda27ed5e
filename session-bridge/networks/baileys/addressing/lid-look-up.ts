// Finds a person's LID by phone. The network refuses some messages addressed by phone (docs/internals/sends.md, "Addressing").
import type { SessionContext } from "../session/session-context.ts";
import { addressOf, isPerson, userOf } from "./jids.ts";
import { lidMappingOf } from "./lid-mapping.ts";
import { registeredAmong } from "./registered-numbers.ts";

export async function lidJidOf(ctx: SessionContext, phoneJid: string): Promise<string | null> {
  const phone = userOf(phoneJid);
  const own = lidMappingOf(ctx.session).own();
  if (phone === own.phone && own.lid !== null) return `${own.lid}@lid`;
  const { lidMapping } = ctx.sock.signalRepository;
  const lidJid = await lidMapping.getLIDForPN(phoneJid);
  if (lidJid !== null && phone !== null) await moveSession(ctx, phone, lidJid);
  return lidJid;
}

/** Moves the Signal sessions to the LID. Call it after the pair is stored, because a send holding their lock may wait for the pair. */
async function moveSession({ rows, sock }: SessionContext, phone: string, lidJid: string): Promise<void> {
  if (rows.get(`session|${phone}.0`) !== undefined) await sock.signalRepository.migrateSession(`${phone}@s.whatsapp.net`, lidJid);
}

/** Called when an ack shows that our LID for this person is stale. Looks up the new LID by phone number, which does not change. */
export async function refreshLid(ctx: SessionContext, jid: string): Promise<void> {
  const address = addressOf(jid);
  if (!isPerson(address)) return;
  const phone = address.kind === "phone" ? address.user : lidMappingOf(ctx.session).phoneOf(address.user);
  if (phone === null) return;
  await registeredAmong(ctx, [phone]);
  await lidJidOf(ctx, `${phone}@s.whatsapp.net`);
}
