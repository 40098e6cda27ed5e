// `npm run mcp:verify` calls all tools with official clients and inspectors of both protocol versions. Installs 110 MB from npm.
import { execFile, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Ready } from "../src/sandbox/host/state-directory.ts";

const PACKAGES = ["@modelcontextprotocol/client@2.4.0", "@modelcontextprotocol/sdk@1.32.2", "@modelcontextprotocol/inspector@2.12.0"];
const STATELESS = "2026-07-28";
const START_MS = 120_000;
const START = join(import.meta.dirname, "..", "src", "sandbox", "host", "start.mjs");

/** One module for all clients, because each package resolves only below the temporary folder. */
const CLIENTS = `
export { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
export { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
export { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
`;

/** Sends return the record itself, and reads return it in `data`. */
type Facts = Record<string, unknown> & { data?: Record<string, unknown> };
type Result = { isError?: boolean; content: { text: string }[]; structuredContent?: { facts: Facts } };
type Speaker = {
  name: string;
  list: () => Promise<string[]>;
  call: (tool: string, args: object) => Promise<Result>;
  close: () => Promise<void>;
};
type Connected = {
  connect: (transport: unknown) => Promise<void>;
  listTools: () => Promise<{ tools: { name: string }[] }>;
  callTool: (call: { name: string; arguments: object }) => Promise<Result>;
  setRequestHandler: (method: string, handler: () => object) => void;
  close: () => Promise<void>;
};
type Constructor<T> = new (...given: never[]) => T;
type Clients = Record<"Client" | "OldClient", Constructor<Connected>> &
  Record<"StreamableHTTPClientTransport" | "OldTransport", Constructor<object>>;
type Policy = { confirm: "always" | "never"; recipients: "any"; call_operation: boolean };

const FREE: Policy = { confirm: "never", recipients: "any", call_operation: true };
const IMAGE = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
const files = createServer((_request, response) => response.writeHead(200, { "content-type": "image/png" }).end(IMAGE));
await new Promise<void>((resolve) => {
  files.listen(0, "127.0.0.1", resolve);
});
const IMAGE_URL = `http://127.0.0.1:${(files.address() as AddressInfo).port}/image.png`;

const folder = mkdtempSync(join(tmpdir(), "mcp-verify-"));
const readyFile = join(folder, "ready.json");

writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
writeFileSync(join(folder, "clients.js"), CLIENTS);
execFileSync("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--save-exact", ...PACKAGES], {
  cwd: folder,
  stdio: "ignore",
});
const clients = (await import(join(folder, "clients.js"))) as Clients;

const flags = ["--port", "0", "--network-port", "0", "--state", join(folder, "state"), "--ready-file", readyFile];
const sandbox = spawn(process.execPath, [START, ...flags], { stdio: "ignore" });
try {
  const ready = await readyOf();
  for (const connect of speakers(ready)) await withKey(ready, FREE, async (key) => useAll(await connect(key), ready));
  await withKey(ready, { ...FREE, confirm: "always" }, (key) => confirm(ready, key));
} finally {
  const ended = new Promise((resolve) => sandbox.once("exit", resolve));
  sandbox.kill("SIGTERM");
  await ended;
  files.close();
  rmSync(folder, { recursive: true });
}

async function readyOf(): Promise<Ready> {
  const until = Date.now() + START_MS;
  while (!existsSync(readyFile)) {
    if (Date.now() > until || sandbox.exitCode !== null) throw new Error("the sandbox did not start");
    await new Promise((resolve) => {
      setTimeout(resolve, 200);
    });
  }
  return JSON.parse(readFileSync(readyFile, "utf8")) as Ready;
}

