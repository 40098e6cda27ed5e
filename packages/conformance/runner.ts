// Runs the cases against the TypeScript SDK in any runtime: in Vitest (test/domain/kit), and in the runtimes of `npm run kit:runtimes`.
import type * as Sdk from "@gateway/sdk";
import type * as Webhooks from "@gateway/sdk/webhooks";
import { VirtualClock } from "./virtual-clock.ts";

export type Kit = Pick<typeof Sdk, "AccountClient" | "ConnectionClient"> &
  Pick<typeof Webhooks, "verifyAccountWebhook" | "verifyConnectionWebhook">;
/** `found` equals `expected` if the client passes. */
export type Result = { name: string; expected: unknown; found: unknown };

export type Signature = {
  scheme: string;
  name: string;
  now: number;
  secrets: string[];
  headers: Record<string, string | undefined>;
  body: string;
  accepted: boolean;
  type?: string;
};
export type Path = { name: string; id: string; segment: string | null };
type Failure = "none" | { status: number; code?: string; retry_after?: string };
export type Retry = { name: string; answers: Failure[]; attempts: number; ends: string };
type Streamed = "none" | "silence" | { status: number; code?: string } | { text: string; then?: "silence" };
type Run = {
  answers: Streamed[];
  opened: unknown[];
  yields: unknown[];
  states: string[];
  ends: string;
  stops_at?: string;
  pauses?: number;
};
export type Listening = { name: string; runs: Run[] };
type Fetch = typeof globalThis.fetch;

const GATEWAY = { apiKey: "svc_x", baseUrl: "https://app.example.com" };

/** Verifies the webhook as text, as bytes and as a `Request`. Returns the event's type, or the error's name. */
export async function signatureCase(kit: Kit, { scheme, name, now, secrets, headers, body, accepted, type }: Signature): Promise<Result> {
  const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => typeof value === "string")) as Record<string, string>;
  const verify = scheme === "connection" ? kit.verifyConnectionWebhook : kit.verifyAccountWebhook;
  const request = new Request("https://shop.example/hook", { method: "POST", headers: sent, body });
  const { now: real } = Date;
  Date.now = () => now * 1000;
  try {
    const outcomes = [verify(body, sent, secrets), verify(new TextEncoder().encode(body), sent, secrets), verify(request, secrets)];
    const ends = outcomes.map((each) => each.then((event) => event.type).catch((error: Error) => error.name));
    const expected = accepted ? type : "WebhookError";
    return { name: `${scheme}: ${name}`, expected: [expected, expected, expected], found: await Promise.all(ends) };
  } finally {
    Date.now = real;
  }
}

export async function pathCase(kit: Kit, { name, id, segment }: Path): Promise<Result> {
  const seen: string[] = [];
  const fetch = (async (url: URL) => {
    seen.push(url.pathname);
    return Response.json({ data: null });
  }) as unknown as Fetch;
  const calls = async (): Promise<void> => {
    await new kit.ConnectionClient({ ...GATEWAY, fetch }).messages.get(id);
    await new kit.AccountClient({ ...GATEWAY, fetch }).instance(id).chats.get("c");
  };
  const ends = await calls().then(
    () => "ok",
    (error: Error) => error.name,
  );
  const paths = segment === null ? [] : [`/api/v1/messages/${segment}`, `/api/instances/${segment}/chats/c`];
  return { name, expected: { ends: segment === null ? "GatewayError" : "ok", paths }, found: { ends, paths: seen } };
}

