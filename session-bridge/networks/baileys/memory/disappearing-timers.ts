// Disappearing timers of direct chats: a message sent without it would stay in a chat whose other messages disappear. Groups have theirs in
// the metadata.
import type { ChatId } from "@gateway/protocol/ids.ts";
import { boundedCache } from "../session/bounded-cache.ts";
import { perSession } from "../session/per-session.ts";

/** Seconds, by chat; none when it is unknown. */
export const disappearingTimersOf = perSession(() => boundedCache<ChatId, number>(1_000));
