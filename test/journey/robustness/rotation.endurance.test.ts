// Each secret is replaced during traffic (docs/operate/secrets.md, "Rotating secrets"). A deployment with changed settings is simulated by
// changing a file and restarting the affected parts.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeBridgeCredential } from "@gateway/domain/keys/bridge-credential.ts";
import { readSecrets } from "@gateway/domain/keys/secrets.ts";
import { SEND_TIMEOUTS } from "@gateway/protocol/instance-settings.ts";
import { ask, customer, person, phones, type Reply } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { Receiver } from "../../support/receiver.ts";
import { describeError, MAX_UNANSWERED, RepeatedSends } from "./load/repeated-sends.ts";
import { type Sandbox, startSandbox } from "../../support/sandbox.ts";

const NAMES = ["STATE_SECRET", "AUTH_SECRET", "BRIDGE_SECRET", "KEY_SECRET"] as const;
type Name = (typeof NAMES)[number];
const PER_SECOND = 20;

let sandbox: Sandbox;
let receiver: Receiver;
let traffic: Traffic;
/** Delivered message ids. Updated incrementally: parsing all bodies on every poll would keep the receiver from responding. */
const delivered = new Set<string | undefined>();
// For each attempt, because a retry cannot replace the secrets of a sandbox whose secrets are already replaced.
beforeEach(async () => {
  delivered.clear();
  // Refused sends are retried and would soon exceed the limit.
  [sandbox, receiver] = await Promise.all([startSandbox(["--no-limits"]), Receiver.start()]);
  receiver.reply = ({ body }, response) => {
    delivered.add((JSON.parse(body) as { data: { message_id?: string } }).data.message_id);
    response.writeHead(200).end();
  };
});
afterEach(async () => {
  traffic.abandon();
  await Promise.all([sandbox.dispose(), receiver.stop()]);
});

const file = () => join(sandbox.directory, ".dev.vars");
const valueOf = (name: Name) => new RegExp(`^${name}="(.*)"$`, "m").exec(readFileSync(file(), "utf8"))?.[1] ?? "";
const newSecret = (name: Name) => `the-new-${name.toLowerCase().replace("_", "-")}-`.padEnd(48, "x");

/** Deploys changed settings: restarts the parts that read them, each with SIGTERM. */
async function deploy(changes: Partial<Record<Name, string>>): Promise<void> {
  let text = readFileSync(file(), "utf8");
  for (const [name, value] of Object.entries(changes)) text = text.replace(new RegExp(`^${name}=.*$`, "m"), `${name}="${value}"`);
  writeFileSync(file(), text);
  for (const part of ["worker", "bridge"] as const) {
    const pid = sandbox.ready().processes[part];
    process.kill(pid, "SIGTERM");
    await eventually(`the ${part} was started again`, 60_000, () => sandbox.ready().processes[part] !== pid);
  }
  await eventually("the number is connected", 60_000, async () => {
    const ready = sandbox.ready();
    const asked = person(ready).then((owner) => owner.call("GET", `/connections/${ready.demo.connection.id}`));
    // The worker may not listen yet.
    const answer = await asked.catch(() => null);
    return answer?.body.data?.status === "connected";
  });
  await traffic.goesOn();
}

/** `inTime`: answered before the first attempt's deadline. */
type Sent = { text: string; key: string; reply: Promise<Reply & { inTime: boolean }> };

/** Traffic both ways, at 20 a second or the machine's capacity, until stopped. A retry keeps its original API key. */
class Traffic {
  readonly sent: Sent[] = [];
  readonly fromPhone: Promise<Reply>[] = [];
  key: string;
  #stopped = false;
  readonly #sends = new RepeatedSends(sandbox, sandbox.ready().demo.contact?.phone ?? "");
  readonly #running: Promise<void>;

  constructor(key: string) {
    this.key = key;
    this.#running = this.#run();
  }

  /** Ends it without waiting for what is still unanswered. */
  abandon(): void {
    this.#stopped = true;
    this.#running.catch(() => undefined);
    this.#sends.giveUp();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
    await Promise.all(this.sent.map(({ reply }) => reply));
  }

  /** Switches to another key; resolves once no send with the previous key is pending. */
  async changeKey(key: string): Promise<void> {
    const before = this.key;
    this.key = key;
    await Promise.all(this.sent.filter((each) => each.key === before).map(({ reply }) => reply));
  }

