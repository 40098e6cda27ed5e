// Measures what it costs the object to store one message and to answer one read: µs at 10 and at 100,000 chats, and their ratio.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { median } from "./support/figures.ts";

const FEW = 10;
const MANY = 100_000;
const ROUNDS = 5;

const bundle = await build({
  entryPoints: [fileURLToPath(new URL("../test/worker/store/bench-object.ts", import.meta.url))],
  bundle: true,
  format: "esm",
  target: "es2024",
  external: ["cloudflare:*", "node:*"],
  write: false,
});
const host = new Miniflare(
  convertV4MiniflareOptions({
    modules: true,
    script: bundle.outputFiles[0]?.text ?? "",
    compatibilityDate: "2026-10-01",
    compatibilityFlags: ["nodejs_compat"],
    durableObjects: { BENCH: { className: "StoreBench", useSQLite: true } },
  }),
);
const figures = async (chats: number) =>
  (await (await host.dispatchFetch(`http://bench/?chats=${chats}`)).json()) as Record<string, number>;

try {
  const runs: { few: Record<string, number>; many: Record<string, number> }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) runs.push({ few: await figures(FEW), many: await figures(MANY) });
  const medianOf = (name: string, side: "few" | "many") => median(runs.map((run) => run[side][name] ?? Number.NaN));
  const bare = medianOf("bare insert", "few");
  process.stdout.write(`µs per operation${" ".repeat(10)}${FEW} chats   ${MANY} chats   ratio   in bare inserts\n`);
  for (const name of Object.keys(runs[0]?.few ?? {})) {
    const [few, many] = [medianOf(name, "few"), medianOf(name, "many")];
    const columns = [
      few.toFixed(1).padStart(9),
      many.toFixed(1).padStart(14),
      (many / few).toFixed(2).padStart(8),
      (few / bare).toFixed(1).padStart(10),
    ];
    process.stdout.write(`${name.padEnd(24)}${columns.join("")}\n`);
  }
} finally {
  await host.dispose();
}
