import { spawnSync } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { LateFiles, lateFilesOf } from "#root/session-bridge/networks/baileys/inbound/late-files.ts";
import { IncomingMedia, incomingMediaOf, MEDIA_LIMITS } from "#root/session-bridge/networks/baileys/media/incoming-media.ts";
import { SPOOL_QUOTA } from "#root/session-bridge/networks/baileys/media/spool-quota.ts";
import { openSpoolFolder } from "#root/session-bridge/networks/baileys/media/spool.ts";
import { ProcessSlots } from "#root/session-bridge/networks/baileys/media/transfer-slots.ts";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import { eventually } from "../../support/eventually.ts";
import { runOk } from "../commands/run-command.ts";
import type { Session } from "./session.ts";
import { chatOf, must, openWorld, type World } from "./world.ts";

describe("an incoming file", () => {
  let world: World;
  let anna: SimulatedPhone, carla: SimulatedPhone, dora: SimulatedPhone;
  let session: Session;

  beforeAll(async () => {
    world = await openWorld();
    ({ phone: anna, session } = await world.pair("Anna"));
    [carla, dora] = [await world.newPhone("Carla"), await world.newPhone("Dora")];
  });
  afterEach(() => {
    session.media.hold = Promise.resolve();
    world.network.blobs.trouble = null;
    SPOOL_QUOTA.limitBytes = quotaBytes;
    limits({});
  });
  afterAll(() => world.close());

  const quotaBytes = SPOOL_QUOTA.limitBytes;
  const hasEnded = () => world.network.stats.open_downloads === 0;
  const limits = (some: Partial<typeof MEDIA_LIMITS>): typeof MEDIA_LIMITS => {
    const all = { ...MEDIA_LIMITS, ...some };
    incomingMediaOf.replace(session.networkSession, new IncomingMedia(all));
    return all;
  };
  /** Far more than a session resumes at a time. */
  const LEFT = 240;
  const picture = () => ({ bytes: randomBytes(10_000), mimetype: "image/png", filename: null });
  const sendPicture = async (from: SimulatedPhone, file = picture()) => ({
    file,
    id: must(await from.send(anna.pn, { type: "image", file, caption: null, view_once: false })).message_id,
  });
  const wasReported = (id: string) => session.eventsOf("message.upsert").some(({ message }) => message.message_id === id);

  it("delays the later events of its own chat while it is slow, and no other chat", async () => {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    session.media.hold = promise;
    const { id: slow } = await sendPicture(carla);
    const { message_id: behind } = must(await carla.sendText(anna.pn, "after the picture"));
    must(await carla.react(anna.pn, behind, "👍"));
    const { message_id: other } = must(await dora.sendText(anna.pn, "from somebody else"));
    await session.received(other);
    expect(wasReported(slow) || wasReported(behind)).toBe(false);
    release();
    await session.waitForEvent("message.reaction", (event) => event.message_id === behind);
    const events = session.events
      .map(({ event }) => event)
      .filter((event) => ("chat_id" in event && event.chat_id === chatOf(carla)) || event.type === "message.upsert");
    const order = events.flatMap((event) =>
      event.type === "message.upsert"
        ? [event.message.message_id]
        : event.type === "message.reaction"
          ? [`reaction ${event.message_id}`]
          : [],
    );
    expect(order).toEqual([other, slow, behind, `reaction ${behind}`]);
    expect((await session.received(slow)).media?.token).not.toBeNull();
  });

  it("follows in a separate event if it takes too long", async () => {
    limits({ releaseAfterMs: 30 });
    const { promise, resolve: release } = Promise.withResolvers<void>();
    session.media.hold = promise;
    const { id, file } = await sendPicture(carla);
    expect((await session.received(id)).media).toMatchObject({ token: null, mimetype: "image/png", size: file.bytes.length });
    expect(session.eventsOf("message.media")).toEqual([]);
    release();
    const { media, chat_id } = await session.waitForEvent("message.media", (event) => event.message_id === id);
    expect(chat_id).toBe(chatOf(carla));
    expect(session.media.files.get(media.token ?? "")?.bytes).toEqual(file.bytes);
  });

  it("does not wait for slow files before it while there is a slot", async () => {
    const limited = limits({ releaseAfterMs: 30, concurrency: 2 });
    const { promise, resolve: release } = Promise.withResolvers<void>();
    session.media.hold = promise;
    const { id: stuck } = await sendPicture(carla);
    await session.received(stuck);
    session.media.hold = Promise.resolve();
    limited.releaseAfterMs = 60_000;
    const { id: next } = await sendPicture(dora);
    expect((await session.received(next)).media?.token).not.toBeNull();
    release();
    await session.waitForEvent("message.media", (event) => event.message_id === stuck);
  });

  it("is requested from the phone once if the network no longer has it", async () => {
    const sizeOf = world.network.blobs.sizeOf.bind(world.network.blobs);
    let asked = 0;
    world.network.blobs.sizeOf = (path) => (asked++ === 0 ? undefined : sizeOf(path));
    const { id, file } = await sendPicture(carla);
    const { media } = await session.received(id);
    world.network.blobs.sizeOf = sizeOf;
    expect(session.media.files.get(media?.token ?? "")?.bytes).toEqual(file.bytes);
    expect(asked).toBe(2);
  });

  it("is left out of its message if it is damaged", async () => {
    const open = world.network.blobs.open.bind(world.network.blobs);
    const get = world.network.blobs.get.bind(world.network.blobs);
    world.network.blobs.open = (path) => {
      const bytes = Buffer.from(get(path) ?? []);
      bytes[20] = (bytes[20] ?? 0) ^ 1;
      return Readable.from([bytes]);
    };
    const { id } = await sendPicture(carla);
    expect((await session.received(id)).media).toMatchObject({ token: null, mimetype: "image/png" });
    world.network.blobs.open = open;
  });

  it("is left out of its message if its download is interrupted", async () => {
    const open = world.network.blobs.open.bind(world.network.blobs);
    world.network.blobs.open = () =>
      Readable.from(
        (function* () {
          yield randomBytes(500);
          throw new Error("the line broke");
        })(),
      );
    const { id } = await sendPicture(carla);
    expect((await session.received(id)).media).toMatchObject({ token: null });
    world.network.blobs.open = open;
  });

  it("is stored by a retry when the media store was unavailable", async () => {
    limits({ retryDelaysMs: [10, 10] });
    const upload = session.media.upload.bind(session.media);
    let tries = 0;
    session.media.upload = async (body, file) =>
      ++tries < 3 ? ({ ok: false, failure: { code: "unavailable" } } as never) : upload(body, file);
    const { id, file } = await sendPicture(carla);
    const { media } = await session.received(id);
    session.media.upload = upload;
    expect(tries).toBe(3);
    expect(session.media.files.get(media?.token ?? "")?.bytes).toEqual(file.bytes);
  });

  it("follows when the session opens next, if the gateway was unavailable", async () => {
    limits({ retryDelaysMs: [] });
    const upload = session.media.upload.bind(session.media);
    session.media.upload = async () => ({ ok: false, failure: { code: "unavailable" } }) as never;
    const { id, file } = await sendPicture(carla);
    expect((await session.received(id)).media).toMatchObject({ token: null });
    const row = `late_file|${id}`;
    const opens = () => session.sock.ev.emit("connection.update", { connection: "open" });
    expect(session.rows.has(row)).toBe(true);
    session.media.upload = upload;
    opens();
    const { media } = await session.waitForEvent("message.media", (event) => event.message_id === id);
    expect(session.media.files.get(media.token ?? "")?.bytes).toEqual(file.bytes);
    expect(session.rows.has(row)).toBe(false);
  });

  it("follows when the session opens, however many files are left", async () => {
    limits({ retryDelaysMs: [], maxWaiting: LEFT / 2 });
    const upload = session.media.upload.bind(session.media);
    session.media.upload = async () => ({ ok: false, failure: { code: "unavailable" } }) as never;
    const { id } = await sendPicture(carla);
    await session.received(id);
    session.media.upload = upload;
    const left = JSON.parse(String(session.rows.get(`late_file|${id}`))) as { message_id: string };
    session.rows.delete(`late_file|${id}`);
    for (let at = 0; at < LEFT; at += 1) session.rows.set(`late_file|${id}${at}`, JSON.stringify({ ...left, message_id: `${id}${at}` }));
    lateFilesOf.replace(session.networkSession, new LateFiles(session.networkSession));
    session.sock.ev.emit("connection.update", { connection: "open" });
    await eventually("the rows to be gone", 60_000, () => session.networkSession.rows.keysOf("late_file").length === 0);
    expect(session.eventsOf("message.media").filter(({ message_id }) => message_id.startsWith(id))).toHaveLength(LEFT);
  });

  /** The media host responds only after `release`. */
  const holdHost = (): (() => void) => {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    const open = world.network.blobs.open.bind(world.network.blobs);
    world.network.blobs.open = (path, range) => {
      const held = async function* () {
        await promise;
        yield* open(path, range) ?? [];
      };
      return Readable.from(held());
    };
    return () => {
      world.network.blobs.open = open;
      release();
    };
  };
  /** Waits until all pending work has started, `downloads` of it as downloads. */
  const started = async (downloads: number) => {
    await eventually("the downloads", 60_000, () => world.network.stats.open_downloads >= downloads);
    for (let at = 0; at < 3; at += 1) await session.received(must(await dora.sendText(anna.pn, "meanwhile")).message_id);
  };

  it("respects the concurrency limit, also after its message was released, and follows when a slot is free", async () => {
    limits({ releaseAfterMs: 50, concurrency: 2 });
    const release = holdHost();
    const sent: Awaited<ReturnType<typeof sendPicture>>[] = [];
    for (let at = 0; at < 5; at += 1) sent.push(await sendPicture(at % 2 === 0 ? carla : dora));
    for (const { id } of sent) expect((await session.received(id)).media).toMatchObject({ token: null });
    await started(2);
    expect(world.network.stats.open_downloads).toBe(2);
    release();
    for (const { id, file } of sent) {
      const { media } = await session.waitForEvent("message.media", (event) => event.message_id === id);
      expect(session.media.files.get(media.token ?? "")?.bytes).toEqual(file.bytes);
    }
  });

  it("gets a slot although a stranger's many files fill half of them", async () => {
    limits({ releaseAfterMs: 50, concurrency: 4 });
    const release = holdHost();
    const flood: string[] = [];
    for (let at = 0; at < 8; at += 1) flood.push((await sendPicture(carla)).id);
    await started(2);
    expect(world.network.stats.open_downloads).toBe(2);
    const { id } = await sendPicture(dora);
    await eventually("the download of another", 60_000, () => world.network.stats.open_downloads === 3);
    release();
    await session.received(id);
    for (const each of flood) await session.waitForEvent("message.media", (event) => event.message_id === each);
  });

  it("is fetched while another file waits for a second attempt to store it", async () => {
    const { phone, session: own } = await world.pair("Emil");
    const patient = { releaseAfterMs: 600_000, concurrency: 1, retryDelaysMs: [600_000] };
    incomingMediaOf.replace(own.networkSession, new IncomingMedia({ ...MEDIA_LIMITS, ...patient }));
    const send = async (from: SimulatedPhone, file = picture()) => ({
      file,
      id: must(await from.send(phone.pn, { type: "image", file, caption: null, view_once: false })).message_id,
    });
    const upload = own.media.upload.bind(own.media);
    const { promise: wasRefused, resolve: refused } = Promise.withResolvers<void>();
    own.media.upload = async () => {
      own.media.upload = upload;
      refused();
      return { ok: false, failure: { code: "unavailable" } } as never;
    };
    const { id: waiting } = await send(carla);
    await wasRefused;
    const { id, file } = await send(dora);
    expect(own.media.files.get((await own.received(id)).media?.token ?? "")?.bytes).toEqual(file.bytes);
    own.over.abort();
    expect((await own.received(waiting)).media).toMatchObject({ token: null });
  });

  it("is stored once, without a type, if its type is invalid", async () => {
    const stored: string[] = [];
    const upload = session.media.upload.bind(session.media);
    session.media.upload = (body, about) => {
      stored.push(about.mimetype);
      return upload(body, about);
    };
    for (const mimetype of ["image/png\r\nX: 1", "image/png; x=1, text/html"]) {
      const { id } = await sendPicture(dora, { ...picture(), mimetype });
      expect((await session.received(id)).media).toMatchObject({ mimetype: "application/octet-stream", token: expect.any(String) });
    }
    session.media.upload = upload;
    expect(stored).toEqual(["application/octet-stream", "application/octet-stream"]);
  });

  it("respects the process-wide concurrency limit", async () => {
    const { phone: berta, session: other } = await world.pair("Berta");
    const shared = new ProcessSlots(1);
    const slow = { ...MEDIA_LIMITS, releaseAfterMs: 50 };
    for (const one of [session, other]) incomingMediaOf.replace(one.networkSession, new IncomingMedia(slow, shared));
    const release = holdHost();
    await session.received((await sendPicture(carla)).id);
    const file = picture();
    const { message_id: second } = must(await carla.send(berta.pn, { type: "image", file, caption: null, view_once: false }));
    expect((await other.received(second)).media).toMatchObject({ token: null });
    await started(1);
    expect(world.network.stats.open_downloads).toBe(1);
    release();
    const { media } = await other.waitForEvent("message.media", (event) => event.message_id === second);
    expect(other.media.files.get(media.token ?? "")?.bytes).toEqual(file.bytes);
  });

  it("is skipped when too many files are waiting, and can be requested later", async () => {
    limits({ releaseAfterMs: 60_000, concurrency: 1, maxWaiting: 1 });
    const release = holdHost();
    const { id: first } = await sendPicture(carla);
    await eventually("the first download", 60_000, () => world.network.stats.open_downloads === 1);
    const { id: second } = await sendPicture(carla);
    const { id: third, file } = await sendPicture(dora);
    const { media, raw } = await session.received(third);
    expect(media).toMatchObject({ token: null });
    expect(wasReported(first) || wasReported(second)).toBe(false);
    release();
    for (const id of [first, second]) expect((await session.received(id)).media?.token).not.toBeNull();
    const stored = await runOk(session, "messages.fetch_media", { raw: raw ?? "" });
    expect(session.media.files.get(stored.token ?? "")?.bytes).toEqual(file.bytes);
  });

  it("is downloaded again from the only host if its connection breaks once", async () => {
    world.network.blobs.trouble = { kind: "cut", times: 1 };
    const { id, file } = await sendPicture(carla);
    const { media } = await session.received(id);
    expect(session.media.files.get(media?.token ?? "")?.bytes).toEqual(file.bytes);
  });

  it.each(["silent", "drip"] as const)("is dropped long before the download timeout if its host is too slow (%s)", async (kind) => {
    limits({ progress: { bytes: 1_000, withinMs: 500 } });
    world.network.blobs.trouble = { kind };
    const { id } = await sendPicture(carla);
    expect((await session.received(id)).media).toMatchObject({ token: null });
    await eventually("no more downloads", 60_000, hasEnded);
  });

  it("is left out of its message if its host is down", async () => {
    world.network.blobs.trouble = { kind: "down" };
    const { id } = await sendPicture(carla);
    expect((await session.received(id)).media).toMatchObject({ token: null });
    expect(SPOOL_QUOTA.usedBytes).toBe(0);
  });

  it("is left out of its message if disk capacity is lacking, and a send is refused until there is capacity", async () => {
    SPOOL_QUOTA.limitBytes = 600_000;
    const file = { bytes: randomBytes(1_500_000), mimetype: "application/zip", filename: "a.zip" };
    const { message_id } = must(await carla.send(anna.pn, { type: "document", file, caption: null }));
    expect((await session.received(message_id)).media).toMatchObject({ token: null, size: 1_500_000 });
    const media = session.media.keep(file.bytes, "application/zip", "b.zip");
    const send = () => session.sendAndSettle(chatOf(carla), { kind: "document", media, caption: null });
    expect((await send()).outcome).toEqual({ kind: "refused", failure: { code: "unavailable" } });
    expect(SPOOL_QUOTA.usedBytes).toBe(0);
    SPOOL_QUOTA.limitBytes = quotaBytes;
    expect((await send()).outcome.kind).toBe("acknowledged");
  });

  it("has reserved capacity that sends cannot use", async () => {
    SPOOL_QUOTA.limitBytes = 7_200_000;
    const file = { bytes: randomBytes(1_500_000), mimetype: "application/zip", filename: "a.zip" };
    const sent = 3_500_000;
    SPOOL_QUOTA.take("out", sent);
    const media = session.media.keep(file.bytes, "application/zip", "b.zip");
    const send = () => session.sendAndSettle(chatOf(carla), { kind: "document", media, caption: null });
    expect((await send()).outcome).toEqual({ kind: "refused", failure: { code: "unavailable" } });
    const { message_id } = must(await carla.send(anna.pn, { type: "document", file, caption: null }));
    expect((await session.received(message_id)).media?.token).not.toBeNull();
    SPOOL_QUOTA.giveBack("out", sent);
    expect((await send()).outcome.kind).toBe("acknowledged");
    expect(SPOOL_QUOTA.usedBytes).toBe(0);
  });

  it("shares its capacity with sends, which need room for the library's copy too", async () => {
    SPOOL_QUOTA.limitBytes = 5_000_000;
    const media = session.media.keep(randomBytes(1_500_000), "application/zip", "b.zip");
    const send = () => session.sendAndSettle(chatOf(carla), { kind: "document", media, caption: null });
    expect((await send()).outcome).toEqual({ kind: "refused", failure: { code: "unavailable" } });
    expect(SPOOL_QUOTA.usedBytes).toBe(0);
    SPOOL_QUOTA.limitBytes = 6_100_000;
    expect((await send()).outcome.kind).toBe("acknowledged");
    expect(SPOOL_QUOTA.usedBytes).toBe(0);
  });

  it("is stored in the process's folder, like the library's copies, and deleted by the next process", async () => {
    const before = process.env["TMPDIR"];
    const base = await mkdtemp(join(tmpdir(), "spool-"));
    process.env["TMPDIR"] = base;
    const ended = spawnSync(process.execPath, ["--version"]).pid;
    const folder = async (pid: number) => {
      const path = join(base, `gateway-media-${pid}-${randomUUID()}`);
      await mkdir(path);
      await writeFile(join(path, "document3EB0-enc"), "bytes");
      return path;
    };
    const [left, kept] = [await folder(ended), await folder(process.ppid)];
    await openSpoolFolder();
    expect([existsSync(left), existsSync(kept)]).toEqual([false, true]);

    const upload = session.sock.waUploadToServer;
    const copies: unknown[] = [];
    session.sock.waUploadToServer = (copy, options) => {
      copies.push(copy);
      return upload(copy, options);
    };
    const media = session.media.keep(randomBytes(1_500_000), "application/zip", "b.zip");
    await session.sendAndSettle(chatOf(carla), { kind: "document", media, caption: null });
    session.sock.waUploadToServer = upload;
    expect(copies).toEqual([expect.stringContaining(join(base, `gateway-media-${process.pid}-`))]);
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
    await rm(base, { recursive: true });
  });

  it("is dropped when its session ends, along with the files that wait for its slot", async () => {
    const { phone, session: ending } = await world.pair("Elsa");
    const never = 600_000;
    const patient = { releaseAfterMs: never, downloadTimeoutMs: never, progress: { bytes: 1, withinMs: never }, concurrency: 1 };
    incomingMediaOf.replace(ending.networkSession, new IncomingMedia({ ...MEDIA_LIMITS, ...patient }));
    world.network.blobs.trouble = { kind: "silent" };
    const send = async (from: SimulatedPhone) =>
      must(await from.send(phone.pn, { type: "image", file: picture(), caption: null, view_once: false })).message_id;
    const first = await send(carla);
    await eventually("the download", 60_000, () => world.network.stats.open_downloads === 1);
    const second = await send(dora);
    const { message_id: third } = must(await (await world.newPhone("Else")).sendText(phone.pn, "behind it"));
    await ending.received(third);
    ending.over.abort();
    for (const id of [first, second]) expect((await ending.received(id)).media).toMatchObject({ token: null });
    await eventually("no more downloads", 60_000, hasEnded);
  });

  it("is not stored again after its session has ended", async () => {
    const { phone, session: ending } = await world.pair("Edda");
    let uploads = 0;
    ending.media.upload = async () => {
      uploads += 1;
      ending.over.abort();
      return { ok: false, failure: { code: "unavailable" } } as never;
    };
    incomingMediaOf.replace(ending.networkSession, new IncomingMedia({ ...MEDIA_LIMITS, releaseAfterMs: 600_000, retryDelaysMs: [1] }));
    const { message_id } = must(await carla.send(phone.pn, { type: "image", file: picture(), caption: null, view_once: false }));
    expect((await ending.received(message_id)).media).toMatchObject({ token: null });
    expect(uploads).toBe(1);
  });

  it("leaves nothing on disk", async () => {
    // Other test files' processes use the same folder.
    const left = async () => (await readdir(tmpdir())).filter((name) => name.startsWith(`gateway-media-${process.pid}-`));
    const before = await left();
    const file = { bytes: randomBytes(1_500_000), mimetype: "application/zip", filename: "a.zip" };
    const { message_id } = must(await carla.send(anna.pn, { type: "document", file, caption: null }));
    await session.received(message_id);
    await session.sendAndSettle(chatOf(carla), {
      kind: "document",
      media: session.media.keep(randomBytes(1_500_000), "application/zip", "b.zip"),
      caption: null,
    });
    await eventually("a clean folder", 60_000, async () => (await left()).every((name) => before.includes(name)));
  });
});
