import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { customer, person, phones } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { Receiver } from "../../support/receiver.ts";
import { type Sandbox, startSandbox } from "../../support/sandbox.ts";

const MARK = "texto-que-nunca-deve-aparecer";
let sandbox: Sandbox;
let receiver: Receiver;
beforeAll(async () => {
  [sandbox, receiver] = await Promise.all([startSandbox(), Receiver.start()]);
});
afterAll(async () => {
  await Promise.all([sandbox.dispose(), receiver.stop()]);
});

describe("the logs of a busy run", () => {
  it("hold no private key, no credential, no API key and no message text", async () => {
    const ready = sandbox.ready();
    const { demo } = ready;
    const owner = await person(ready);
    const webhook = await owner.call("PUT", `/connections/${demo.connection.id}/webhook`, { url: receiver.url });
    const api = customer(ready);
    await api.call("GET", `/chats?q=${MARK}`);
    await ask401(ready.app_url);
    for (let n = 0; n < 10; n += 1) {
      await api.text(demo.contact!.phone, `${MARK} ${n}`);
      await phones(ready).send(demo.contact!.phone, { to: demo.connection.phone, text: `${MARK} back ${n}` });
    }
    process.kill(ready.processes.bridge, "SIGKILL");
    await eventually("a send after the kill", 30_000, async () => (await api.text(demo.contact!.phone, `${MARK} after`)).status === 200);
    await receiver.waitFor("the last one", 10_000, (event) => event.type === "message.received" && event.data.text === `${MARK} after`);

    const whole = sandbox.output();
    // The panel is meant for the person at the terminal: it shows the demo's key and the passwords, once.
    const log = whole.slice(whole.lastIndexOf("Ctrl-C stops everything"));
    const state = readFileSync(`${/starting in (.+)/.exec(whole)?.[1]?.trim()}/.dev.vars`, "utf8");
    const secrets = [...state.matchAll(/"([^"]+)"/g)].map((match) => match[1] ?? "");
    expect(secrets.length).toBeGreaterThanOrEqual(4);
    const forbidden = [
      MARK,
      "svc_",
      "whsec_",
      "privKey",
      "privateKey",
      "BEGIN ",
      "eyJ",
      webhook.body.data.secret,
      owner.token,
      demo.password,
      ...secrets,
    ];
    for (const secret of forbidden) expect(log.includes(secret), `found ${secret.slice(0, 6)}… in a log`).toBe(false);
    expect(log.split("\n").length, "the run did log").toBeGreaterThan(20);
  });
});

async function ask401(appUrl: string): Promise<void> {
  const answer = await fetch(`${appUrl}/api/v1/instance`, { headers: { authorization: "Bearer svc_notAKey" } });
  expect(answer.status).toBe(401);
}
