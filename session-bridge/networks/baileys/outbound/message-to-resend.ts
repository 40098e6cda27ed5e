import type { proto, WAMessageKey } from "baileys";
import { addressOf, isPerson } from "../addressing/jids.ts";
import { lidMappingOf, type LidMapping } from "../addressing/lid-mapping.ts";
import { fetchSent } from "../durability/sent-messages.ts";
import type { NetworkSession } from "../session/session-context.ts";

/** The message that a retry receipt asks for. Its chat must match, because anybody can guess the id of a message to somebody else. */
export async function messageToResend(
  session: NetworkSession,
  { id, remoteJid }: Pick<WAMessageKey, "id" | "remoteJid">,
): Promise<proto.IMessage | undefined> {
  const sent = typeof id === "string" ? await fetchSent(session.rows, id) : null;
  return sent !== null && isSameChat(lidMappingOf(session), sent.jid, remoteJid) ? sent.message : undefined;
}

function isSameChat(lids: LidMapping, jid: string, otherJid: string | null | undefined): boolean {
  const [one, other] = [addressOf(jid), addressOf(otherJid)];
  if (!isPerson(one) || !isPerson(other)) return one !== null && jid === otherJid;
  if (one.kind === other.kind) return one.user === other.user;
  const [lid, phone] = one.kind === "lid" ? [one.user, other.user] : [other.user, one.user];
  return lids.phoneOf(lid) === phone || lids.lidOf(phone) === lid;
}
