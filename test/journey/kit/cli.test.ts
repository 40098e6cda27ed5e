// The command line on a running gateway (docs/use/cli.md, "Listen").
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "#root/server/ports.ts";
import { verifyAccountWebhook, verifyConnectionWebhook } from "@gateway/sdk/webhooks";
import { phones } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import type { Cli } from "../../support/kit/cli.ts";
import { cliOf } from "../../support/kit/own-sandbox.ts";
import { PYTHON_ENV, pythonIsMissing } from "../../support/kit/python.ts";
import { type PairedConnection, pairConnection } from "../../support/paired-connection.ts";
import { Receiver } from "../../support/receiver.ts";
import { borrowSandbox, type SharedSandbox } from "../../support/shared-sandbox.ts";

const SHOP = "5511970000111";
const CUSTOMER = "5511970000112";
/** The sender when `trigger` gets no `--from`. */
const ANA = "5511900000007";
const WITHIN_MS = 120_000;

let sandbox: SharedSandbox;
let shop: PairedConnection;
let receiver: Receiver;
let folder: string;
let cli: Cli;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "cli-"));
  [sandbox, receiver] = await Promise.all([borrowSandbox(), Receiver.start()]);
  shop = await pairConnection(sandbox.ready(), SHOP, { name: "Loja" });
  await phones(sandbox.ready()).create(CUSTOMER, "Bia");
  cli = cliOf(folder, sandbox.ready(), { phone: SHOP, key: shop.key });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await Promise.all([sandbox.dispose(), receiver.stop()]);
});

it("listen forwards a triggered event with a valid signature, continues after kill -9, and ends for CI", async () => {
  const args = ["listen", "--forward-to", receiver.url, "--events", "message.received"];
  const { out: secret } = await cli.run(...args, "--print-secret");
  const first = cli.start(...args);
  await first.shows("Ready");
  expect((await cli.run("trigger", "message.received", "--text", "primeira")).out).toBe("triggered message.received\n");
  const arrival = await receiver.waitFor("the first event", WITHIN_MS, ({ data }) => data?.text === "primeira");
  expect(await verifyConnectionWebhook(arrival.body, arrival.headers, secret.trim())).toMatchObject({ data: { text: "primeira" } });
  await first.shows(/<-- 2\d\d/);
  const killed = await first.kill();
  await cli.run("trigger", "message.received", "--text", "ausente");

  const second = await cli.run(...args, "--json", "--until", "message.received", "--timeout", "120");
  expect(second.code).toBe(0);
  const lines = second.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { data?: { text?: string } });
  // The first event may arrive again, because the killed run may not have stored its position.
  expect(["ausente", "primeira"]).toContain(lines.flatMap(({ data }) => data?.text ?? [])[0]);
  if (!second.out.includes("ausente")) await cli.run(...args, "--until", "message.received", "--timeout", "120");
  const missed = await receiver.waitFor("the missed event", WITHIN_MS, ({ data }) => data?.text === "ausente");

  const { id } = JSON.parse(missed.body) as { id: string };
  const resent = await cli.run("events", "resend", id);
  expect([resent.code, resent.out], resent.err).toEqual([0, expect.stringContaining(`message.received ${id} to ${receiver.url}: 2`)]);
  for (const { out, err } of [killed, second]) expect(out + err).not.toContain(shop.key);
});

it("listen forwards an instance's events with an account key, signed like the Account API", async () => {
  const { instance_id: instance } = (await shop.owner.call("GET", `/connections/${shop.id}`)).body.data as { instance_id: string };
  const args = ["listen", "--instance", instance, "--forward-to", receiver.url, "--until", "message.received"];
  const { out: secret } = await cli.run(...args, "--print-secret");
  const listening = cli.start(...args);
  await listening.shows("Ready");
  await cli.run("trigger", "message.received", "--text", "da conta");
  expect(await listening.ended()).toMatchObject({ code: 0 });
  const { body, headers } = await receiver.waitFor(
    "the event",
    WITHIN_MS,
    ({ event, data }) => event !== undefined && data?.text === "da conta",
  );
  expect(await verifyAccountWebhook(body, headers, secret.trim())).toMatchObject({ type: "message.received", instance_id: instance });
});

it.for([
  { language: "ts", runs: process.execPath, missing: null },
  { language: "python", runs: "python3", missing: pythonIsMissing() },
])("the program of the first steps replies to a triggered message: $language", async ({ language, runs, missing }, context) => {
  context.skip(missing !== null, missing ?? "");
  const port = (await freePort(0)) ?? 0;
  const url = `http://127.0.0.1:${port}`;
  const { out: secret } = await cli.run("listen", "--forward-to", url, "--print-secret");
  const env = { PATH: process.env["PATH"], API_KEY: shop.key, WEBHOOK_SECRET: secret.trim(), GATEWAY_URL: sandbox.ready().app_url };
  const program = spawn(runs, [firstProgram(language, port)], { env: { ...PYTHON_ENV, ...env }, stdio: "ignore" });
  try {
    await eventually("the program listens", WITHIN_MS, () => answers(url, program));
    const listening = cli.start("listen", "--forward-to", url, "--events", "message.received", "--until", "message.received", "--from-now");
    await listening.shows("Ready");
    await cli.run("trigger", "message.received", "--text", `Olá, ${language}`);
    expect(await listening.ended()).toMatchObject({ code: 0, out: expect.stringContaining("<-- 200") as string });
    const inbox = await phones(sandbox.ready()).inbox(ANA);
    expect(inbox.filter(({ from, text }) => from === SHOP && text === `You wrote: Olá, ${language}`)).toHaveLength(1);
  } finally {
    program.kill();
  }
});

