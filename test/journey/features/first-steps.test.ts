import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { customer, person, phones } from "../../support/clients.ts";
import { Receiver } from "../../support/receiver.ts";
import { type Sandbox, startSandbox } from "../../support/sandbox.ts";

let sandbox: Sandbox;
let receiver: Receiver;
beforeAll(async () => {
  [sandbox, receiver] = await Promise.all([startSandbox(), Receiver.start()]);
});
afterAll(async () => {
  await Promise.all([sandbox.dispose(), receiver.stop()]);
});

const echoOf = (text: string) =>
  receiver.waitFor(`the echo of ${text}`, 60_000, ({ type, data }) => type === "message.received" && data.text === text);

it("the state directory has the ready file, for the command line, and only its owner can read it", () => {
  const file = join(sandbox.directory, "ready.json");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(sandbox.ready());
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

describe("the first steps of a newcomer", () => {
  it("sends a message that the contact reads, and receives its echo as a signed webhook", async () => {
    const ready = sandbox.ready();
    const { demo } = ready;
    const webhook = await (await person(ready)).call("PUT", `/connections/${demo.connection.id}/webhook`, { url: receiver.url });
    expect(webhook.status).toBe(201);
    expect(webhook.body.data.secret).toMatch(/^whsec_/);

    const sent = await customer(ready).text(demo.contact!.phone, "Olá!");
    expect(sent.status, JSON.stringify(sent.body)).toBe(200);
    expect(sent.body).toMatchObject({ status: "sent", chat_id: `${demo.contact!.phone}@c.us`, to: demo.contact!.phone });
    const echo = await echoOf("Olá!");
    const verified = new Webhook(webhook.body.data.secret).verify(echo.body, echo.headers as Record<string, string>);
    expect(verified).toMatchObject({
      id: echo.headers["webhook-id"],
      instance: { id: demo.connection.id, phone: demo.connection.phone },
      data: { from: demo.contact!.phone, text: "Olá!", type: "text", is_group: false },
    });

    const inbox = await phones(ready).inbox(demo.contact!.phone);
    expect(inbox.filter((message) => message.message_id === sent.body.message_id)).toMatchObject([{ text: "Olá!", from_me: false }]);
  });

  it("shows the message, its chat and its status to the customer", async () => {
    const ready = sandbox.ready();
    const api = customer(ready);
    const { body } = await api.text(ready.demo.contact!.phone, "read me");
    await receiver.waitFor(
      "read",
      60_000,
      (event) => event.type === "message.status" && event.data.message_id === body.message_id && event.data.status === "read",
    );
    const message = await api.get(`/messages/${body.message_id}`);
    expect(message.body.data).toMatchObject({ message_id: body.message_id, text: "read me", from_me: true, status: "read", source: "api" });
    // The echo must arrive before the reads below.
    await echoOf("read me");
    const chats = await api.get("/chats");
    expect(chats.body.data[0]).toMatchObject({ chat_id: `${ready.demo.contact!.phone}@c.us`, kind: "direct" });
    const history = await api.get(`/chats/${ready.demo.contact!.phone}@c.us/messages?limit=2`);
    expect(history.body.data.map((each: { text: string }) => each.text)).toEqual(["read me", "read me"]);
  });

  it("continues after a stop and a start: the number is still paired", async () => {
    await sandbox.stop();
    expect(() => sandbox.ready(), "the ready file of an ended sandbox").toThrow("ENOENT");
    await sandbox.start();
    const ready = sandbox.ready();
    const sent = await customer(ready).text(ready.demo.contact!.phone, "still there?");
    expect(sent.status, JSON.stringify(sent.body)).toBe(200);
  });
});
