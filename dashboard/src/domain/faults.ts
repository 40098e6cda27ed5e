// Describes a fault for the "Now" page: the problem, and how to fix it.
import type { ResponseBody } from "../contract.ts";
import type admin from "../texts/pt/admin.ts";
import type now from "../texts/pt/now.ts";
import type reasons from "../texts/pt/reasons.ts";

type Fault = ResponseBody<"GET /admin/now">["data"]["faults"][number];

export type FaultTexts = {
  now: typeof now;
  admin: Pick<typeof admin, "proxies" | "statistics">;
  reasons: typeof reasons;
};

type Described = { title: string; detail: string | null; todo: string; count: string | null };

/** A chapter of the documentation in the repository, for problems that nobody can fix in the dashboard. */
type Guide = { file: string; chapter: string };

const ALARMS: Guide = { file: "docs/operate/monitoring.md", chapter: "Fleet alarms" };
const MAIL: Guide = { file: "docs/operate/operations.md", chapter: "Email" };
const CHECKS: Guide = { file: "docs/operate/doctor.md", chapter: "Self-check" };
const MACHINE: Guide = { file: "docs/operate/one-machine.md", chapter: "Troubleshooting" };
const SHARDS: Guide = { file: "docs/operate/bridges.md", chapter: "Pool shards" };

export function guideOf({ kind, code }: Pick<Fault, "kind" | "code">): Guide | null {
  switch (kind) {
    case "check":
      return code === "mail" ? MAIL : code === "disk" || code === "backups" ? MACHINE : CHECKS;
    case "alarm":
      return code.startsWith("mail ") ? MAIL : ALARMS;
    case "shard":
      return SHARDS;
    case "proxy":
      return { file: "docs/operate/proxies.md", chapter: "When a proxy is down" };
    default:
      return null;
  }
}

/** Codes of faults that resolve by themselves, so the page does not show them as bad. */
const PASSING: ReadonlySet<string> = new Set([
  "degraded",
  "restricted",
  "temporarily_banned",
  "waiting_for_update",
  "logged_out",
  "replaced",
]);

/** The only webhook failure that loses deliveries. */
const QUEUE_FULL = "webhook_queue_full";

export function toneOf({ kind, code }: Fault): "bad" | "attention" {
  return PASSING.has(code) || (kind === "webhook" && code !== QUEUE_FULL) || kind === "calls" ? "attention" : "bad";
}

/** The tone of the most severe fault, for the page's badge. */
export function worstTone(faults: readonly Fault[]): "good" | "bad" | "attention" {
  if (faults.length === 0) return "good";
  return faults.some((fault) => toneOf(fault) === "bad") ? "bad" : "attention";
}

/** `isOneMachine`: the gateway runs without Cloudflare, so some remedies differ. */
export function describe(
  { kind, code, subject, detail, count }: Fault,
  { now, admin, reasons }: FaultTexts,
  isOneMachine: boolean,
): Described {
  const onMachine = isOneMachine ? textIn(now.onMachine, code) : undefined;
  const numbers = count === null || count === 0 ? null : now.numbers(count);
  const failed = count === null ? null : now.failures(count);
  switch (kind) {
    case "check": {
      const { title, todo } = textIn(now.checks, code) ?? now.checks.unreadable;
      return { title: subject === null ? title : `${title}: ${subject}`, detail, todo: onMachine ?? todo, count: null };
    }
    case "alarm": {
      const { title, todo } = textIn(now.alarms, code) ?? textIn(now.alarms, code.split(" ", 1)[0] ?? "") ?? now.otherAlarm;
      return { title: now.alarm(title, code), detail: null, todo, count: numbers };
    }
    case "shard":
    case "proxy": {
      const known = textIn(kind === "shard" ? now.shards : now.proxies, code);
      const why = kind === "proxy" && detail !== null ? (textIn(admin.proxies.errors, detail) ?? detail) : detail;
      const name = kind === "shard" ? now.shard(subject ?? "") : `Proxy ${subject ?? ""}`;
      return { title: `${name}: ${known?.title ?? code}`, detail: why, todo: onMachine ?? known?.todo ?? "", count: numbers };
    }
    case "number": {
      const reason = textIn(reasons, code);
      return { title: capital(reason?.short ?? code), detail: null, todo: textIn(now.reasons, code) ?? now.otherReason, count: null };
    }
    case "webhook": {
      const isFull = code === QUEUE_FULL;
      return {
        title: isFull ? now.queueFull : now.webhookFails,
        detail: null,
        todo: textIn(now.webhooks, code) ?? now.otherWebhook,
        count: isFull && count !== null ? now.dropped(count) : failed,
      };
    }
    case "calls": {
      return {
        title: now.callsFail,
        detail: capital(textIn(admin.statistics.cause, code) ?? code),
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
