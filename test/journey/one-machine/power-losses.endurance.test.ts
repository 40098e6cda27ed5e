// Power failures, one after another, under a load that never stops. POWER_LOSSES sets their number.
import { afterEach, beforeEach, expect, it } from "vitest";
import { phones, type Reply } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { type LocalNetwork, startLocalNetwork } from "../../support/one-machine/network.ts";
import { type PairedNumber, pairNumber } from "../../support/one-machine/paired-number.ts";
import { firstAdministrator, type ServedGateway, startServedGateway } from "../../support/one-machine/served-gateway.ts";
import { ok } from "../../support/replies.ts";
import { RepeatedSends } from "../robustness/load/repeated-sends.ts";

const NUMBER = "5511940000021";
const FRIEND = "5511940000022";
const POWER_LOSSES = Number(process.env["POWER_LOSSES"] ?? 6);
/** Number of unanswered sends at any time, so that each failure hits sends in every state. */
const PARALLEL = 12;
const KILLED_AFTER = 15;
const WITHIN_MS = 120_000;

let network: LocalNetwork;
let gateway: ServedGateway;
beforeEach(async () => {
  network = await startLocalNetwork();
  gateway = await startServedGateway({ ...network.settings, BACKUP_TIME: "off" });
});
afterEach(async () => {
  await gateway.dispose();
  await network.stop();
});

/** Texts of all messages of the chat. */
async function history(api: PairedNumber["api"]): Promise<string[]> {
  const texts: string[] = [];
  for (let cursor = ""; ;) {
    const page = await ok(api.get(`/chats/${FRIEND}/messages?limit=100${cursor}`));
    texts.push(...(page.data as { text: string }[]).map(({ text }) => text));
    if (page.next_cursor === null) return texts;
    cursor = `&cursor=${encodeURIComponent(page.next_cursor as string)}`;
  }
}

it(`a number loses, doubles and pairs nothing again in ${POWER_LOSSES} power failures`, async () => {
  const { dashboard: administrator } = await firstAdministrator(gateway);
  const phone = phones(network);
  await phone.create(FRIEND, "Friend");
  const { called, api, connected } = await pairNumber(gateway, network, administrator, NUMBER);
  const sends = new RepeatedSends({ ready: () => called }, FRIEND);
  const replies = new Map<string, Reply>();
  let acknowledged = 0;
  const ending = new AbortController();
  let onReply = () => undefined as void;
  let started = 0;
  const sender = async () => {
    while (!ending.signal.aborted) {
      const text = `order-${started++}`;
      const reply = await sends.send(text);
      replies.set(text, reply);
      if (reply.status === 200) acknowledged += 1;
      onReply();
    }
  };
  const load = Promise.all(Array.from({ length: PARALLEL }, sender));
  const acknowledgedMore = (more: number) => {
    const wanted = acknowledged + more;
    return new Promise<void>((resolve) => (onReply = () => void (acknowledged >= wanted && resolve())));
  };

  for (let loss = 1; loss <= POWER_LOSSES; loss++) {
    await Promise.race([acknowledgedMore(KILLED_AFTER), load]);
    // This message is in flight when the power fails.
    const received = phone.send(FRIEND, { to: NUMBER, text: `question-${loss}` });
    await gateway.killAll();
    await received;
    await gateway.start();
    await connected();
  }
  ending.abort();
  await load;

  const inbox = await phone.inbox(FRIEND);
  const copies = new Map<string, number>();
  for (const { text } of inbox) copies.set(String(text), (copies.get(String(text)) ?? 0) + 1);
  // An acknowledged message arrives exactly once, an uncertain one (424) at most once, a refused one never.
  const wrong = [...replies].flatMap(([text, { status }]) => {
    const found = copies.get(text) ?? 0;
    return (status === 200 ? found === 1 : status === 424 ? found <= 1 : found === 0) ? [] : [{ text, status, found }];
  });
  expect(wrong).toEqual([]);
  expect(inbox.filter((message) => Number(message["duplicates"] ?? 0) > 0)).toEqual([]);
  const questions = Array.from({ length: POWER_LOSSES }, (_, index) => `question-${index + 1}`);
  await eventually("every question, once", WITHIN_MS, async () => {
    const texts = await history(api);
    return questions.every((question) => texts.filter((text) => text === question).length === 1);
  });
  const uncertain = [...replies.values()].filter(({ status }) => status === 424).length;
  console.log(`${POWER_LOSSES} power failures: ${acknowledged} acknowledged, ${uncertain} uncertain, ${sends.cutOff} attempts cut off`);
});
