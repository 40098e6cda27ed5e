// The largest files, and expired files.
import { randomBytes } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { peakMegabytes, runtimeMegabytes } from "../../support/memory.ts";
import { ok, refused } from "../../support/replies.ts";
import { sha256 } from "../../support/sample-files.ts";
import { BIA, CHAT, MB, MediaWorld, picture } from "./media-world.ts";

/** The platform's memory limit per isolate. */
const WORKER_MB = 128;
/** Part size of an upload to R2. */
const PART_BYTES = 8 * MB;

let world: MediaWorld;
beforeAll(async () => {
  world = await MediaWorld.start();
});
afterAll(() => world.dispose());

/** Total size of all files below the folder. */
const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + (statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0), 0);

describe("the largest files", () => {
  /** The increase of the local runtime's memory, which includes the simulated storage. */
  async function measured(what: string, work: () => Promise<void>): Promise<number> {
    const pid = world.sandbox.ready().processes.worker;
    const before = runtimeMegabytes(pid);
    const peak = await peakMegabytes(pid, work);
    console.log(`${what}: the runtime had ${before} MB resident before, at most ${peak} MB during, ${runtimeMegabytes(pid)} MB after`);
    return peak - before;
  }

  it("fit into a worker's memory at 25 MB in a body, and are refused visibly with one byte more", async () => {
    const bytes = randomBytes(19_660_000);
    const body = (padding: number) =>
      JSON.stringify({ to: BIA, media: { base64: bytes.toString("base64"), filename: "a.bin" } }).padEnd(padding, " ");
    const limit = 25 * MB;
    const post = (text: string) =>
      fetch(`${world.sandbox.ready().app_url}/api/v1/messages/document`, {
        method: "POST",
        headers: { "x-api-key": world.sandbox.ready().demo.connection.api_key, "content-type": "application/json" },
        body: text,
      });
    const grown = await measured("a body of 25 MB", async () => {
      const answer = await post(body(limit));
      const sent = (await answer.json()) as any;
      expect(answer.status, JSON.stringify(sent)).toBe(200);
      expect((await world.at(sent.message_id)).media).toMatchObject({ sha256: sha256(bytes), size: bytes.length });
    });
    expect(grown).toBeLessThan(WORKER_MB);
    for (const over of [limit + 1, 40 * MB]) {
      const answer = await post(body(over));
      expect([answer.status, ((await answer.json()) as any).error.codigo]).toEqual([413, "corpo_grande_demais"]);
    }
  });

  it("are streamed to storage at 50 MB by url, with at most one part in the worker", async () => {
    const bytes = randomBytes(50 * MB);
    const storage = join(world.sandbox.directory, "worker", "r2");
    const before = sizeOf(storage);
    const url = world.files.page("/fifty", async (response) => {
      response.writeHead(200, { "content-type": "application/x-a" });
      for (let sent = 0; sent < bytes.length; sent += MB) {
        const isAllowed = () => response.closed || sent - (sizeOf(storage) - before) <= PART_BYTES;
        await eventually("what was sent before is stored", 60_000, isAllowed);
        response.write(bytes.subarray(sent, sent + MB));
      }
      response.end();
    });
    const record = await world.arrived("document", { media: { url, filename: "fifty.bin" } });
    expect(record.media).toMatchObject({ sha256: sha256(bytes), size: bytes.length });
  });
});

describe("a file by url", () => {
  it("is refused over 50 MB, with or without a declared length", async () => {
    const over = Buffer.alloc(50 * MB + 1, 1);
    const media = (url: string) => ({ media: { url, filename: "a.bin" } });
    await refused(world.send("document", media(world.files.file("/over", over, "application/x-a"))), 413, "midia_grande");
    await refused(world.send("document", media(world.files.file("/over2", over, "application/x-a", false))), 413, "midia_grande");
  });
});

describe("an expired file", () => {
  /** Makes the stored files expire. */
  async function forgetFiles(): Promise<void> {
    await world.sandbox.stop();
    await rm(join(world.sandbox.directory, "worker", "r2"), { recursive: true });
    await world.sandbox.start();
  }

  it("is fetched from the network again until the network no longer has it", async () => {
    const png = await picture(55, 55);
    const { message_id } = await world.arrived("image", { media: { base64: png.toString("base64") } });
    const path = `/chats/${CHAT}/messages/${message_id}/media`;
    const first = await ok(world.api.get(path));
    await forgetFiles();
    expect((await fetch(first.data.url.replace(/^https?:\/\/[^/]+/, world.sandbox.ready().app_url))).status).toBe(404);
    const again = await eventually("a session", 60_000, async () => {
      const answer = await world.api.get(path);
      return answer.status === 200 && answer.body.data;
    });
    expect(sha256(Buffer.from(await (await fetch(again.url)).arrayBuffer()))).toBe(sha256(png));
    // Bia's phone keeps the file; ours never had it.
    expect((await world.network.call("POST", `/phones/${BIA}/inbox/${message_id}/expire-media`)).status).toBe(200);
    await forgetFiles();
    await eventually("no answer but that it has expired", 60_000, async () => (await world.api.get(path)).status === 410);
    await refused(world.api.get(path), 410, "midia_expirada");
  });
});
