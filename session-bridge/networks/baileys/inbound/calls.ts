import type { WACallEvent } from "baileys";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import { asChatId, personChat } from "../addressing/jids.ts";
import { lidMappingOf } from "../addressing/lid-mapping.ts";
import { ringingCallsOf } from "../memory/ringing-calls.ts";
import { DEDUPE } from "../session/dedupe-keys.ts";
import type { SessionContext } from "../session/session-context.ts";

type CallStatus = Extract<NetworkEvent, { type: "call" }>["status"];

const STATUSES: Partial<Record<WACallEvent["status"], CallStatus>> = {
  offer: "received",
  accept: "accepted",
  reject: "rejected",
  timeout: "ended",
  terminate: "ended",
};

export function callChanged(
  ctx: SessionContext,
  { id, chatId, from, callerPn, groupJid, isVideo, status: networkStatus, date }: WACallEvent,
): void {
  const status = STATUSES[networkStatus];
  if (status === undefined || !id) return;
  const calls = ringingCallsOf(ctx.session);
  const person = lidMappingOf(ctx.session).person(from || chatId, callerPn);
  if (person === null) return;
  if (status === "received") calls.add(id, { from, at: ctx.now() });
  else calls.remove(id);
  // Calls rejected through the API are not reported as events (docs/use/connection-api.md, "Changes").
  if (status !== "received" && calls.wasRejectedHere(id)) return;
  const group = groupJid === undefined ? null : asChatId(groupJid);
  ctx.emit([
    {
      key: DEDUPE.call(id, status),
      event: {
        type: "call",
        call_id: id,
        chat_id: group ?? personChat(person),
        from: person,
        is_video: isVideo === true,
        is_group: group !== null,
        status,
        timestamp: Math.floor(date.getTime() / 1000),
      },
    },
  ]);
}
