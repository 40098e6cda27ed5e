import { LIMITS } from "@gateway/domain/limits.ts";
import { fail, type Failed, type Outcome } from "@gateway/protocol/failures.ts";
import { ByteBuffer } from "./byte-buffer.ts";
import { FileExtractor } from "./file-extractor.ts";
import { type Discard, DISCARD_OF_CALLERS, DISCARD_OF_STRANGERS, type IncomingBody } from "./incoming-body.ts";

type Taken = { ok: true } | Failed;

type Sink = {
  take(chunk: Uint8Array): "more" | "enough";
  /** Releases the bytes read so far, because the body is refused. */
  release(): void;
};

/** Passes the body on in chunks until `take` returns "enough", then discards the rest. */
async function takeChunks(
  body: IncomingBody,
  { limitBytes, discard }: { limitBytes: number; discard: Discard },
  sink: Sink,
): Promise<Taken> {
  const refused = async (failure: Failed): Promise<Failed> => {
    sink.release();
    await body.discard(discard);
    return failure;
  };
  const tooLarge = fail("body_too_large", { details: { limit_bytes: limitBytes } });
  if ((body.declaredBytes ?? 0) > limitBytes) return refused(tooLarge);
  let size = 0;
  for (;;) {
    const chunk = await body.next();
    if (chunk === null) return { ok: true };
    if (chunk === "overloaded") return refused(fail("unavailable"));
    if (chunk === "broken") {
      sink.release();
      body.leave();
      return fail("body_incomplete");
    }
    size += chunk.length;
    if (size > limitBytes) return refused(tooLarge);
    if (sink.take(chunk) === "more") continue;
    // A body that is too large is refused for its size, whatever its content, just as with a `Content-Length`.
    size += await body.discard(discard);
    return size > limitBytes ? tooLarge : { ok: true };
  }
}

function fed(digest: BodyDigest): Sink {
  return {
    take(chunk) {
      digest.update(chunk);
      return "more";
    },
    release: () => undefined,
  };
}

type BodyDigest = { update(chunk: Uint8Array): unknown };

/** Reads the fields of a form. The caller may not have a credential yet. */
export async function readForm(body: IncomingBody, limitBytes: number): Promise<{ ok: true; fields: URLSearchParams } | Failed> {
  const buffer = new ByteBuffer(0);
  const taken = await takeChunks(body, { limitBytes, discard: DISCARD_OF_STRANGERS }, fed({ update: (chunk) => buffer.append(chunk) }));
  if (!taken.ok) return taken;
  if (!isOfType(body.contentType, "application/x-www-form-urlencoded")) return fail("unsupported_media_type");
  return { ok: true, fields: new URLSearchParams(new TextDecoder().decode(buffer.bytes())) };
}

/** For routes without a body. Limits the size of whatever is sent, but does not parse it. */
export async function readNothing(body: IncomingBody, digest: BodyDigest): Promise<Taken> {
  return takeChunks(body, { limitBytes: LIMITS.bodyBytes, discard: DISCARD_OF_CALLERS }, fed(digest));
}

export type JsonRules = {
  limitBytes: number;
  files: number;
  discard: Discard;
  /** Message for a lone surrogate, in the API's language. */
  halfCharacter: string;
};

/** `release` must be called if the files are not needed. */
export type JsonBody = { ok: true; value: unknown; release: () => void } | Failed;

/** Parses a JSON body and passes its raw bytes to `digest`. Only the decoded files stay in memory. */
export async function readJson(body: IncomingBody, rules: JsonRules, digest: BodyDigest = NO_DIGEST): Promise<JsonBody> {
  const extractor = new FileExtractor(rules.files);
  const release = () => {
    extractor.release();
    body.leave();
  };
  let isEmpty = true;
  const taken = await takeChunks(body, rules, {
    take(chunk) {
      isEmpty &&= chunk.length === 0;
      digest.update(chunk);
      extractor.push(chunk);
      return extractor.excess === null ? "more" : "enough";
    },
    release,
  });
  if (!taken.ok) return taken;
  // An empty body is treated as `{}`, so that validation reports the missing fields.
  if (isEmpty) return { ok: true, value: {}, release };
  const json = await jsonOf(body, extractor, rules);
  if (!json.ok) release();
  return json.ok ? { ...json, release } : json;
}

async function jsonOf(body: IncomingBody, extractor: FileExtractor, { halfCharacter }: JsonRules): Promise<Outcome<unknown>> {
  if (!isOfType(body.contentType, "application/json")) return fail("unsupported_media_type");
  if (extractor.excess !== null) return fail("validation_error", { details: extractor.excess });
  if ((await body.prepareToParse(extractor.jsonBytes)) === "overloaded") return fail("unavailable");
  try {
    const { value, halves } = extractor.parse();
    if (halves.length === 0) return { ok: true, value };
    return fail("validation_error", { issues: halves.slice(0, MAX_ISSUES).map((field) => ({ field, issue: halfCharacter })) });
  } catch {
    return fail("invalid_json");
  }
}

export const MAX_ISSUES = 20;
const NO_DIGEST: BodyDigest = { update: () => undefined };

function isOfType(contentType: string | null, type: string): boolean {
  return (contentType?.split(";")[0] ?? "").trim().toLowerCase() === type;
}
