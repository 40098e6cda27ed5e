import { LIMITS } from "@gateway/domain/limits.ts";
import type { MessageRecord } from "@gateway/protocol/records.ts";
import { documented, says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { historyOf } from "#root/src/http/chat-history.ts";
import { INERT, fileHeaders } from "#root/src/http/file-headers.ts";
import { chatId, cursor, limit, optionalBoolean, timestamp, messageId } from "../fields.ts";
import { page } from "../responses.ts";
import { instanceId, queryBoolean } from "../account/fields.ts";
import { route } from "../route.ts";
import { VIEWS } from "../account/style.ts";
import { streamBase64Json } from "#root/src/http/body/base64-stream.ts";
import { englishFailure } from "#root/src/http/english-failure.ts";
import { openMedia } from "#root/src/services/media/open.ts";
import { NETWORK_FAILURES } from "../failure-lists.ts";
import { linkTo, MediaResponse, MESSAGE_PATH, messageOf } from "./messages.ts";
import type { Context } from "../context.ts";

// A page of messages with their files' content (`downloadMedia`), streamed with at most one chunk of one file in memory.
const { show } = VIEWS.message;
type MessageView = ReturnType<typeof show>;
type Page = { items: readonly MessageRecord[]; next_cursor: string | null };

function pageWithFiles(page: Page, context: Context): ReadableStream<Uint8Array> {
  const chunks = chunksOf(page, context);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await chunks.return(undefined);
    },
  });
}

async function* chunksOf({ items, next_cursor }: Page, context: Context): AsyncGenerator<Uint8Array, void> {
  const utf8 = new TextEncoder();
  let left: number = LIMITS.bodyBytes;
  yield utf8.encode('{"data":[');
  for (const [index, record] of items.entries()) {
    if (index > 0) yield utf8.encode(",");
    const shown = show(record, context);
    const file = await fileOf(record, context, left);
    if (file === null) {
      yield utf8.encode(JSON.stringify(withoutContent(shown)));
      continue;
    }
    left -= file.letters;
    const [before, after] = aroundContent(shown);
    yield* streamBase64Json(file.body, before, after);
  }
  yield utf8.encode(`],"next_cursor":${JSON.stringify(next_cursor)}}`);
}

/** Returns null once the budget of 25 MB of Base64 characters is used up. */
async function fileOf(
  { media }: MessageRecord,
  { c, now }: Context,
  left: number,
): Promise<{ body: ReadableStream; letters: number } | null> {
  if (media === null || media.token === null || left <= 0) return null;
  const opened = await openMedia(c.env.MEDIA, media.token, now);
  if (opened === null) return null;
  const letters = Math.ceil(opened.sizeBytes / 3) * 4;
  if (letters <= left) return { body: opened.body, letters };
  await opened.body.cancel();
  return null;
}

function withoutContent(shown: MessageView): object {
  return shown.media === null ? shown : { ...shown, media: { ...shown.media, base64: null } };
}

/** Splits the message's JSON into the parts before and after the Base64 content. */
function aroundContent(shown: MessageView): [before: string, after: string] {
  const { media, ...rest } = shown;
  const head = JSON.stringify(rest).slice(0, -1);
  return [`${head},"media":${JSON.stringify(media).slice(0, -1)},"base64":"`, '"}}'];
}

export const accountMediaRoute = route({
  name: "getMessageMedia",
  effect: "read",
  method: "get",
  path: `/instances/{instanceId}${MESSAGE_PATH}/media`,
  scope: "read",
  operation: "messages.media",
  noStore: true,
  binary: true,
  summary: documented({
    en: "The file of a message: its bytes, Base64 or a link",
    pt: "O arquivo de uma mensagem: os bytes, base64 ou um link",
  }),
  description: documented({
    en: "If the gateway no longer stores the file, it fetches it again from WhatsApp, as long as WhatsApp or the phone has it.",
    pt: "Se o gateway não guarda mais o arquivo, baixa de novo do WhatsApp, enquanto o WhatsApp ou o celular ainda tiver uma cópia.",
  }),
  failures: [...NETWORK_FAILURES, "message_not_found", "media_expired"],
  params: z.object({ instanceId, chatId, messageId }),
  query: z.object({ format: z.enum(["binary", "base64", "url"]).default("binary") }),
  input: messageOf,
  response: MediaResponse,
  render: async (file, { c, appUrl, now }, { query }) => {
    if (query.format === "url") return linkTo(file, appUrl);
    const { mimetype, filename } = file;
    const media = await openMedia(c.env.MEDIA, file.token, now);
    if (media === null) return englishFailure(c, "media_expired");
    if (query.format === "base64") {
      const body = streamBase64Json(media.body, '{"data":{"base64":"', `","mimetype":${JSON.stringify(mimetype)}}}`);
      return c.body(body, 200, { ...INERT, "Content-Type": "application/json" });
    }
    return c.body(media.body, 200, { ...fileHeaders(mimetype, filename, { shown: false }), "Content-Length": String(media.sizeBytes) });
  },
});

const messages = page(VIEWS.message);

export const chatHistoryRoute = route({
  name: "listChatMessages",
  effect: "read",
  method: "get",
  path: "/instances/{instanceId}/chats/{chatId}/messages",
  scope: "read",
  operation: "messages.list",
  counted: true,
  noStore: true,
  summary: documented({ en: "Messages of a chat, newest first", pt: "Mensagens de uma conversa, da mais recente à mais antiga" }),
  description: documented({
    en: "An unknown chat has no messages. `cursor` continues after the previous page.",
    pt: "Uma conversa desconhecida não tem mensagens. `cursor` continua depois da página anterior.",
  }),
  params: z.object({ instanceId, chatId }),
  query: z.object({
    limit,
    downloadMedia: queryBoolean.optional().openapi({
      type: "boolean",
      ...says({
        en: "Includes the content of files as Base64, 25 MB in all",
        pt: "Inclui o conteúdo dos arquivos em base64, até 25 MB ao todo",
      }),
    }),
    cursor,
    before: timestamp.optional(),
    after: timestamp.optional(),
    from_me: optionalBoolean,
    type: z.string().max(64).optional(),
    q: z.string().max(200).optional(),
  }),
  input: ({ params, query }) => historyOf(params.chatId, query),
  response: messages.response,
  render: (found, context, { query }) => {
    if (query.downloadMedia !== true) return messages.render(found, context);
    const body = pageWithFiles(found, context);
    return context.c.body(body, 200, { ...INERT, "Content-Type": "application/json" });
  },
});