async function ask<T>(method: string, url: string, headers: Record<string, string>, body?: object): Promise<T> {
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(url, { method, headers: { "content-type": "application/json", ...headers }, ...content });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** Gives each client its own key, because changes per key and hour are limited. Deletes it, because keys per connection are limited too. */
async function withKey(ready: Ready, assistant: Policy, use: (key: string) => Promise<void>): Promise<void> {
  const { app_url, demo } = ready;
  const headers = await signedIn(ready);
  const keys = `${app_url}/api/dashboard/connections/${demo.connection.id}/keys`;
  const { data } = await ask<{ data: { id: string; key: string } }>("POST", keys, headers, { name: "assistant", assistant });
  await use(data.key);
  await ask("DELETE", `${keys}/${data.id}`, headers);
}

async function signedIn({ app_url, demo }: Ready): Promise<Record<string, string>> {
  const { access_token } = await ask<{ access_token: string }>("POST", `${app_url}/sandbox/token`, {}, { email: demo.email });
  return { authorization: `Bearer ${access_token}` };
}

function speakers(ready: Ready): ((key: string) => Promise<Speaker>)[] {
  return [
    (key) => client("client 2.4.0, stateless", ready, key, true, true),
    (key) => client("client 2.4.0, 2025 handshake", ready, key, true, false),
    (key) => client("sdk 1.32.2", ready, key, false, false),
    async (key) => inspector("modern", ready, key),
    async (key) => inspector("legacy", ready, key),
  ];
}

type Form = () => object;

async function client(name: string, { app_url }: Ready, key: string, isNew: boolean, isStateless: boolean, form?: Form): Promise<Speaker> {
  const [Client, Transport] = isNew ? [clients.Client, clients.StreamableHTTPClientTransport] : [clients.OldClient, clients.OldTransport];
  const about = { name: "verify", version: "1.0.0" };
  const options = {
    capabilities: form === undefined ? {} : { elicitation: { form: {} } },
    ...(isStateless ? { versionNegotiation: { mode: { pin: STATELESS } } } : {}),
  };
  const made = new Client(...([about, options] as never[]));
  if (form !== undefined) made.setRequestHandler("elicitation/create", form);
  const headers = { authorization: `Bearer ${key}` };
  await made.connect(new Transport(...([new URL(`${app_url}/mcp`), { requestInit: { headers } }] as never[])));
  return {
    name,
    list: async () => (await made.listTools()).tools.map((tool) => tool.name),
    call: (tool, args) => made.callTool({ name: tool, arguments: args }),
    close: () => made.close(),
  };
}

function inspector(era: "modern" | "legacy", { app_url }: Ready, key: string): Speaker {
  const base = ["--cli", `${app_url}/mcp`, "--transport", "http", "--header", `Authorization: Bearer ${key}`, "--protocol-era", era];
  const run = async (more: readonly string[]): Promise<unknown> => {
    const bin = join(folder, "node_modules/.bin/mcp-inspector");
    const answer = await promisify(execFile)(bin, [...base, "--format", "json", "--quiet", ...more], { maxBuffer: 1 << 26 }).catch(
      (error: unknown) => error,
    );
    const { stdout, stderr } = answer as { stdout: string; stderr: string };
    try {
      return JSON.parse(stdout);
    } catch {
      throw new Error(`the inspector printed: ${stdout} ${stderr}`);
    }
  };
  const resultOf = (answer: unknown) => ((answer as { result?: unknown }).result ?? answer) as Result & { tools: { name: string }[] };
  return {
    name: `inspector 2.12.0, ${era}`,
    list: async () => resultOf(await run(["--method", "tools/list"])).tools.map((tool) => tool.name),
    call: async (tool, args) => {
      const pairs = Object.entries(args).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
      return resultOf(await run(["--method", "tools/call", "--tool-name", tool, ...(pairs.length === 0 ? [] : ["--tool-arg", ...pairs])]));
    },
    close: async () => undefined,
  };
}

/** Calls each listed tool. The check fails if a tool fails, or if a listed tool is not called here. */
async function useAll(speaker: Speaker, ready: Ready): Promise<void> {
  const chat_id = ready.demo.contact?.phone ?? "";
  const start = performance.now();
  const left = new Set(await speaker.list());
  const listed = left.size;
  const call = async (tool: string, args: object): Promise<Record<string, unknown>> => {
    const { isError, content, structuredContent } = await speaker.call(tool, args);
    if (isError === true) throw new Error(`${speaker.name}: ${tool}: ${content.map(({ text }) => text).join(" ")}`);
    left.delete(tool);
    return structuredContent?.facts.data ?? structuredContent?.facts ?? {};
  };
  const request_id = () => crypto.randomUUID();
  const { message_id } = await call("send_text", { chat_id, text: "Olá", request_id: request_id() });
  await call("wait_for_message", { chat_id, seconds: 1 });
  await call("edit_message", { chat_id, message_id, text: "Oi", request_id: request_id() });
  await call("react", { chat_id, message_id, reaction: "👍" });
  await call("get_message", { message_id });
  await call("delete_message", { chat_id, message_id, request_id: request_id() });
  await call("send_poll", { chat_id, question: "?", options: ["Sim", "Não"], request_id: request_id() });
  const image = await call("send_media", { chat_id, kind: "image", url: IMAGE_URL, request_id: request_id() });
  await call("get_media", { chat_id, message_id: image["message_id"] });
  for (const tool of ["get_connection", "list_chats"]) await call(tool, {});
  await call("read_messages", { chat_id, limit: 5 });
  await call("find_contact", { query: "Eco" });
  await call("check_number", { phone: chat_id });
  await call("mark_read", { chat_id });
  await call("find_operation", { query: "create group" });
  const group = await call("call_operation", {
    operation: "createGroup",
    body: { subject: "Teste", participants: [chat_id] },
    request_id: request_id(),
  });
  await call("get_group", { group_id: group["group_id"] });
  if (left.size > 0) throw new Error(`${speaker.name} did not call ${[...left].join(", ")}`);
  await speaker.close();
  console.log(`${speaker.name}: ${listed} tools listed and called, ${((performance.now() - start) / 1_000).toFixed(1)} s`);
}

/** A person accepts or declines in the form that the official client shows or, without forms, on the linked page. */
async function confirm(ready: Ready, key: string): Promise<void> {
  const send = { chat_id: ready.demo.contact?.phone, text: "Confirmado?", request_id: "" };
  const outcomes: string[] = [];
  const called = async (what: string, { isNew = true, form, accept }: { isNew?: boolean; form?: Form; accept?: boolean }) => {
    const speaker = await client(what, ready, key, isNew, form !== undefined, form);
    const given = { ...send, request_id: crypto.randomUUID() };
    let result = await speaker.call("send_text", given);
    if (accept !== undefined) {
      const { pathname } = new URL(/http\S+/.exec(result.content[0]?.text ?? "")?.[0] ?? "");
      await ask("POST", `${ready.app_url}/api/dashboard${pathname}`, await signedIn(ready), { accept });
      result = await speaker.call("send_text", given);
    }
    outcomes.push(`${what}: ${result.isError === true ? "not sent" : "sent"}`);
    await speaker.close();
  };
  await called("accepts", { form: () => ({ action: "accept", content: {} }) });
  await called("declines", { form: () => ({ action: "decline" }) });
  await called("has no form", {});
  await called("accepts by link", { isNew: false, accept: true });
  await called("declines by link", { accept: false });
  console.log(`confirmation: ${outcomes.join(", ")}`);
  const expected = "accepts: sent,declines: not sent,has no form: not sent,accepts by link: sent,declines by link: not sent";
  if (outcomes.join() !== expected) throw new Error("the confirmation did not hold");
}
