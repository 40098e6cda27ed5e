// Answers retry receipts of phones in groups. The library would resend the message to the whole group, and first read all devices again.
import { extractE2ESessionFromRetryReceipt, getBinaryNodeChild, isJidGroup, jidDecode, type BinaryNode } from "baileys";
import { errorFacts } from "#bridge/log.ts";
import { lidMappingOf } from "../addressing/lid-mapping.ts";
import { boundedCache, perSession } from "../session/per-session.ts";
import type { SessionContext } from "../session/session-context.ts";
import { messageToResend } from "./message-to-resend.ts";

/** The library's own limit for each message and device. */
const MAX_RESENDS = 5;
const COUNTER_CACHE_SIZE = 2_000;

const resendsOf = perSession(() => boundedCache<string, number>(COUNTER_CACHE_SIZE));

/** Call it before the library gets the receipt, so that the library finds its limit reached. Await it to keep the receipt journaled. */
export function groupRetry(ctx: SessionContext, receipt: BinaryNode): Promise<void> | undefined {
  const { type, from, participant, id } = receipt.attrs;
  if (type !== "retry" || !isJidGroup(from) || participant === undefined || id === undefined) return undefined;
  if (jidDecode(participant)?.device || lidMappingOf(ctx.session).isOwn(participant)) return undefined;
  const name = `${id}:${participant}`;
  void ctx.retryCounters.set(name, MAX_RESENDS);
  const resends = resendsOf(ctx.session);
  const before = resends.get(name) ?? 0;
  if (before >= MAX_RESENDS) return undefined;
  resends.set(name, before + 1);
  return resend(ctx, { group: from ?? "", participant, id }, receipt);
}

type Asked = { group: string; participant: string; id: string };

async function resend(ctx: SessionContext, { group, participant, id }: Asked, receipt: BinaryNode): Promise<void> {
  const count = Number(getBinaryNodeChild(receipt, "retry")?.attrs["count"]) || 1;
  try {
    const message = await messageToResend(ctx.session, { remoteJid: group, id });
    if (message === undefined) return;
    if (!(await hasNewSession(ctx, participant, receipt))) await ctx.sock.assertSessions([participant], true);
    await ctx.sock.relayMessage(group, message, { messageId: id, participant: { jid: participant, count } });
  } catch (error) {
    ctx.logger.info({ ...errorFacts(error), messageId: id }, "send.not_resent");
  }
}

/** Uses the keys that a receipt contains, and returns false if it contains no valid ones. */
async function hasNewSession({ sock }: SessionContext, jid: string, receipt: BinaryNode): Promise<boolean> {
  try {
    const bundle = extractE2ESessionFromRetryReceipt(receipt);
    if (!bundle) return false;
    const { preKey, ...session } = bundle;
    await sock.signalRepository.injectE2ESession({ jid, session: { ...session, ...(preKey && { preKey }) } });
    return true;
  } catch {
    return false;
  }
}
