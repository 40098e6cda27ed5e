// A file that goes out: fetched from the worker, kept while the library encrypts and uploads it.
import type { WAMediaUpload } from "baileys";
import type { MediaRef } from "../../../../src/protocol/content.ts";
import { fail, type Outcome } from "../../../../src/protocol/failures.ts";
import type { StoredMedia } from "../../../../src/protocol/message.ts";
import { Spool } from "./spool.ts";
import type { SessionContext } from "../session/session-context.ts";
import { measure, type Measures } from "./image-size.ts";

/** Enough to find the measures of any picture format that is sent. */
const HEAD_BYTES = 64 * 1024;

export class OutgoingFile {
  readonly spool: Spool;
  /** The first bytes. */
  readonly head: Buffer;

  constructor(spool: Spool, head: Buffer) {
    this.spool = spool;
    this.head = head;
  }

  /** Null when it is no picture this code can read. */
  get measures(): Measures | null {
    return measure(this.head);
  }

  async upload(): Promise<WAMediaUpload> {
    return this.spool.bytes ?? { url: await this.spool.path() };
  }
}

/** Failures: `media_expired`, `media_too_large`, `unavailable`. The caller discards the spool. */
export async function fetchFile(ctx: SessionContext, { token }: MediaRef): Promise<Outcome<OutgoingFile>> {
  const opened = await ctx.media.open(token);
  if (!opened.ok) return opened;
  const spool = new Spool();
  const head: Buffer[] = [];
  let headSize = 0;
  try {
    for await (const chunk of opened.value.stream as AsyncIterable<Buffer>) {
      if (headSize < HEAD_BYTES) headSize += head.push(chunk) && chunk.length;
      await spool.write(chunk);
    }
  } catch {
    await spool.discard();
    return fail("unavailable");
  }
  return { ok: true, value: new OutgoingFile(spool, Buffer.concat(head)) };
}

/** The file as the stored message keeps it. */
export function storedMediaOf({ token, mimetype, filename, size }: MediaRef, measures: Measures | null = null): StoredMedia {
  return {
    token,
    mimetype,
    filename,
    size,
    sha256: null,
    duration_seconds: null,
    width: measures?.width ?? null,
    height: measures?.height ?? null,
  };
}
