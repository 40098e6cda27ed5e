// `npm run doctor` against deployments with one fault each: it reports each fault with its remedy, and nothing for a healthy deployment.
import { spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { makeAccountKey } from "@gateway/domain/keys/account-key.ts";
import { makeBridgeCredential } from "@gateway/domain/keys/bridge-credential.ts";
import { freePort } from "#root/server/ports.ts";
import { createAuthority, createTlsIdentity } from "#root/test-network/security/tls.ts";
import { type BridgeProcess, spawnBridge } from "../../support/bridge/bridge-process.ts";
import { type DeployedWorker, startDeployedWorker } from "../../support/deployment/deployed-worker.ts";
import { DEPLOYMENT_SECRETS, ROOT, wranglerBuild } from "../../support/deployment/wrangler-build.ts";
import { openZone, passAll, type Setting, type Zone } from "../../support/deployment/zone.ts";
import { eventually } from "../../support/eventually.ts";
import { secretsOf } from "../../domain/keys/secrets-of.ts";

const WITHIN_MS = 60_000;
const CRONS = ["* * * * *", "1-59/2 * * * *", "*/3 * * * *", "*/2 * * * *"];
const ADMIN = "ana@shop.dev";
const MIGRATE = "Run `npm run migrate`. On one machine, restart the gateway, which applies them";

const folder = mkdtempSync(join(tmpdir(), "doctor-"));
const { key, prefix, hash } = makeAccountKey(secretsOf(DEPLOYMENT_SECRETS["KEY_SECRET"] ?? ""), randomBytes(23));
const bridges = new Set<BridgeProcess>();
let tls: Awaited<ReturnType<typeof createTlsIdentity>>;
let zone: Zone;
let worker: DeployedWorker;
let port = 0;

type Options = Record<string, unknown>;
type Fault = { secrets?: Record<string, string>; options?: (options: Options) => Options; vars?: Record<string, string>; state?: string };

async function deploy({ secrets = DEPLOYMENT_SECRETS, options = (same) => same, vars = {}, state = "kept" }: Fault = {}): Promise<void> {
  port = (await freePort(0)) ?? 0;
  const own = join(folder, state);
  mkdirSync(join(own, "build"), { recursive: true });
  writeFileSync(join(own, "build/worker.js"), readFileSync(join(folder, "build/worker.js")));
  const settings = { APP_URL: zone.origin, BASE_URL: zone.origin, MAIL_FROM: "gateway@shop.dev", BRIDGE_HOST: "external", ...vars };
  worker = await startDeployedWorker({
    clone: ROOT,
    folder: own,
    at: { port, tls },
    secrets,
    broken: ({ bindings, ...rest }) => options({ ...rest, bindings: { ...(bindings as object), ...settings } }),
  });
}

/** Runs the steps of `npm run migrate`, creates an administrator with a key, and runs each cron once. */
async function fill(): Promise<void> {
  const database = await worker.database();
  const files = readdirSync(join(ROOT, "migrations")).filter((name) => name.endsWith(".sql"));
  const migrate = files
    .toSorted()
    .flatMap((name) => [
      ...readFileSync(join(ROOT, "migrations", name), "utf8").split("--> statement-breakpoint"),
      `INSERT INTO d1_migrations (name) VALUES ('${name}')`,
    ]);
  const user = randomUUID();
  const statements = [
    "CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE)",
    ...migrate,
    `INSERT INTO user (id, name, email, email_verified, role, created_at, updated_at) VALUES ('${user}', 'Ana', '${ADMIN}', 1, 'admin', 1, 1)`,
    `INSERT INTO account_key (id, user_id, name, prefix, hash, scopes, created_at) VALUES ('k', '${user}', 'doctor', '${prefix}', '${hash}', '["admin"]', 1)`,
  ];
  await database.batch(statements.map((statement) => database.prepare(statement)));
  for (const cron of CRONS) await worker.cron(cron);
}

async function startBridge(id: string, settings: Record<string, string> = {}): Promise<BridgeProcess> {
  const bridge = spawnBridge({
    BRIDGE_GATEWAY_URL: `https://127.0.0.1:${port}`,
    BRIDGE_CREDENTIAL: makeBridgeCredential(secretsOf(DEPLOYMENT_SECRETS["BRIDGE_SECRET"] ?? ""), id),
    BRIDGE_HEALTH_PORT: "0",
    BRIDGE_HEALTH_HOST: "127.0.0.1",
    NODE_EXTRA_CA_CERTS: join(folder, "ca.pem"),
    ...settings,
  });
  bridges.add(bridge);
  await eventually(`bridge ${id} to dial in`, WITHIN_MS, () => bridge.output().includes('"pool.connected"'));
  return bridge;
}

async function stop(bridge: BridgeProcess): Promise<void> {
  bridges.delete(bridge);
  await bridge.terminate();
}

async function doctor(args: readonly string[] = [zone.origin], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", join(ROOT, "tools/doctor/main.ts"), ...args], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: join(folder, "ca.pem"), DOCTOR_KEY: key, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  expect(output).not.toContain(key);
  return { code, lines: output.trim().split("\n") };
}

/** The only line that the doctor prints. */
async function onlyProblem(): Promise<string> {
  const { code, lines } = await doctor();
  expect([code, lines]).toEqual([1, [expect.stringContaining(" → ")]]);
  return lines[0] ?? "";
}

const healthy = () => ({ code: 0, lines: [expect.stringMatching(/^https:\S+ is healthy: \d+ checks passed$/)] });

beforeAll(async () => {
  const authority = await createAuthority();
  tls = await createTlsIdentity(authority, "127.0.0.1");
  writeFileSync(join(folder, "ca.pem"), authority.caPem);
  await wranglerBuild(join(folder, "build"));
  zone = await openZone(tls, () => port);
  await deploy();
  await fill();
  await worker.dispose();
});
afterEach(async () => {
  zone.set(passAll);
  for (const bridge of bridges) await stop(bridge);
  await worker?.dispose();
});
afterAll(async () => {
  await zone?.dispose();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

describe("the doctor", () => {
  it("reports nothing for a healthy deployment, and names faults that occur while it runs", async () => {
    await deploy();
    const bridge = await startBridge("eu-1");
    expect(await doctor()).toEqual(healthy());

    const challenge = {
      status: 403,
      headers: { "cf-mitigated": "challenge", "content-type": "text/html" },
      body: "<title>Just a moment...</title>",
    };
    zone.set(async () => challenge);
    expect(await onlyProblem()).toMatch(/^a challenge page answers instead of the gateway → Switch Bot Fight Mode off/);

    const integrity: Setting = (_path, headers, pass) =>
      /Service-/.test(headers["user-agent"] ?? "") ? pass() : Promise.resolve({ status: 403, headers: {}, body: "error code: 1010" });
    zone.set(integrity);
    expect(await onlyProblem()).toMatch(/^Browser Integrity Check refuses programs → Switch it off/);

    zone.set(async (_path, _headers, pass) => {
      const answer = await pass();
      const late = answer.body.replace(
        /"time":"([^"]+)"/,
        (_, time: string) => `"time":"${new Date(Date.parse(time) - 300_000).toISOString()}"`,
      );
      return { ...answer, body: late };
    });
    expect(await onlyProblem()).toMatch(/^clock: the gateway's is (299|30\d) s behind this machine's → Set this machine's clock/);
    zone.set(passAll);

    const database = await worker.database();
    const run = (statement: string) => database.prepare(statement).run();
    await run(`UPDATE cron_run SET ran_at = ran_at - 3600000, succeeded_at = succeeded_at - 3600000 WHERE cron = '* * * * *'`);
    expect(await onlyProblem()).toMatch(/^crons: "\* \* \* \* \*" last ran 6\d minutes ago → /);
    await worker.cron("* * * * *");

    const last =
      readdirSync(join(ROOT, "migrations"))
        .filter((name) => name.endsWith(".sql"))
        .toSorted()
        .at(-1) ?? "";
    await run(`DELETE FROM d1_migrations WHERE name = '${last}'`);
    expect(await onlyProblem()).toBe(`migrations: not applied: ${last} → ${MIGRATE}`);
    await run(`INSERT INTO d1_migrations (name) VALUES ('${last}')`);

    const other = await startBridge("eu-2", { BRIDGE_BUILD: "tuesday" });
    expect(await onlyProblem()).toMatch(
      /^versions: bridges run different builds without a rollout: .*eu-2 runs tuesday.* → Deploy bridges/,
    );
    await stop(other);
    expect(await doctor()).toEqual(healthy());

    await stop(bridge);
    expect(await onlyProblem()).toMatch(/^bridges: no bridge .*→ .*session-bridge\/README\.md/);
  });

  it("reports a missing secret", async () => {
    const { STATE_SECRET: _left, ...secrets } = DEPLOYMENT_SECRETS;
    await deploy({ secrets });
    expect(await onlyProblem()).toMatch(/^STATE_SECRET: not set → .*`npm run setup` sets a missing secret/);
  });

  it("reports a missing binding", async () => {
    await deploy({ options: ({ r2Buckets: _left, ...rest }) => rest });
    expect(await onlyProblem()).toMatch(/^MEDIA: the binding is missing → .*wrangler\.toml/);
  });

  it("reports a database without migrations, where no key can be checked", async () => {
    await deploy({ state: "unmigrated" });
    expect(await onlyProblem()).toBe(`migrations: the database lacks what this release needs → ${MIGRATE}`);
  });

  it("reports an email that the platform refused", async () => {
    await deploy({
      options: (options) => ({ ...options, email: { send_email: [{ name: "MAIL", allowed_sender_addresses: ["other@shop.dev"] }] } }),
    });
    await startBridge("eu-1");
    await worker.cron("* * * * *");
    const reset = {
      method: "POST",
      headers: { origin: zone.origin, "content-type": "application/json" },
      body: JSON.stringify({ email: ADMIN }),
    };
    await worker.ask("/api/auth/request-password-reset", reset);
    await eventually(
      "the refusal to be recorded",
      WITHIN_MS,
      async () => (await (await worker.database()).prepare("SELECT 1 FROM mail_state").first()) !== null,
    );
    expect(await onlyProblem()).toMatch(/^mail: the platform refused the last email: [^@]+ → .*email sending enable/);
    await (await worker.database()).prepare("DELETE FROM mail_state").run();
  });

  it("reports containers that the class may not have", async () => {
    await deploy({ vars: { BRIDGE_HOST: "cloudflare" } });
    const { code, lines } = await doctor();
    expect([code, lines]).toEqual([
      1,
      [
        expect.stringMatching(/^bridges: no bridge/),
        expect.stringMatching(/^containers: Containers have not been enabled .*→ Deploy with the \[\[containers\]\] of this class/),
      ],
    ]);
  });

  it("reports a non-administrator's key, and wrong arguments", async () => {
    await deploy();
    await startBridge("eu-1");
    expect(
      (await doctor([zone.origin], { DOCTOR_KEY: makeAccountKey(secretsOf(DEPLOYMENT_SECRETS["KEY_SECRET"] ?? ""), randomBytes(23)).key }))
        .lines,
    ).toEqual([expect.stringMatching(/^the account key is not valid → Create a key with the scope admin/)]);
    expect((await doctor([])).code).toBe(2);
    expect((await doctor(["http://gateway.test"])).code).toBe(2);
    expect((await doctor([zone.origin], { DOCTOR_KEY: "" })).code).toBe(2);
  });

  it("reports an address where nothing listens", async () => {
    await deploy();
    const { code, lines } = await doctor([`https://127.0.0.1:${(await freePort(0)) ?? 0}`]);
    expect([code, lines]).toEqual([1, [expect.stringMatching(/^the address refuses connections → /)]]);
  });
});
