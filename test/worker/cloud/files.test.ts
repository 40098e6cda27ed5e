// Files of received messages, with a Graph and a file host controlled by the test.
import { createHash } from "node:crypto";
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { expect, it, vi } from "vitest";
import { CloudFiles, FILE_WAIT_MS } from "#root/durable-objects/connection/cloud/files/files.ts";
import { createGraph } from "#root/durable-objects/connection/cloud/graph.ts";
import type { CloudFile } from "@gateway/domain/cloud/view.ts";
import { mediaKey } from "@gateway/domain/media/media-link.ts";
import type { Env } from "#root/src/env.ts";
import type { KeyedEvent } from "@gateway/protocol/events.ts";
import type { StoredMedia } from "@gateway/protocol/message.ts";
import { openMedia } from "#root/src/services/media/open.ts";
import { DAY_MS, HOUR_MS } from "@gateway/protocol/units.ts";

const bucket = (env as Env).MEDIA;
const CHAT = "5511900000002@c.us";
const PICTURE = new Uint8Array(200_000).map((_, at) => at % 253);
const ID = "wamid.A";

type Answer = Response | "lost";
/** Functions, because a response is tied to the request that created it, so the object must create it. */
type Answers = { name?: (times: number) => Answer; bytes?: (times: number) => Answer };

const refusal = (code: number, status = 400) => Response.json({ error: { message: "no", code } }, { status });
const DIGEST = createHash("sha256").update(PICTURE).digest("hex");
const named = (change: object = {}) =>
  Response.json({
    url: "https://lookaside.fbsbx.com/file",
    mime_type: "image/png",
    sha256: DIGEST,
    file_size: String(PICTURE.length),
    ...change,
  });
/** Delivers the file once `promise` resolves. */
const slowFile = (promise: Promise<void>) =>
  new Response(
    new ReadableStream({
      async start(controller) {
        await promise;
        controller.enqueue(PICTURE);
        controller.close();
      },
    }),
  );
const fileOf = (mediaId: string): CloudFile => ({ mediaId, mimetype: "image/png", sha256: null, filename: null });
const rawOf = (mediaId: string) => btoa(JSON.stringify({ type: "image", image: { id: mediaId, mime_type: "image/png" } }));

type World = {
  files: CloudFiles;
  /** The table as a restarted object loads it. */
  again: () => CloudFiles;
  asked: { url: string; authorization: string | null }[];
  committed: KeyedEvent[];
  arrived: string[];
  sql: SqlStorage;
  settings: { download: boolean; connected: boolean; stored: boolean; removed: boolean };
};

async function inObject(answers: Answers, run: (world: World) => Promise<void>): Promise<void> {
  await runInDurableObject(env.CONNECTION.getByName(crypto.randomUUID()), async (_object, { storage }) => {
    const asked: World["asked"] = [];
    const committed: KeyedEvent[] = [];
    const arrived: string[] = [];
    const settings = { download: true, connected: true, stored: false, removed: false };
    const counts = { name: 0, bytes: 0 };
    const graph = createGraph({
      baseUrl: "https://graph.example",
      version: "v23.0",
      connection: "c",
      credentials: () => ({ accessToken: "EAA", appSecret: "s" }),
      transport: async (url, init) => {
        asked.push({ url, authorization: new Headers(init.headers).get("authorization") });
        const which = url.startsWith("https://graph.example/") ? "name" : "bytes";
        const given = answers[which]?.(++counts[which]) ?? (which === "name" ? named() : new Response(PICTURE));
        if (given === "lost") throw new Error("connection lost");
        return given;
      },
    });
    const create = () =>
      new CloudFiles({
        sql: storage.sql,
        bucket,
        graph,
        phoneNumberId: () => "55",
        connection: () => (settings.removed ? null : { uuid: "c", retentionMs: DAY_MS, download: settings.download }),
        isConnected: () => settings.connected,
        isStored: () => settings.stored,
        doubt: () => undefined,
        commit: (events) => committed.push(...events),
        arrived: (chatId) => arrived.push(chatId),
        rearm: () => undefined,
      });
    await run({ files: create(), again: create, asked, committed, arrived, sql: storage.sql, settings });
  });
}

const until = (condition: () => boolean) => vi.waitFor(() => expect(condition()).toBe(true), { timeout: 60_000 });
const rows = ({ sql }: World) => sql.exec<{ due_at: number | null; tries: number }>("SELECT due_at, tries FROM cloud_files").toArray();
/** Waits until this many attempts have started and the last one has ended. */
const ended = (world: World, tries: number) =>
  until(() => rows(world)[0]?.tries === tries && world.files.nextDue() === rows(world)[0]?.due_at);

