// Checks a delivery's signature step by step and reports each mistake (docs/use/events.md, "Signatures"). Runs in the browser only.

export type Given = {
  /** Accepts `name: value` lines, as in a log or from `curl -v`, or a JSON object. */
  headers: string;
  body: string;
  secret: string;
};

export const STEPS = ["headers", "time", "secret", "signature", "match"] as const;
export type Step = (typeof STEPS)[number];

export type Problem =
  | { code: "header_missing"; header: string }
  | { code: "other_delivery"; header: string; body: string }
  | { code: "time_unreadable"; given: string }
  | { code: "time_in_milliseconds" }
  | { code: "too_old"; seconds: number }
  | { code: "in_the_future"; seconds: number }
  | { code: "secret_empty" }
  | { code: "secret_is_key" }
  | { code: "secret_is_signature" }
  | { code: "secret_with_version"; correct: boolean }
  | { code: "secret_with_blanks"; correct: boolean }
  | { code: "secret_without_prefix" }
  | { code: "secret_not_base64" }
  | { code: "secret_length"; bytes: number }
  | { code: "signature_without_version" }
  | { code: "signature_in_hex" }
  | { code: "signature_not_base64" }
  | { code: "signature_length"; bytes: number }
  | { code: "body_empty" }
  | { code: "body_formatted" }
  | { code: "body_line_break" }
  | { code: "body_blanks" }
  | { code: "body_not_json" }
  | { code: "body_character"; position: number; given: string; signed: string }
  | { code: "body_or_secret" };

/** `skipped` means that the step was not checked, because an earlier one failed. */
export type StepResult = { step: Step } & ({ state: "passed" } | { state: "failed"; problem: Problem } | { state: "skipped" });

export type Verdict = {
  /** "old" means correctly signed, but too old for receivers to accept. */
  verdict: "genuine" | "old" | "refused";
  steps: readonly StepResult[];
  /** The number of signatures in the header, and how many of them match this secret. During a rotation, the header has two. */
  signatures: { count: number; matching: number | null };
};

/** Receivers reject signatures older than this, or this far in the future (docs/use/events.md, "Signatures"). */
const TOLERANCE_S = 300;
const MAC_BYTES = 32;
const SECRET_BYTES = 32;
const NAMES = { id: "webhook-id", timestamp: "webhook-timestamp", signature: "webhook-signature" } as const;
const UTF8 = new TextEncoder();

export async function verify({ headers, body, secret }: Given, nowMs: number): Promise<Verdict> {
  const read = readHeaders(headers);
  const [id, timestamp, signature] = [read.get(NAMES.id) ?? "", read.get(NAMES.timestamp) ?? "", read.get(NAMES.signature) ?? ""];
  const entries = signature.split(/\s+/).filter((entry) => entry !== "");
  const found: Record<Step, Problem | null | "skipped"> = {
    headers: missing({ id, timestamp, signature }) ?? otherDelivery(id, body),
    time: timestamp === "" ? "skipped" : timeProblem(timestamp, nowMs),
    secret: secretProblem(secret),
    signature: signature === "" ? "skipped" : signatureProblem(entries),
    match: "skipped",
  };
  const macs = entries.flatMap((entry) => (entry.startsWith("v1,") ? [entry.slice(3)] : []));
  const signed = { preamble: `${id}.${timestamp}.`, macs };
  let matching: number | null = null;
  const repaired = repairedSecret(secret);
  if (missing({ id, timestamp, signature }) === null && found.signature === null && repaired !== null) {
    const key = await importKey(repaired);
    const place = await matchOf(key, signed, body);
    matching = place === null ? null : entries.indexOf(`v1,${macs[place]}`);
    // If the repaired secret matches, the given secret's format was the only mistake.
    if (place !== null && found.secret !== null && found.secret !== "skipped" && "correct" in found.secret)
      found.secret = { ...found.secret, correct: true };
    if (found.secret === null) found.match = place === null ? await mismatch(key, signed, body) : null;
  }
  const steps = STEPS.map((step): StepResult => {
    const problem = found[step];
    if (problem === null) return { step, state: "passed" };
    return problem === "skipped" ? { step, state: "skipped" } : { step, state: "failed", problem };
  });
  const failed = steps.filter(({ state }) => state !== "passed").map(({ step }) => step);
  const old = failed.length === 1 && failed[0] === "time";
  return { verdict: failed.length === 0 ? "genuine" : old ? "old" : "refused", steps, signatures: { count: macs.length, matching } };
}

