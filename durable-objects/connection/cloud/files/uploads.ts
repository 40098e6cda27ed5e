// Uploads to Meta for sends, group pictures and the profile picture. An upload sends nothing, so it may be retried.
import * as z from "zod";
import type { MediaRef } from "@gateway/protocol/content.ts";
import { failureOf, type GraphUse } from "@gateway/domain/cloud/failures.ts";
import { CLOUD_LIMITS, type FileContent } from "@gateway/domain/cloud/limits.ts";
import { fileFailure } from "@gateway/domain/cloud/request.ts";
import { isAnimatedWebp, WEBP_HEAD_BYTES } from "@gateway/domain/media/sniff.ts";
import { fail, type Failed, type Failure, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { openMedia, type OpenMedia } from "#root/src/services/media/open.ts";
import type { StoredCredentials } from "../credentials.ts";
import { mediaTypeOf } from "@gateway/protocol/files.ts";
import type { Graph, GraphReply, GraphCall } from "../graph.ts";
import { TransferSlots } from "./transfer-slots.ts";
import { type OutgoingBody, fileForm, plainBody } from "./upload-body.ts";

export type UploadDependencies = {
  bucket: R2Bucket;
  graph: Pick<Graph, "call">;
  credentials: () => Pick<StoredCredentials, "phoneNumberId" | "appId" | "accessToken"> | null;
  doubt: () => void;
  clock?: () => number;
};

/** Meta accepts 25 uploads a second per number, but the object's connections are shared with its sends and webhooks. */
const CONCURRENCY = 2;
const PER_SECOND = 25;
const TRIES = 3;
const PAUSE_MS = 500;
/** Timeout for all attempts to upload one file. The rest of the send's time is reserved for the message itself. */
const UPLOAD_MS = 50_000;
/** Graph failures that a retry may resolve. */
const PASSING: ReadonlySet<number> = new Set([1, 2, 131_000, 131_016]);
const HANDLE_TRIES = 3;

const MediaResponse = z.looseObject({ id: z.union([z.string().min(1), z.number()]).transform(String) });
const SessionResponse = z.looseObject({ id: z.string().startsWith("upload:") });
const HandleResponse = z.looseObject({ h: z.string().min(1) });
const OffsetResponse = z.looseObject({ file_offset: z.coerce.number().int().nonnegative() });

/** The failure of an upload. No message was sent, so the caller may retry. */
const UNANSWERED: Failure = { code: "unavailable" };

export class CloudUploads {
  readonly #deps: UploadDependencies;
  readonly #clock: () => number;
  readonly #slots = new TransferSlots(CONCURRENCY, { perSecond: PER_SECOND });

  constructor(deps: UploadDependencies) {
    this.#deps = deps;
    this.#clock = deps.clock ?? (() => Date.now());
  }

  /** Returns the media id, which Meta keeps for 30 days. Fails with `limit_of_kind` or `media_invalid` before any request. */
  async upload(ref: MediaRef, as: FileContent): Promise<Outcome<string>> {
    const refused = fileFailure({ file: ref, as }) ?? (as === "sticker" ? await this.#stickerFailure(ref) : null);
    if (refused !== null) return refused;
    const number = this.#deps.credentials()?.phoneNumberId;
    if (number === undefined) return fail("instance_not_connected");
    const fields = { messaging_product: "whatsapp", type: mediaTypeOf(ref.mimetype) };
    const posted = await this.post(`/${number}/media`, fields, ref, "send");
    if (!posted.ok) return posted;
    const media = MediaResponse.safeParse(posted.value);
    return media.success ? succeed(media.data.id) : fail(UNANSWERED);
  }

  /** Posts `fields` and the file as a form, for calls that may be retried. `use` decides how Graph's errors are interpreted. */
  post(path: string, fields: Readonly<Record<string, string>>, ref: MediaRef, use: GraphUse = "group"): Promise<Outcome<unknown>> {
    return this.#slots.run(async () => {
      const deadlineAt = this.#clock() + UPLOAD_MS;
      for (let tries = 1; ; tries += 1) {
        const file = await this.#open(ref);
        if (!file.ok) return file;
        const form = fileForm(fields, { mimetype: mediaTypeOf(ref.mimetype), sizeBytes: file.value.sizeBytes }, file.value.body);
        const reply = await this.#call({ method: "POST", path }, form, deadlineAt);
        if (reply.kind === "answered") return succeed(reply.json);
        if (isFinal(reply) || tries === TRIES || this.#clock() + PAUSE_MS >= deadlineAt) return fail(this.#failureOf(reply, use));
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * tries));
      }
    });
  }

  async uploadHandle(ref: MediaRef): Promise<Outcome<string>> {
    const credentials = this.#deps.credentials();
    if (credentials === null || credentials.appId === null) return fail("instance_not_connected");
    const query = { file_name: "picture", file_length: String(ref.size), file_type: mediaTypeOf(ref.mimetype) };
    const begun = await this.#deps.graph.call({ method: "POST", path: `/${credentials.appId}/uploads`, query });
    if (begun.kind !== "answered") return fail(this.#failureOf(begun, "change"));
    const session = SessionResponse.safeParse(begun.json);
    if (!session.success) return fail(UNANSWERED);
    const call = { path: `/${session.data.id}`, authorization: `OAuth ${credentials.accessToken}` };
    return this.#slots.run(() => this.#uploadTo(call, ref));
  }

  async #uploadTo(call: Pick<GraphCall, "path" | "authorization">, ref: MediaRef): Promise<Outcome<string>> {
    const deadlineAt = this.#clock() + UPLOAD_MS;
    for (let tries = 1, offset = 0; ; tries += 1) {
      const file = await this.#open(ref, { offset });
      if (!file.ok) return file;
      const bytes = plainBody(file.value.body, file.value.sizeBytes - offset);
      const headers = { ...bytes.headers, file_offset: String(offset) };
      const reply = await this.#call({ method: "POST", ...call }, { ...bytes, headers }, deadlineAt);
      const handle = HandleResponse.safeParse(reply.kind === "answered" ? reply.json : null);
      if (handle.success) return succeed(handle.data.h);
      if (isFinal(reply) || tries === HANDLE_TRIES || this.#clock() >= deadlineAt) return fail(this.#failureOf(reply, "change"));
      offset = await this.#offsetOf(call, file.value.sizeBytes);
    }
  }

  async #offsetOf(call: Pick<GraphCall, "path" | "authorization">, sizeBytes: number): Promise<number> {
    const asked = await this.#deps.graph.call({ method: "GET", ...call });
    const read = OffsetResponse.safeParse(asked.kind === "answered" ? asked.json : null);
    return read.success && read.data.file_offset < sizeBytes ? read.data.file_offset : 0;
  }

  /** Reads the first bytes of a large sticker, which show whether the static or the animated limit applies. */
  async #stickerFailure(ref: MediaRef): Promise<Failed | null> {
    const { stickerBytes } = CLOUD_LIMITS;
    if (ref.size <= stickerBytes) return null;
    const file = await this.#open(ref, { offset: 0, length: WEBP_HEAD_BYTES });
    if (!file.ok) return file;
    const head = await new Response(file.value.body).bytes();
    if (isAnimatedWebp(head)) return null;
    return fail("limit_of_kind", { details: { limit: "cloud_sticker_bytes", limit_bytes: stickerBytes } });
  }

  async #call(call: GraphCall, { body, headers, stop }: OutgoingBody, deadlineAt: number): Promise<GraphReply> {
    const reply = await this.#deps.graph.call({ ...call, body, headers, timeoutMs: Math.max(1, deadlineAt - this.#clock()) });
    stop();
    return reply;
  }

  async #open({ token }: MediaRef, range?: R2Range): Promise<Outcome<OpenMedia>> {
    try {
      const file = await openMedia(this.#deps.bucket, token, this.#clock(), range);
      return file === null ? fail("media_expired") : succeed(file);
    } catch {
      return fail(UNANSWERED);
    }
  }

  #failureOf(reply: GraphReply, use: GraphUse): Failure {
    if (reply.kind !== "refused") return UNANSWERED;
    const verdict = failureOf(reply.error, use);
    if (verdict.kind === "uncertain") return UNANSWERED;
    if (verdict.doubted) this.#deps.doubt();
    return verdict.failure;
  }
}

function isFinal(reply: GraphReply): boolean {
  return reply.kind === "refused" && !PASSING.has(reply.error.code);
}
