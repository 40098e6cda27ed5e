// Reads a command-line login from the URL's fragment, and returns a key to the command (packages/cli/src/browser-login.ts).
import { LIMITS } from "@gateway/domain/limits.ts";

type PublicKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** The user compares `code` with the one in the terminal. */
export type CommandLineLogin = { host: string; code: string; keyName: string; port: number; state: string; publicKey: PublicKey };

const CURVE = { name: "ECDH", namedCurve: "P-256" } as const;

/** Returns null if `gateway login` did not create the URL. */
export async function commandLineLogin(fragment: string): Promise<CommandLineLogin | null> {
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  const text = (name: string) => given.get(name) ?? "";
  const port = Number(text("port"));
  const host = text("host")
    .replaceAll(/[^\w.-]/g, "")
    .slice(0, 40);
  if (!Number.isInteger(port) || port < 1 || port > 65_535 || host === "" || !/^[\w-]{22}$/.test(text("state"))) return null;
  try {
    const raw = bytesOf(text("key"));
    const publicKey = await crypto.subtle.importKey("raw", raw, CURVE, false, []);
    const keyName = `CLI on ${host}`.slice(0, LIMITS.keyNameCharacters);
    return { host, code: await codeOf(raw), keyName, port, state: text("state"), publicKey };
  } catch {
    return null;
  }
}

/** Returns the loopback URL that contains the key. Only the command can decrypt it, so the browser's history reveals nothing. */
export async function addressWithKey({ port, state, publicKey }: CommandLineLogin, apiKey: string): Promise<string> {
  const own = await crypto.subtle.generateKey(CURVE, false, ["deriveKey"]);
  const aes = { name: "AES-GCM", length: 256 };
  const secret = await crypto.subtle.deriveKey({ name: "ECDH", public: publicKey }, own.privateKey, aes, false, ["encrypt"]);
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const encrypted = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, secret, new TextEncoder().encode(apiKey));
  const sender = textOf(new Uint8Array(await crypto.subtle.exportKey("raw", own.publicKey)));
  const sealed = textOf(new Uint8Array([...iv, ...new Uint8Array(encrypted)]));
  return `http://127.0.0.1:${port}/?${new URLSearchParams({ state, sender, sealed }).toString()}`;
}

async function codeOf(raw: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", raw));
  const hex = [...digest.subarray(0, 4)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${hex.slice(0, 4)}-${hex.slice(4)}`.toUpperCase();
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64url.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
}

function textOf(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
