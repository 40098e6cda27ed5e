// Uploads files. Loads with the parts that send them.
import { addressOf, type JsonRoute, queryOf, read, reported, type Request, type ResponseBody } from "./client.ts";
import { Refused } from "./refused.ts";

type UploadOptions = {
  signal?: AbortSignal | undefined;
  /** Called with the part that has been sent, from 0 to 1. */
  onProgress?: ((sent: number) => void) | undefined;
};

/** Sends a file's bytes as the request body, with its type. Throws `Refused` like `api`. */
export async function upload<N extends JsonRoute>(
  name: N,
  given: Request<N>,
  file: Blob,
  { signal, onProgress }: UploadOptions,
): Promise<ResponseBody<N>> {
  signal?.throwIfAborted();
  const { method, url, rest } = addressOf(name, given);
  const headers = {
    Accept: "application/json",
    "Accept-Language": document.documentElement.lang,
    "Content-Type": file.type === "" ? "application/octet-stream" : file.type,
    "Idempotency-Key": crypto.randomUUID(),
  };
  // As opposed to this, `fetch` does not report how much was sent.
  const request = new XMLHttpRequest();
  const response = new Promise<Response>((resolve, reject) => {
    request.addEventListener("load", () => resolve(responseOf(request)));
    request.addEventListener("error", () => reject(reported(new Refused("offline", { status: 0 }))));
    request.addEventListener("abort", () => reject(signal?.reason as DOMException));
  });
  request.upload.addEventListener("progress", ({ loaded, total }) => onProgress?.(total === 0 ? 1 : loaded / total));
  request.open(method, url + queryOf(rest));
  for (const [header, value] of Object.entries(headers)) request.setRequestHeader(header, value);
  const abort = () => request.abort();
  signal?.addEventListener("abort", abort);
  request.send(file);
  try {
    return await read(await response);
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

function responseOf(request: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const name of ["retry-after", "x-request-id"]) {
    const value = request.getResponseHeader(name);
    if (value !== null) headers.set(name, value);
  }
  return new Response(request.responseText, { status: request.status, headers });
}
