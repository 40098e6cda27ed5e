import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Request } from "miniflare";
import { afterAll, beforeAll, expect, it } from "vitest";
import { postToListed } from "#root/server/runtime/receivers.ts";

let server: Server;
let host: string;
let seen: { method: string | undefined; path: string | undefined; headers: IncomingMessage["headers"]; body: string }[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method, url, headers } = request;
      seen.push({ method, path: url, headers, body: Buffer.concat(chunks).toString() });
      if (url === "/moved") response.writeHead(302, { location: "/elsewhere" }).end();
      else if (url === "/empty") response.writeHead(204).end();
      else if (url === "/endless") response.writeHead(200, { "x-gateway-unreachable": "1" }).end("x".repeat(1_000_000));
      else response.writeHead(200, { "x-shop": "yes" }).end("thanks");
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const post = async (url: string, listed = [host]) => {
  seen = [];
  const headers = { "webhook-id": "msg_1", "mf-original-url": "http://x/", "cf-connecting-ip": "1.2.3.4" };
  return postToListed(listed)(new Request(url, { method: "POST", headers, body: "{}" }));
};

it("a listed receiver gets the request, without the runtime's own headers", async () => {
  const answer = await post(`http://${host}/hook?n=1`);
  expect([answer.status, answer.headers.get("x-shop"), await answer.text()]).toEqual([200, "yes", "thanks"]);
  expect(seen).toMatchObject([{ method: "POST", path: "/hook?n=1", body: "{}", headers: { host, "webhook-id": "msg_1" } }]);
  expect(Object.keys(seen[0]?.headers ?? {}).filter((name) => /^(mf|cf)-/.test(name))).toEqual([]);
  expect((await post(`http://${host}/empty`)).status).toBe(204);
});

it("redirects are not followed, and long answers are cut", async () => {
  expect((await post(`http://${host}/moved`)).status).toBe(302);
  expect(seen).toHaveLength(1);
  const endless = await post(`http://${host}/endless`);
  expect(endless.headers.has("x-gateway-unreachable")).toBe(false);
  expect(await endless.text()).toHaveLength(65_536);
});

it("everything else is unreachable: other ports, other names of the same address, a receiver that is down", async () => {
  const { port } = server.address() as AddressInfo;
  const others = [`http://localhost:${port}/`, `http://127.0.0.2:${port}/`, `http://[::ffff:127.0.0.1]:${port}/`, "http://127.0.0.1/"];
  for (const url of others) {
    const answer = await post(url);
    expect([url, answer.status, answer.headers.has("x-gateway-unreachable"), seen]).toEqual([url, 502, true, []]);
  }
  expect((await post(`http://${host}/`, [])).headers.has("x-gateway-unreachable")).toBe(true);
  expect((await post("http://127.0.0.1:1/", ["127.0.0.1:1"])).headers.has("x-gateway-unreachable")).toBe(true);
  expect(seen).toEqual([]);
});
