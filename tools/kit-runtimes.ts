// `npm run kit:runtimes` runs packages/conformance in each runtime and compiles the types. Installs 700 MB from npm's registry.
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";

const ROOT = join(import.meta.dirname, "..");
const NODES = { "Node 20": "20.20.2", "Node 22": "22.23.5", "Node 24": "24.21.0" };
const COMPILERS = { "TypeScript 5.4": "5.4.5", "TypeScript 5.9": "5.9.3", "TypeScript 6": "6.0.3", "TypeScript 7": "7.0.2" };
/** Each compiler reads the types twice: with a worker's libraries, and with a Node program's. */
const LIBRARIES = {
  DOM: { lib: ["es2022", "dom", "dom.iterable"], types: [], files: ["typed.ts"] },
  Node: { lib: ["es2022"], types: ["node"], files: ["typed.ts", "typed-node.ts"] },
};
const STRICT = { noEmit: true, strict: true, target: "es2022", module: "nodenext" };

const CASES = `
import listening from "@gateway/conformance/listening.json";
import paths from "@gateway/conformance/paths.json";
import retries from "@gateway/conformance/retries.json";
import signatures from "@gateway/conformance/signatures.json";
import { listeningCase, pathCase, retryCase, signatureCase } from "@gateway/conformance/runner.ts";

export async function report(kit, checkpoint) {
  const results = [];
  for (const each of signatures) results.push(await signatureCase(kit, each));
  for (const each of paths) results.push(await pathCase(kit, each));
  for (const each of retries) results.push(await retryCase(kit, each));
  for (const api of ["connection", "account"])
    for (const each of listening) {
      const place = checkpoint();
      results.push(await listeningCase(kit, api, each, () => place));
    }
  const failed = results.filter(({ expected, found }) => !isEqual(expected, found));
  return { passed: results.length - failed.length, failed };
}

function isEqual(a, b) {
  if (typeof a !== "object" || a === null) return Object.is(a, b);
  const names = Object.keys({ ...a, ...b });
  return names.every((name) => isEqual(a[name], b?.[name]));
}
`;

/** Node, Bun and Deno load the installed package, and serve its handler with \`node:http\`. */
const ON_A_SERVER = `
import { createServer } from "node:http";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as sdk from "@gateway/sdk";
import { fileCheckpoint } from "@gateway/sdk/checkpoint";
import { nodeListener } from "@gateway/sdk/node";
import * as webhooks from "@gateway/sdk/webhooks";
import { report } from "./cases.js";

const result = await report({ ...sdk, ...webhooks }, () => fileCheckpoint(join(mkdtempSync(join(tmpdir(), "place-")), "place")));

const body = JSON.stringify({ id: "evt_1", event: "webhook.test", data: { text: "Olá" } });
const key = await crypto.subtle.importKey("raw", new TextEncoder().encode("secret"), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
const signature = Buffer.from(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(body))).toString("hex");
const handled = [];
const handler = webhooks.accountWebhookHandler({ secret: "secret", on: { "webhook.test": ({ id }) => handled.push(id) } });
const server = createServer(nodeListener(handler));
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const post = (sent) =>
  fetch("http://127.0.0.1:" + server.address().port, { method: "POST", body: sent, headers: { "x-service-signature": signature } });
const statuses = [(await post(body)).status, (await post(body + " ")).status];
const served = JSON.stringify([statuses, handled]);
if (served === '[[200,401],["evt_1"]]') result.passed += 1;
else result.failed.push({ name: "serves its handler", expected: "[[200,401],[\\"evt_1\\"]]", found: served });
console.log(JSON.stringify(result));
process.exit(0);
`;

