// Memory of one bridge process by number of idle sessions, with a breakdown.
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { person, phones } from "../test/support/clients.ts";
import { eventually } from "../test/support/eventually.ts";
import { Inspector, type Memory } from "./soak/inspector.ts";
import { startBenchSandbox } from "./support/bench-sandbox.ts";

const { values } = parseArgs({ options: { counts: { type: "string", default: "1,50,200" }, heap: { type: "string" } } });
const COUNTS = values.counts.split(",").map(Number);
/** Debugger address of a process started with --inspect. */
const INSPECTOR = "http://127.0.0.1:9229/json";
/** A session is idle once its initial sync is over. */
const SETTLE_MS = 20_000;
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
  const figures: { count: number; mb: number; collected: Memory }[] = [];
  process.kill(bench.sandbox.ready().processes.bridge, "SIGUSR1");
  const [target] = await eventually("the bridge's inspector", 60_000, () =>
    fetch(INSPECTOR).then(
      (answer) => answer.json() as Promise<{ webSocketDebuggerUrl: string }[]>,
      () => null,
    ),
  );
  const inspector = await Inspector.open(target?.webSocketDebuggerUrl ?? "");
  for (const count of COUNTS) {
    while (paired < count) {
      const next = Array.from({ length: Math.min(PAIRING_CONCURRENCY, count - paired) }, (_, n) => paired + n);
      await Promise.all(next.map(pair));
      paired += next.length;
    }
    await pause(SETTLE_MS);
    const mb = rssMb();
    const collected = await inspector.memory();
    figures.push({ count, mb, collected });
    const { heapUsed, external, rss } = inMb(collected);
    process.stdout.write(
      `${String(count).padStart(4)} sessions: ${mb.toFixed(0)} MB resident; after a collection ${heapUsed.toFixed(0)} MB heap, ${external.toFixed(0)} MB external, ${rss.toFixed(0)} MB resident\n`,
    );
  }
  const [first, last] = [figures[0], figures.at(-1)];
  if (first !== undefined && last !== undefined) {
    const each = (from: number, to: number) => `${((to - from) / (last.count - first.count)).toFixed(2)} MB`;
    const [least, most] = [inMb(first.collected), inMb(last.collected)];
    process.stdout.write(
      `per further idle session: ${each(first.mb, last.mb)}; after a collection ${each(least.heapUsed, most.heapUsed)} heap, ${each(least.external, most.external)} external, ${each(least.rss, most.rss)} resident\n`,
    );
  }
  if (values.heap !== undefined) await inspector.saveHeap(values.heap);
} finally {
  await bench.sandbox.dispose();
}
process.exit(0);

/** Values in MB. */
function inMb({ heapUsed, external, rss }: Memory): { heapUsed: number; external: number; rss: number } {
  const mb = (bytes: number) => bytes / 1_048_576;
  return { heapUsed: mb(heapUsed), external: mb(external), rss: mb(rss) };
}
