// Sends and webhooks of one Cloud API number: text sends (HTTP → object → Graph's response → 200) and Meta's webhooks (signed bytes →
// stored → 200). Both are compared with a bare worker that makes only the fetch and the signature check, against the same Graph and in the
// same run.
import { phones } from "../test/support/clients.ts";
import { connectCloudNumber, signatureOf, webhookText } from "../test/support/cloud/numbers.ts";
import { startBareCloudWorker } from "./support/bare-cloud-worker.ts";
import { startBenchSandbox } from "./support/bench-sandbox.ts";
import { load, print, runInTurn } from "./support/figures.ts";
import { HttpPool, requestBytes } from "./support/http-pool.ts";

const ROUNDS = 3;
const SENDS = 200;
const WEBHOOKS = 500;
const CONTACT = "5511910000012";
const JSON_BODY = { "content-type": "application/json" };

const bench = await startBenchSandbox();
const { app_url, graph_url, network_url } = bench.ready;
const api = phones(bench.ready);
const number = await connectCloudNumber(bench.ready, { phone: "5511910000011", name: "Bench" });
await api.create(CONTACT, "Contact");
await api.call("PATCH", `/phones/${CONTACT}`, { receipts: "none" });
// Opens the window in which texts may be sent.
await api.send(CONTACT, { to: number.phone, text: "hello" });
const { credentials } = number;
const bare = await startBareCloudWorker({
  graphUrl: graph_url ?? network_url ?? "",
  phoneNumberId: credentials.phone_number_id,
  accessToken: credentials.access_token,
  appSecret: credentials.app_secret,
});
try {
  const ours = await HttpPool.open(Number(new URL(app_url).port), 32);
  const baseline = await HttpPool.open(bare.port, 32);
  const expecting = (pool: HttpPool, request: () => Buffer) => async () => {
    const { status } = await pool.send(request());
    if (status !== 200) throw new Error(`answered ${status}`);
  };
  const text = JSON.stringify({ to: CONTACT, text: "bench" });
  const send = requestBytes("POST", "/api/v1/messages/text", { "x-api-key": number.key, ...JSON_BODY }, text);
  const bareSend = requestBytes("POST", "/send", JSON_BODY, text);
  const webhook = (path: string) => () => {
    const body = webhookText(credentials, { from: CONTACT, text: "bench" });
    return requestBytes("POST", path, { "x-hub-signature-256": signatureOf(body, credentials.app_secret), ...JSON_BODY }, body);
  };
  const acts = {
    send: { gateway: expecting(ours, () => send), bare: expecting(baseline, () => bareSend), total: SENDS, concurrencies: [1, 4, 16] },
    webhook: {
      gateway: expecting(ours, webhook(`/api/cloud/webhook/${number.instance}`)),
      bare: expecting(baseline, webhook("/webhook")),
      total: WEBHOOKS,
      concurrencies: [1, 8, 32],
    },
  };
  for (const [name, { gateway, bare: plain, total, concurrencies }] of Object.entries(acts)) {
    for (let n = 0; n < 30; n += 1) await Promise.all([gateway(), plain()]);
    for (const concurrency of concurrencies) {
      const result = await runInTurn(
        ROUNDS,
        () => load(total, concurrency, gateway),
        () => load(total, concurrency, plain),
      );
      print(`cloud ${name}s, concurrency ${concurrency}`, result);
    }
  }
  ours.close();
  baseline.close();
} finally {
  await bare.stop();
  await bench.sandbox.dispose();
}
process.exit(0);
