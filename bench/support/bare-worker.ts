// The baseline: a worker that answers every request with the same bytes, hosted like the gateway in the sandbox (one workerd, a direct
// socket).
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { childrenOf } from "./cpu-time.ts";

export type BareWorker = { port: number; pid: number; stop(): Promise<void> };

/** Rows on a page of the list that `bench/api.ts` reads, and columns of a stored message. */
const PAGE_ROWS = 10;
const COLUMNS = 24;

/**
 * Responds with JSON of the size at the end of the path. `/500` comes from the worker itself, and `/object/500` from its object. For
 * `/query/500`, the object first reads `PAGE_ROWS` rows with as many columns as a message, and converts them to JSON.
 */
const SCRIPT = `import { DurableObject } from "cloudflare:workers";
const texts = new Map();
const headers = { "content-type": "application/json" };
const textOf = (bytes) => {
  let text = texts.get(bytes);
  if (text === undefined) texts.set(bytes, (text = JSON.stringify({ data: "x".repeat(Math.max(0, bytes - 11)) })));
  return text;
};
const columns = Array.from({ length: ${COLUMNS} - 2 }, (_, n) => "c" + n);
export class Bare extends DurableObject {
  #filledFor = 0;
  text(bytes) {
    return textOf(bytes);
  }
  rows(bytes) {
    const { sql } = this.ctx.storage;
    if (this.#filledFor !== bytes) this.#fill(bytes);
    return JSON.stringify(sql.exec("SELECT * FROM message WHERE chat = ? ORDER BY no DESC LIMIT ?", "chat", ${PAGE_ROWS}).toArray());
  }
  #fill(bytes) {
    const { sql } = this.ctx.storage;
    sql.exec("DROP TABLE IF EXISTS message");
    sql.exec("CREATE TABLE message (chat TEXT, no INTEGER, " + columns.join() + ", PRIMARY KEY (chat, no)) WITHOUT ROWID");
    for (let no = 0; no < 2 * ${PAGE_ROWS}; no += 1) {
      const values = columns.map((_, n) => (n % 3 === 0 ? "text" : n % 3 === 1 ? n : null));
      const empty = JSON.stringify({ chat: "chat", no, ...Object.fromEntries(columns.map((name, n) => [name, values[n]])) }).length;
      values[0] += "x".repeat(Math.max(0, Math.floor(bytes / ${PAGE_ROWS}) - empty));
      sql.exec("INSERT INTO message VALUES (?, ?, " + columns.map(() => "?").join() + ")", "chat", no, ...values);
    }
    this.#filledFor = bytes;
  }
}
export default {
  fetch(request, env) {
    const path = request.url.slice(request.url.indexOf("/", 8));
    const bytes = Number(path.slice(path.lastIndexOf("/") + 1));
    if (path.startsWith("/object/")) return env.BARE.getByName("bare").text(bytes).then((text) => new Response(text, { headers }));
    if (path.startsWith("/query/")) return env.BARE.getByName("bare").rows(bytes).then((text) => new Response(text, { headers }));
    return new Response(textOf(bytes), { headers });
  },
};`;

export function startBareWorker(): Promise<BareWorker> {
  return hostWorker(SCRIPT, { BARE: { className: "Bare", useSQLite: true } });
}

type Objects = Readonly<Record<string, { className: string; useSQLite: boolean }>>;

/** Runs a worker from one script, with these object classes. */
export async function hostWorker(script: string, durableObjects: Objects = {}): Promise<BareWorker> {
  const before = new Set(childrenOf(process.pid));
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      workers: [
        {
          name: "bare",
          modules: true,
          script,
          compatibilityDate: "2026-10-01",
          compatibilityFlags: ["nodejs_compat"],
          durableObjects,
          unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
        },
      ],
    }),
  );
  const url = await runtime.unsafeGetDirectURL("bare");
  const pid = childrenOf(process.pid).find((child) => !before.has(child)) ?? 0;
  return { port: Number(url.port), pid, stop: () => runtime.dispose() };
}
