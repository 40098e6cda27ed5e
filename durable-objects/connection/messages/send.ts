// The operation that sends a message: checks it, stores its files, then paces it. It never dispatches a send itself: the outbox does.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { chatKind, personOf } from "@gateway/protocol/ids.ts";
import type { SendRequest } from "@gateway/protocol/content.ts";
import { fail, type Failed, type Failure, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { type SendWindow, sendWindowOf } from "@gateway/domain/messages/send-window.ts";
import { type Block, HELD_MAX_MS, holdOf } from "@gateway/domain/messages/reachability.ts";
import { accept } from "../waiting/accept-waiting.ts";
import { fileFailure, filesOf, limitFailure } from "@gateway/domain/cloud/request.ts";
import type { ConnectionKind, OperationInput } from "@gateway/protocol/operations.ts";
import type { StoredMessage } from "./message-record.ts";
import { newMessageId } from "./message-ids.ts";
import { earlierSend } from "../outbox/earlier-send.ts";
import type { SendDetails } from "../outbox/outbox-rows.ts";
import { extraFileMs, filesIn, hasPending } from "../files/call-files.ts";
import type { HandlersOf } from "../handlers.ts";
import type { MessageDependencies } from "./dependencies.ts";

type SendInput = OperationInput<"messages.send">;

export function messageSendHandlers(deps: MessageDependencies): HandlersOf<"messages.send"> {
  return {
    "messages.send": async (input, { call, messageId, files, now }) => {
      const chosenId = input.message_id ?? messageId;
      const id = chosenId ?? newMessageId();
      const contentDigest = input.message_id === null ? null : digestOf(input, call.fingerprint);
      // Looked up before files are stored, because a repeated send does not need its file again.
      const earlier = chosenId === null ? null : earlierSend(deps, id, contentDigest, now);
      if (earlier !== null) return earlier;
      const sendWindow = input.delivery == null ? null : sendWindowOf(input.delivery, now);
      if (sendWindow?.ok === false) return sendWindow;
      const checks = CHECKS[deps.identity.kind];
      const request = requestOf(deps, input, id);
      if (!request.ok) return request;
      const exceeded = checks.content(request.value);
      if (exceeded !== null) return exceeded;
      const { extraMs, blocked } =
        sendWindow === null ? await firstContact(deps, request.value) : laterContact(deps, sendWindow.value, now);
      if (blocked !== null) return fail(blocked);
      const complete = await files.storeInto(request.value, extraMs === null ? null : { extraMs });
      if (!complete.ok) return complete;
      const discardFiles = () => deps.removedFiles.discard(filesIn(complete.value));
      const unfit = checks.files(complete.value);
      if (unfit !== null) {
        discardFiles();
        return unfit;
      }
      const to = input.to ?? personOf(request.value.chat_id)?.phone ?? null;
      const details: SendDetails = { to, reference: input.reference, source: input.source, content: contentDigest };
      if (sendWindow !== null) return accept(deps, complete.value, details, sendWindow.value, Date.now());
      const outcome = await deps.pacing.paced(request.value, Date.now(), {
        send: async () => {
          if (chosenId === null) return deps.outbox.sendNew(complete.value, details, Date.now());
          // Looked up again, because another call with this id may have sent while this call's file was being stored.
          const meanwhile = earlierSend(deps, id, contentDigest, Date.now());
          if (meanwhile === null) return deps.outbox.send(complete.value, details, Date.now());
          discardFiles();
          return meanwhile;
        },
        blocked: (block) => {
          const held = heldIn(deps, block, Date.now());
          return held === null ? fail(block.failure) : accept(deps, complete.value, details, held, Date.now());
        },
      });
      if (!outcome.ok && !deps.outbox.knows(id)) discardFiles();
      return outcome;
    },
  };
}

type Check = (request: SendRequest) => Failed | null;

/** Checks for each kind of number: the content before anything is stored, and the files once they are stored. */
const CHECKS: Readonly<Record<ConnectionKind, { content: Check; files: Check }>> = {
  session: { content: () => null, files: () => null },
  cloud_api: { content: ({ content }) => limitFailure(content), files: unfitFile },
};

function unfitFile({ content }: SendRequest): Failed | null {
  return (
    filesOf(content)
      .map((file) => fileFailure(file))
      .find((failure) => failure !== null) ?? null
  );
}

/** Digest that detects when a message id is reused for other content. The fingerprint of the whole request covers its files. */
function digestOf({ to, chat_id, content, quoted_message_id, mentions, mention_all }: SendInput, fingerprint: string): string {
  const file = hasPending(content) ? fingerprint : null;
  const facts = [chat_id ?? `${to}@c.us`, content, quoted_message_id, mentions, mention_all, file];
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify(facts))));
}

