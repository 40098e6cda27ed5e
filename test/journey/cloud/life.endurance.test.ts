// The life of a Cloud API number against the local Graph: connected, refused, given a new token, disconnected.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { expectTrafficValid } from "../../contract/traffic.ts";
import { accountCalls, type AccountCalls } from "../../support/account-holder.ts";
import { ask, phones } from "../../support/clients.ts";
import { cloudControl } from "../../support/cloud/control.ts";
import { type CloudCredentials, type CloudNumber, connectCloudNumber } from "../../support/cloud/numbers.ts";
import { eventually } from "../../support/eventually.ts";
import { freshPhone } from "../../support/paired-connection.ts";
import { Receiver } from "../../support/receiver.ts";
import { ok } from "../../support/replies.ts";
import { type Sandbox, startSandbox } from "../../support/sandbox.ts";

const BIA = "5511900000604";
const WITHIN_MS = 60_000;
/** Owner notices are collected for five minutes. */
const NOTICE_WITHIN_MS = 600_000;

let sandbox: Sandbox;
let receiver: Receiver;
let account: AccountCalls;
let network: ReturnType<typeof phones>;
/** All gateway responses inspected so far. */
const answers: string[] = [];
/** Secrets that must not be found anywhere afterwards. */
const secrets: string[] = [];

beforeAll(async () => {
  [sandbox, receiver] = await Promise.all([startSandbox(["--no-limits"]), Receiver.start()]);
  network = phones(sandbox.ready());
  const calls = accountCalls(sandbox.ready(), { "x-api-key": sandbox.ready().demo.api_key });
  account = async (...asked) => {
    const answer = await calls(...asked);
    answers.push(JSON.stringify(answer.body));
    return answer;
  };
  await network.create(BIA, "Bia");
});
afterAll(() => Promise.all([sandbox.dispose(), receiver.stop()]));

async function numberOf(phone: string, about: object = {}): Promise<CloudCredentials> {
  const made = await ok<CloudCredentials>(network.call("POST", "/cloud/numbers", { phone, name: "Loja", ...about }), 201);
  secrets.push(made.access_token, made.app_secret);
  return made;
}
const given = ({ app_id: _, ...cloud_api }: CloudCredentials, change: object = {}) => ({
  name: "Loja",
  kind: "cloud_api",
  cloud_api: { ...cloud_api, ...change },
});
const callbackOf = (id: string) => `${sandbox.ready().app_url}/api/cloud/webhook/${id}`;
const shown = async (id: string) => (await ok(account("GET", `/instances/${id}`))).data;
const statusOf = async (id: string) => {
  const { status, status_reason } = await shown(id);
  return `${status}/${status_reason}`;
};

