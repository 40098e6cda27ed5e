// The library's own downloads (history and app state) from a host whose connections break. Stock code then waits for ever.
import { randomBytes } from "node:crypto";
import { downloadExternalBlob, type proto } from "baileys";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { HANDLER_LIMIT_MS } from "#root/session-bridge/networks/baileys/durability/journal.ts";
import { BODY_LIMITS, downloadOptions } from "#root/session-bridge/networks/baileys/session/whole-bodies.ts";
import { type DirectAccess, directAccess } from "#root/session-bridge/networks/baileys/session/media-hosts.ts";
import { sealMedia } from "#root/test-network/phone/messages/media-cipher.ts";
import { openWorld, type World } from "../phones/world.ts";

const LIMITS = { ...BODY_LIMITS, retryDelaysMs: [0, 0] };
const plain = randomBytes(200_000);

let world: World;
let access: DirectAccess;
let blob: proto.IExternalBlobReference;
const uncaught: unknown[] = [];
const catchIt = (error: unknown) => void uncaught.push(error);

beforeAll(async () => {
  world = await openWorld();
  access = directAccess({ kind: "local", url: world.wsUrl, root: Buffer.alloc(0), ca: world.caPem, mediaHost: world.mediaHost });
  process.on("uncaughtException", catchIt);
});
afterEach(() => {
  gone.splice(0);
  world.network.blobs.trouble = null;
});
afterAll(async () => {
  process.off("uncaughtException", catchIt);
  await world.close();
});

const gone: string[] = [];
const store = () => {
  const { sealed, mediaKey } = sealMedia(plain, "App State");
  blob = { mediaKey, directPath: world.network.blobs.put(sealed, "enc") };
  return blob.directPath ?? "";
};
const download = (limits = LIMITS, { dispatcher }: Pick<DirectAccess, "dispatcher"> = access) =>
  downloadExternalBlob(
    blob,
    downloadOptions({ dispatcher }, access.hosts, (path) => gone.push(path), limits),
  );

it("a download whose connection breaks once ends with the whole file", async () => {
  store();
  world.network.blobs.trouble = { kind: "cut", times: 1 };
  expect((await download()).equals(plain)).toBe(true);
  expect(world.network.blobs.trouble).toBeNull();
});

it("a download whose connection always breaks ends with an error, and without an uncaught exception", async () => {
  store();
  world.network.blobs.trouble = { kind: "cut" };
  const before = world.network.stats.downloads;
  await expect(download()).rejects.toThrow("fetch failed");
  expect(world.network.stats.downloads - before).toBe(3);
  expect(uncaught).toEqual([]);
});

it.each(["silent", "drip"] as const)("a download from a too slow host (%s) ends with an error", async (kind) => {
  store();
  world.network.blobs.trouble = { kind };
  await expect(download({ ...LIMITS, totalMs: 500 })).rejects.toThrow("fetch failed");
});

it("a download ends before the journal stops waiting for its stanza", () => {
  expect(BODY_LIMITS.totalMs).toBeLessThan(HANDLER_LIMIT_MS);
});

it("a file above the limit is refused without another attempt, and reported as gone", async () => {
  const path = store();
  const before = world.network.stats.downloads;
  await expect(download({ ...LIMITS, maxBytes: plain.length - 1 })).rejects.toThrow("fetch failed");
  expect(world.network.stats.downloads - before).toBe(1);
  expect(gone).toEqual([path]);
});

it("a deleted file is requested once and reported as gone", async () => {
  const path = store();
  world.network.blobs.remove(path, 410);
  await expect(download()).rejects.toThrow("Failed to fetch stream");
  expect(gone).toEqual([path]);
});

it("a host that is down for a moment delivers the file", async () => {
  store();
  world.network.blobs.trouble = { kind: "down" };
  let attempts = 0;
  const upAtSecond = access.dispatcher.compose((dispatch) => (options, handler) => {
    attempts += 1;
    if (attempts === 2) world.network.blobs.trouble = null;
    return dispatch(options, handler);
  });
  expect((await download(LIMITS, { dispatcher: upAtSecond })).equals(plain)).toBe(true);
  expect(attempts).toBe(2);
});
