import type { BinaryNode } from "baileys";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { jidOfPerson } from "../addressing/jids.ts";
import { asAttempted, failureOfCode } from "../session/network-failures.ts";
import { ringingCallsOf } from "../memory/ringing-calls.ts";
import type { SessionContext } from "../session/session-context.ts";
import { unanswered } from "./failures.ts";
import type { CommandHandlers } from "./command-handlers.ts";

const NOT_FOUND = 404;

export const callCommands: CommandHandlers<"calls"> = {
  "calls.reject": async (ctx, { call_id, from }) => {
    const calls = ringingCallsOf(ctx.session);
    // The offer's JID is unknown when another bridge received the call (docs/internals/durability.md, "Wire protocol: messages and
    // receipts").
    const caller = calls.find(call_id)?.from ?? jidOfPerson(from, "lid");
    if (caller === null) return fail("call_not_found");
    // Recorded first, so that the end of this call is not reported as an event (docs/use/connection-api.md, "Changes").
    calls.rejected(call_id);
    const done = await reject(ctx, call_id, caller);
    if (!done.ok && done.failure.code !== "network_timeout") calls.notRejected(call_id);
    return done;
  },
};

/** The library's `rejectCall` treats a missing answer and an error as success. */
async function reject(ctx: SessionContext, callId: string, caller: string): Promise<Outcome<Record<string, never>>> {
  const from = ctx.auth.creds.me?.id ?? "";
  const content = [{ tag: "reject", attrs: { "call-id": callId, "call-creator": caller, count: "0" } }];
  const answer = (await ctx.sock.query({ tag: "call", attrs: { from, to: caller }, content })) as BinaryNode | undefined;
  if (answer === undefined) return fail(unanswered("change"));
  const error = Number(answer.attrs["error"] ?? 0);
  if (error === NOT_FOUND) return fail("call_not_found");
  return error === 0 ? { ok: true, value: {} } : fail(asAttempted(failureOfCode(error, "person")));
}