describe("connecting a number", () => {
  it("is refused with the failed step, and leaves no row and no address", async () => {
    const credentials = await numberOf(freshPhone(), { pin: "654321", registered: false });
    const control = cloudControl(sandbox.ready(), credentials);
    const before = (await ok(account("GET", "/instances?kind=cloud_api"))).data.length;
    const refusals: [object, string, number | null][] = [
      [{ access_token: "EAAwrong" }, "number", 190],
      [{ app_secret: "0".repeat(32) }, "number", 100],
      [{ pin: "111111" }, "register", 133_005],
    ];
    for (const [change, step, code] of refusals) {
      const answer = await account("POST", "/instances", given(credentials, change));
      expect([answer.status, answer.body.error.code, answer.body.error.details]).toEqual([
        400,
        "cloud_credentials_invalid",
        { step, network_code: code },
      ]);
    }
    expect((await ok(account("GET", "/instances?kind=cloud_api"))).data).toHaveLength(before);
    expect((await control.shown()).callback).toBeNull();
    // Correct credentials work, but only once.
    const made = await ok(account("POST", "/instances", given(credentials, { pin: "654321" })), 201);
    const again = await account("POST", "/instances", given(credentials));
    expect([again.status, again.body.error.details]).toEqual([400, { step: "in_use", network_code: null }]);
    await ok(account("DELETE", `/instances/${made.data.id}`));
    expect((await control.shown()).callback).toBeNull();
    expect((await control.shown()).subscribed).toBe(false);
  });

  it("creates a connected instance, whose address Meta has called once", async () => {
    const phone = freshPhone();
    const credentials = await numberOf(phone);
    const answer = await account("POST", "/instances", given(credentials));
    expect([answer.status, answer.body.data]).toMatchObject([
      201,
      {
        status: "connected",
        status_reason: "ok",
        phone_number: phone,
        profile_name: "Loja",
        cloud_api: {
          phone_number_id: credentials.phone_number_id,
          waba_id: credentials.waba_id,
          access_token_last4: credentials.access_token.slice(-4),
        },
      },
    ]);
    const { id } = answer.body.data;
    const control = cloudControl(sandbox.ready(), credentials);
    const { callback } = await control.shown();
    expect(callback.url).toBe(callbackOf(id));
    secrets.push(callback.verify_token);
    expect((await control.webhooks()).filter(({ kind }) => kind === "handshake")).toHaveLength(1);
    await ok(account("DELETE", `/instances/${id}`));
  });
});

describe("Meta's handshake", () => {
  it("is answered with the challenge, or with identical 403s for a wrong token and an unknown instance", async () => {
    const number = await connectCloudNumber(sandbox.ready(), { phone: freshPhone(), name: "Third" });
    const { callback } = await cloudControl(sandbox.ready(), number.credentials).shown();
    secrets.push(number.credentials.access_token, number.credentials.app_secret, callback.verify_token);
    const shake = async (instance: string, token: string) => {
      const query = new URLSearchParams({ "hub.mode": "subscribe", "hub.verify_token": token, "hub.challenge": "1158201444" });
      const answer = await fetch(`${callbackOf(instance)}?${query.toString()}`);
      return [answer.status, await answer.text()] as const;
    };
    expect(await shake(number.instance, callback.verify_token)).toEqual([200, "1158201444"]);
    const wrong = await shake(number.instance, "wrong");
    expect(wrong[0]).toBe(403);
    expect(await shake(crypto.randomUUID(), callback.verify_token)).toEqual(wrong);
    await ok(account("DELETE", `/instances/${number.instance}`));
  });
});

