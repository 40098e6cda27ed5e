// Texts of the page "Now".
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { describe, guideOf, toneOf, worstTone } from "#root/dashboard/src/domain/faults.ts";
import admin from "#root/dashboard/src/texts/pt/admin.ts";
import now from "#root/dashboard/src/texts/pt/now.ts";
import reasons from "#root/dashboard/src/texts/pt/reasons.ts";
import { AWAY, CONTAINER } from "@gateway/domain/fleet/alarms.ts";
import { CRASH_LOOP } from "@gateway/domain/fleet/crash-loop.ts";
import { TROUBLE_KINDS } from "@gateway/protocol/bridge-socket.ts";

type Fault = Parameters<typeof describe>[0];
const texts = { now, admin, reasons };
const described = (of: Fault) => describe(of, texts, false);
const fault = (change: Partial<Fault>): Fault => ({
  kind: "check",
  code: "",
  subject: null,
  detail: null,
  since: null,
  count: null,
  instance: null,
  ...change,
});

it("every kind of alarm has a title and a remedy, and keeps its code for the log", () => {
  const kinds = [...TROUBLE_KINDS, AWAY.kind, CONTAINER, CRASH_LOOP.split(" ")[0] ?? "", "mail"];
  for (const kind of kinds) {
    const { title, todo } = described(fault({ kind: "alarm", code: `${kind} x` }));
    expect([kind, title]).toEqual([kind, expect.stringMatching(new RegExp(`^\\p{Lu}.{10,} \\(${kind} x\\)$`, "u"))]);
    expect([kind, title, todo]).not.toEqual([kind, expect.stringContaining(now.otherAlarm.title), todo]);
    // The page "Fleet", to which an alarm links, explains it too.
    expect([kind, Object.keys(admin.fleet.meanings)]).toEqual([kind, expect.arrayContaining([kind])]);
  }
  expect(described(fault({ kind: "alarm", code: "close 403", count: 3 }))).toEqual({
    title: "Números estão sendo bloqueados (close 403)",
    detail: null,
    todo: expect.stringContaining("evite que esses números iniciem conversas"),
    count: "3 números",
  });
  expect(described(fault({ kind: "alarm", code: "of_a_later_release 1" })).title).toBe("Alarme dos bridges (of_a_later_release 1)");
});

it("deliveries that a full queue drops are told from those that are retried", () => {
  const full = fault({ kind: "webhook", code: "webhook_queue_full", count: 1_200 });
  const slow = fault({ kind: "webhook", code: "webhook_timeout", count: 3 });
  expect(described(full)).toMatchObject({ title: expect.stringContaining("cheia"), count: "1.200 entregas descartadas" });
  expect(described(slow)).toMatchObject({ title: "Webhook com falhas", count: "3 falhas" });
  expect([toneOf(full), toneOf(slow)]).toEqual(["bad", "attention"]);
});

it("the number of faults has the tone of the worst one", () => {
  const [passing, lasting] = [fault({ kind: "number", code: "logged_out" }), fault({ kind: "number", code: "banned" })];
  expect([[], [passing], [passing, lasting]].map(worstTone)).toEqual(["good", "attention", "bad"]);
});

it("a full shard and full bridges are named in words", () => {
  expect(described(fault({ kind: "shard", code: "full", subject: "weur/1", count: 8_000 }))).toMatchObject({
    title: "Grupo de bridges weur/1: cheio",
    count: "8.000 números",
  });
  expect(described(fault({ code: "capacity" })).title).toBe("Todos os bridges estão cheios");
});

it("failing calls name their cause in the operator's words, not the owner's", () => {
  const calls = (code: string) => described(fault({ kind: "calls", code, count: 7 }));
  expect(calls("internal_error")).toMatchObject({ detail: "Erro interno", todo: expect.stringContaining("status 500") });
  expect(calls("of_a_later_release").detail).toBe("Of_a_later_release");
});

it.each(["pt", "en"])("faults name nothing of Cloudflare's in %s where the gateway runs on one machine", async (language) => {
  // Loads browser code, whose types are not available in this project.
  const path = `../../../dashboard/src/texts/${language}/now.ts`;
  const { default: words } = (await import(path)) as { default: typeof now };
  const EDGE = /Cloudflare|wrangler|npm run (?:deploy|migrate)|POOL_SHARDS|D1|R2/;
  // On one machine, no container can fail to start, and no shard is added.
  const codes = [...Object.keys(now.checks), ...Object.keys(now.shards)].filter((code) => code !== "full");
  const remedies = codes.map((code) => {
    const kind = Object.hasOwn(now.checks, code) ? ("check" as const) : ("shard" as const);
    return describe(fault({ kind, code }), { now: words, admin, reasons }, true).todo;
  });
  expect(remedies.filter((todo) => todo.length < 10 || EDGE.test(todo))).toEqual([]);
  expect(described(fault({ code: "files" })).todo).toContain("Cloudflare");
});

it("each problem that the dashboard cannot fix refers to a chapter that exists", () => {
  const problems = [
    ...Object.keys(now.checks).map((code) => ({ kind: "check" as const, code })),
    ...Object.keys(now.alarms).map((code) => ({ kind: "alarm" as const, code })),
    { kind: "alarm" as const, code: "mail quota" },
    ...Object.keys(now.shards).map((code) => ({ kind: "shard" as const, code })),
    ...Object.keys(now.proxies).map((code) => ({ kind: "proxy" as const, code })),
  ];
  for (const problem of problems) {
    const { file = "", chapter } = guideOf(problem) ?? {};
    const text = file === "" ? "" : readFileSync(file, "utf8");
    expect([problem, text.split("\n").includes(`## ${chapter}`)]).toEqual([problem, true]);
  }
  expect(guideOf({ kind: "check", code: "mail" })).toEqual(guideOf({ kind: "alarm", code: "mail quota" }));
});
