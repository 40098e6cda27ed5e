// Text sends end to end (HTTP → object → bridge → network's acknowledgement → 200), beside one bare Baileys client that sends to
// another on the same test network in the same run. The gateway sends to that other client too.
import { load, runInTurn, print } from "./support/figures.ts";
import { HttpPool, requestBytes } from "./support/http-pool.ts";
import { startRecipient } from "./support/recipient.ts";
import { bareClient, startBenchSandbox, sendAcknowledged } from "./support/bench-sandbox.ts";

const ROUNDS = 3;
const SENDS = 300;

const RECIPIENT = "5511910000002";

const bench = await startBenchSandbox();
try {
  const { app_url, demo } = bench.ready;
  const recipient = await startRecipient(bench, RECIPIENT);
  const sender = await bareClient(bench, "5511910000001", "Sender");
  const pool = await HttpPool.open(Number(new URL(app_url).port), 16);
  const request = requestBytes(
    "POST",
    "/api/v1/messages/text",
    { "x-api-key": demo.connection.api_key, "content-type": "application/json" },
    JSON.stringify({ to: RECIPIENT, text: "bench" }),
  );
  const gateway = async () => {
    const { status } = await pool.send(request);
    if (status !== 200) throw new Error(`a send answered ${status}`);
  };
  const bare = () => sendAcknowledged(sender, `${RECIPIENT}@s.whatsapp.net`, "bench");
  for (let n = 0; n < 30; n += 1) await Promise.all([gateway(), bare()]);
  for (const concurrency of [1, 16]) {
    const result = await runInTurn(
      ROUNDS,
      () => load(SENDS, concurrency, gateway),
      () => load(SENDS, concurrency, bare),
    );
    print(`text sends, concurrency ${concurrency} (aim: rate ratio >= 0.5)`, result);
  }
  pool.close();
  await Promise.all([sender.end(), recipient.end()]);
} finally {
  await bench.sandbox.dispose();
}
process.exit(0);