async function bytesOf(media: StoredMedia | null | "waiting"): Promise<Uint8Array> {
  const token = typeof media === "object" ? media?.token : null;
  const opened = await openMedia(bucket, token ?? "", Date.now());
  return new Response(opened?.body ?? null).bytes();
}

it("a file that arrives in time is reported with its message", () =>
  inObject({}, async (world) => {
    const { files, asked, arrived, committed } = world;
    const now = Date.now();
    expect(files.want(ID, CHAT, fileOf("M1"), now)).toBe(true);
    expect(files.take(ID, now)).toBe("waiting");
    await until(() => arrived.includes(CHAT));
    const media = files.take(ID, now);
    expect(media).toMatchObject({ mimetype: "image/png", size: PICTURE.length, sha256: DIGEST });
    expect(await bytesOf(media)).toEqual(PICTURE);
    expect([files.take(ID, now), rows(world), committed, files.nextDue()]).toEqual([null, [], [], null]);
    expect(asked.map(({ url }) => url.split("?")[0])).toEqual(["https://graph.example/v23.0/M1", "https://lookaside.fbsbx.com/file"]);
    expect(new URL(asked[0]!.url).searchParams.get("phone_number_id")).toBe("55");
    expect(asked.map(({ authorization }) => authorization)).toEqual(["Bearer EAA", "Bearer EAA"]);
  }));

it("two files that never arrive delay a third by five seconds, in time for its message", () => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
  const never = new Promise<void>(() => undefined);
  return inObject({ bytes: (times) => (times <= 2 ? slowFile(never) : new Response(PICTURE)) }, async (world) => {
    const { files, arrived } = world;
    const now = Date.now();
    for (const [at, id] of ["wamid.1", "wamid.2", "wamid.3"].entries()) files.want(id, `551190000000${at}@c.us`, fileOf(id), now);
    await until(() => world.asked.length === 4);
    vi.advanceTimersByTime(4_999);
    expect(files.nextDue()).toBeGreaterThan(now + FILE_WAIT_MS);
    vi.advanceTimersByTime(1);
    // The object's alarm fires at this time.
    expect(files.nextDue()).toBe(now);
    files.run(Date.now());
    await until(() => arrived.includes("5511900000002@c.us"));
    expect(files.take("wamid.3", Date.now())).toMatchObject({ size: PICTURE.length });
  }).finally(() => vi.useRealTimers());
});

it("a late file is added to its message, which was reported without it", () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return inObject({ bytes: () => slowFile(promise) }, async (world) => {
    const { files, committed, arrived } = world;
    const now = Date.now();
    files.want(ID, CHAT, fileOf("M1"), now);
    expect(files.take(ID, now + FILE_WAIT_MS - 1)).toBe("waiting");
    expect(files.take(ID, now + FILE_WAIT_MS)).toBe(null);
    resolve();
    await until(() => committed.length === 1);
    expect(committed).toMatchObject([
      { key: `media:${CHAT}:${ID}`, event: { type: "message.media", chat_id: CHAT, message_id: ID, media: { size: PICTURE.length } } },
    ]);
    expect([rows(world), arrived]).toEqual([[], []]);
  });
});

it("an expired URL is requested once more", () =>
  inObject(
    { bytes: (times) => (times === 1 ? new Response(null, { status: 404 }) : new Response(PICTURE)) },
    async ({ files, arrived, asked }) => {
      files.want(ID, CHAT, fileOf("M1"), Date.now());
      await until(() => arrived.length === 1);
      expect(files.take(ID, Date.now())).toMatchObject({ size: PICTURE.length });
      expect(asked.length).toBe(4);
    },
  ));

it("bytes that differ from Graph's description are never stored", () => {
  const longer = new Uint8Array(PICTURE.length + 1);
  const other = PICTURE.map((byte) => byte ^ 1);
  const bodies = [longer, PICTURE.subarray(1), other];
  return inObject({ bytes: (times) => new Response(bodies[times - 1]) }, async (world) => {
    const { files, committed } = world;
    const put = vi.spyOn(bucket, "put");
    const start = Date.now();
    files.want(ID, CHAT, fileOf("M1"), start);
    await ended(world, 1);
    for (const [tries, after] of [
      [2, 5_000],
      [3, 30_000],
    ] as const) {
      expect(files.nextDue()).toBe(start + after);
      files.run(start + after);
      await ended(world, tries);
    }
    const keys = put.mock.calls.map(([key]) => key);
    put.mockRestore();
    expect(keys.length).toBe(3);
    expect(await Promise.all(keys.map((key) => bucket.head(key)))).toEqual([null, null, null]);
    expect(committed).toEqual([]);
  });
});

