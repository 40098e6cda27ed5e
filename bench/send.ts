// Text sends end to end (HTTP → object → bridge → network's acknowledgement → 200), beside two bare Baileys clients, one of which sends
// to the other, on the same test network in the same run. The gateway sends to that other one too.
import { load, paired, print } from "./support/figures.ts";
import { HttpPool, requestBytes } from "./support/http-pool.ts";
import { startRecipient } from "./support/recipient.ts";
import { bareClient, openWorld, sendAcknowledged } from "./support/world.ts";

const ROUNDS = 3;
const SENDS = 300;

const RECIPIENT = "5511910000002";

const world = await openWorld();
try {
  const { app_url, demo } = world.ready;
  const recipient = await startRecipient(world, RECIPIENT);
  const sender = await bareClient(world, "5511910000001", "Sender");
  const lines = await HttpPool.open(Number(new URL(app_url).port), 16);
  const request = requestBytes(
    "POST",
    "/api/v1/messages/text",
    { "x-api-key": demo.connection.api_key, "content-type": "application/json" },
    JSON.stringify({ to: RECIPIENT, text: "bench" }),
  );
  const gateway = async () => {
    const { status } = await lines.send(request);
    if (status !== 200) throw new Error(`a send answered ${status}`);
  };
  const bare = () => sendAcknowledged(sender, `${RECIPIENT}@s.whatsapp.net`, "bench");
  for (let n = 0; n < 30; n += 1) await Promise.all([gateway(), bare()]);
  for (const concurrency of [1, 16]) {
    const result = await paired(
      ROUNDS,
      () => load(SENDS, concurrency, gateway),
      () => load(SENDS, concurrency, bare),
    );
    print(`text sends, concurrency ${concurrency} (aim: rate ratio >= 0.5)`, result);
  }
  lines.close();
  await Promise.all([sender.end(), recipient.end()]);
} finally {
  await world.sandbox.dispose();
}
process.exit(0);