export async function retryCase(kit: Kit, { name, answers, attempts, ends }: Retry): Promise<Result> {
  const keys: (string | null)[] = [];
  const left = [...answers];
  const fetch = (async (_: unknown, init?: RequestInit) => {
    keys.push(new Headers(init?.headers).get("idempotency-key"));
    return refusal(left.shift() ?? "none");
  }) as unknown as Fetch;
  const clock = VirtualClock.install();
  try {
    const call = new kit.ConnectionClient({ ...GATEWAY, fetch }).messages.sendText({ to: "5511900000002", text: "Olá" }).then(
      () => "ok",
      (error: Error) => error.constructor.name,
    );
    const found = { ends: await clock.ended(call), attempts: keys.length, keys: new Set(keys).size, isUuid: isUuid(keys[0]) };
    return { name, expected: { ends, attempts, keys: 1, isUuid: true }, found };
  } finally {
    clock.uninstall();
  }
}

function isUuid(key: string | null | undefined): boolean {
  return /^[0-9a-f-]{36}$/.test(key ?? "");
}

function refusal(answer: Failure): Response {
  if (answer === "none") throw new TypeError("fetch failed");
  const { status, code, retry_after } = answer;
  const failed = code === undefined ? "<html>" : JSON.stringify({ error: { codigo: code, code, mensagem: "…", message: "…" } });
  return new Response(status === 200 ? "{}" : failed, { status, headers: retry_after === undefined ? {} : { "retry-after": retry_after } });
}

/** Each call to `checkpoint` returns a checkpoint for the same stored position. */
export async function listeningCase(
  kit: Kit,
  api: "connection" | "account",
  { name, runs }: Listening,
  checkpoint: () => Sdk.Checkpoint,
): Promise<Result> {
  const server = new Listeners();
  const found: Run[] = [];
  for (const run of runs) {
    server.left = [...run.answers];
    server.opened = [];
    const clock = VirtualClock.install();
    try {
      const ended = await clock.ended(readEvents(kit, server, api, run, checkpoint()));
      found.push({ ...run, ...ended, opened: server.opened, ...(run.pauses !== undefined && { pauses: clock.ran }) });
    } finally {
      clock.uninstall();
    }
  }
  return { name: `${api}: ${name}`, expected: runs, found };
}

/** A simulated gateway with listeners, which follows a script. */
class Listeners {
  left: Streamed[] = [];
  opened: unknown[] = [];
  #created = 0;

  readonly fetch = (async (url: URL, init: RequestInit) => {
    if (init.method === "POST") return Response.json({ data: { id: `lst_${(this.#created += 1)}` } });
    this.opened.push({ listener: url.pathname.split("/").at(-2), after: new Headers(init.headers).get("last-event-id") });
    const answer = this.left.shift() ?? "none";
    if (answer === "silence") return silence(init.signal);
    return answer !== "none" && "text" in answer ? new Response(streamOf(answer.text, answer.then === "silence")) : refusal(answer);
  }) as unknown as Fetch;
}

function silence(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error)));
}

/** Splits the text in the middle, as a network may. */
function streamOf(text: string, isEndless: boolean): ReadableStream {
  const bytes = new TextEncoder().encode(text);
  return new ReadableStream({
    start: (stream) => {
      for (let at = 0; at < bytes.length; at += 50) stream.enqueue(bytes.slice(at, at + 50));
      if (!isEndless) stream.close();
    },
  });
}

async function readEvents(kit: Kit, server: Listeners, api: string, { stops_at }: Run, checkpoint: Sdk.Checkpoint) {
  const options = { ...GATEWAY, fetch: server.fetch };
  const client = api === "connection" ? new kit.ConnectionClient(options) : new kit.AccountClient(options).instance("7");
  const yields: unknown[] = [];
  const states: string[] = [];
  const reading = async (): Promise<string> => {
    for await (const event of client.events.listen({ checkpoint, onState: ({ state }) => states.push(state) })) {
      if (event.type === "gap") {
        const { missed, since, until } = event;
        yields.push(missed === null ? { missed } : { missed, since, until });
      } else yields.push(event.id);
      if (event.id !== null && event.id === stops_at) return "stopped";
    }
    return "ended";
  };
  const ends = await reading().catch((error: Error) => error.constructor.name);
  return { yields, states, ends };
}
