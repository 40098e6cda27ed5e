// Memory of one bridge process by number of idle sessions.
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { person, phones } from "../test/support/clients.ts";
import { eventually } from "../test/support/eventually.ts";
import { startBenchSandbox } from "./support/bench-sandbox.ts";

const COUNTS = [1, 50, 200];
const SETTLE_MS = 5_000;
const PAIRING_CONCURRENCY = 4;

const bench = await startBenchSandbox();
try {
  const ready = bench.sandbox.ready();
  const owner = await person(ready);
  const api = phones(ready);
  const rssMb = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${bench.sandbox.ready().processes.bridge}/status`, "utf8"))?.[1] ?? 0) / 1_024;

  const pair = async (n: number) => {
    const phone = `55119300${String(n).padStart(5, "0")}`;
    await api.create(phone, `Idle ${n}`);
    const { body } = await owner.call("POST", "/connections", { name: `Idle ${n}` });
    const path = `/connections/${body.data.id}`;
    await owner.call("POST", `${path}/connect`);
    const qr = await eventually("a QR", 60_000, async () => {
      const answer = await owner.call("GET", `${path}/qr`);
      return answer.status === 200 && (answer.body.data.raw as string);
    });
    await api.call("POST", `/phones/${phone}/scan`, { qr });
    await eventually("connected", 60_000, async () => (await owner.call("GET", path)).body.data.status === "connected");
  };

  let paired = 1;
  const figures: { count: number; mb: number }[] = [];
  for (const count of COUNTS) {
    while (paired < count) {
      const next = Array.from({ length: Math.min(PAIRING_CONCURRENCY, count - paired) }, (_, n) => paired + n);
      await Promise.all(next.map(pair));
      paired += next.length;
    }
    await pause(SETTLE_MS);
    figures.push({ count, mb: rssMb() });
    process.stdout.write(`${String(count).padStart(4)} sessions: ${rssMb().toFixed(0)} MB resident\n`);
  }
  const [first, last] = [figures[0], figures.at(-1)];
  if (first !== undefined && last !== undefined) {
    process.stdout.write(`per further idle session: ${((last.mb - first.mb) / (last.count - first.count)).toFixed(2)} MB\n`);
  }
} finally {
  await bench.sandbox.dispose();
}
process.exit(0);