function requestOf(deps: MessageDependencies, input: SendInput, messageId: string): Outcome<SendRequest> {
  const chatId = deps.stores.lids.chat(input.chat_id ?? `${input.to}@c.us`);
  const content = contentOf(deps, input.content);
  if (!content.ok) return content;
  const quoted = input.quoted_message_id === null ? null : quotedIn(deps, chatId, input.quoted_message_id);
  // Refuses a send that quotes an unknown message, instead of silently dropping the quote (docs/use/apis.md, "Sending").
  if (input.quoted_message_id !== null && quoted === null) return fail("quoted_message_not_found");
  const timer = chatKind(chatId) === "direct" ? deps.stores.chats.disappearingSeconds(chatId) : 0;
  return succeed({
    message_id: messageId,
    chat_id: chatId,
    ...(timer > 0 && { disappearing_seconds: timer }),
    content: content.value,
    quoted,
    mentions: input.mentions.map((phone) => ({ phone, lid: null })),
    mention_all: input.mention_all,
    typing_ms: input.typing_ms,
    status: null,
  });
}

function contentOf({ stores }: MessageDependencies, content: SendInput["content"]): Outcome<SendRequest["content"]> {
  switch (content.kind) {
    case "forward_of": {
      const source = usable(stores.messages.find(content.message_id, stores.lids.chat(content.chat_id)));
      return source === null ? fail("source_message_not_found") : succeed({ kind: "forward", raw: source.raw });
    }
    case "invite_to": {
      const group = stores.groups.get(content.group_id);
      if (group === null) return fail("group_not_found");
      return succeed({ kind: "group_invite", group_id: content.group_id, subject: group.subject, text: content.text });
    }
    default:
      return succeed(content);
  }
}

/** Looks for the quoted message in this chat and, for a private reply, in other chats. */
function quotedIn({ stores }: MessageDependencies, chatId: string, messageId: string): SendRequest["quoted"] {
  return usable(stores.messages.find(messageId, chatId) ?? (chatKind(chatId) === "direct" ? stores.messages.find(messageId, null) : null));
}

/** The message as a quote. Null if its network encoding is missing, which quotes and forwards require. */
function usable(found: StoredMessage | null): SendRequest["quoted"] {
  return found === null || found.raw === null || found.deleted ? null : { raw: found.raw, ref: found.ref };
}

type BeforeFiles = { extraMs: number | null; blocked: Failure | null };

function laterContact({ waiting }: MessageDependencies, sendWindow: SendWindow, now: number): BeforeFiles {
  return { extraMs: extraFileMs(sendWindow, now), blocked: waiting.refusal(0) };
}

/** Refuses a first message that would increase the risk of a ban. If the message may wait instead, its files are stored until then. */
async function firstContact(deps: MessageDependencies, { chat_id: chatId, content }: SendRequest): Promise<BeforeFiles> {
  const { limits, pacing } = deps;
  const isGuarded = pacing.guardsStartOf(chatId);
  if (isGuarded) await limits.get();
  const now = Date.now();
  const block = pacing.blockFor(chatId, content.kind === "template", now);
  const isHeld = block !== null && heldIn(deps, block, now) !== null;
  const blocked = isHeld ? deps.waiting.refusal(0) : (block?.failure ?? null);
  const mayBeHeld = isGuarded && pacing.settings.first_contacts === "hold";
  return { extraMs: mayBeHeld ? HELD_MAX_MS : null, blocked };
}

/** How long the owner's settings let a blocked first message wait, or null if it is refused instead. */
function heldIn({ pacing }: MessageDependencies, block: Block, now: number): SendWindow | null {
  return pacing.settings.first_contacts === "hold" ? holdOf(block, now) : null;
}
