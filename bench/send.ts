// Text sends end to end (HTTP → object → bridge → network's acknowledgement → 200), compared with a bare Baileys client that sends to
// another client on the same test network in the same run. The gateway sends to that client too.
import { clockOf, cpuMeter, ownClock } from "./support/cpu-meter.ts";
import { runInTurn, print } from "./support/figures.ts";
import { loadFor } from "./support/timed-load.ts";
import { HttpPool, requestBytes } from "./support/http-pool.ts";
import { startRecipient } from "./support/recipient.ts";
import { bareClient, startBenchSandbox, sendAcknowledged } from "./support/bench-sandbox.ts";
import { endReport, figure, isShort, ratio } from "./support/report.ts";

const ROUNDS = isShort ? 9 : 15;
const ROUND_MS = 1_500;

const RECIPIENT = "5511910000002";

const bench = await startBenchSandbox();
try {
  const { app_url, demo, processes } = bench.ready;
  // This process runs either the API's client or the bare client.
  const meter = () =>
    cpuMeter({
      worker: clockOf(processes.worker),
      bridge: clockOf(processes.bridge),
      network: clockOf(processes.network),
      client: ownClock,
    });
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
    const [ours, theirs] = [meter(), meter()];
    const result = await runInTurn(
      ROUNDS,
      () => ours.during(loadFor(ROUND_MS, concurrency, gateway)),
      () => theirs.during(loadFor(ROUND_MS, concurrency, bare)),
    );
    print(`text sends, concurrency ${concurrency} (aim: rate ratio >= ${concurrency === 1 ? 0.6 : 0.7})`, result);
    ratio(`rate_${concurrency}`, result.rate);
    const [gatewayMs, bareMs] = [ours.perCall(), theirs.perCall()];
    for (const [name, { worker, bridge, network, client }] of [
      ["gateway", gatewayMs],
      ["bare", bareMs],
    ] as const) {
      const whose = name === "bare" ? "the bare client" : "the client of the API";
      process.stdout.write(
        `  CPU time per send (${name}): worker ${worker.toFixed(2)} ms, bridge ${bridge.toFixed(2)} ms, network ${network.toFixed(2)} ms, ${whose} ${client.toFixed(2)} ms\n`,
      );
    }
    ratio(`bridge_cpu_${concurrency}`, bareMs.client / gatewayMs.bridge);
    ratio(`worker_cpu_${concurrency}`, bareMs.client / gatewayMs.worker);
    figure(`worker_ms_${concurrency}`, gatewayMs.worker);
    figure(`bridge_ms_${concurrency}`, gatewayMs.bridge);
    figure(`network_ms_${concurrency}`, gatewayMs.network);
    figure(`bare_ms_${concurrency}`, bareMs.client);
  }
  pool.close();
  await Promise.all([sender.end(), recipient.end()]);
  endReport("send");
} finally {
  await bench.sandbox.dispose();
}
process.exit(0);
