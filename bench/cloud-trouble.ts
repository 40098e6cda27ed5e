// How quickly callers of a Cloud API number get an answer while Graph leaves four requests unanswered, takes half a second per response, or
// refuses one request of a burst with 130429. Each message goes to a different person, so that the order within a chat delays none.
import { cloudControl } from "../test/support/cloud/control.ts";
import { connectCloudNumber } from "../test/support/cloud/numbers.ts";
import { startBenchSandbox } from "./support/bench-sandbox.ts";
import { median, percentile } from "./support/figures.ts";

type Answer = { at: number; tookMs: number; outcome: string };

const bench = await startBenchSandbox();
let numbers = 0;
let people = 0;
try {
  await scenario("four dead requests, then 8 sends a second for 30 s", async ({ control, send }) => {
    await control.fault("delay_answer", { ms: 150_000, times: 4 });
    const dead = Array.from({ length: 4 }, send);
    await until(async () => ((await control.faults()) as unknown[]).length === 0);
    return { answers: await paced(8, 30, send), aside: await Promise.all(dead) };
  });
  await scenario("500 ms an answer, 120 sends at once", async ({ control, send }) => {
    await control.fault("delay_answer", { ms: 500, times: 10_000 });
    return { answers: await Promise.all(Array.from({ length: 120 }, send)) };
  });
  await scenario("500 ms an answer, 70 sends a second for 15 s", async ({ control, send }) => {
    await control.fault("delay_answer", { ms: 500, times: 10_000 });
    return { answers: await paced(70, 15, send) };
  });
  await scenario("one 130429 in a burst of 60, then 2 sends a second for 20 s", async ({ control, send }) => {
    await control.fault("error", { code: 130_429 });
    const burst = Array.from({ length: 60 }, send);
    return { answers: [...(await Promise.all(burst)), ...(await paced(2, 20, send))] };
  });
} finally {
  await bench.sandbox.dispose();
}
process.exit(0);

type World = { control: ReturnType<typeof cloudControl>; send: () => Promise<Answer> };

/** Uses a new number each time, so that a scenario cannot affect the next one. */
async function scenario(name: string, run: (world: World) => Promise<{ answers: Answer[]; aside?: Answer[] }>): Promise<void> {
  const number = await connectCloudNumber(bench.ready, { phone: `55119100001${(numbers += 1)}1`, name: "Bench" });
  const control = cloudControl(bench.ready, number.credentials);
  const send = async (): Promise<Answer> => {
    const startedAt = performance.now();
    const { status, body } = await number.api.call("POST", "/messages/text", {
      to: String(5_511_920_000_000 + (people += 1)),
      text: "bench",
    });
    const at = performance.now();
    return { at, tookMs: at - startedAt, outcome: status === 200 ? "200" : `${status} ${body.error?.codigo ?? body.codigo ?? ""}`.trim() };
  };
  const startedAt = performance.now();
  const { answers, aside = [] } = await run({ control, send });
  print(name, startedAt, answers, aside);
  await control.mend();
}

/** Sends at a fixed rate per second, without waiting for responses. */
async function paced(perSecond: number, seconds: number, send: () => Promise<Answer>): Promise<Answer[]> {
  const startedAt = performance.now();
  const sends: Promise<Answer>[] = [];
  for (let n = 0; n < perSecond * seconds; n += 1) {
    const waitMs = startedAt + (n * 1_000) / perSecond - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    sends.push(send());
  }
  return Promise.all(sends);
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
}

function print(name: string, startedAt: number, answers: Answer[], aside: Answer[]): void {
  const counted = (some: Answer[]) =>
    [...Map.groupBy(some, ({ outcome }) => outcome)].map(([outcome, { length }]) => `${length} × ${outcome}`).join(", ");
  const sent = answers.filter(({ outcome }) => outcome === "200").toSorted((a, b) => a.at - b.at);
  const seconds = Math.max(1, Math.ceil(((sent.at(-1)?.at ?? startedAt) - startedAt) / 1_000));
  const perSecond = Array.from({ length: seconds }, (_, second) => {
    const from = startedAt + second * 1_000;
    return sent.filter(({ at }) => at >= from && at < from + 1_000).length;
  });
  const took = sent.map(({ tookMs }) => tookMs);
  process.stdout.write(`${name}\n  ${counted(answers)}${aside.length === 0 ? "" : `; the dead ones ${counted(aside)}`}\n`);
  const first = sent[0];
  if (first === undefined) return;
  const figures = `p50 ${median(took).toFixed(0)} ms  p99 ${percentile(took, 99).toFixed(0)} ms  busiest second ${Math.max(...perSecond)}`;
  process.stdout.write(
    `  first 200 after ${((first.at - startedAt) / 1_000).toFixed(1)} s  ${figures}\n  each second ${perSecond.join(" ")}\n`,
  );
}
