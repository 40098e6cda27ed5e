// Checks a sandbox's whole Graph traffic (requests, responses and webhooks) against Meta's description. Traffic altered by a network fault
// or handwritten by a test is skipped.
import { expect } from "vitest";
import { answerProblems, type Call, requestProblems, webhookProblems } from "./judge.ts";

type RecordedCall = Omit<Call, "status"> & { status: number | null; fault: string | null };
type RecordedWebhook = { kind: string; body: string };

/** The most records that the network returns per response. */
const NEWEST = 20_000;

/** `kinds` of sent messages, `types` of received messages, received `statuses`: each listed once. */
export type Judged = { calls: number; webhooks: number; kinds: string[]; types: string[]; statuses: string[]; problems: string[] };

/** Problems in the traffic of one number of the local network, or of all, and a summary of the traffic. */
export async function judgeTraffic(networkUrl: string, phoneNumberId?: string): Promise<Judged> {
  // Requests to file hosts are not Graph calls.
  const calls = (await recorded<RecordedCall>(networkUrl, "requests", phoneNumberId)).filter(({ path }) => /^\/v\d/.test(path));
  const webhooks = (await recorded<RecordedWebhook>(networkUrl, "webhooks", phoneNumberId)).filter(({ kind }) => kind === "changes");
  const problems = [...calls.flatMap(callProblems), ...webhooks.flatMap(({ body }) => named("webhook", webhookProblems(JSON.parse(body))))];
  const told = webhooks.flatMap(({ body }) => itemsIn(JSON.parse(body)));
  return {
    calls: calls.length,
    webhooks: webhooks.length,
    kinds: once(calls.flatMap(kindOf)),
    types: once(told.flatMap(({ type }) => type ?? [])),
    statuses: once(told.flatMap(({ status }) => status ?? [])),
    problems: [...new Set(problems)],
  };
}

/** Expects all traffic of a local network's numbers to match Meta's description. */
export async function expectTrafficValid(networkUrl: string | null): Promise<void> {
  const { calls, problems } = await judgeTraffic(networkUrl ?? "");
  expect(problems).toEqual([]);
  expect(calls).toBeGreaterThan(0);
}

function once(words: readonly string[]): string[] {
  return [...new Set(words)].toSorted();
}

type Item = { type?: string; status?: string };

/** The messages and statuses of a webhook. */
function itemsIn(body: { entry: { changes: { value: { messages?: Item[]; statuses?: Item[] } }[] }[] }): Item[] {
  return body.entry.flatMap(({ changes }) => changes.flatMap(({ value }) => [...(value.messages ?? []), ...(value.statuses ?? [])]));
}

function callProblems({ status, fault, ...call }: RecordedCall): string[] {
  const name = `${call.method} ${call.path.replaceAll(/\/(?!v\d)[^/]*\d{4}[^/]*/g, "/…")}`;
  // Graph refuses invalid requests, so in that case only the refusal must be valid.
  const isRefused = status === null || status >= 400;
  const asked = isRefused ? [] : named(`request ${name}`, requestProblems({ status, ...call }));
  const answered = status === null || fault !== null ? [] : named(`answer ${name} ${status}`, answerProblems({ status, ...call }));
  return [...asked, ...answered];
}

function named(name: string, problems: readonly string[]): string[] {
  return problems.map((problem) => `${name}: ${problem}`);
}

/** The type of a sent message. */
function kindOf({ path, body }: RecordedCall): string[] {
  if (!path.endsWith("/messages") || typeof body !== "object" || body === null || !("type" in body)) return [];
  const { type, interactive } = body as { type: unknown; interactive?: { type?: unknown } };
  return [[type, interactive?.type].filter((word) => typeof word === "string").join(" ")];
}

async function recorded<T>(networkUrl: string, what: "requests" | "webhooks", phoneNumberId?: string): Promise<T[]> {
  const number = phoneNumberId === undefined ? "" : `&phone_number_id=${phoneNumberId}`;
  const response = await fetch(`${networkUrl}/cloud/${what}?limit=${NEWEST}${number}`);
  if (!response.ok) throw new Error(`GET /cloud/${what} answered ${response.status}`);
  const { data } = (await response.json()) as { data: T[] };
  return data;
}
