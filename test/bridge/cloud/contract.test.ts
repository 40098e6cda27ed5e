// Checks the cloud network against Meta's own description (test/contract/README.md).
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import { bodyOf } from "@gateway/domain/cloud/request.ts";
import { CONTENTS } from "../../domain/cloud/contents.ts";
import { sendOf } from "../../domain/cloud/worlds.ts";
import { judgeTraffic } from "../../contract/traffic.ts";
import { freshNumber, must, openWorld, type World } from "../phones/world.ts";
import { App, clients, type Credentials } from "./world.ts";

describe("the cloud network, by Meta's description", () => {
  const app = new App();
  const loja = freshNumber();
  let world: World;
  let number: Credentials;
  let ana: SimulatedPhone;
  const { connect, control, graphOf } = clients(() => ({ graph: world.graphUrl, control: world.controlUrl }));
  const graph = (method: string, path: string, body?: unknown) => graphOf(number)(method, path, body);

  beforeAll(async () => {
    world = await openWorld();
    await app.listen();
    number = await connect(app, { phone: loja });
    ana = await world.newPhone("Ana");
  });
  afterAll(async () => {
    await world.close();
    app.close();
  });

  it("sends only what Meta's description contains", async () => {
    must(await ana.sendText(loja, "olá"));
    const { id: wamid } = await app.message(({ text }) => text?.body === "olá");
    await control("POST", "/cloud/templates", { waba_id: number.waba_id, name: "boas_vindas", language: "pt_BR", body: "Olá, {{1}}" });
    const parts = { recipient: { to: `+${ana.pn}` }, wamidOf: () => wamid, mediaId: () => "1" };
    for (const content of Object.values(CONTENTS).filter((each) => !("media" in each) && each.kind !== "buttons")) {
      const body = bodyOf(sendOf(content, { message_id: `3EB0${content.kind.toUpperCase()}` }), parts);
      const answer = await graph("POST", `/${number.phone_number_id}/messages`, body.ok ? body.value : null);
      expect([content.kind, answer.status]).toEqual([content.kind, 200]);
    }
    await graph("POST", `/${number.phone_number_id}/messages`, { messaging_product: "whatsapp", status: "read", message_id: wamid });
    await graph("POST", `/${number.phone_number_id}/messages`, { messaging_product: "whatsapp", to: "1", type: "text", text: {} });
    await graph(
      "GET",
      `/${number.phone_number_id}?fields=display_phone_number,verified_name,quality_rating,status,throughput,health_status`,
    );
    await graph("GET", `/${number.waba_id}/subscribed_apps`);
    await app.change(({ value }) => value.statuses?.[0]?.status === "delivered");

    const { problems, kinds, calls, webhooks } = await judgeTraffic(world.controlUrl);
    expect(problems).toEqual([]);
    expect(kinds).toEqual(["contacts", "interactive list", "location", "reaction", "template", "text"]);
    expect(calls).toBeGreaterThan(10);
    expect(webhooks).toBeGreaterThan(2);
  });
});
