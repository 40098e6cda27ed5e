// Describes a fault for the page "Now": the problem, and how to fix it.
import type { Answer } from "../contract.ts";
import type { TextsOf } from "../texts/catalog.ts";
import type { ADMIN, FAILURES, NOW, REASONS } from "../texts/catalogs.ts";
import { meaningOf } from "./fleet.ts";

type Fault = Answer<"GET /admin/now">["data"]["faults"][number];

export type FaultTexts = {
  now: TextsOf<typeof NOW>;
  admin: TextsOf<typeof ADMIN>;
  reasons: TextsOf<typeof REASONS>;
  failures: TextsOf<typeof FAILURES>;
};

type Described = { title: string; detail: string | null; todo: string; count: string | null };

/** Codes of faults that end by themselves, so they are not shown as bad. */
const PASSING: ReadonlySet<string> = new Set([
  "degraded",
  "restricted",
  "temporarily_banned",
  "waiting_for_update",
  "logged_out",
  "replaced",
]);

export function toneOf({ kind, code }: Fault): "bad" | "attention" {
  return PASSING.has(code) || kind === "webhook" || kind === "calls" ? "attention" : "bad";
}

export function describe({ kind, code, subject, detail, count }: Fault, { now, admin, reasons, failures }: FaultTexts): Described {
  const numbers = count === null || count === 0 ? null : now.numbers(count);
  const failed = count === null ? null : now.failures(count);
  switch (kind) {
    case "check": {
      const { title, todo } = textIn(now.checks, code) ?? now.checks.unreadable;
      return { title: subject === null ? title : `${title}: ${subject}`, detail, todo, count: null };
    }
    case "alarm": {
      const [of = "", ...rest] = code.split(" ");
      const meaning = of === "mail" ? now.mailAlarm : meaningOf(admin.fleet.meanings, { kind: of, code: rest.join(" ") });
      return { title: now.alarm(code), detail: null, todo: meaning, count: numbers };
    }
    case "shard":
    case "proxy": {
      const known = textIn(kind === "shard" ? now.shards : now.proxies, code);
      const why = kind === "proxy" && detail !== null ? (textIn(admin.proxies.errors, detail) ?? detail) : detail;
      const name = kind === "shard" ? (subject ?? "") : `Proxy ${subject ?? ""}`;
      return { title: `${name}: ${known?.title ?? code}`, detail: why, todo: known?.todo ?? "", count: numbers };
    }
    case "number": {
      const reason = textIn(reasons, code);
      return { title: capital(reason?.short ?? code), detail: null, todo: textIn(now.reasons, code) ?? now.otherReason, count: null };
    }
    case "webhook": {
      return { title: now.webhookFails, detail: null, todo: textIn(now.webhooks, code) ?? now.otherWebhook, count: failed };
    }
    case "calls": {
      return {
        title: now.callsFail,
        detail: textIn(failures, code) ?? code,
        todo: textIn(now.calls, code) ?? now.otherCall,
        count: failed,
      };
    }
  }
}

function textIn<T>(texts: Readonly<Partial<Record<string, T>>>, code: string): T | undefined {
  return Object.hasOwn(texts, code) ? texts[code] : undefined;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
