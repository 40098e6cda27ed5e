// A dying proxy: everyone affected is notified, one call moves its numbers to another proxy, and they keep sending. The proxies are real,
// with credentials, and checked every three seconds here; test/worker/proxies/checks.test.ts covers the production interval of minutes.
import { afterEach, beforeEach, expect, it } from "vitest";
import { type AccountCalls, accountCalls } from "../../support/account-holder.ts";
import { type RealProxy, startHttpProxy, startSocksProxy } from "../../support/bridge/real-proxies.ts";
import { ask, phones } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { administrator } from "../../support/invited-user.ts";
import { type PairedConnection, pairConnection } from "../../support/paired-connection.ts";
import { ok } from "../../support/replies.ts";
import { type Sandbox, startSandbox } from "../../support/sandbox.ts";

const WITHIN_MS = 60_000;
const CHECK_SECONDS = 3;
/** Production interval. */
const ROUND_SECONDS = 60;
/** Maximum duration of one check. */
const CHECK_TAKES_SECONDS = 15;
const [STORE, BRANCH, FRIEND] = ["5511900000301", "5511900000302", "5511900000303"] as const;

let sandbox: Sandbox;
let admin: AccountCalls;
let owner: AccountCalls;
let first: RealProxy;
let second: RealProxy;
let numbers: (PairedConnection & { instance: string })[];

beforeEach(async () => {
  [sandbox, first, second] = await Promise.all([
    startSandbox(["--no-limits", "--proxy-checks", String(CHECK_SECONDS)]),
    startHttpProxy(),
    startSocksProxy(),
  ]);
  const ready = sandbox.ready();
  admin = await administrator(ready);
  owner = accountCalls(ready, { "x-api-key": ready.demo.api_key });
  await phones(ready).create(FRIEND, "Friend");
  numbers = await Promise.all([paired(STORE, "Loja"), paired(BRANCH, "Filial")]);
});
afterEach(async () => {
  await sandbox.dispose();
  await Promise.all([first.close().catch(() => undefined), second.close()]);
});

async function paired(phone: string, name: string): Promise<PairedConnection & { instance: string }> {
  const connection = await pairConnection(sandbox.ready(), phone, { name });
  const { data } = (await connection.owner.call("GET", `/connections/${connection.id}`)).body;
  return { ...connection, instance: data.instance_id };
}

const made = async ({ protocol, port, username, password }: RealProxy, label: string): Promise<string> =>
  (await ok(admin("POST", "/admin/proxies", { label, protocol, host: "127.0.0.1", port, username, password, country: "BR" }), 201)).data.id;

const healthOf = async (id: string) => (await ok(admin("GET", `/admin/proxies/${id}`))).data.health;
const mails = async (): Promise<{ to: string; subject: string; text: string }[]> =>
  (await ask(`${sandbox.ready().app_url}/sandbox/mail`)).body.data;
/** The highest number of failed checks in a row seen before the email; three should trigger it. */
async function failuresUntilMail(proxy: string, subject: string, to: string): Promise<number> {
  let failures = 3;
  await eventually(`an email to ${to}`, WITHIN_MS, async () => {
    const { consecutive_failures: seen } = await healthOf(proxy);
    if ((await mailsOf(subject, to)).length > 0) return true;
    failures = Math.max(failures, seen);
    return false;
  });
  return failures;
}
const mailsOf = async (subject: string, to: string) => (await mails()).filter((mail) => mail.to === to && mail.subject.includes(subject));

/** Checks that both numbers are connected and can send a file, which is uploaded through the proxy. That host serves only files. */
async function sendThrough({ reached }: RealProxy, caption: string): Promise<void> {
  const before = new Set(reached);
  const media = { base64: btoa("what the file holds"), mimetype: "application/pdf", filename: "bill.pdf" };
  for (const { api, phone } of numbers) {
    const text = `${caption} ${phone}`;
    await eventually(`${phone} sends`, WITHIN_MS, async () => {
      return (await api.call("POST", "/messages/document", { to: FRIEND, media, caption: text })).status === 200;
    });
    await eventually(text, WITHIN_MS, async () =>
      (await phones(sandbox.ready()).inbox(FRIEND)).some((message) => message["text"] === text),
    );
  }
  const hosts = reached.filter((host) => !before.has(host));
  expect(hosts.length, "uploads").toBeGreaterThanOrEqual(numbers.length);
  expect(new Set(hosts).size, "different file hosts").toBe(1);
}

