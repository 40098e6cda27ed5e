// Webhooks in Meta's format, and their signatures.

export const WABA = "102290129340398";
export const NUMBER_ID = "106540352242922";
export const SECRET = "0123456789abcdef0123456789abcdef";

const METADATA = { display_phone_number: "5511900000001", phone_number_id: NUMBER_ID };
const PROFILE = { profile: { name: "Zoë" }, wa_id: "5511900000002" };

type Fields = Record<string, unknown>;

export function change(field: string, value: Fields): Fields {
  return { field, value: { messaging_product: "whatsapp", metadata: METADATA, ...value } };
}

export function webhookOf(...changes: Fields[]): Fields {
  return { object: "whatsapp_business_account", entry: [{ id: WABA, changes }] };
}

let messages = 0;

/** A text from a contact; `message` overrides fields. */
export function text(body: string, message: Fields = {}): Fields {
  const id = `wamid.${(messages += 1)}`;
  const timestamp = String(Math.floor(Date.now() / 1000));
  return { id, from: "5511900000002", timestamp, type: "text", text: { body }, ...message };
}

export function image(mediaId: string, message: Fields = {}): Fields {
  const { text: _, ...base } = text("");
  return { ...base, type: "image", image: { id: mediaId, mime_type: "image/jpeg", sha256: "" }, ...message };
}

export function messagesChange(...items: Fields[]): Fields {
  return change("messages", { contacts: [PROFILE], messages: items });
}

/** Escaped as PHP does: non-ASCII characters and slashes. */
export function metaBytes(webhook: unknown): Uint8Array {
  const json = JSON.stringify(webhook)
    .replaceAll("/", "\\/")
    .replaceAll(/[^\0-\x7f]/g, escape16);
  return new TextEncoder().encode(json);
}

function escape16(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

export async function signed(bytes: Uint8Array, secret = SECRET): Promise<string> {
  const key = await crypto.subtle.importKey("raw", new TextEncoder().encode(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const mac = new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes));
  return `sha256=${[...mac].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
