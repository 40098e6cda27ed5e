// What the number shows of itself.
import { z } from "zod";

export const OwnPresence = z.enum(["online", "offline"]);
export type OwnPresence = z.infer<typeof OwnPresence>;
