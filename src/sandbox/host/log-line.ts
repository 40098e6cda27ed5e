// The format of all sandbox logs: time, level, process, event, fields.
import { styleText } from "node:util";
import { parseJson } from "@gateway/protocol/json.ts";

const LEVELS = ["debug", "info", "warn", "error"] as const;
type Level = (typeof LEVELS)[number];

/** One JSON object per line. `time` in ISO 8601, UTC. */
export type LogLine = { time: string; level: Level; process: string; event: string } & Record<string, unknown>;

/** Text that is not an event of the product becomes a line with the event `output`. */
export function readLogLine(process: string, printed: string, now: Date): LogLine {
  const fields = printed.startsWith("{") ? (parseJson(printed) as Record<string, unknown> | undefined) : undefined;
  const { time = now.toISOString(), event, level, process: _, ...rest } = fields ?? {};
  const base = { time: String(time), process };
  if (typeof event !== "string") return { ...base, level: "warn", event: "output", text: printed };
  // The worker's lines have no level, because in production the platform adds it.
  const status = Number(rest["status"]);
  // 501 is no error: this kind of number does not support the call.
  const failed = (rest["error"] ?? null) !== null || (status >= 500 && status !== 501);
  const known = LEVELS.find((one) => one === level) ?? (failed ? "error" : "info");
  return { time: base.time, level: known, process, event, ...rest };
}

const COLOURS = { debug: "dim", info: "green", warn: "yellow", error: "red" } as const;
const FIRST = ["method", "route", "status", "ms"];
const UUID = /^[0-9a-f]{8}(?=-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$)/;

/** Coloured if the terminal supports it and NO_COLOR is not set. */
export function readableLine({ time, level, process, event, ...fields }: LogLine): string {
  const clock = new Date(time).toTimeString().slice(0, 8);
  const names = [...FIRST.filter((name) => name in fields), ...Object.keys(fields).filter((name) => !FIRST.includes(name))];
  const facts = names.map((name) => [name, readable(fields[name])] as const);
  const said = facts.map(([name, value]) =>
    ["text", "method", "route", "status"].includes(name) ? value : styleText("dim", `${name}=${value}`),
  );
  return [styleText("dim", clock), styleText(COLOURS[level], level.padEnd(5)), process.padEnd(7), event, ...said].join(" ");
}

function readable(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return UUID.exec(text)?.[0] ?? text;
}
