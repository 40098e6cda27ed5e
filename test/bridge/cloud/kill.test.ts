// Everything that the cloud network has acknowledged survives `kill -9` of its process.
import { afterAll, beforeAll, expect, it } from "vitest";
import { networkProcess, type NetworkProcess } from "../../support/bridge/network-process.ts";
import { eventually } from "../../support/eventually.ts";
import { App, clients, text, type Credentials } from "./world.ts";

const LOJA = "5511900000001";
const ANA = "5511900000002";

const app = new App();
let network: NetworkProcess;
let number: Credentials;
const { connect, control, graphOf } = clients(() => ({ graph: network.ready().graph_url, control: network.ready().control_url }));
const texts = (body: RegExp): string[] => app.messages().flatMap(({ text }) => (body.test(text?.body ?? "") ? [text.body] : []));
const write = (body: string) => control("POST", `/phones/${ANA}/send`, { to: LOJA, text: body });

beforeAll(async () => {
  await app.listen();
  network = networkProcess();
  await network.start();
  await control("POST", "/phones", { phone: ANA, name: "Ana" });
  number = await connect(app, { phone: LOJA });
});
afterAll(async () => {
  await network.dispose();
  app.close();
});

it("a killed cloud network keeps credentials, its port, faults and undelivered webhooks", async () => {
  const { graph_url } = network.ready();
  await control("POST", "/cloud/faults", { phone_number_id: number.phone_number_id, kind: "hold_webhooks" });
  await control("POST", "/cloud/clock", { offset_s: 60 });
  for (let n = 0; n < 20; n++) await write(`held ${n}`);
  await network.kill();
  await network.start();
  expect(network.ready().graph_url).toBe(graph_url);
  expect((await graphOf(number)("GET", `/${number.phone_number_id}?fields=webhook_configuration`)).body).toEqual({
    id: number.phone_number_id,
    webhook_configuration: { phone_number: app.url },
  });
  // Every acknowledged message reaches the number's phone, and none reaches the app.
  await eventually("all of them at the phone", 60_000, async () => {
    const { data } = await control("GET", `/phones/${LOJA}/inbox`);
    return data.filter(({ text }: any) => text.startsWith("held")).length === 20;
  });
  expect(texts(/^held/)).toEqual([]);
  await control("POST", "/cloud/faults", { phone_number_id: number.phone_number_id, kind: "release" });
  await eventually("all of them at the app", 60_000, () => new Set(texts(/^held/)).size === 20);
});

it("a killed cloud network repeats webhooks that got no 200, with the same bytes", async () => {
  app.answers = () => 503;
  await write("refused at first");
  await eventually("the first attempt", 60_000, () => texts(/^refused at first$/).length > 0);
  await network.kill();
  app.answers = () => 200;
  const before = app.received.length;
  await network.start();
  await eventually("another attempt", 60_000, () => app.received.slice(before).some(({ raw }) => raw.includes("refused at first")));
  const raws = app.received.filter(({ raw }) => raw.includes("refused at first")).map(({ raw }) => raw);
  expect(new Set(raws).size).toBe(1);
});

it("a killed cloud network reports all messages that Graph accepted and all that a contact sent", async () => {
  const graph = graphOf(number);
  const accepted: string[] = [];
  const written: string[] = [];
  const stop = new AbortController();
  const sending = (async () => {
    for (let n = 0; !stop.signal.aborted; n++) {
      const answer = await graph("POST", `/${number.phone_number_id}/messages`, text(ANA, `sent ${n}`)).catch(() => null);
      if (answer?.status === 200) accepted.push(answer.body.messages[0].id);
    }
  })();
  const writing = (async () => {
    for (let n = 0; !stop.signal.aborted; n++)
      await write(`written ${n}`).then(
        () => written.push(`written ${n}`),
        () => {},
      );
  })();
  await eventually("some of each", 60_000, () => accepted.length > 20 && written.length > 20);
  await network.kill();
  stop.abort();
  await Promise.all([sending, writing]);
  await network.start();
  await eventually("all that was promised", 60_000, () => {
    const sent = new Set(app.statuses().flatMap(({ id, status }) => (status === "sent" ? [id] : [])));
    const seen = new Set(texts(/^written/));
    return accepted.every((id) => sent.has(id)) && written.every((body) => seen.has(body));
  });
});
