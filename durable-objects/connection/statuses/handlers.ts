// Status posts (docs/use/apis.md, "Sending"): sent like messages, so stored first and confirmed once acknowledged.
import type { SendContent, SendRequest } from "@gateway/protocol/content.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { Person } from "@gateway/protocol/ids.ts";
import type { SendDetails } from "../outbox/outbox-rows.ts";
import { STATUS_FEED, STATUS_POST_SECONDS } from "./status-posts.ts";
import type { HandlersOf } from "../handlers.ts";
import type { MessageDependencies } from "../messages/dependencies.ts";
import { newMessageId } from "../messages/message-ids.ts";
import { filesIn } from "../files/call-files.ts";

/** Maximum number of recipients. The default is all saved contacts. */
const MAX_RECIPIENTS = 2_000;

type StatusStyle = Pick<NonNullable<SendRequest["status"]>, "background" | "font">;
const DEFAULT_STYLE: StatusStyle = { background: null, font: null };
/** The source is always the API, because the dashboard cannot post statuses. */
const DETAILS: SendDetails = { to: null, reference: null, source: "api", content: null };

export function statusHandlers({
  outbox,
  removedFiles,
  stores,
}: Pick<MessageDependencies, "outbox" | "removedFiles" | "stores">): HandlersOf<"statuses.post" | "statuses.remove" | "statuses.received"> {
  return {
    "statuses.post": async ({ content, background, font, recipients }, context) => {
      const id = context.messageId ?? newMessageId();
      // Looked up before files are stored, because a repeated post does not need its file again.
      const earlier = outbox.earlierOutcome(id, null, context.now);
      if (earlier !== null) return earlier;
      const audience = recipients?.map((phone) => ({ phone, lid: null })) ?? stores.contacts.savedPersons(MAX_RECIPIENTS);
      const complete = await context.files.storeInto(requestOf(id, content, { background, font }, audience));
      if (!complete.ok) return complete;
      stores.statusPosts.storeAudience(id, audience, Date.now());
      const sent = await outbox.send(complete.value, DETAILS, Date.now());
      if (!sent.ok && !outbox.knows(id)) removedFiles.discard(filesIn(complete.value));
      return sent;
    },

    "statuses.remove": async ({ message_id }, context) => {
      const post = stores.messages.find(message_id, STATUS_FEED);
      const expired = post === null || post.deleted || !post.ref.from_me || (post.timestamp + STATUS_POST_SECONDS) * 1000 <= Date.now();
      if (expired) return fail("message_not_found");
      const id = context.messageId ?? newMessageId();
      const audience = stores.statusPosts.audience(message_id) ?? stores.contacts.savedPersons(MAX_RECIPIENTS);
      const request = requestOf(id, { kind: "delete", target: post.ref }, DEFAULT_STYLE, audience);
      return withoutValue(await outbox.send(request, DETAILS, Date.now()));
    },

    "statuses.received": ({ limit }) => succeed({ items: stores.statusPosts.received(limit, Date.now()) }),
  };
}

function requestOf(messageId: string, content: SendContent, style: StatusStyle, recipients: Person[]): SendRequest {
  return {
    message_id: messageId,
    chat_id: STATUS_FEED,
    content,
    quoted: null,
    mentions: [],
    mention_all: false,
    typing_ms: 0,
    status: { ...style, recipients },
  };
}

function withoutValue(sent: Outcome<unknown>): Outcome<Record<string, never>> {
  return sent.ok ? succeed({}) : sent;
}
