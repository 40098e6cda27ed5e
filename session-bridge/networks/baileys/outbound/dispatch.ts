// Prepares a message and hands it to the library. `relay` must report a failure only if nothing was sent.
import { type BinaryNode, WAMessageAddressingMode } from "baileys";
import type { SendRequest } from "@gateway/protocol/content.ts";
import { fail, type Failure, type Outcome } from "@gateway/protocol/failures.ts";
import { resolveRecipient, type Recipient } from "../addressing/recipient.ts";
import { putSent } from "../durability/sent-messages.ts";
import { groupsOf } from "../memory/group-cache.ts";
import { pollsOf } from "../memory/polls.ts";
import { sendChatState } from "../queries/network-query.ts";
import { asAttempted, failureOfError, networkCode } from "../session/network-failures.ts";
import type { SessionContext } from "../session/session-context.ts";
import { buildMessage } from "./builders/build-message.ts";
import { awaitSalt, firstContactToken } from "./first-contact-token.ts";
import { prepareSessions } from "./large-groups.ts";
import type { PendingSend, WireMessage } from "./pending-send.ts";
import { statusAudienceOf } from "./status-audience.ts";

export type Prepared = { recipient: Recipient; wire: WireMessage };

/** Performs all checks that precede a send. `done` means that an IQ query has made the change (a group's timer) instead. */
export async function prepare(ctx: SessionContext, send: PendingSend): Promise<Outcome<Prepared | "done">> {
  const { request } = send;
  const found = await resolveRecipient(ctx, request.chat_id);
  if (!found.ok) return found;
  const audience = found.value.subject === "status" ? await statusAudienceOf(ctx, request) : null;
  if (audience && !audience.ok) return audience;
  const recipient = { ...found.value, ...(audience && { audience: audience.value }) };
  const group = recipient.subject === "group" ? await groupsOf(ctx.session).load(ctx, recipient.jid) : null;
  if (group && !group.ok) return group;
  if (group && request.content.kind === "disappearing") return toggleDisappearing(ctx, recipient.jid, request.content.seconds);
  await awaitSalt(ctx, recipient);
  const isWanted = (): boolean => send.stage === "preparing";
  const members = group?.value.participants.map(({ id }) => id) ?? recipient.audience ?? [];
  await prepareSessions(ctx, { members, group: group === null ? null : recipient.jid, isWanted });
  await showTyping(ctx, send, recipient);
  const byLid = group?.value.addressingMode === WAMessageAddressingMode.LID;
  const groupTimer = group?.value.ephemeralDuration;
  const wire = await buildMessage({ ctx, request, recipient, byLid, groupTimer, isWanted });
  return wire.ok ? { ok: true, value: { recipient, wire: wire.value } } : wire;
}

/** Returns null if the message may be on the wire, and a failure if it was certainly not sent, as when `beforeWrite` throws. */
export async function relay(
  ctx: SessionContext,
  request: SendRequest,
  { recipient, wire }: Prepared,
  beforeWrite: () => void,
): Promise<Failure | null> {
  const { message, attributes, tags } = wire;
  const { message_id: id } = request;
  const peer = recipient.lidJid !== null && { peer_recipient_pn: recipient.jid };
  const record = (): void => {
    beforeWrite();
    putSent(ctx.rows, id, { jid: recipient.jid, message });
  };
  const isChannel = recipient.subject === "channel";
  const additionalAttributes = {
    ...attributes,
    ...peer,
    // Records only a channel's message, because the library reads the id of a group's message too early, before its key queries.
    get id() {
      if (isChannel) record();
      return id;
    },
  };
  if (request.content.kind === "poll") pollsOf(ctx.session).store(ctx.rows, id, { fromMe: true, sender: null }, message);
  try {
    const token = await firstContactToken(ctx, recipient);
    await ctx.sock.relayMessage(recipient.lidJid ?? recipient.jid, message, {
      messageId: id,
      additionalAttributes,
      additionalNodes: readOnce([...Object.entries(tags).map(([tag, attrs]): BinaryNode => ({ tag, attrs })), ...token], record),
      ...(recipient.audience && { statusJidList: recipient.audience }),
    });
    return null;
  } catch (error) {
    // Nothing was sent, because writing is the library's last step and the output gate accepts every write.
    return failureOfError(error, recipient.subject);
  }
}

/** Calls `onRead` in the library's step that writes the stanza (docs/internals/baileys.md, "Hooks into the libraries"). */
function readOnce(nodes: BinaryNode[], onRead: () => void): BinaryNode[] {
  let isRead = false;
  return new Proxy(nodes, {
    get: (target, key, receiver) => {
      if (!isRead) {
        isRead = true;
        onRead();
      }
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
}

async function toggleDisappearing(ctx: SessionContext, jid: string, seconds: number): Promise<Outcome<"done">> {
  try {
    await ctx.sock.groupToggleEphemeral(jid, seconds);
    groupsOf(ctx.session).change(jid, { ephemeralDuration: seconds });
    return { ok: true, value: "done" };
  } catch (error) {
    const failure = failureOfError(error, "group");
    return fail(networkCode(error) === null ? failure : asAttempted(failure));
  }
}

async function showTyping(ctx: SessionContext, send: PendingSend, { jid, lidJid, subject }: Recipient): Promise<void> {
  const { typing_ms, content } = send.request;
  if (typing_ms === 0 || subject === "channel" || subject === "status") return;
  await sendChatState(ctx, lidJid ?? jid, content.kind === "voice" ? "recording" : "typing").catch(() => undefined);
  const { promise: elapsed, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => resolve(), typing_ms);
  await Promise.race([elapsed, send.settled]);
  clearTimeout(timer);
}
