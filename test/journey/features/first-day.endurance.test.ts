// A deployment's first day (docs/operate/deployment.md, "Deploy"), from an empty account to the first message: `npm run setup`, the worker
// built by wrangler, a bridge started per its README. Only the account is fake; there is no sandbox.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { parseEnv } from "node:util";
import { describe, expect, it, onTestFailed } from "vitest";
import { freePort } from "#root/server/ports.ts";
import { createAuthority, createTlsIdentity } from "#root/test-network/security/tls.ts";
import { AccountHook } from "../../support/account-holder.ts";
import { type NetworkProcess, networkProcess } from "../../support/bridge/network-process.ts";
import { ask, type Reply } from "../../support/clients.ts";
import { changeAccount, EMPTY_ACCOUNT, readAccount } from "../../support/deployment/account.ts";
import { cleanClone } from "../../support/deployment/clean-clone.ts";
import { type DeployedWorker, startDeployedWorker } from "../../support/deployment/deployed-worker.ts";
import { eventually } from "../../support/eventually.ts";
import { ok } from "../../support/replies.ts";
import { useStory } from "../../support/runner/story.ts";

const ADMIN = "ana@shop.dev";
const CUSTOMER = "caio@client.dev";
const PASSWORD = "only the holder knows";
const [STORE, BIA] = ["5511900000901", "5511900000902"] as const;
const STAND_IN = new URL("../../support/deployment/wrangler-stand-in.ts", import.meta.url).pathname;
const WITHIN_MS = 60_000;

let folder: string;
let clone: string;
let secretsFile: string;
let network: NetworkProcess;
let startedAt: number;
/** Timestamped steps for readers of the output. */
let transcript: string[];
const note = (what: string) => transcript.push(`${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(6)} s  ${what}`);

type Calls = (method: string, path: string, json?: unknown) => Promise<Reply>;

let origin: string;
let port: number;
let authority: Awaited<ReturnType<typeof createAuthority>>;
let worker: DeployedWorker | null;
let bridge: ChildProcess | null;
/** Each has its own process group, so a failing test leaves nothing behind. */
const running = new Set<ChildProcess>();
let hook: AccountHook;
let admin: Calls;
let before: ReturnType<typeof everything>;

/** The bridge writes to this process's stderr, which could not exit before it. */
async function endBridge(): Promise<void> {
  if (bridge === null || bridge.exitCode !== null || bridge.signalCode !== null) return;
  const gone = once(bridge, "exit");
  bridge.kill("SIGKILL");
  await gone;
}

const account = () => readAccount(folder);
const configuration = () => readFileSync(join(clone, "wrangler.toml"), "utf8");

