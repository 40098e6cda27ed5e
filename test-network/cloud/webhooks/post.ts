import { digits } from "../ids.ts";
import { signatureOf, type Sign } from "./bytes.ts";
import type { Attempt, Destination } from "./queue.ts";

const TIMEOUT_MS = 20_000;
const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);
const AGENT = { "user-agent": "facebookexternalua" };

export async function postWebhook(destination: Destination | null, body: string, sign: Sign, closing: AbortSignal): Promise<Attempt> {
  const at = Date.now();
  const started = performance.now();
  const ended = (rest: Pick<Attempt, "status" | "error">): Attempt => ({
    url: destination?.url ?? "",
    signature,
    at,
    latency_ms: Math.round(performance.now() - started),
    ...rest,
  });
  const signature = destination && signatureOf(body, destination.secret, sign);
  if (!destination) return ended({ status: null, error: "nobody gets webhooks of this number" });
  if (!isLoopback(destination.url)) return ended({ status: null, error: "not an address of this machine" });
  const headers = { ...AGENT, "content-type": "application/json", ...(signature !== null && { "x-hub-signature-256": signature }) };
  try {
    const signal = AbortSignal.any([closing, AbortSignal.timeout(TIMEOUT_MS)]);
    const response = await fetch(destination.url, { method: "POST", headers, body, redirect: "manual", signal });
    await response.arrayBuffer();
    return ended({ status: response.status, error: null });
  } catch (error) {
    return ended({ status: null, error: error instanceof Error ? error.message : "no answer" });
  }
}

export async function shakeHands(url: string, verifyToken: string): Promise<{ problem: string | null; attempt: Attempt }> {
  const challenge = digits(10);
  const at = Date.now();
  const started = performance.now();
  const ended = (problem: string | null, status: number | null) => ({
    problem,
    attempt: { url, signature: null, at, status, error: problem, latency_ms: Math.round(performance.now() - started) },
  });
  if (!URL.canParse(url) || !isLoopback(url)) return ended("the address is not one of this machine", null);
  const asked = new URL(url);
  const parameters = { "hub.mode": "subscribe", "hub.challenge": challenge, "hub.verify_token": verifyToken };
  for (const [name, value] of Object.entries(parameters)) asked.searchParams.set(name, value);
  try {
    const response = await fetch(asked, { headers: AGENT, redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
    const answered = await response.text();
    if (response.status !== 200) return ended(`HTTP Status Code = ${response.status}`, response.status);
    return ended(answered === challenge ? null : "the answer is not the challenge", response.status);
  } catch {
    return ended("no answer", null);
  }
}

function isLoopback(url: string): boolean {
  return LOOPBACK.has(new URL(url).hostname);
}