it("a file is tried four times in two minutes, then every hour for six days", () =>
  inObject({ name: () => "lost" }, async (world) => {
    const { files } = world;
    const start = Date.now();
    files.want(ID, CHAT, fileOf("M1"), start);
    expect(files.take(ID, start + FILE_WAIT_MS)).toBe(null);
    const dues: number[] = [];
    for (let tries = 1; tries < 6; tries += 1) {
      await ended(world, tries);
      const due = rows(world)[0]!.due_at!;
      dues.push(due);
      files.run(due - 1);
      expect(rows(world)[0]?.tries).toBe(tries);
      files.run(due);
    }
    expect(dues.slice(0, 3).map((due) => due - start)).toEqual([5_000, 30_000, 120_000]);
    expect(dues.slice(3).every((due) => due >= start + HOUR_MS && due < Date.now() + HOUR_MS + 1)).toBe(true);
    await ended(world, 6);
    world.sql.exec("UPDATE cloud_files SET asked_at = asked_at - ?, due_at = ?", 6 * DAY_MS, start);
    files.run(start);
    await until(() => rows(world).length === 0);
  }));

it("a file unknown to Graph is abandoned after two minutes, and its message is reported at once", () =>
  inObject({ name: () => refusal(100) }, async (world) => {
    const { files, arrived } = world;
    const start = Date.now();
    files.want(ID, CHAT, fileOf("M1"), start);
    for (const after of [5_000, 30_000, 120_000]) {
      await until(() => rows(world)[0]?.due_at === start + after);
      files.run(start + after);
    }
    await until(() => arrived.length === 1);
    expect([files.take(ID, start), rows(world)]).toEqual([null, []]);
  }));

it("a file over the limit of all files is not fetched", () =>
  inObject({ name: () => named({ file_size: 100_000_001 }) }, async (world) => {
    const { files, arrived, asked } = world;
    files.want(ID, CHAT, fileOf("M1"), Date.now());
    await until(() => arrived.length === 1);
    expect([files.take(ID, Date.now()), asked.length]).toEqual([null, 1]);
  }));

it("the token is sent only to Meta's hosts", async () => {
  const urls = [
    "http://lookaside.fbsbx.com/x",
    "https://fbsbx.com.evil.example/x",
    "https://u@lookaside.fbsbx.com/x",
    "https://lookaside.fbsbx.com:8443/x",
  ];
  const moved = () => new Response(null, { status: 302, headers: { location: "https://evil.example/" } });
  await inObject({ name: (times) => named(urls[times - 1] === undefined ? {} : { url: urls[times - 1] }), bytes: moved }, async (world) => {
    const { files, asked } = world;
    for (let each = 0; each < 5; each += 1)
      expect(await files.refetch(rawOf(`M${each}`))).toMatchObject({ failure: { code: "network_error" } });
    expect(asked.map(({ url }) => new URL(url).host)).toEqual([...Array.from({ length: 5 }, () => "graph.example"), "lookaside.fbsbx.com"]);
  });
});

it("ten refusals in an hour end the retries of files, and fifteen end first attempts", () =>
  inObject({ name: () => refusal(10) }, async (world) => {
    const { again, asked, sql } = world;
    const files = again();
    const now = Date.now();
    for (let each = 0; each < 10; each += 1) expect(await files.refetch(rawOf(`M${each}`))).toMatchObject({ ok: false });
    sql.exec("INSERT INTO cloud_files VALUES (?, ?, ?, ?, 1, ?, 1, NULL)", ID, CHAT, JSON.stringify(fileOf("N")), now, now);
    files.run(Date.now());
    expect([asked.length, rows(world)[0]?.tries]).toEqual([10, 1]);
    const due = files.nextDue() ?? 0;
    expect(due).toBeGreaterThanOrEqual(now + HOUR_MS);
    for (let each = 0; each < 5; each += 1) await files.refetch(rawOf(`F${each}`));
    expect(asked.length).toBe(15);
    const refused = await files.refetch(rawOf("L"));
    expect(refused).toMatchObject({ failure: { code: "network_rate_limited" } });
    expect(refused.ok ? 0 : refused.failure.retryAfter).toBeGreaterThan(3_500);
    files.want("wamid.B", CHAT, fileOf("B"), Date.now());
    expect(asked.length).toBe(15);
    files.run(Date.now() + 2 * HOUR_MS);
    await until(() => asked.length === 17);
  }));

