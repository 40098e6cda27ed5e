// Which one-to-one chats have a disappearing timer: a message without it would stay in a chat whose other messages go. Groups carry
// theirs in the metadata.
import type { ChatId } from "../../../../src/protocol/ids.ts";
import { boundedCache } from "../session/bounded-cache.ts";
import { perSession } from "../session/per-session.ts";

/** Seconds, by chat; a chat that is not in it has no timer as far as is known. */
export const disappearingTimersOf = perSession(() => boundedCache<ChatId, number>(1_000));