describe("an expired token, and a disconnected number", () => {
  let number: CloudNumber;
  let control: ReturnType<typeof cloudControl>;
  const told = (type: string) =>
    receiver.received
      .filter(({ path }) => path.endsWith(number.instance))
      .map(({ body }) => JSON.parse(body) as { type: string; data: any })
      .filter((event) => event.type === type);
  const texts = () => told("message.received").map(({ data }) => data.text as string);
  const write = async (text: string) => ok(network.send(BIA, { to: number.phone, text }));

  beforeEach(async () => {
    number = await connectCloudNumber(sandbox.ready(), { phone: freshPhone(), name: "Store" });
    control = cloudControl(sandbox.ready(), number.credentials);
    secrets.push(number.credentials.access_token, number.credentials.app_secret, (await control.shown()).callback.verify_token);
    await ok(number.owner.call("PUT", `/connections/${number.id}/webhook`, { url: `${receiver.url}/${number.instance}` }), 201);
  });

  it("fails with an email when its token is deleted, still receives events, and recovers with a new token", async () => {
    await write("before");
    await eventually("told: before", WITHIN_MS, () => texts().includes("before"));
    await control.endToken(number.credentials.access_token);
    const refused = await number.api.text(BIA, "with a dead token");
    expect([refused.status, refused.body.error.codigo]).toEqual([502, "erro_do_rede"]);
    await eventually("failed", WITHIN_MS, async () => (await statusOf(number.instance)) === "failed/cloud_token_invalid");
    const after = await number.api.text(BIA, "not connected");
    expect([after.status, after.body.error.codigo, after.body.error.detalhes]).toEqual([
      409,
      "conexao_desconectada",
      { motivo: "cloud_token_invalid" },
    ]);
    // A new token helps; reconnecting does not.
    expect(after.body.error.mensagem).toContain("novo token");
    const english = await account("POST", `/instances/${number.instance}/messages/text`, { to: BIA, text: "not connected" });
    expect(english.body.error.message).toContain("a new token");
    const health = await ok(number.api.get("/instance/health"));
    expect(health.data ?? health).toMatchObject({ level: "restricted" });
    await eventually("told once that it failed", WITHIN_MS, () => {
      const reasons = told("instance.status").map(({ data }) => data.reason as string);
      return reasons.filter((reason) => reason === "cloud_token_invalid").length === 1;
    });
    await eventually("mailed", NOTICE_WITHIN_MS, async () => {
      const { body } = await ask<{ data: { subject: string }[] }>(`${sandbox.ready().app_url}/sandbox/mail`);
      return JSON.stringify(body).includes("Token refused");
    });
    await write("while failed");
    await eventually("told: while failed", WITHIN_MS, () => texts().includes("while failed"));

    const token = await control.newToken();
    secrets.push(token);
    const { app_id: _, ...cloud_api } = number.credentials;
    const changed = await ok(account("PATCH", `/instances/${number.instance}`, { cloud_api: { ...cloud_api, access_token: token } }));
    expect([changed.data.status, changed.data.cloud_api.access_token_last4]).toEqual(["connected", token.slice(-4)]);
    expect((await number.api.text(BIA, "with another")).status).toBe(200);
  });

  it("accepts Meta's webhooks while disconnected, and stores them in order once connected", async () => {
    await ok(account("POST", `/instances/${number.instance}/disconnect`));
    const words = ["one", "two", "three"];
    // Meta sends several at once; here they go one by one.
    for (const text of words) {
      await write(text);
      await eventually(`taken: ${text}`, WITHIN_MS, async () =>
        (await control.webhooks()).some(({ body, state }) => state === "done" && body.includes(`"${text}"`)),
      );
    }
    expect(texts().filter((text) => words.includes(text))).toEqual([]);
    await ok(account("POST", `/instances/${number.instance}/connect`));
    await eventually("all told", WITHIN_MS, () => words.every((word) => texts().includes(word)));
    // Deliveries run in parallel, so only the chat is in order.
    const { data } = await ok(account("GET", `/instances/${number.instance}/chats/${BIA}@c.us/messages?limit=${words.length}`));
    expect(data.map(({ text }: { text: string }) => text)).toEqual(words.toReversed());
  });
});

describe("secrets", () => {
  it("appear nowhere in plain text: not in D1, objects, R2, logs or answers", () => {
    const encodings = secrets.flatMap((secret) => [
      Buffer.from(secret),
      Buffer.from(Buffer.from(secret).toString("base64").replace(/=+$/, "")),
    ]);
    expect(secrets.length).toBeGreaterThan(8);
    const found = filesBelow(sandbox.directory).filter((file) => {
      const bytes = readFileSync(file);
      return encodings.some((needle) => bytes.includes(needle));
    });
    // The simulated network's own files contain the secrets, because it issued them.
    const isOfNetwork = (file: string) => file.slice(sandbox.directory.length).includes("network");
    expect(found.filter(isOfNetwork)).not.toEqual([]);
    expect(found.filter((file) => !isOfNetwork(file))).toEqual([]);
    const said = answers.join("\n") + sandbox.logs() + sandbox.output() + receiver.received.map(({ body }) => body).join("\n");
    expect(secrets.filter((secret) => said.includes(secret))).toEqual([]);
  });
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesBelow(path) : [path];
  });
}

it("all traffic matches Meta's description", () => expectTrafficValid(sandbox.ready().network_url));