function readHeaders(text: string): Map<string, string> {
  const trimmed = text.trim();
  if (trimmed.startsWith("{")) {
    const object = parsed(trimmed);
    if (object !== null) return new Map(Object.entries(object).map(([name, value]) => [name.toLowerCase(), String(value).trim()]));
  }
  const headers = new Map<string, string>();
  for (const line of trimmed.split(/\r?\n/)) {
    // Strips the "> " of `curl -v`, and `-H '…'`.
    const [, name = "", value = ""] = /^\s*(?:[<>]\s*|-H\s+)?["']?([\w-]+)["']?\s*:\s*(.*?)\s*\\?$/.exec(line) ?? [];
    if (name !== "") headers.set(name.toLowerCase(), unquoted(value.replace(/,$/, "")));
  }
  return headers;
}

function unquoted(value: string): string {
  return value.replace(/^["']/, "").replace(/["']$/, "").trim();
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function missing(values: Readonly<Record<keyof typeof NAMES, string>>): Problem | null {
  for (const part of ["id", "timestamp", "signature"] as const)
    if (values[part] === "") return { code: "header_missing", header: NAMES[part] };
  return null;
}

function otherDelivery(id: string, body: string): Problem | null {
  const inBody = parsed(body)?.["id"];
  return typeof inBody === "string" && inBody !== id ? { code: "other_delivery", header: id, body: inBody } : null;
}

function timeProblem(timestamp: string, nowMs: number): Problem | null {
  if (!/^\d+$/.test(timestamp)) return { code: "time_unreadable", given: timestamp };
  if (timestamp.length >= 13) return { code: "time_in_milliseconds" };
  const seconds = Math.floor(nowMs / 1_000) - Number(timestamp);
  if (seconds > TOLERANCE_S) return { code: "too_old", seconds };
  return seconds < -TOLERANCE_S ? { code: "in_the_future", seconds: -seconds } : null;
}

function secretProblem(secret: string): Problem | null {
  const trimmed = unquoted(secret.trim());
  if (trimmed === "") return { code: "secret_empty" };
  if (/^(svc|acc)_/.test(trimmed)) return { code: "secret_is_key" };
  if (/^v1,?\s*whsec_/.test(trimmed)) return { code: "secret_with_version", correct: false };
  if (trimmed.startsWith("v1,")) return { code: "secret_is_signature" };
  if (!trimmed.startsWith("whsec_")) return { code: "secret_without_prefix" };
  if (trimmed !== secret || /\s/.test(trimmed)) return { code: "secret_with_blanks", correct: false };
  const bytes = fromBase64(trimmed.slice("whsec_".length));
  if (bytes === null) return { code: "secret_not_base64" };
  return bytes.length === SECRET_BYTES ? null : { code: "secret_length", bytes: bytes.length };
}

/** The key bytes of a secret, ignoring characters that a secret cannot contain. Null if no bytes are left. */
function repairedSecret(secret: string): Uint8Array<ArrayBuffer> | null {
  const [, base64 = ""] = /whsec_(.+)$/s.exec(unquoted(secret.trim())) ?? [];
  const bytes = fromBase64(base64.replaceAll(/\s/g, ""));
  return bytes === null || bytes.length === 0 ? null : bytes;
}

/** One valid signature is enough. Entries of other versions are ignored. */
function signatureProblem(entries: readonly string[]): Problem | null {
  const problems = entries.map((entry): Problem | null => {
    if (/^(v1[,=])?[0-9a-f]{64}$/i.test(entry)) return { code: "signature_in_hex" };
    if (!entry.startsWith("v1,")) return { code: "signature_without_version" };
    const bytes = fromBase64(entry.slice(3));
    if (bytes === null) return { code: "signature_not_base64" };
    return bytes.length === MAC_BYTES ? null : { code: "signature_length", bytes: bytes.length };
  });
  return problems.includes(null) ? null : (problems[0] ?? { code: "signature_without_version" });
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  if (text === "" || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return null;
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;
type Signed = { preamble: string; macs: readonly string[] };

function importKey(bytes: Uint8Array<ArrayBuffer>): Promise<Key> {
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
}

async function matchOf(key: Key, { preamble, macs }: Signed, body: string): Promise<number | null> {
  const mac = await crypto.subtle.sign("HMAC", key, UTF8.encode(preamble + body));
  const place = macs.indexOf(btoa(String.fromCharCode(...new Uint8Array(mac))));
  return place === -1 ? null : place;
}

/** Tries to undo likely changes to the body, to find out which one was made. */
async function mismatch(key: Key, signed: Signed, body: string): Promise<Problem> {
  const matches = async (candidate: string) => candidate !== body && (await matchOf(key, signed, candidate)) !== null;
  if (body === "") return { code: "body_empty" };
  if (await matches(body.trim().replace(/^\uFEFF/, ""))) return { code: "body_blanks" };
  if (await matches(body.replaceAll("\r\n", "\n").trim())) return { code: "body_line_break" };
  const value = parsed(body);
  if (value === null) return (await changedCharacter(key, signed, body)) ?? { code: "body_not_json" };
  // The gateway writes compact JSON, so any other formatting means that something has rewritten the body.
  if (await matches(JSON.stringify(value))) return { code: "body_formatted" };
  return (await changedCharacter(key, signed, body)) ?? { code: "body_or_secret" };
}

/** Limits the search to a body of about 1,000 characters, which takes up to two seconds. */
const MAX_CANDIDATES = 100_000;
const PRINTABLE = Array.from({ length: 95 }, (_, index) => index + 32);

/** Finds a single changed character. Null if no such change explains the mismatch, or if the body is too long. */
async function changedCharacter(key: Key, { preamble, macs }: Signed, body: string): Promise<Problem | null> {
  const bytes = UTF8.encode(preamble + body);
  const start = UTF8.encode(preamble).length;
  if ((bytes.length - start) * PRINTABLE.length > MAX_CANDIDATES) return null;
  const wanted = new Set(macs);
  for (let at = start; at < bytes.length; at += 1) {
    const given = bytes[at] ?? 0;
    // Bytes above 127 are part of a multi-byte character and are skipped.
    if (given > 127) continue;
    const tried = await Promise.all(
      PRINTABLE.map(async (byte) => {
        const candidate = bytes.slice();
        candidate[at] = byte;
        const mac = await crypto.subtle.sign("HMAC", key, candidate);
        return wanted.has(btoa(String.fromCharCode(...new Uint8Array(mac)))) ? byte : null;
      }),
    );
    const signed = tried.find((byte) => byte !== null);
    if (signed !== undefined && signed !== null) {
      const position = new TextDecoder().decode(bytes.subarray(start, at)).length + 1;
      return { code: "body_character", position, given: String.fromCharCode(given), signed: String.fromCharCode(signed) };
    }
  }
  return null;
}
