// What the session asks of this folder; outcomes of sends are events.
import { memoryOf } from "../session-memory.ts";
import type { Outbound } from "../session-context.ts";

export { runCommand } from "../commands/commands.ts";

export const send: Outbound["send"] = (ctx, request) => memoryOf(ctx.link).sends.send(ctx, request);

export const recall: Outbound["recall"] = (link, messageIds) => memoryOf(link).sends.recall(link, messageIds);

export const disconnected: Outbound["disconnected"] = (link) => memoryOf(link).sends.disconnected(link);
