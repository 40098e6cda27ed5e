// Texts of the page "Now".
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { describe, guideOf, toneOf } from "#root/dashboard/src/domain/faults.ts";
import admin from "#root/dashboard/src/texts/pt/admin.ts";
import now from "#root/dashboard/src/texts/pt/now.ts";
import reasons from "#root/dashboard/src/texts/pt/reasons.ts";
import { AWAY, CONTAINER } from "@gateway/domain/fleet/alarms.ts";
import { CRASH_LOOP } from "@gateway/domain/fleet/crash-loop.ts";
import { TROUBLE_KINDS } from "@gateway/protocol/bridge-socket.ts";

type Fault = Parameters<typeof describe>[0];
const texts = { now, admin, reasons };
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

it("has a title and a remedy for every kind of alarm, and keeps its code for the log", () => {
  const kinds = [...TROUBLE_KINDS, AWAY.kind, CONTAINER, CRASH_LOOP.split(" ")[0] ?? "", "mail"];
  for (const kind of kinds) {
    const { title, todo } = describe(fault({ kind: "alarm", code: `${kind} x` }), texts);
    expect([kind, title]).toEqual([kind, expect.stringMatching(new RegExp(`^\\p{Lu}.{10,} \\(${kind} x\\)$`, "u"))]);
    expect([kind, title, todo]).not.toEqual([kind, expect.stringContaining(now.otherAlarm.title), todo]);
    // The page "Fleet", to which an alarm links, explains it too.
    expect([kind, Object.keys(admin.fleet.meanings)]).toEqual([kind, expect.arrayContaining([kind])]);
  }
  expect(describe(fault({ kind: "alarm", code: "close 403", count: 3 }), texts)).toEqual({
    title: "Números estão sendo bloqueados (close 403)",
    detail: null,
    todo: expect.stringContaining("pare de abrir conversas novas"),
    count: "3 números",
  });
  expect(describe(fault({ kind: "alarm", code: "of_a_later_release 1" }), texts).title).toBe("Alarme da frota (of_a_later_release 1)");
});

it("tells deliveries that a full queue drops from those that are retried", () => {
  const full = fault({ kind: "webhook", code: "webhook_queue_full", count: 1_200 });
  const slow = fault({ kind: "webhook", code: "webhook_timeout", count: 3 });
  expect(describe(full, texts)).toMatchObject({ title: expect.stringContaining("cheia"), count: "1.200 entregas descartadas" });
  expect(describe(slow, texts)).toMatchObject({ title: "Webhook com falhas", count: "3 falhas" });
  expect([toneOf(full), toneOf(slow)]).toEqual(["bad", "attention"]);
});

it("names a full shard and full bridges in words", () => {
  expect(describe(fault({ kind: "shard", code: "full", subject: "weur/1", count: 8_000 }), texts)).toMatchObject({
    title: "Grupo de bridges weur/1: cheio",
    count: "8.000 números",
  });
  expect(describe(fault({ code: "capacity" }), texts).title).toBe("Todos os bridges estão cheios");
});

it("names the cause of failing calls in the operator's words, not the owner's", () => {
  const calls = (code: string) => describe(fault({ kind: "calls", code, count: 7 }), texts);
  expect(calls("internal_error")).toMatchObject({ detail: "Erro interno", todo: expect.stringContaining("status 500") });
  expect(calls("of_a_later_release").detail).toBe("Of_a_later_release");
});

it("refers to a chapter that exists for each problem that the dashboard cannot fix", () => {
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
