import { type Outcome, fail } from "@gateway/protocol/failures.ts";
import type { ChatId } from "@gateway/protocol/ids.ts";
import { registeredNumbersOf } from "../addressing/registered-numbers.ts";
import { setOwnPresence, presenceSubscriptionsOf } from "../memory/presence.ts";
import type { SessionContext } from "../session/session-context.ts";
import { type CommandHandlers, failureWithoutReply } from "./command-handlers.ts";
import type { BinaryNode } from "baileys";
import { jidOfPerson } from "../addressing/jids.ts";
import { asAttempted, failureOfCode } from "../session/network-failures.ts";
import { ringingCallsOf } from "../memory/ringing-calls.ts";

export const presenceCommands: CommandHandlers<"presence"> = {
  "presence.set": (ctx, { presence }) => setOwnPresence(ctx, presence),

  "presence.subscribe": async (ctx, { chat_ids, wait_ms }) => {
    const found = await chatsOnNetwork(ctx, chat_ids);
    if (!found.ok) return found;
    const subscriptions = presenceSubscriptionsOf(ctx.session);
    const present = found.value.filter((chatId) => chatId !== null);
    const replies = wait_ms === 0 ? [] : present.map((chatId) => subscriptions.nextPresence(chatId, wait_ms));
    for (const chatId of present) await subscriptions.subscribe(ctx, chatId);
    await Promise.all(replies);
    return { ok: true, value: { chat_ids: found.value } };
  },

  "presence.unsubscribe": async (ctx, { chat_id }) => {
    await presenceSubscriptionsOf(ctx.session).unsubscribe(ctx, chat_id);
    return { ok: true, value: {} };
  },
};

/** Uses the network's form of each number. Null for numbers without an account, which never report presence. */
async function chatsOnNetwork(ctx: SessionContext, chatIds: readonly ChatId[]): Promise<Outcome<(ChatId | null)[]>> {
  const phones = chatIds.flatMap((chatId) => phoneIn(chatId) ?? []);
  const found = await registeredNumbersOf(ctx.session).lookUpAll(ctx, phones);
  if (!found.ok) return found;
  const chatIdByNumber = (phone: string): ChatId | null => {
    const number = found.value.get(phone) ?? null;
    return number === null ? null : `${number}@c.us`;
  };
  const chats = chatIds.map((chatId) => {
    const phone = phoneIn(chatId);
    return phone === null ? chatId : chatIdByNumber(phone);
  });
  return { ok: true, value: chats };
}

function phoneIn(chatId: ChatId): string | null {
  return chatId.endsWith("@c.us") ? chatId.slice(0, chatId.indexOf("@")) : null;
}

const NO_SUCH_CALL = 404;

export const callCommands: CommandHandlers<"calls"> = {
  "calls.reject": async (ctx, { call_id, from }) => {
    const calls = ringingCallsOf(ctx.session);
    // The offer's JID is unknown when another bridge received the call (docs/internals/wire-protocol.md, "Messages and receipts").
    const caller = calls.find(call_id)?.from ?? jidOfPerson(from, "lid");
    if (caller === null) return fail("call_not_found");
    // Recorded first, so that the end of this call is not reported as an event (docs/use/connection-api.md, "Changes").
    calls.rejected(call_id);
    const done = await reject(ctx, call_id, caller);
    if (!done.ok && done.failure.code !== "network_timeout") calls.notRejected(call_id);
    return done;
  },
};

/** The library's `rejectCall` treats a missing response and an error as success. */
async function reject(ctx: SessionContext, callId: string, caller: string): Promise<Outcome<Record<string, never>>> {
  const from = ctx.auth.creds.me?.id ?? "";
  const content = [{ tag: "reject", attrs: { "call-id": callId, "call-creator": caller, count: "0" } }];
  const reply = (await ctx.sock.query({ tag: "call", attrs: { from, to: caller }, content })) as BinaryNode | undefined;
  if (reply === undefined) return fail(failureWithoutReply("change"));
  const error = Number(reply.attrs["error"] ?? 0);
  if (error === NO_SUCH_CALL) return fail("call_not_found");
  return error === 0 ? { ok: true, value: {} } : fail(asAttempted(failureOfCode(error, "person")));
}