  /** Resolves once a send started after this call is answered. */
  async goesOn(): Promise<void> {
    const from = this.sent.length;
    await eventually("more is sent", 600_000, () => this.sent.length > from + MAX_UNANSWERED).catch(async (error: Error) => {
      throw new Error(`${error.message}; ${await stateOfSandbox()}`);
    });
  }

  async #run(): Promise<void> {
    const { contact, connection } = sandbox.ready().demo;
    const to = contact?.phone ?? "";
    const sends = this.#sends;
    const startedAt = performance.now();
    for (let n = 0; !this.#stopped; n += 1) {
      await pause(Math.max(0, (n * 1_000) / PER_SECOND - (performance.now() - startedAt)));
      await sends.turn();
      const { key } = this;
      const sentAt = performance.now();
      const reply = sends.send(`out-${n}`, key).then((answer) => {
        const inTime = performance.now() - sentAt < SEND_TIMEOUTS.textMs;
        return { ...answer, inTime };
      });
      // The test handles the rejection later.
      reply.catch(() => undefined);
      this.sent.push({ text: `out-${n}`, key, reply });
      const fromPhone = phones(sandbox.ready()).send(to, { to: connection.phone, text: `in-${n}` });
      fromPhone.catch(() => undefined);
      this.fromPhone.push(fromPhone);
    }
  }
}

/** Asks each part whether it still answers, and adds the sandbox's last lines, for the report of a failure. */
async function stateOfSandbox(): Promise<string> {
  const { app_url, network_url, processes, demo } = sandbox.ready();
  const asked = { worker: `${app_url}/docs/connection.json`, object: `${app_url}/api/v1/instance`, network: `${network_url}/phones` };
  const headers = { "x-api-key": demo.connection.api_key };
  const answers = Object.entries(asked).map(async ([name, url]) => {
    const asking = fetch(url, { headers, signal: AbortSignal.timeout(30_000) });
    return `${name}: ${await asking.then(({ status }) => String(status), describeError)}`;
  });
  const last = sandbox.logs().trimEnd().split("\n").slice(-30).join("\n");
  return `${(await Promise.all(answers)).join(", ")}, processes ${JSON.stringify(processes)}\n${sandbox.output().slice(-2_000)}\n${last}`;
}

const signedIn = (cookie: string) => ask(`${sandbox.ready().app_url}/api/dashboard/me`, { headers: { cookie } });

async function signIn(): Promise<string> {
  const { app_url, demo } = sandbox.ready();
  const json = { email: demo.email, password: demo.password };
  const { status, headers } = await ask(`${app_url}/api/auth/sign-in/email`, { json, headers: { origin: app_url } });
  expect(status).toBe(200);
  return headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
}

/** Response status for a bridge with a credential under this BRIDGE_SECRET setting. */
async function bridgeStatus(setting: string): Promise<number> {
  const read = readSecrets(setting);
  if (!read.ok) throw new Error(read.problem);
  const authorization = `Bearer ${makeBridgeCredential(read.secrets, "another")}`;
  return (await ask(`${sandbox.ready().app_url}/internal/bridges`, { headers: { authorization } })).status;
}

const keyIds = async () => ((await ask(`${sandbox.ready().app_url}/api/auth/jwks`)).body.keys as { kid: string }[]).map(({ kid }) => kid);

/** Runs the watchdog, like the cron's every minute, until no data remains under an older entry of STATE_SECRET. */
async function untilResealed(): Promise<void> {
  await eventually("everything is under the new entry", 60_000, async () => {
    expect((await ask(`${sandbox.ready().app_url}/sandbox/watchdog`, { method: "POST" })).status).toBe(200);
    return sandbox.logs().includes('"setting":"STATE_SECRET","kid":2,"connections":0,"webhooks":0,"proxies":0');
  });
}