/** Runs `npm run` in the clone. */
async function npmRun(script: string, args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const env = { ...process.env, STAND_IN: folder, SETUP_WRANGLER: STAND_IN, NODE_EXTRA_CA_CERTS: join(folder, "ca.pem") };
  const child = spawn("npm", ["run", "--silent", script, "--", ...args], {
    cwd: clone,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  running.add(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  running.delete(child);
  return { code, output };
}

const setUp = (...more: string[]) =>
  npmRun("setup", [
    "--yes",
    `--url=${origin}`,
    `--admin-email=${ADMIN}`,
    "--mail-from=gateway@shop.dev",
    "--region=sam",
    "--bridge=external",
    "--subscriptions=managed",
    `--secrets=${secretsFile}`,
    "--wait=120",
    ...more,
  ]);

/** Follows a link as a user does: opens the page, fills in the form. */
async function choosePassword(link: string, name: string): Promise<void> {
  const page = await ask<string>(link, { headers: { accept: "text/html" } });
  expect([link.startsWith(`${origin}/set-password?token=`), page.status]).toEqual([true, 200]);
  const token = /name="token" value="(\w+)"/.exec(page.body)?.[1] ?? "";
  const body = new URLSearchParams({ token, name, password: PASSWORD });
  expect((await ask(`${origin}/set-password`, { method: "POST", headers: { origin }, body })).status).toBe(200);
}

/** Signs in with the password; returns calls of the Account API and the dashboard with the access token. */
async function signIn(email: string): Promise<Calls> {
  const signedIn = await ask(`${origin}/api/auth/sign-in/email`, { headers: { origin }, json: { email, password: PASSWORD } });
  expect(signedIn.status).toBe(200);
  const cookie = signedIn.headers
    .getSetCookie()
    .map((set) => set.split(";")[0])
    .join("; ");
  const { body } = await ask<{ token: string }>(`${origin}/api/auth/token`, { headers: { origin, cookie } });
  return (method, path, json) =>
    ask(`${origin}/api${path}`, { method, headers: { authorization: `Bearer ${body.token}` }, ...(json === undefined ? {} : { json }) });
}

/** The command in session-bridge/README.md that starts a bridge, with real values in place of its examples. */
function bridgeCommand(values: Readonly<Record<string, string>>): string {
  const readme = readFileSync(join(clone, "session-bridge/README.md"), "utf8");
  const line = /^BRIDGE_GATEWAY_URL=.* node session-bridge\/main\.ts$/m.exec(readme)?.[0] ?? "";
  return line.replaceAll(/(\w+)=\S+/g, (_, name: string) => `${name}='${values[name]}'`);
}

const step = useStory(open, close);

async function open(): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), "first-day-"));
  [clone, secretsFile] = [join(folder, "clone"), join(folder, "kept/gateway.env")];
  network = networkProcess();
  [worker, bridge] = [null, null];
  [startedAt, transcript] = [performance.now(), []];
  // Before everything that may fail, because `close` stops it.
  hook = await AccountHook.open("a long random text");
  mkdirSync(clone);
  cleanClone(clone);
  // The operator selects the network in the configuration.
  writeFileSync(join(clone, "wrangler.toml"), configuration().replace('BRIDGE_NETWORK = "real"', 'BRIDGE_NETWORK = "local"'));
  changeAccount(folder, { loggedIn: false }, EMPTY_ACCOUNT);
  [authority, port] = await Promise.all([createAuthority(), freePort(0).then((found) => found ?? 0), network.start()]);
  origin = `https://127.0.0.1:${port}`;
  writeFileSync(join(folder, "ca.pem"), authority.caPem);
  setDefaultCACertificates([...getCACertificates("default"), authority.caPem]);
  for (const [phone, name] of [
    [STORE, "Store"],
    [BIA, "Bia"],
  ] as const)
    await network.call("POST", "/phones", { phone, name });
  note("a clean clone, an empty account");
}

