// The public port, with a worker that returns what it received.
import { createServer, type IncomingMessage, request as send, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openFront } from "#root/server/front/front.ts";
import { readProxies } from "#root/server/front/headers.ts";

let worker: Server;
let front: Server;
let url: string;
let received: IncomingMessage[];
let fault: string | null;

beforeEach(async () => {
  received = [];
  fault = null;
  worker = createServer((request, response) => {
    received.push(request);
    if (request.url === "/stream") return void response.write("first");
    if (request.url === "/held") return;
    if (request.url === "/cut") return void response.write("part", () => response.destroy());
    void text(request).then((body) => response.setHeader("x-length", body.length).end(JSON.stringify(request.headersDistinct)));
  });
  worker.on("upgrade", (request: IncomingMessage, socket: Socket) => {
    received.push(request);
    socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello");
    socket.on("data", (chunk: Buffer) => socket.write(chunk.toString().toUpperCase()));
    socket.on("end", () => socket.end());
  });
  worker.listen(0, "127.0.0.1");
  await once(worker, "listening");
  const proxies = readProxies(["127.0.0.1"]);
  if (proxies === null) throw new Error("refused");
  const { port } = worker.address() as AddressInfo;
  front = await openFront({ host: "127.0.0.1", port: 0 }, { port, secret: "front's", proxies, fault: () => fault });
  url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
});
afterEach(() => {
  for (const server of [front, worker]) {
    server.closeAllConnections();
    server.close();
  }
});

it("the front passes on method, path, body and headers, with the client's address", async () => {
  const body = "x".repeat(3_000_000);
  const headers = { "x-api-key": "key", "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "https", "cf-connecting-ip": "1.1.1.1" };
  const response = await fetch(`${url}/a?b=c%2F`, { method: "POST", body, headers });
  expect([response.status, response.headers.get("x-length")]).toEqual([200, "3000000"]);
  expect(response.headers.get("keep-alive"), "longer than Caddy's 120 s").toBe("timeout=150");
  expect(await response.json()).toMatchObject({
    "x-api-key": ["key"],
    "cf-connecting-ip": ["203.0.113.9"],
    "x-gateway-scheme": ["https"],
    "x-gateway-front": ["front's"],
    host: [new URL(url).host],
  });
  expect(received.map((one) => [one.method, one.url])).toEqual([["POST", "/a?b=c%2F"]]);
});

it("the front reports a gateway that can store nothing as unhealthy, until it can", async () => {
  expect((await fetch(`${url}/api/health`)).status).toBe(200);
  fault = "the disk is full";
  const response = await fetch(`${url}/api/health`);
  expect([response.status, response.headers.get("cache-control")]).toEqual([503, "no-store"]);
  expect(response.headers.get("x-request-id"), "the doctor recognises the gateway by it").toMatch(/^[0-9a-f-]{36}$/);
  const problems = [{ name: "DATA_DIR", problem: "the disk is full" }];
  expect(await response.json()).toEqual({ status: "misconfigured", version: "1.0", time: expect.any(String), problems });
  expect((await fetch(`${url}/api/health/ready`)).status, "other paths reach the worker").toBe(200);
  fault = null;
  expect((await fetch(`${url}/api/health`)).status).toBe(200);
});

it("the front passes on a body without a length", async () => {
  const chunks = new ReadableStream({
    start(controller) {
      for (const part of ["one", "two"]) controller.enqueue(new TextEncoder().encode(part));
      controller.close();
    },
  });
  const response = await fetch(url, { method: "PUT", body: chunks, duplex: "half" } as RequestInit);
  expect(response.headers.get("x-length")).toBe("6");
});

it("the front passes on the start of a stream at once, and its end when the client leaves", async () => {
  const leaving = new AbortController();
  const response = await fetch(`${url}/stream`, { signal: leaving.signal });
  const { value } = await response.body!.getReader().read();
  expect(new TextDecoder().decode(value)).toBe("first");
  const closed = once(received[0]!.socket, "close");
  leaving.abort();
  await closed;
});

it("the front breaks the connection when the worker dies with the request", async () => {
  const answer = fetch(`${url}/held`);
  await expect.poll(() => received.length).toBe(1);
  worker.closeAllConnections();
  await expect(answer).rejects.toThrow("fetch failed");
});

it("the front does not complete a response that the worker broke off", async () => {
  const response = await fetch(`${url}/cut`);
  await expect(response.text()).rejects.toThrow("terminated");
});

it("the front answers in each API's form that nothing was done, only while the worker is away", async () => {
  worker.closeAllConnections();
  await new Promise((resolve) => worker.close(resolve));
  const refused = await Promise.all(
    ["/api/v1/messages/text", "/api/account"].map((path) => fetch(url + path, { method: "POST", body: "{}" })),
  );
  expect(refused.map(({ status, headers }) => [status, headers.get("retry-after")])).toEqual([
    [503, "2"],
    [503, "2"],
  ]);
  expect(await Promise.all(refused.map((response) => response.json()))).toMatchObject([
    { error: { codigo: "indisponivel", mensagem: expect.any(String) } },
    { error: { code: "unavailable", message: expect.any(String) }, request_id: expect.any(String) },
  ]);
});

it("the front passes on a WebSocket in both directions", async () => {
  const request = send(url, { headers: { connection: "Upgrade", upgrade: "websocket", "x-forwarded-for": "203.0.113.9" } });
  request.end();
  const [answer, socket, head] = (await once(request, "upgrade")) as [IncomingMessage, Socket, Buffer];
  expect(answer.statusCode).toBe(101);
  const next = async () => String((await once(socket, "data"))[0]);
  let said = head.toString();
  if (said === "") said = await next();
  socket.write("frame");
  said += await next();
  expect(said).toBe("helloFRAME");
  expect(received[0]?.headers).toMatchObject({ "cf-connecting-ip": "203.0.113.9", upgrade: "websocket" });
  socket.end();
});
