// The prepared documents, each as a static file. They contain placeholder addresses, which are replaced with the deployment's.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { type Env, settingsOf } from "../../env.ts";
import { escaped } from "../../services/mail/html.ts";
import type { Settings } from "../../settings.ts";
import type { AppContext } from "../app-env.ts";
import type { Language } from "./text.ts";

/** The files are below `/docs/`, which the worker serves, so that nobody gets the stored files with their placeholders. */
export const PREPARED_FOLDER = "docs/prepared";
export const LLMS_FILE = "llms.txt";
/** The help for people who use the dashboard. It is a page beside the APIs' pages. */
export const HELP = "help";

export const NONCE = "{{nonce}}";

export function documentFile(name: string, language: Language): string {
  return `${name}.${language}.json`;
}

/** The file with a page of guides and routes. It contains `NONCE`. */
export function readingFile(name: string, language: Language): string {
  return `${name}.${language}.html`;
}

const ADDRESSES = ["APP_URL", "BASE_URL"] as const;

/** Reserved names (RFC 2606), so that no text contains them by chance. */
export const PLACEHOLDERS: Readonly<Record<(typeof ADDRESSES)[number], string>> = {
  APP_URL: "https://app.address.invalid",
  BASE_URL: "https://api.address.invalid",
};

const CACHE_CONTROL = "public, max-age=300";

type PreparedText = { bytes: Uint8Array<ArrayBuffer>; etag: string };

const texts = new WeakMap<Env, Map<string, PreparedText>>();

/** Returns 304 if the reader's copy is current. The platform compresses the text. */
export async function servePrepared(c: AppContext, file: string, type: string): Promise<Response> {
  const { bytes, etag } = await preparedText(c.env, file);
  const headers = { "Cache-Control": CACHE_CONTROL, "X-Content-Type-Options": "nosniff", ETag: etag };
  // A proxy that compresses the response makes the tag weak, so the `W/` prefix is ignored.
  const known = new Set((c.req.header("if-none-match") ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, "")));
  if (known.has(etag) || known.has("*")) return c.body(null, 304, headers);
  return c.body(bytes, 200, { ...headers, "Content-Type": type });
}

export async function preparedPart(env: Env, file: string): Promise<string> {
  return new TextDecoder().decode((await preparedText(env, file)).bytes);
}

async function preparedText(env: Env, file: string): Promise<PreparedText> {
  const ofDeployment = texts.get(env) ?? new Map<string, PreparedText>();
  texts.set(env, ofDeployment);
  const known = ofDeployment.get(file);
  if (known !== undefined) return known;
  const bytes = new Uint8Array(utf8ToBytes(withAddresses(env, file, await readFile(env, file))));
  const text = { bytes, etag: `"${bytesToHex(sha256(bytes)).slice(0, 32)}"` };
  ofDeployment.set(file, text);
  return text;
}

async function readFile(env: Env, file: string): Promise<string> {
  const found = await env.ASSETS?.fetch(new URL(`/${PREPARED_FOLDER}/${file}`, settingsOf(env).APP_URL));
  if (found?.ok !== true) throw new Error(`the deployment lacks the static file ${PREPARED_FOLDER}/${file}`);
  return found.text();
}

function withAddresses(env: Env, file: string, text: string): string {
  const settings = settingsOf(env);
  const withContact = text.replaceAll("{{contact}}", () => contactOf(settings));
  return ADDRESSES.reduce((changed, name) => {
    const address = file.endsWith(".json") ? JSON.stringify(settings[name]).slice(1, -1) : settings[name];
    return changed.replaceAll(PLACEHOLDERS[name], () => address);
  }, withContact);
}

/** The operator's contact as HTML that continues a sentence, or nothing. */
function contactOf({ SUPPORT_NAME: name, SUPPORT_EMAIL: email, SUPPORT_PHONE: phone }: Settings): string {
  const parts = [
    escaped(name),
    email === "" ? "" : `<a href="mailto:${escaped(email)}">${escaped(email)}</a>`,
    phone === "" ? "" : `<a href="https://wa.me/${phone}">+${phone}</a>`,
  ].filter((part) => part !== "");
  return parts.length === 0 ? "" : `: ${parts.join(", ")}`;
}