async function close(): Promise<void> {
  process.stdout.write(`\nthe first day:\n${transcript.join("\n")}\n`);
  for (const { pid } of running) if (pid !== undefined) process.kill(-pid, "SIGKILL");
  await endBridge();
  await worker?.dispose();
  await Promise.all([network.dispose(), hook.receiver.stop()]);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

describe("setup", () => {
  it(
    "reports missing prerequisites, and continues where it stopped",
    step(async () => {
      const out = await setUp();
      expect([out.code, out.output]).toEqual([1, expect.stringContaining("Run `npx wrangler login`")]);
      note("setup: no login, and how to get one");
      changeAccount(folder, { loggedIn: true, failing: "d1 migrations" });
      const broken = await setUp();
      expect([broken.code, broken.output]).toEqual([1, expect.stringContaining("Run setup again")]);
      expect([account().databases.map(({ name }) => name), account().buckets]).toEqual([["gateway"], ["gateway-media"]]);
      expect(account().locations).toEqual(["gateway: enam", "gateway-media: enam"]);
      expect(configuration()).toContain(`database_id = "${account().databases[0]?.uuid}"`);
      expect(configuration()).toContain('constraints = { regions = ["SAM"] }');
      expect(broken.output).toMatch(/1,000 numbers +\$6\.\d+ a month, on rented machines[^]*database …/);
      expect((statSync(secretsFile).mode & 0o777).toString(8)).toBe("600");
      note("setup: database, bucket, copy of the secrets; then Cloudflare failed");
      changeAccount(folder, { failing: null });
    }),
  );

  it(
    "deploys, and prints the link for the first administrator",
    step(async () => {
      const copy = readFileSync(secretsFile, "utf8");
      let ended = false;
      const made = setUp().finally(() => (ended = true));
      await eventually("the deploy", 2 * WITHIN_MS, () => ended || account().deploys === 1);
      if (!ended) await startWorker();
      const { code, output } = await made;
      expect([code, output]).toEqual([0, expect.stringContaining(`The gateway runs: ${origin}/docs`)]);
      expect(readFileSync(secretsFile, "utf8")).toBe(copy);
      expect(account().secrets.production).toEqual({ ...parseEnv(copy) });
      for (const value of Object.values(parseEnv(copy))) expect(output).not.toContain(value);
      note("setup: migrated, deployed, answers /api/health");
      await choosePassword(/https:\S+token=\w+/.exec(output)?.[0] ?? "", "Ana");
      admin = await signIn(ADMIN);
      expect((await ok(admin("GET", "/me"))).data).toMatchObject({ email: ADMIN, name: "Ana", role: "admin" });
      expect((await ok(admin("GET", "/admin/audit"))).data).toMatchObject([
        { actor: { id: "settings" }, reason: "ADMIN_EMAIL", outcome: "done" },
      ]);
      note("the first administrator has chosen a password and signed in");
    }),
  );
});

async function startWorker(): Promise<void> {
  worker = await startDeployedWorker({
    clone,
    folder,
    at: { port, tls: await createTlsIdentity(authority, "127.0.0.1") },
    secrets: account().secrets.production ?? {},
    internet: { "https://hooks.client.dev": new URL(hook.receiver.url).origin },
  });
}

/** Everything that a second setup must not create again. */
const everything = () => {
  const { secrets, databases, buckets } = account();
  return { configuration: configuration(), copy: readFileSync(secretsFile, "utf8"), secrets, databases, buckets };
};

describe("the first customer", () => {
  it(
    "signs up, connects a number by pairing code, and sends the first message",
    step(async () => {
      onTestFailed(() => void process.stdout.write(`${worker?.logs()}\n`));
      const { output: credential } = await npmRun("bridge:credential", ["eu-1", "--secrets", secretsFile]);
      const { ws_url, root_public_key, ca_pem, media_host } = network.ready();
      const local = {
        BRIDGE_NETWORK: "local",
        BRIDGE_LOCAL_URL: ws_url,
        BRIDGE_LOCAL_ROOT: root_public_key,
        BRIDGE_LOCAL_CA: ca_pem,
        BRIDGE_LOCAL_MEDIA_HOST: media_host,
        BRIDGE_HEALTH_PORT: "0",
        BRIDGE_HEALTH_HOST: "127.0.0.1",
        NODE_EXTRA_CA_CERTS: join(folder, "ca.pem"),
      };
      const command = bridgeCommand({ BRIDGE_GATEWAY_URL: origin, BRIDGE_CREDENTIAL: credential.trim() });
      bridge = spawn("sh", ["-c", `exec env ${command}`], {
        cwd: clone,
        env: { ...process.env, ...local },
        stdio: ["ignore", "ignore", "inherit"],
      });
      await eventually("everything is ready", WITHIN_MS, async () => (await ask(`${origin}/api/health/ready`)).status === 200);
      note("a session bridge has dialled in, by the lines of its README");

      expect((await ask(`${origin}/api/auth/sign-up/email`, { headers: { origin }, json: { email: CUSTOMER, name: "Caio" } })).status).toBe(
        200,
      );
      const mail = await worker?.mailTo(CUSTOMER);
      await choosePassword(/https:\S+token=\w+/.exec(mail?.text ?? "")?.[0] ?? "", "Caio");
      const customer = await signIn(CUSTOMER);
      const { data: me } = await ok(customer("GET", "/me"));
      expect(me).toMatchObject({ role: "user", name: "Caio", subscription: null });
      note("the customer has followed the mail, chosen a password and signed in");
      expect((await customer("POST", "/instances", { name: "Store" })).body.error.code).toBe("subscription_required");
      const terms = { plan: "basic", status: "active", max_instances: 2, current_period_end: null, reason: "The first customer" };
      await ok(admin("PUT", `/admin/users/${me.id}/subscription`, terms));
      note("the administrator has given a subscription");

      const webhook = {
        url: "https://hooks.client.dev/hook",
        secret: "a long random text",
        events: ["instance.connected", "message.sent"],
      };
      const { data: instance } = await ok(customer("POST", "/instances", { name: "Store", webhook }), 201);
      const paired = await eventually("a pairing code", WITHIN_MS, async () => {
        const answer = await customer("POST", `/instances/${instance.id}/pairing-code`, { phone_number: STORE });
        return answer.status === 200 && (answer.body.data.code as string);
      });
      await network.call("POST", `/phones/${STORE}/code`, { code: paired.replaceAll("-", "") });
      expect(await hook.delivered("instance.connected", "after the code")).toMatchObject({ phone_number: STORE });
      note("the phone has taken the pairing code; instance.connected is delivered");

      const { data } = await ok(customer("GET", "/dashboard/connections"));
      const made = await ok(customer("POST", `/dashboard/connections/${data[0].id}/keys`, { name: "first" }), 201);
      const sent = await ask(`${origin}/api/v1/messages/text`, {
        headers: { "x-api-key": made.data.key },
        json: { to: BIA, text: "Olá!" },
      });
      expect(sent.status).toBe(200);
      note("the first message is acknowledged by the network");
      expect(await hook.delivered("message.sent", "the first", (event) => event.message_id === sent.body.message_id)).toMatchObject({
        text: "Olá!",
      });
      await eventually("the message on Bia's phone", WITHIN_MS, async () => {
        const inbox = await network.call<{ data: { text?: string }[] }>("GET", `/phones/${BIA}/inbox?chat_id=${STORE}@c.us`);
        return JSON.stringify(inbox).includes("Olá!");
      });
      note("message.sent is delivered, signed; the message is on the other phone");
    }),
  );
});

describe("setup, repeated", () => {
  it(
    "changes nothing, and prints no link",
    step(async () => {
      before = everything();
      const { code, output } = await setUp();
      expect([code, output]).toEqual([0, expect.stringContaining("It has an administrator")]);
      expect(everything()).toEqual(before);
      expect(output).not.toContain("token=");
      note("setup again: nothing new, no link");
    }),
  );

  it(
    "prints a new link on request",
    step(async () => {
      const { code, output } = await npmRun("setup", ["--first-admin"]);
      expect([code, output]).toEqual([0, expect.stringContaining(`The first administrator, ${ADMIN},`)]);
      await choosePassword(/https:\S+token=\w+/.exec(output)?.[0] ?? "", "Ana");
      expect((await admin("GET", "/me")).body.data.role).toBe("admin");
      note("setup --first-admin: a new link, which was followed");
    }),
  );

  it(
    "sets staging up beside production, sharing nothing with it",
    step(async () => {
      const [production, copy] = [configuration().split("[env.staging]")[0], join(folder, "kept/staging.env")];
      // Nothing listens at this address, so every step succeeds except the last.
      const { code, output } = await setUp(
        "--environment=staging",
        "--region=me",
        "--url=https://127.0.0.1:9",
        `--secrets=${copy}`,
        "--wait=1",
      );
      expect([code, output]).toEqual([1, expect.stringContaining("https://127.0.0.1:9/api/health does not answer")]);
      expect([account().databases.map(({ name }) => name), account().buckets]).toEqual([
        ["gateway", "gateway-staging"],
        ["gateway-media", "gateway-media-staging"],
      ]);
      expect(account().rules).toEqual(["gateway-media: expired-media", "gateway-media-staging: expired-media"]);
      expect(account().secrets).toEqual({ production: before.secrets.production, staging: { ...parseEnv(readFileSync(copy, "utf8")) } });
      const shared = Object.values(account().secrets.staging ?? {}).filter((value) =>
        Object.values(account().secrets.production ?? {}).includes(value),
      );
      expect(shared).toEqual([]);
      const [ofProduction, ofStaging] = configuration().split("[env.staging]");
      expect(ofProduction).toBe(production);
      expect(ofStaging).toContain(`database_id = "${account().databases[1]?.uuid}"`);
      expect(ofStaging).toContain('constraints = { regions = ["ME","EEUR"] }');
      expect(ofStaging).toContain('APP_URL = "https://127.0.0.1:9"');
      note("setup --environment staging: database, bucket and secrets of its own");
    }),
  );
});