it("a rotation of all four secrets under load loses nothing, pairs nothing again, and ends the old values", async () => {
  const ready = sandbox.ready();
  const { demo } = ready;
  const contact = demo.contact?.phone ?? "";
  await phones(ready).call("PATCH", `/phones/${contact}`, { reply: null });
  const put = await (await person(ready)).call("PUT", `/connections/${demo.connection.id}/webhook`, { url: receiver.url });
  expect(put.status).toBe(201);
  const cookie = await signIn();
  const old = Object.fromEntries(NAMES.map((name) => [name, valueOf(name)])) as Record<Name, string>;
  const both = (name: Name) => `2:${newSecret(name)} 1:${old[name]}`;
  const only = (name: Name) => `2:${newSecret(name)}`;
  traffic = new Traffic(demo.connection.api_key);

  await deploy({ STATE_SECRET: both("STATE_SECRET") });
  await untilResealed();

  expect((await signedIn(cookie)).status).toBe(200);
  const firstKeys = await keyIds();
  await deploy({ STATE_SECRET: only("STATE_SECRET"), AUTH_SECRET: only("AUTH_SECRET") });
  expect((await signedIn(cookie)).status, "a session of the old AUTH_SECRET").toBe(401);
  expect((await signedIn(await signIn())).status).toBe(200);
  expect(
    (await keyIds()).filter((kid) => !firstKeys.includes(kid)),
    "a new signing key",
  ).toHaveLength(1);

  await deploy({ BRIDGE_SECRET: both("BRIDGE_SECRET"), KEY_SECRET: both("KEY_SECRET") });
  expect(await bridgeStatus(old.BRIDGE_SECRET)).toBe(426);
  // Follows the same steps as a customer.
  const fresh = await (await person(ready)).call("POST", `/connections/${demo.connection.id}/keys`, { name: "new" });
  await traffic.changeKey(fresh.body.data.key as string);
  expect(sandbox.logs()).toContain('"old_key_kid":1');

  await deploy({ BRIDGE_SECRET: only("BRIDGE_SECRET"), KEY_SECRET: only("KEY_SECRET") });
  expect(await bridgeStatus(old.BRIDGE_SECRET), "a credential of the old BRIDGE_SECRET").toBe(401);
  expect((await customer(ready).get("/instance")).status, "a key of the old KEY_SECRET").toBe(401);
  expect((await ask(`${ready.app_url}/api/instances`, { headers: { "x-api-key": demo.api_key } })).status).toBe(401);

  await traffic.stop();
  const answers = await Promise.all(
    traffic.sent.map(async ({ text, reply }) => {
      const { status, inTime } = await reply;
      return { text, status, inTime };
    }),
  );
  const fromPhone = (await Promise.all(traffic.fromPhone)).map((reply) => reply.body.message_id as string);
  await eventually("all messages of the phone are delivered", 600_000, () => fromPhone.every((id) => delivered.has(id))).catch(
    () => undefined,
  );
  const lost = fromPhone.flatMap((id, n) => (delivered.has(id) ? [] : [`in-${n}`]));
  expect(lost.join(" "), `${lost.length} of ${fromPhone.length} lost`).toBe("");

  const inbox = await phones(ready).inbox(contact);
  const copies = Map.groupBy(inbox, (message) => String(message["text"]));
  const ill = answers.filter(({ text, status }) => {
    const many = copies.get(text)?.length ?? 0;
    return status === 200 ? many !== 1 : status === 424 ? many > 1 : true;
  });
  expect(ill).toEqual([]);
  expect(inbox.filter((message) => Number(message["duplicates"] ?? 0) > 0)).toEqual([]);
  const counts = Map.groupBy(answers, ({ status }) => status);
  const uncertain = (counts.get(424) ?? []).filter(({ text }) => copies.has(text)).length;
  const inTime = answers.filter((answer) => answer.inTime);
  const notSent = inTime.filter(({ text, status }) => status === 424 && !copies.has(text));
  process.stdout.write(
    `rotation: ${[...counts].map(([status, of]) => `${of.length} × ${status}`).join(", ")} (${uncertain} of the 424 arrived); ${fromPhone.length} received, ${lost.length} lost; ${inTime.length} answered in time, of which ${notSent.length} × 424 without a copy\n`,
  );
  // On a machine too slow for the traffic, deadlines pass and return 424. Before its deadline, an unsent message gets a retryable response,
  // except for those in flight when a bridge closed its socket.
  expect(notSent.length, "424 responses for sends that never left").toBeLessThanOrEqual(Math.ceil(inTime.length / 100));
  expect(inTime.filter(({ status }) => status === 200).length, "200 responses").toBeGreaterThanOrEqual(inTime.length * 0.8);

  // The number was never asked to pair again, and its webhook still signs with the original secret.
  const statuses = receiver.events<{ type: string; data: { status: string } }>().filter(({ type }) => type === "instance.status");
  expect(statuses.filter(({ data }) => data.status === "scan_qr")).toEqual([]);
  const instance = (await customer(ready, fresh.body.data.key).get("/instance")).body.data;
  expect(instance).toMatchObject({ status: "connected", phone: demo.connection.phone });
  const last = receiver.received.at(-1);
  const headers = Object.fromEntries(Object.entries(last?.headers ?? {}).map(([name, value]) => [name, String(value)]));
  expect(() => new Webhook(put.body.data.secret).verify(last?.body ?? "", headers)).not.toThrow();
}, 2_400_000);
