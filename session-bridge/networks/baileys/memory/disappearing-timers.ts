import type { ChatId } from "@gateway/protocol/ids.ts";
import { boundedCache } from "../session/bounded-cache.ts";
import { perSession } from "../session/per-session.ts";

export const disappearingTimersOf = perSession(() => boundedCache<ChatId, number>(1_000));
