// Runs the listener cases of packages/conformance against the TypeScript SDK, on both APIs.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import cases from "@gateway/conformance/listening.json" with { type: "json" };
import { AccountClient, ConnectionClient } from "@gateway/sdk";
import { fileCheckpoint } from "@gateway/sdk/checkpoint";
import { ended } from "./ended.ts";

type Answer = "none" | { status: number; code?: string } | { text: string; then?: "silence" };
type Run = { answers: Answer[]; opened: unknown[]; yields: unknown[]; states: string[]; ends: string; stops_at?: string };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "listen-"));
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

/** A scripted gateway with listeners. */
class Listeners {
  left: Answer[] = [];
  opened: unknown[] = [];
  #created = 0;

  readonly fetch = (async (url: URL, init: RequestInit) => {
    if (init.method === "POST") return Response.json({ data: { id: `lst_${(this.#created += 1)}` } });
    this.opened.push({ listener: url.pathname.split("/").at(-2), after: new Headers(init.headers).get("last-event-id") });
    const answer = this.left.shift() ?? "none";
    if (answer === "none") throw new TypeError("fetch failed");
    if ("status" in answer) {
      const body = answer.code === undefined ? "<html>" : JSON.stringify({ error: { code: answer.code, message: "…" } });
      return new Response(body, { status: answer.status });
    }
    return new Response(streamOf(answer.text, answer.then === "silence"));
  }) as unknown as typeof fetch;
}

/** Cuts the text in the middle, as a network may. */
function streamOf(text: string, isEndless: boolean): ReadableStream {
  const bytes = new TextEncoder().encode(text);
  return new ReadableStream({
    start: (stream) => {
      for (let at = 0; at < bytes.length; at += 50) stream.enqueue(bytes.slice(at, at + 50));
      if (!isEndless) stream.close();
    },
  });
}

async function read(server: Listeners, api: string, { stops_at }: Run) {
  const options = { apiKey: "svc_x", baseUrl: "https://app.example.com", fetch: server.fetch };
  const client = api === "connection" ? new ConnectionClient(options) : new AccountClient(options).instance("7");
  const [yields, states]: [unknown[], string[]] = [[], []];
  const listening = { checkpoint: fileCheckpoint(join(folder, "place")), onState: ({ state }: { state: string }) => states.push(state) };
  const reading = async (): Promise<string> => {
    for await (const event of client.events.listen(listening)) {
      if (event.type === "gap") {
        const { missed, since, until } = event;
        yields.push(missed === null ? { missed } : { missed, since, until });
      } else yields.push(event.id);
      if (event.id !== null && event.id === stops_at) return "stopped";
    }
    return "ended";
  };
  const ends = await ended(reading().catch((error: Error) => error.constructor.name));
  return { yields, states, ends };
}

describe.each(["connection", "account"])("a listener of the API %s", (api) => {
  it.each(cases as { name: string; runs: Run[] }[])("$name", async ({ runs }) => {
    const server = new Listeners();
    for (const run of runs) {
      server.left = [...run.answers];
      server.opened = [];
      const { yields, states, ends } = await read(server, api, run);
      expect({ opened: server.opened, yields, states, ends }).toEqual({
        opened: run.opened,
        yields: run.yields,
        states: run.states,
        ends: run.ends,
      });
    }
  });
});
