// One unchanged program against a paired number and a Cloud API number: same responses and events, except those in the table.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { phones } from "../../support/clients.ts";
import { type Application, runApplication, type Step, type EventBody, type Transcript, WORDS } from "../../support/cloud/application.ts";
import { APPLICATION_DIFFERENCES } from "../../support/cloud/application-differences.ts";
import { connectCloudNumber } from "../../support/cloud/numbers.ts";
import { differences } from "../../support/cloud/shapes.ts";
import { eventually } from "../../support/eventually.ts";
import { freshPhone, pairConnection } from "../../support/paired-connection.ts";
import { Receiver } from "../../support/receiver.ts";
import { ok } from "../../support/replies.ts";
import { JPEG } from "../../support/sample-files.ts";
import { borrowSandbox, type SharedSandbox } from "../../support/shared-sandbox.ts";

const WITHIN_MS = 60_000;

type Owned = { id: number; key: string; phone: string; owner: Awaited<ReturnType<typeof connectCloudNumber>>["owner"] };

let contact: string;
let sandbox: SharedSandbox;
let network: ReturnType<typeof phones>;
beforeEach(async () => {
  sandbox = await borrowSandbox();
  network = phones(sandbox.ready());
  contact = freshPhone();
});
afterEach(() => sandbox.dispose());

/** Plays Bia, who knows only what reaches her phone. Resolves after her call. */
async function bia(number: string, told: Application["told"]): Promise<void> {
  const chat_id = `${number}@c.us`;
  const came = (text: string) =>
    eventually(`${text} arrives`, WITHIN_MS, async () =>
      (await network.inbox(contact)).find((message) => message["chat_id"] === chat_id && message["text"] === text),
    );
  const delivered = (type: string, fits: (data: Record<string, any>) => boolean) =>
    eventually(`${type} is told`, WITHIN_MS, () => told().some((event) => event.type === type && fits(event.data)));
  /** Performs an action on her phone and waits for its event, so that both kinds report it in the same order. */
  const act = async (path: string, body: unknown, type: string, fits: (data: Record<string, any>) => boolean) => {
    await ok(network.call("POST", `/phones/${contact}/${path}`, body));
    await delivered(type, fits);
  };
  const write = (text: string, quote = {}) =>
    act("send", { to: number, text, ...quote }, "message.received", (data) => data["text"] === text);
  const picture = { base64: JPEG.toString("base64"), mimetype: "image/jpeg" };
  // She cannot know of a refused message.
  await delivered("message.status", () => true);
  await write(WORDS.begin);
  const { message_id } = await came(WORDS.hello);
  await delivered("message.sent", (data) => data["text"] === WORDS.hello);
  const own = told().find(({ type, data }) => type === "message.sent" && data["text"] === WORDS.hello)?.data["message_id"] as unknown;
  await delivered("message.status", (data) => data["message_id"] === own);
  await act("read", { chat_id }, "message.status", (data) => data["message_id"] === own && data["status"] === "read");
  await write(WORDS.answer, { quoted_id: message_id });
  await act("send", { to: number, type: "image", media: picture }, "message.received", (data) => data["type"] === "image");
  await act("react", { chat_id, message_id, reaction: "👍" }, "message.reaction", () => true);
  await came(WORDS.bye);
  await write(WORDS.end);
  await act("call", { to: number }, "call", () => true);
}

async function transcriptOf({ id, key, phone, owner }: Owned): Promise<Transcript> {
  const receiver = await Receiver.start();
  await ok(owner.call("PUT", `/connections/${id}/webhook`, { url: receiver.url }), 201);
  const told = () => receiver.events<EventBody>();
  const about: Application = { base: `${sandbox.ready().app_url}/api/v1`, key, contact, told };
  const [transcript] = await Promise.all([runApplication(about), bia(phone, told)]);
  await receiver.stop();
  return transcript;
}

/** All differences: first the paired number, then the Cloud API number. */
function found(paired: Transcript, cloud: Transcript): string[] {
  const answer = ({ status, codigo }: Step) => [status, codigo].filter(Boolean).join(" ");
  const steps = Object.entries(paired.steps).flatMap(([name, one]) => {
    const other = cloud.steps[name] ?? { status: 0, codigo: "not asked", shape: {} };
    return answer(one) === answer(other) ? differences(name, one.shape, other.shape) : [`${name}: ${answer(one)}, ${answer(other)}`];
  });
  const refused = Object.keys(paired.steps).filter((name) => steps.some((each) => each.startsWith(`${name}:`)));
  const ofOne = (orders: Transcript["order"], others: Transcript["order"], said: string) =>
    Object.entries(orders).flatMap(([chat, labels]) =>
      labels
        .filter((label) => !others[chat]?.includes(label) && !refused.some((name) => label.startsWith(`${name}:`)))
        .map((label) => `told of ${label}: ${said}`),
    );
  const events = Object.keys(paired.events).flatMap((kind) =>
    differences(`event ${kind}`, paired.events[kind] ?? {}, cloud.events[kind] ?? paired.events[kind] ?? {}),
  );
  const all = [...steps, ...ofOne(paired.order, cloud.order, "yes, no"), ...ofOne(cloud.order, paired.order, "no, yes"), ...events];
  // Merges all limits of one kind.
  return [...new Set(all.map((each) => each.replace(/limits\.cloud_\w+/, "limits.cloud_*")))];
}

/** Events that both programs receive, in order. */
function shared(orders: Transcript["order"], others: Transcript["order"]): Transcript["order"] {
  return Object.fromEntries(
    Object.entries(orders).map(([chat, labels]) => [chat, labels.filter((label) => others[chat]?.includes(label))]),
  );
}

describe("the same application", { timeout: 600_000 }, () => {
  it("gets the same responses and events from both kinds of numbers, except as listed in the table", async () => {
    const paired = await pairConnection(sandbox.ready(), freshPhone(), { name: "Paired" });
    const cloud = await connectCloudNumber(sandbox.ready(), { phone: freshPhone(), name: "Cloud" });
    const { waba_id } = cloud.credentials;
    await ok(network.call("POST", "/cloud/templates", { waba_id, name: "boas_vindas", language: "pt_BR", body: "Olá" }), 201);
    // Created only now: contacts in a phone's history are not new to its number.
    await network.create(contact, "Bia");
    const ofPaired = await transcriptOf(paired);
    const ofCloud = await transcriptOf(cloud);
    expect(found(ofPaired, ofCloud).toSorted()).toEqual(APPLICATION_DIFFERENCES.flatMap(({ seen }) => seen).toSorted());
    const alike = shared(ofCloud.order, ofPaired.order);
    expect(alike).toEqual(shared(ofPaired.order, ofCloud.order));
    expect(alike[`${contact}@c.us`]?.length).toBeGreaterThan(20);
  });
});
