import { GatewayError } from "./errors.ts";

/** The API accepts 25 MB of JSON. Base64 encoding leaves 18 MB of that for a file. */
const LARGEST_BYTES = 18 * 1024 * 1024;
const CHUNK_BYTES = 0x8000;

/** Encodes a file as Base64 for sending. For files over 18 MB, pass a URL instead. */
export async function media(
  file: Blob | Uint8Array,
  options: { mimetype?: string; filename?: string } = {},
): Promise<{ base64: string; mimetype?: string; filename?: string }> {
  const bytes = file instanceof Blob ? new Uint8Array(await file.arrayBuffer()) : file;
  if (bytes.length > LARGEST_BYTES)
    throw new GatewayError(`The file has ${bytes.length} bytes; above ${LARGEST_BYTES} send it by url: media: { url }`);
  let binary = "";
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES));
  // Only a blob has a type, and only a file has a name.
  const { type, name } = file as { type?: string; name?: string };
  const { mimetype = type, filename = name } = options;
  return { base64: btoa(binary), ...(mimetype && { mimetype }), ...(filename && { filename }) };
}
