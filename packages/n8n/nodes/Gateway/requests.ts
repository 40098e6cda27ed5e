// Runs before each request that the node sends.
import { createHash } from "node:crypto";
import { type IExecuteSingleFunctions, type IHttpRequestOptions, NodeOperationError } from "n8n-workflow";

/** The API accepts 25 MB of JSON, and Base64 needs four bytes for every three. */
const MAX_FILE_BYTES = 18 * 1024 * 1024;

/** Refuses a path outside the API. An expression or an assistant may have written the path, and the node adds the credential to it. */
export async function checkPath(this: IExecuteSingleFunctions, request: IHttpRequestOptions): Promise<IHttpRequestOptions> {
  const [path = ""] = request.url.split("?");
  const segments = path.slice(1).split("/").map(decoded);
  const isPlain =
    path.startsWith("/api/") && !/[\\#\s]/.test(path) && segments.every((segment) => !["", ".", "..", null].includes(segment));
  if (isPlain) return request;
  const description = "A path begins with /api/ and has no empty segment. Check that each field which identifies something has a value.";
  throw new NodeOperationError(this.getNode(), `The request's path is not a path of the API: ${path}`, {
    itemIndex: this.getItemIndex(),
    description,
  });
}

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

/** Replaces the name of a binary field with its content. */
export async function attachFile(this: IExecuteSingleFunctions, request: IHttpRequestOptions): Promise<IHttpRequestOptions> {
  const body = (request.body ?? {}) as { media?: { binary?: unknown; filename?: string } };
  const field = body.media?.binary;
  if (typeof field !== "string") return request;
  const about = this.helpers.assertBinaryData(field);
  const bytes = await this.helpers.getBinaryDataBuffer(field);
  if (bytes.length > MAX_FILE_BYTES)
    throw new NodeOperationError(this.getNode(), `The file in "${field}" is larger than 18 MB`, {
      itemIndex: this.getItemIndex(),
      description: "Send it by its URL instead.",
    });
  const filename = body.media?.filename ?? about.fileName;
  const file = { mimetype: about.mimeType, base64: bytes.toString("base64"), ...(filename === undefined ? {} : { filename }) };
  return { ...request, body: { ...body, media: file } };
}

/** Adds the Idempotency-Key. "Retry on Fail" repeats an item with the same key. A loop or an assistant starts a run with a new key. */
export async function identify(this: IExecuteSingleFunctions, request: IHttpRequestOptions): Promise<IHttpRequestOptions> {
  if ((request.method ?? "GET") === "GET") return request;
  const run = String(this.evaluateExpression("{{ $runIndex }}", this.getItemIndex()));
  const parts = [this.getInstanceId(), this.getWorkflow().id, this.getExecutionId(), this.getNode().id, run, this.getItemIndex()];
  const key = createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 40);
  return { ...request, headers: { ...request.headers, "Idempotency-Key": `n8n-${key}` } };
}
