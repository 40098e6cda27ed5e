import { WAMessageAddressingMode, type proto, type WAMessageKey } from "baileys";
import type { MessageRange } from "@gateway/protocol/commands.ts";
import type { MessageRef } from "@gateway/protocol/content.ts";
import { groupsOf } from "./group-cache.ts";
import { jidOfChat, jidOfPerson } from "../addressing/jids.ts";
import { lidMappingOf } from "../addressing/lid-mapping.ts";
import type { NetworkSession } from "../session/session-context.ts";

/** Null for a group message whose author has no known address. */
export function keyInChat(session: NetworkSession, { chat_id, message_id, from_me, participant }: MessageRef): WAMessageKey | null {
  const remoteJid = jidOfChat(chat_id);
  if (from_me || !chat_id.endsWith("@g.us")) return { remoteJid, id: message_id, fromMe: from_me };
  const byLid = groupsOf(session).get(remoteJid)?.addressingMode === WAMessageAddressingMode.LID;
  const author = participant === null ? null : authorJid(session, participant, byLid ? "lid" : "pn");
  return author === null ? null : { remoteJid, id: message_id, fromMe: false, participant: author };
}

export function authorJid(
  session: NetworkSession,
  { phone, lid }: NonNullable<MessageRef["participant"]>,
  prefer: "pn" | "lid",
): string | null {
  const lids = lidMappingOf(session);
  return jidOfPerson(
    { phone: phone ?? (lid === null ? null : lids.phoneOf(lid)), lid: lid ?? (phone === null ? null : lids.lidOf(phone)) },
    prefer,
  );
}

/** The message range of an app-state change. Built here, because the library's own form omits the timestamps. */
export function rangeOf(session: NetworkSession, range: MessageRange): proto.SyncActionValue.ISyncActionMessageRange {
  const messages = range.flatMap(({ ref, timestamp }) => {
    const key = keyInChat(session, ref);
    return key === null ? [] : [{ key, timestamp }];
  });
  return { messages, ...(range[0] && { lastMessageTimestamp: range[0].timestamp }) };
}
