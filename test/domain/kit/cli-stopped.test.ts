// Ctrl-C during a command that waits for the gateway.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";

const STOPPED = 130;

let server: Server;
let url: string;
/** Resolves when a command waits for the gateway, which never answers. */
let asked: Promise<unknown>;

beforeEach(async () => {
  server = createServer();
  asked = once(server, "request");
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

it.each([
  ["send", "--to", "5511900000002", "Olá"],
  ["chats"],
  ["messages", "5511900000002@c.us"],
  ["whoami"],
  ["pair"],
  ["doctor"],
  ["api", "GET", "/chats"],
])("%s ends at once and prints nothing", async (...args) => {
  const env = { ...process.env, GATEWAY_SANDBOX: "/nowhere", GATEWAY_URL: url, GATEWAY_API_KEY: "svc_key" };
  const command = spawn(process.execPath, ["packages/cli/src/main.ts", ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [command.stdout, command.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await asked;
  const closed = once(command, "close");
  command.kill("SIGINT");
  expect([await closed, output]).toEqual([[STOPPED, null], ""]);
});

it("listen ends at once, without an error", async () => {
  const env = { ...process.env, GATEWAY_SANDBOX: "/nowhere", GATEWAY_URL: url, GATEWAY_API_KEY: "svc_key" };
  const command = spawn(process.execPath, ["packages/cli/src/main.ts", "listen"], { env, stdio: "ignore" });
  await asked;
  const closed = once(command, "close");
  command.kill("SIGINT");
  expect(await closed).toEqual([0, null]);
});
