// Gets a key from the dashboard, where a person confirms. The page sends the encrypted key to this machine's loopback address.
import { timingSafeEqual, type webcrypto } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import { type Io, UsageError } from "./command.ts";

const WAIT_MS = 10 * 60_000;
const CURVE = { name: "ECDH", namedCurve: "P-256" } as const;
const HEADERS = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store", connection: "close" };

/** Throws a `UsageError` if nobody confirms within ten minutes, or the user stops the command. */
export async function keyFromBrowser(url: string, io: Io): Promise<string> {
  const keys = await crypto.subtle.generateKey(CURVE, false, ["deriveKey"]);
  const publicKey = Buffer.from(await crypto.subtle.exportKey("raw", keys.publicKey));
  const state = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("base64url");
  let resolve: (key: string) => void = () => undefined;
  const key = new Promise<string>((made) => (resolve = made));
  const server = createServer((request, response) => void answer(request, response, { state, privateKey: keys.privateKey, resolve }));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const asked = new URLSearchParams({ port: String(port), state, key: publicKey.toString("base64url"), host: hostname() });
  io.print(`Open this address, and check that it shows the code ${await codeOf(publicKey)}:\n${url}/command-line#${asked.toString()}`);
  try {
    return await Promise.race([key, ended(AbortSignal.any([io.signal, AbortSignal.timeout(WAIT_MS)]))]);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** The code is shown in the terminal and on the page, so that nobody confirms another computer's login by mistake. */
async function codeOf(publicKey: Uint8Array): Promise<string> {
  const digest = Buffer.from(await crypto.subtle.digest("SHA-256", new Uint8Array(publicKey))).toString("hex");
  return `${digest.slice(0, 4)}-${digest.slice(4, 8)}`.toUpperCase();
}

type Expected = { state: string; privateKey: webcrypto.CryptoKey; resolve: (key: string) => void };

async function answer(request: IncomingMessage, response: ServerResponse, { state, privateKey, resolve }: Expected): Promise<void> {
  const given = new URL(request.url ?? "/", "http://127.0.0.1").searchParams;
  const key = isSame(given.get("state"), state) ? await opened(given, privateKey) : null;
  const text = key === null ? "This is not the login that the command waits for." : "The key has arrived. Return to the terminal.";
  response.writeHead(key === null ? 400 : 200, HEADERS).end(`${text}\n`, () => {
    if (key !== null) resolve(key);
  });
}

function isSame(given: string | null, expected: string): boolean {
  const [a, b] = [Buffer.from(given ?? ""), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** `sealed` is a 12-byte IV, followed by the key, encrypted by AES-256-GCM with the ECDH secret. Returns null if malformed. */
async function opened(given: URLSearchParams, privateKey: webcrypto.CryptoKey): Promise<string | null> {
  const [sender, sealed] = ["sender", "sealed"].map((name) => Buffer.from(given.get(name) ?? "", "base64url"));
  if (sender === undefined || sealed === undefined) return null;
  try {
    const publicKey = await crypto.subtle.importKey("raw", sender, CURVE, false, []);
    const secret = await crypto.subtle.deriveKey({ name: "ECDH", public: publicKey }, privateKey, { name: "AES-GCM", length: 256 }, false, [
      "decrypt",
    ]);
    return Buffer.from(
      await crypto.subtle.decrypt({ name: "AES-GCM", iv: sealed.subarray(0, 12) }, secret, sealed.subarray(12)),
    ).toString();
  } catch {
    return null;
  }
}

function ended(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stop = (): void => reject(new UsageError("nobody confirmed the login; run gateway login again, or gateway login --paste"));
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
  });
}
