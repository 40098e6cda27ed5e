// File transfers between bridge and worker when the worker refuses to accept or serve the files.
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMediaLink } from "#root/session-bridge/gateway/media-link.ts";
import type { MediaLink } from "#root/session-bridge/networks/network.ts";
import { REFUSAL } from "../../support/bridge/fake-gateway.ts";
import { eventually } from "../../support/eventually.ts";

const FILE = { mimetype: "image/png", filename: null, sha256: null, size: 3 };

let server: Server;
let link: MediaLink;
let requests: number;
/** The worker's response; null sends none. */
let status: number | null;
let over: AbortController;

beforeEach(async () => {
  requests = 0;
  over = new AbortController();
  server = createServer((_request, response) => {
    requests += 1;
    if (status !== null) response.writeHead(status).end(REFUSAL);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  link = createMediaLink({ url, credential: "bridge.credential" }, "a-connection", over.signal);
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const upload = () => link.upload(Buffer.from("abc"), FILE);
const open = () => link.open("a-token");

describe.each([
  ["a file to the worker", upload],
  ["a file from the worker", open],
])("%s", (_name, transfer) => {
  it.each([
    [403, "instance_reconnecting", 1],
    [404, "media_expired", 1],
    [413, "media_too_large", 1],
    [503, "unavailable", 3],
  ] as const)("fails with the matching code when the answer is %i", async (answer, code, times) => {
    status = answer;
    expect(await transfer()).toEqual({ ok: false, failure: { code } });
    expect(requests).toBe(times);
  });

  it.each([400, 411, 415, 422, 431])("is not retried after a permanent %i", async (answer) => {
    status = answer;
    expect(await transfer()).toEqual({ ok: false, failure: { code: "media_invalid" } });
    expect(requests).toBe(1);
  });

  it("is cancelled when the session ends", async () => {
    status = null;
    const transferred = transfer();
    await eventually("the request", 60_000, () => requests === 1);
    over.abort();
    expect(await transferred).toEqual({ ok: false, failure: { code: "unavailable" } });
    expect(requests).toBe(1);
  });
});

it("a file whose media type no header can carry is refused without a request", async () => {
  status = 503;
  await expect(link.upload(Buffer.from("abc"), { ...FILE, mimetype: "image/png\r\nX: 1" })).rejects.toThrow(TypeError);
  expect(requests).toBe(0);
});

it("a large file is closed when the worker cannot be reached, because an open file keeps its disk space", async () => {
  server.close();
  await once(server, "close");
  const file = createReadStream(fileURLToPath(import.meta.url));
  await once(file, "open");
  const closed = once(file, "close");
  expect(await link.upload(file, FILE)).toEqual({ ok: false, failure: { code: "unavailable" } });
  await closed;
  expect(file.destroyed).toBe(true);
});