/** A worker has no files, so the place is kept in memory, as it would be with a customer's own checkpoint. */
const IN_A_WORKER = `
import * as sdk from "@gateway/sdk";
import * as webhooks from "@gateway/sdk/webhooks";
import { report } from "./cases.js";

function checkpoint() {
  let place = null;
  return {
    load: async () => place,
    start: async (listener) => {
      place = { ids: [], at: null, ...place, listener, place: null };
    },
    save: async ({ listener, place: number, id, at }) => {
      place = { listener, place: number, at, ids: id === null ? place.ids : [...place.ids, id] };
    },
  };
}

export default { fetch: async () => Response.json(await report({ ...sdk, ...webhooks }, checkpoint)) };
`;

const TYPED = `
import { AccountClient, ConnectionClient, OutcomeUnknownError, TemporarilyBlockedError, media } from "@gateway/sdk";
import { accountWebhookHandler, verifyConnectionWebhook, webhookHandler } from "@gateway/sdk/webhooks";

const gateway = new ConnectionClient({ apiKey: "k", baseUrl: "https://app.example.com" });
export async function calls(request: Request, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  try {
    const sent = await gateway.messages.sendText({ to: "5511900000002", text: "Olá!" }, { idempotencyKey: "order-4711", signal });
    if (sent.status === "sent") sent.chat_id satisfies string;
    else sent.at satisfies string;
    await gateway.messages.sendImage({ to: "5511900000002", media: await media(bytes), caption: "Your order" });
    for await (const message of gateway.chats.listMessages("c", { limit: 100 })) message.text satisfies string | null;
    const account = new AccountClient({ apiKey: "k", baseUrl: "https://app.example.com" });
    (await account.instance("7").messages.sendText({ to: "5511900000002", text: "Olá!" })) satisfies object;
  } catch (error) {
    if (error instanceof OutcomeUnknownError) (await error.resolve({ timeoutMs: 60_000 })) satisfies "sent" | "failed" | "unknown";
    if (error instanceof TemporarilyBlockedError) error.endsAt satisfies Date | null;
  }
  for await (const event of gateway.events.listen({ types: ["message.received"] })) if (event.type === "gap") event.missed satisfies number | null;
  const event = await verifyConnectionWebhook(request, ["new", "old"]);
  (await verifyConnectionWebhook(bytes, { "webhook-id": ["1"] }, "secret")) satisfies { type: string };
  switch (event.type) {
    case "call":
      event.data.call_id satisfies string;
      break;
    case "$unknown":
      event.original satisfies unknown;
  }
  // @ts-expect-error A number is not a text.
  await gateway.messages.sendText({ to: "5511900000002", text: 5 });
}
webhookHandler({ secret: "s", on: { "message.received": ({ data }) => void data.text } }) satisfies (request: Request) => Promise<Response>;
accountWebhookHandler({ secret: "s", on: {}, seen: (id) => id === "" });
`;

const TYPED_FOR_NODE = `
import { createServer } from "node:http";
import { fileCheckpoint } from "@gateway/sdk/checkpoint";
import { ConnectionClient } from "@gateway/sdk";
import { nodeListener } from "@gateway/sdk/node";
import { verifyConnectionWebhook, webhookHandler } from "@gateway/sdk/webhooks";

createServer(nodeListener(webhookHandler({ secret: "s", on: {} })));
new ConnectionClient({ apiKey: "k", baseUrl: "http://x" }).events.listen({ checkpoint: fileCheckpoint("./place") });
void verifyConnectionWebhook(Buffer.from("{}"), {} as import("node:http").IncomingHttpHeaders, "secret");
`;

type Report = { passed: number; failed: { name: string; expected: unknown; found: unknown }[] };

const folder = mkdtempSync(join(tmpdir(), "kit-runtimes-"));
const run = promisify(execFile);
const isGreen: boolean[] = [];

try {
  await install();
  for (const [name, runtime] of runtimes()) show(name, await report(runtime));
  show("workerd", await inWorkerd().catch(crash));
  for (const [name, alias] of Object.entries(COMPILERS).map(([each]) => [each, aliasOf(each)] as const))
    for (const library of Object.keys(LIBRARIES) as (keyof typeof LIBRARIES)[]) await compile(name, alias, library);
} finally {
  rmSync(folder, { recursive: true });
}
if (isGreen.includes(false)) process.exitCode = 1;

function aliasOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

async function install(): Promise<void> {
  const built = join(folder, "built");
  execFileSync("npm", ["run", "--silent", "sdk:build", "--", built], { cwd: ROOT, stdio: "inherit" });
  execFileSync("npm", ["pack", "--silent"], { cwd: built });
  const tarball = readdirSync(built).find((file) => file.endsWith(".tgz")) ?? "";
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  const platform = process.platform === "win32" ? "win" : process.platform;
  const packages = [
    join(built, tarball),
    ...Object.entries(NODES).map(([name, version]) => `${aliasOf(name)}@npm:node-${platform}-${process.arch}@${version}`),
    ...Object.entries(COMPILERS).map(([name, version]) => `${aliasOf(name)}@npm:typescript@${version}`),
    "@types/node@20.19.9",
    "bun@1.4.5",
    "deno@2.9.6",
  ];
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--save-exact", "--force", ...packages], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  await build({
    stdin: { contents: CASES, resolveDir: join(ROOT, "test") },
    bundle: true,
    format: "esm",
    target: "es2022",
    outfile: join(folder, "cases.js"),
  });
  writeFileSync(join(folder, "server.js"), ON_A_SERVER);
  writeFileSync(join(folder, "worker.js"), IN_A_WORKER);
  writeFileSync(join(folder, "typed.ts"), TYPED);
  writeFileSync(join(folder, "typed-node.ts"), TYPED_FOR_NODE);
}

function runtimes(): [string, string[]][] {
  return [
    ...Object.keys(NODES).map((name): [string, string[]] => [name, [`node_modules/${aliasOf(name)}/bin/node`, "server.js"]]),
    ["Bun", ["node_modules/.bin/bun", "server.js"]],
    ["Deno", ["node_modules/.bin/deno", "run", "--allow-all", "--no-lock", "server.js"]],
  ];
}

async function report([command = "", ...args]: string[]): Promise<Report> {
  return run(join(folder, command), args, { cwd: folder }).then(({ stdout }) => JSON.parse(stdout) as Report, crash);
}

function crash(error: Error): Report {
  return { passed: 0, failed: [{ name: "starts", expected: "a report", found: error.message }] };
}

async function inWorkerd(): Promise<Report> {
  const { outputFiles } = await build({
    entryPoints: [join(folder, "worker.js")],
    bundle: true,
    format: "esm",
    target: "es2022",
    write: false,
  });
  const worker = new Miniflare(
    convertV4MiniflareOptions({ modules: true, script: outputFiles[0]?.text ?? "", compatibilityDate: "2026-10-01" }),
  );
  try {
    return (await (await worker.dispatchFetch("http://localhost/")).json()) as Report;
  } finally {
    await worker.dispose();
  }
}

async function compile(name: string, alias: string, library: keyof typeof LIBRARIES): Promise<void> {
  const { lib, types, files } = LIBRARIES[library];
  const project = `${library}.json`;
  writeFileSync(join(folder, project), JSON.stringify({ compilerOptions: { ...STRICT, lib, types }, files }));
  const args = [`node_modules/${alias}/bin/tsc`, "-p", project];
  const problem = await run(process.execPath, args, { cwd: folder }).then(
    () => null,
    ({ stdout, message }: { stdout?: string; message: string }) => stdout ?? message,
  );
  isGreen.push(problem === null);
  console.log(`${name} with ${library}: ${problem === null ? "compiles" : `FAILS\n${problem}`}`);
}

function show(name: string, { passed, failed }: Report): void {
  isGreen.push(failed.length === 0 && passed > 0);
  console.log(`${name}: ${passed} passed, ${failed.length} failed`);
  for (const each of failed) console.log(`  ${each.name}: ${JSON.stringify(each.found)}, not ${JSON.stringify(each.expected)}`);
}
