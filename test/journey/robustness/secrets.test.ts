import { readFileSync } from "node:fs";
import { join } from "node:path";
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
    await eventually("a send after the kill", 60_000, async () => (await api.text(demo.contact!.phone, `${MARK} after`)).status === 200);
    await receiver.waitFor("the last one", 60_000, (event) => event.type === "message.received" && event.data.text === `${MARK} after`);

    const log = sandbox.logs();
    const state = readFileSync(join(sandbox.directory, ".dev.vars"), "utf8");
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

  it("have one format in all processes, and leave the terminal to the panel", () => {
    const lines = sandbox.logs().trim().split("\n");
    const parts = new Set<string>();
    for (const line of lines) {
      const { time, level, process, event } = JSON.parse(line) as Record<string, string>;
      expect(new Date(time ?? "").toISOString(), line).toBe(time);
      expect(["debug", "info", "warn", "error"], line).toContain(level);
      expect(event, line).toMatch(/\S/);
      parts.add(process ?? "");
    }
    expect([...parts].sort()).toEqual(expect.arrayContaining(["bridge", "sandbox", "worker"]));
    const { demo } = sandbox.ready();
    const shown = sandbox.output();
    const afterPanel = shown.slice(shown.indexOf("continues where this one stopped.")).split("\n").slice(1);
    expect(afterPanel.filter((line) => line.trim() !== "")).toEqual([expect.stringMatching(/^bridge \(process \d+\) ended: SIGKILL/)]);
    for (const key of [demo.api_key, demo.connection.api_key]) expect(shown).toContain(key);
    expect(shown).toContain(`${sandbox.ready().app_url}/docs/account`);
    expect(shown).toContain(sandbox.ready().dashboard_url);
    expect(shown, "the terminal shows no log events").not.toMatch(/"event"/);
  });

  it("hold few requests of the sandbox's own start", () => {
    const own = sandbox
      .logs()
      .split("\n")
      .slice(0, 200)
      .filter((line) => line.includes('"route":"/api/dashboard/connections/{id}"'));
    expect(own.length).toBeLessThanOrEqual(2);
  });
});

async function ask401(appUrl: string): Promise<void> {
  const answer = await fetch(`${appUrl}/api/v1/instance`, { headers: { authorization: "Bearer svc_notAKey" } });
  expect(answer.status).toBe(401);
}
