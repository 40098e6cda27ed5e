import type { ChatId } from "@gateway/protocol/ids.ts";
import { boundedCache, perSession } from "../session/per-session.ts";

export const disappearingTimersOf = perSession(() => boundedCache<ChatId, number>(1_000));
