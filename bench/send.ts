// Text sends end to end (HTTP → object → bridge → network's acknowledgement → 200), beside two bare Baileys clients that send
// to each other on the same test network in the same run.
import { customer } from "../test/support/clients.ts";
import { load, paired, print } from "./support/figures.ts";
import { bareClient, openWorld, sendAcknowledged } from "./support/world.ts";

const ROUNDS = 3;
const SENDS = 300;

const world = await openWorld();
try {
  const a = await bareClient(world, "5511910000001", "Bare A");
  const b = await bareClient(world, "5511910000002", "Bare B");
  const to = "5511910000002";
  const api = customer(world.sandbox.ready());
  const gateway = async () => {
    const reply = await api.text(to, "bench");
    if (reply.status !== 200) throw new Error(`a send answered ${reply.status}: ${JSON.stringify(reply.body)}`);
  };
  const bare = () => sendAcknowledged(a, `${to}@s.whatsapp.net`, "bench");
  for (let n = 0; n < 30; n += 1) await Promise.all([gateway(), bare()]);
  for (const concurrency of [1, 16]) {
    const result = await paired(
      ROUNDS,
      () => load(SENDS, concurrency, gateway),
      () => load(SENDS, concurrency, bare),
    );
    print(`text sends, concurrency ${concurrency} (aim: rate ratio >= 0.5)`, result);
  }
  await Promise.all([a.end(), b.end()]);
} finally {
  await world.sandbox.dispose();
}
process.exit(0);
