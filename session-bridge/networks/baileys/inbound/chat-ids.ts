import type { ChatId } from "../../../../src/protocol/ids.ts";
import { addressOf, asChatId, isPerson, personChat } from "../addressing/jids.ts";
import { lidMappingOf } from "../addressing/lid-mapping.ts";
import type { NetworkSession } from "../session/session-context.ts";

/** The chat a jid names, by phone when it is known; null when it is nobody's. */
export function chatIdOf(ctx: { readonly session: NetworkSession }, jid: string | null | undefined): ChatId | null {
  const address = addressOf(jid);
  if (address === null) return null;
  if (!isPerson(address)) return asChatId(address.id);
  const person = lidMappingOf(ctx.session).person(jid);
  return person && personChat(person);
}