it("a file is fetched on request, once for all callers, and reported as expired when Meta no longer has it", () =>
  inObject({ name: (times) => (times === 1 ? named() : refusal(100)) }, async ({ files, asked }) => {
    const [one, other] = await Promise.all([files.refetch(rawOf("M1")), files.refetch(rawOf("M1"))]);
    expect([one, asked.length]).toEqual([other, 2]);
    expect(await bytesOf(one.ok ? one.value : null)).toEqual(PICTURE);
    expect(await files.refetch(rawOf("M1"))).toMatchObject({ failure: { code: "media_expired" } });
    expect(await files.refetch(btoa("{}"))).toMatchObject({ failure: { code: "media_expired" } });
  }));

it("no unwanted file is fetched, and none of a message already stored", () =>
  inObject({}, async ({ files, asked, settings }) => {
    settings.download = false;
    expect(files.want(ID, CHAT, fileOf("M1"), Date.now())).toBe(false);
    Object.assign(settings, { download: true, stored: true });
    expect(files.want(ID, CHAT, fileOf("M1"), Date.now())).toBe(false);
    expect([asked, files.take(ID, Date.now()), files.nextDue()]).toEqual([[], null, null]);
  }));

it("no file is fetched while the number is not connected, and all are fetched once it is", () =>
  inObject({}, async (world) => {
    const { files, settings, asked, committed } = world;
    settings.connected = false;
    const start = Date.now();
    expect(files.want(ID, CHAT, fileOf("M1"), start)).toBe(true);
    expect(files.take(ID, start + FILE_WAIT_MS)).toBe(null);
    files.run(start + HOUR_MS);
    expect([files.nextDue(), asked, rows(world)[0]?.tries]).toEqual([null, [], 0]);
    settings.connected = true;
    expect(files.nextDue()).toBe(start);
    files.run(Date.now());
    await until(() => committed.length === 1);
  }));

it("a restarted object continues after a crash", () => {
  const never = new Promise<void>(() => undefined);
  return inObject({ bytes: (times) => (times === 1 ? slowFile(never) : new Response(PICTURE)) }, async (world) => {
    const { files, again, arrived, asked } = world;
    files.want(ID, CHAT, fileOf("M1"), Date.now());
    await until(() => asked.length === 2);
    // The object stays awake until then; the alarm only matters if the object dies.
    expect(files.nextDue()).toBeGreaterThan(Date.now() + 60_000);
    const next = again();
    expect(next.nextDue()).toBeLessThanOrEqual(Date.now());
    next.run(Date.now());
    await until(() => arrived.length === 1);
    expect(await bytesOf(next.take(ID, Date.now()))).toEqual(PICTURE);
  });
});

it("a file that cannot be stored is not retried at once", () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return inObject({ bytes: () => slowFile(promise) }, async (world) => {
    const { files, committed, asked } = world;
    const broken = vi.spyOn(committed, "push").mockImplementationOnce(() => {
      throw new Error("disk full");
    });
    const start = Date.now();
    files.want(ID, CHAT, fileOf("M1"), start);
    expect(files.take(ID, start + FILE_WAIT_MS)).toBe(null);
    resolve();
    await until(() => broken.mock.calls.length === 1);
    const due = files.nextDue() ?? 0;
    expect(due).toBeGreaterThan(Date.now() + 60_000);
    files.run(due);
    await until(() => committed.length === 1);
    expect(asked.length).toBe(4);
  });
});

it("a file without a waiting message is deleted again", () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return inObject({ bytes: () => slowFile(promise) }, async ({ files, sql, asked, arrived }) => {
    const remove = vi.spyOn(bucket, "delete");
    files.want(ID, CHAT, fileOf("M1"), Date.now());
    await until(() => asked.length === 2);
    // The state left by a webhook that could not be stored.
    sql.exec("DELETE FROM cloud_files");
    resolve();
    await until(() => remove.mock.calls.length === 1);
    const [[key] = [""]] = remove.mock.calls;
    await remove.mock.results[0]?.value;
    expect([await bucket.head(String(key)), arrived]).toEqual([null, []]);
    remove.mockRestore();
  });
});

it("a file of a connection that is removed during its download is deleted from storage", () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return inObject({ bytes: () => slowFile(promise) }, async ({ files, asked, settings, arrived, committed }) => {
    const put = vi.spyOn(bucket, "put");
    const remove = vi.spyOn(bucket, "delete");
    files.want(ID, CHAT, fileOf("M1"), Date.now());
    await until(() => asked.length === 2);
    settings.removed = true;
    resolve();
    await until(() => remove.mock.calls.length === 1);
    const [[key] = [""]] = put.mock.calls;
    expect(await bucket.head(key)).toBe(null);
    expect(key.startsWith(mediaKey("").slice(0, 6))).toBe(true);
    expect([arrived, committed]).toEqual([[], []]);
    put.mockRestore();
    remove.mockRestore();
  });
});
