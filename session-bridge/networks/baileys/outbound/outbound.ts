// What the session asks of this folder; outcomes of sends are events.
import type { Outbound } from "../session/session-context.ts";
import { sendsOf } from "./sends.ts";

export const send: Outbound["send"] = (ctx, request) => sendsOf(ctx.link).send(ctx, request);

export const recall: Outbound["recall"] = (link, messageIds) => sendsOf(link).recall(link, messageIds);

export const disconnected: Outbound["disconnected"] = (link) => sendsOf(link).disconnected(link);