it("listen exits with 124 when no event comes in time, and with 2 for a wrong flag", async () => {
  expect((await cli.run("listen", "--until", "call", "--timeout", "1")).code).toBe(124);
  const wrong = await cli.run("listen", "--forwad-to", "x");
  expect([wrong.code, wrong.err]).toEqual([2, "unknown option --forwad-to (did you mean --forward-to?)\n"]);
  expect((await cli.run("nothing")).code).toBe(2);
});

it("the command sends, calls any route, and checks the installation", async () => {
  const sent = await cli.run("send", "--to", CUSTOMER, "Olá", "da", "linha", "de", "comando");
  expect(JSON.parse(sent.out)).toMatchObject({ status: "sent", to: CUSTOMER });
  expect(JSON.parse((await cli.run("api", "GET", "/instance")).out)).toMatchObject({ data: { phone: SHOP } });
  expect((await cli.run("api", "DELETE", `/chats/${CUSTOMER}@c.us`)).code).toBe(2);
  const doctor = await cli.run("doctor");
  expect([doctor.code, doctor.out.match(/^ok /gm)?.length], doctor.out).toEqual([0, 4]);
  expect((await cli.run("doctor", "--url", "http://127.0.0.1:1")).code).toBe(2);
  expect((await cli.run("pair")).out).toBe("connected (ok)\n");
  expect(await cli.run("whoami")).toEqual({ code: 0, out: `Loja (${SHOP}), connected, at ${sandbox.ready().app_url}\n`, err: "" });
});

it("login takes a pasted key, and the command reads chats and messages with it", async () => {
  const { app_url } = sandbox.ready();
  const login = await cli.runWith(`${shop.key}\n`, "login", "--paste", "--url", app_url);
  expect([login.code, login.out], login.err).toEqual([0, expect.stringContaining(`Logged in to Loja (${SHOP})`)]);
  await cli.run("send", "--to", CUSTOMER, "linha nova:\nfim");
  const chats = await cli.runWith("", "chats");
  expect(chats.out).toContain(`${CUSTOMER}@c.us\t`);
  expect(chats.out).toContain('"linha nova:·fim"');
  const messages = await cli.runWith("", "messages", `${CUSTOMER}@c.us`, "--limit", "1", "--json");
  expect(JSON.parse(messages.out)).toMatchObject({ text: "linha nova:\nfim", from_me: true });
  await cli.runWith("", "logout");
  expect((await cli.runWith("", "chats")).code).toBe(2);
  for (const { out, err } of [login, chats, messages]) expect(out + err).not.toContain(shop.key);
});

it("verify explains why a signature fails", async () => {
  const [secret, body] = ["s3cret", '{"id": "msg_1", "event": "message.received"}'];
  const { createHmac } = await import("node:crypto");
  const signature = createHmac("sha256", secret)
    .update(JSON.stringify(JSON.parse(body)))
    .digest("hex");
  writeFileSync(join(folder, "body"), body);
  const failed = await cli.run("verify", "--secret", secret, "--signature", signature, join(folder, "body"));
  expect(failed.code).toBe(1);
  expect(failed.out).toMatch(/It is valid for the body parsed and written again/);
  writeFileSync(join(folder, "body"), JSON.stringify(JSON.parse(body)));
  expect((await cli.run("verify", "--secret", secret, "--signature", signature, join(folder, "body"))).code).toBe(0);
});

/**
 * Writes a program from docs/use/first-steps.md, "Reply from your own program", with another port, into a folder that has the SDK
 * installed.
 */
function firstProgram(language: string, port: number): string {
  const page = readFileSync("docs/use/first-steps.md", "utf8");
  const [, code = ""] = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, "m").exec(page) ?? [];
  expect(code).toContain("3000");
  const scope = join(folder, "node_modules/@gateway");
  mkdirSync(scope, { recursive: true });
  if (!existsSync(join(scope, "sdk"))) symlinkSync(join(process.cwd(), "packages/sdk"), join(scope, "sdk"));
  const file = join(folder, `reply.${language === "ts" ? "mts" : "py"}`);
  writeFileSync(file, code.replace("3000", String(port)));
  return file;
}

async function answers(url: string, program: ChildProcess): Promise<boolean> {
  if (program.exitCode !== null) throw new Error(`the program ended with ${program.exitCode}`);
  return fetch(url).then(
    () => true,
    () => false,
  );
}
