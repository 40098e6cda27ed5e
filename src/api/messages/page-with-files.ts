// A page of messages with the content of their files (`downloadMedia`), streamed so that at most one chunk of one file is in memory.
import { LIMITS } from "@gateway/domain/limits.ts";
import { streamBase64Json } from "../../http/body/base64-decoder.ts";
import type { MessageRecord } from "@gateway/protocol/records.ts";
import { openMedia } from "../../services/media/open.ts";
import type { Context } from "../context.ts";
import { VIEWS } from "../account/style.ts";

const { show } = VIEWS.message;
type MessageView = ReturnType<typeof show>;
type Page = { items: readonly MessageRecord[]; next_cursor: string | null };

export function pageWithFiles(page: Page, context: Context): ReadableStream<Uint8Array> {
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

/** null once the budget of 25 MB of Base64 characters is used up. */
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

/** The message's JSON, split into the parts before and after the Base64 content. */
function aroundContent(shown: MessageView): [before: string, after: string] {
  const { media, ...rest } = shown;
  const head = JSON.stringify(rest).slice(0, -1);
  return [`${head},"media":${JSON.stringify(media).slice(0, -1)},"base64":"`, '"}}'];
}
