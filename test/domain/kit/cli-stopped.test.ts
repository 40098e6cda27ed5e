// Ctrl-C during a command that waits for the gateway, or for another server.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

const STOPPED = 130;
const EVENT = "msg_1";

let server: Server;
let url: string;
/** The sandbox's folder, and the folder with the forwarded events. */
let folder: string;
/** The server's answers, by method and path. It never answers other requests. */
let answers: Record<string, string>;
/** Resolves when a command waits for an answer. */
let asked: Promise<unknown>;

beforeEach(async () => {
  server = createServer();
  answers = {};
  asked = new Promise((resolve) => {
    server.on("request", ({ method, url: path }, response) => {
      const answer = answers[`${method} ${path}`];
      if (answer === undefined) resolve(path);
      else response.setHeader("content-type", "application/json").end(answer);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  folder = mkdtempSync(join(tmpdir(), "cli-stopped-"));
  const connection = { phone: "5511900000001", api_key: "svc_key" };
  const sandbox = { app_url: url, network_url: url, demo: { api_key: "svc_account", connection } };
  writeFileSync(join(folder, "ready.json"), JSON.stringify(sandbox));
  mkdirSync(join(folder, "gateway"));
  const event = { id: EVENT, type: "message.received", body: "{}", url, scheme: "connection" };
  writeFileSync(join(folder, "gateway", "listen-1.events"), `${JSON.stringify(event)}\n`);
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
});

function run(args: readonly string[], sandbox = "/nowhere"): { command: ChildProcess; output: () => string } {
  const env = { ...process.env, GATEWAY_SANDBOX: sandbox, XDG_STATE_HOME: folder, GATEWAY_URL: url, GATEWAY_API_KEY: "svc_key" };
  const command = spawn(process.execPath, ["packages/cli/src/main.ts", ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [command.stdout, command.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return { command, output: () => output };
}

async function stopped({ command, output }: ReturnType<typeof run>): Promise<unknown[]> {
  await asked;
  const closed = once(command, "close");
  command.kill("SIGINT");
  return [...(await closed), output()];
}

it.each([
  ["send", "--to", "5511900000002", "Olá"],
  ["chats"],
  ["messages", "5511900000002@c.us"],
  ["whoami"],
  ["pair"],
  ["doctor"],
  ["events", "resend", EVENT],
  ["api", "GET", "/chats"],
])("%s ends at once and prints nothing", async (...args) => {
  expect(await stopped(run(args))).toEqual([STOPPED, null, ""]);
});

it("trigger --local ends at once and prints nothing", async () => {
  expect(await stopped(run(["trigger", "message.received", "--local", url]))).toEqual([STOPPED, null, ""]);
});

it.each([
  { waitsFor: "the network", type: "message.received", answered: [] },
  { waitsFor: "the gateway", type: "message.sent", answered: ["POST /phones"] },
])("trigger ends at once while it waits for $waitsFor, and prints nothing", async ({ type, answered }) => {
  for (const route of answered) answers[route] = "{}";
  expect(await stopped(run(["trigger", type], folder))).toEqual([STOPPED, null, ""]);
});

it("doctor does not wait for the gateway to delete its listener", async () => {
  answers = {
    "HEAD /docs/connection.json": "",
    "GET /api/v1/instance": JSON.stringify({ data: { name: "Loja", status: "connected", status_reason: "connected" } }),
    "POST /api/v1/listeners": JSON.stringify({ data: { id: "lst_1" } }),
  };
  let deletions = 0;
  server.on("request", ({ method }) => (deletions += method === "DELETE" ? 1 : 0));
  const [code] = await stopped(run(["doctor"]));
  expect([code, deletions]).toEqual([STOPPED, 1]);
});

it("listen ends at once, without an error", async () => {
  const [code, signal] = await stopped(run(["listen"]));
  expect([code, signal]).toEqual([0, null]);
});
