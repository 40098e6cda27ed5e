// The durable listener in TypeScript, apart from the cases of packages/conformance: options, cancellation, checkpoint files.
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ConnectionClient } from "@gateway/sdk";
import { fileCheckpoint } from "@gateway/sdk/checkpoint";
import { ended } from "./ended.ts";

/** The response to one opened stream: its blocks, or a status. */
type Answer = { blocks: string[]; lastsMs?: number } | { status: number; code: string } | "no answer";

const event = (no: number, type = "message.received"): string =>
  `id: ${no}\nevent: ${type}\ndata: ${JSON.stringify({ id: `msg_${no}`, type, event: type, data: {} })}\n\n`;

async function* blocksOf({ blocks, lastsMs = 0 }: { blocks: string[]; lastsMs?: number }) {
  if (lastsMs > 0) vi.setSystemTime(Date.now() + lastsMs);
  for (const block of blocks) yield new TextEncoder().encode(block);
}

class Script {
  readonly created: unknown[] = [];
  readonly opened: { listener: string; after: string | null }[] = [];
  readonly #answers: Answer[];

  constructor(...answers: Answer[]) {
    this.#answers = answers;
  }

  readonly fetch = (async (url: URL, init: RequestInit) => {
    if (init.method === "POST") {
      this.created.push(JSON.parse(init.body as string));
      return Response.json({ data: { id: `lst_${this.created.length}` } });
    }
    this.opened.push({ listener: url.pathname.split("/").at(-2) ?? "", after: new Headers(init.headers).get("last-event-id") });
    const answer = this.#answers.shift() ?? { status: 401, code: "chave_invalida" };
    if (answer === "no answer") throw new TypeError("fetch failed");
    if ("status" in answer)
      return Response.json({ error: { codigo: answer.code, code: answer.code, mensagem: "…" } }, { status: answer.status });
    return new Response(ReadableStream.from(blocksOf(answer)));
  }) as unknown as typeof fetch;
}

const connection = (script: Script) => new ConnectionClient({ apiKey: "svc_x", baseUrl: "https://app.example.com", fetch: script.fetch });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "listen-"));
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

/** Reads until the listener ends with an error. */
function read(client: ConnectionClient, options: Parameters<ConnectionClient["events"]["listen"]>[0] = {}) {
  const seen: unknown[] = [];
  const end = (async () => {
    for await (const one of client.events.listen(options)) seen.push(one.type === "gap" ? one : one.id);
  })().catch((error: Error) => error.name);
  return { seen, end: ended(end) };
}

describe("a listener", () => {
  it("opens its stream again at once after every planned end while no events come", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    const script = new Script(...Array.from({ length: 12 }, () => ({ blocks: [], lastsMs: 300_000 })));
    const startedAt = Date.now();
    await read(connection(script)).end;
    expect(script.opened).toHaveLength(13);
    // The fake clock advances in steps of a second. Pauses that double would add up to more than a minute.
    expect(Date.now() - startedAt - 12 * 300_000).toBeLessThan(30_000);
  });

  it("has the given name and event types", async () => {
    const script = new Script({ blocks: [event(1)] });
    await read(connection(script), { types: ["message.received"], name: "laptop" }).end;
    expect(script.created).toEqual([{ name: "laptop", events: ["message.received"] }]);
  });

  it("ends when its signal is aborted", async () => {
    const controller = new AbortController();
    const { end } = read(connection(new Script({ blocks: [event(1)] }, "no answer")), {
      signal: controller.signal,
      onState: ({ state }) => {
        if (state === "lost") controller.abort();
      },
    });
    expect(await end).toBeUndefined();
  });

  it("passes an error of the program's own code on, and leaves that event unhandled", async () => {
    const script = new Script({ blocks: [event(1), event(2)] });
    const checkpoint = fileCheckpoint(join(folder, "place"));
    const reading = (async () => {
      for await (const { id } of connection(script).events.listen({ checkpoint })) if (id === "msg_2") throw new Error("my own");
    })();
    await expect(ended(reading)).rejects.toThrow("my own");
    expect((await fileCheckpoint(join(folder, "place")).load())?.place).toBe("1");
  });
});

describe("a checkpoint in a file", () => {
  const path = () => join(folder, "deep", "place");

  it("lets the next process continue with the same listener, its place and its handled ids", async () => {
    await read(connection(new Script({ blocks: [event(1), event(2)] })), { checkpoint: fileCheckpoint(path()) }).end;
    const script = new Script({ blocks: [event(2), event(3)] });
    const { seen, end } = read(connection(script), { checkpoint: fileCheckpoint(path()) });
    await end;
    expect(script.created).toEqual([]);
    expect(script.opened[0]).toEqual({ listener: "lst_1", after: "2" });
    expect(seen).toEqual(["msg_3"]);
    expect(statSync(path()).mode & 0o777).toBe(0o600);
  });

  it("ignores a last line that was cut off", async () => {
    await read(connection(new Script({ blocks: [event(1)] })), { checkpoint: fileCheckpoint(path()) }).end;
    appendFileSync(path(), '{"place":"2","id":"ms');
    expect(await fileCheckpoint(path()).load()).toMatchObject({ listener: "lst_1", place: "1", ids: ["msg_1"] });
  });

  it("can be read again if the very first line was cut off", async () => {
    mkdirSync(join(folder, "deep"));
    writeFileSync(path(), '{"listener":"lst');
    expect(await fileCheckpoint(path()).load()).toBeNull();
    await read(connection(new Script({ blocks: [event(1)] })), { checkpoint: fileCheckpoint(path()) }).end;
    expect(await fileCheckpoint(path()).load()).toMatchObject({ listener: "lst_1", place: "1", ids: ["msg_1"] });
  });

  it("stays small", async () => {
    const checkpoint = fileCheckpoint(path());
    await checkpoint.start("lst_1");
    for (let no = 1; no <= 45_000; no += 1) await checkpoint.save({ listener: "lst_1", place: String(no), id: `msg_${no}`, at: "now" });
    expect(statSync(path()).size).toBeLessThan(2_000_000);
    const place = await fileCheckpoint(path()).load();
    expect([place?.place, place?.ids.length, place?.ids.at(-1)]).toEqual(["45000", 10_000, "msg_45000"]);
  });
});