it("a proxy that dies is reported, and its numbers move with one call and keep sending", async () => {
  const [dying, spare] = [await made(first, "Rio 1"), await made(second, "São Paulo 1")];
  const instance_ids = numbers.map(({ instance }) => instance);
  await ok(admin("POST", `/admin/proxies/${dying}/assign`, { instance_ids, reason: "Journey" }));
  await eventually("both healthy", WITHIN_MS, async () => {
    const seen = await Promise.all([dying, spare].map(healthOf));
    return seen.every(({ status }) => status === "healthy");
  });
  await sendThrough(first, "by the first");

  await first.close();
  const diedAt = performance.now();
  const { demo, admin: administratorOfThis } = sandbox.ready();
  const told = await Promise.all([demo.email, administratorOfThis.email].map((to) => failuresUntilMail(dying, "Proxy fora do ar", to)));
  const noticeSeconds = (performance.now() - diedAt) / 1_000;
  for (const to of [demo.email, administratorOfThis.email]) expect(await mailsOf("Proxy fora do ar", to)).toHaveLength(1);
  const [mail] = await mailsOf("Proxy fora do ar", demo.email);
  for (const name of ["Loja", "Filial"]) expect(mail?.text).toContain(`"${name}"`);
  expect(JSON.stringify(await mails())).not.toContain(first.password);
  expect((await ok(owner("GET", `/instances/${numbers[0]?.instance}/health`))).data.proxy).toMatchObject({ id: dying, status: "down" });

  const { data: health } = await ok(admin("GET", "/admin/proxies/health?status=down"));
  expect(health).toMatchObject({ total: 2, healthy: 1, down: 1, items: [{ proxy_id: dying, last_error: "connection_refused" }] });
  const stranded: string[] = health.items[0].instance_ids;
  expect(new Set(stranded)).toEqual(new Set(instance_ids));
  expect(stranded).toHaveLength(2);
  // With production's interval of a minute, sessions give up long before the proxy counts as down.
  await eventually("the numbers to have stopped", WITHIN_MS, async () => {
    const found = await Promise.all(instance_ids.map((id) => ok(owner("GET", `/instances/${id}/status`))));
    return found.every(({ data }) => data.status === "failed" && data.status_reason === "proxy_error");
  });
  const movedAt = performance.now();
  await ok(admin("POST", `/admin/proxies/${spare}/assign`, { instance_ids: stranded }));
  const answeredMs = performance.now() - movedAt;
  await sendThrough(second, "by the second");
  const connectedSeconds = (performance.now() - movedAt) / 1_000;

  const rounds = Math.max(...told);
  const seconds = rounds * ROUND_SECONDS + CHECK_TAKES_SECONDS;
  console.log(
    `proxy: told ${noticeSeconds.toFixed(1)} s after its death with checks every ${CHECK_SECONDS} s, after ${rounds} failed checks: at most ${seconds} s with checks every minute; moved by one call of ${Math.round(answeredMs)} ms, both numbers had sent a file again ${connectedSeconds.toFixed(1)} s after it`,
  );
  expect(seconds).toBeLessThan(240);
  expect((await ok(admin("DELETE", `/admin/proxies/${dying}`))).message).toBe("The proxy is removed.");
  const refused = await admin("POST", "/admin/proxies", { label: "x", protocol: "http", host: "10.0.0.8", port: 3128 });
  expect([refused.status, refused.body.error.code]).toEqual([400, "validation_error"]);
  expect(sandbox.logs()).not.toContain(first.password);
});
