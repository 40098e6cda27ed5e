// The file of a message.
import { z } from "@hono/zod-openapi";
import { MediaAnswer } from "./messages.ts";
import { NETWORK_FAILURES } from "../failure-lists.ts";
import { chatId, messageId } from "../fields.ts";
import { instanceId } from "../account/fields.ts";
import { answerMedia, MediaFormat } from "../messages/media-answer.ts";
import { operation } from "../account/route.ts";

export const messageMediaRoutes = [
  operation({
    name: "getMessageMedia",
    effect: "read",
    method: "get",
    path: "/instances/{instanceId}/chats/{chatId}/messages/{messageId}/media",
    scope: "read",
    operation: "messages.media",
    noStore: true,
    binary: true,
    summary: "The file of a message: its bytes, Base64 or a link",
    description: "A file that is no longer stored is fetched from the network again, as long as the network or the phone has it.",
    failures: [...NETWORK_FAILURES, "message_not_found", "media_expired"],
    params: z.object({ instanceId, chatId, messageId }),
    query: z.object({ format: MediaFormat }),
    input: ({ params }) => ({ chat_id: params.chatId, message_id: params.messageId }),
    response: MediaAnswer,
    render: (file, context, { query }) => answerMedia(context, file, query.format),
  }),
];
