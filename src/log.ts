// The log of the worker and its objects: one JSON line per event. No secrets, no message text, no keys.

type Field = string | number | boolean | null | undefined;

export type LogFields = Readonly<Record<string, Field>>;

const MAX_MESSAGE_CHARACTERS = 500;
const MAX_STACK_FRAMES = 8;

export function log(event: string, fields: LogFields): void {
  console.log(formatLogLine(event, fields));
}

export function formatLogLine(event: string, fields: LogFields): string {
  return JSON.stringify({ event, ...fields });
}

/**
 * Name, message and origin of an unexpected error. Of a failed query only the database's own message: the query's error also
 * lists the statement's values, which are rows.
 */
export function errorFields(error: unknown): { error: string; message: string; stack?: string } {
  if (!(error instanceof Error)) return { error: typeof error, message: "not an Error" };
  const reported = error.name === "DrizzleQueryError" || "params" in error ? error.cause : error;
  const message = reported instanceof Error ? reported.message : "failed query";
  const frames = (error.stack ?? "")
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .slice(0, MAX_STACK_FRAMES)
    .map((line) => line.trim());
  return {
    error: error.name,
    message: message.slice(0, MAX_MESSAGE_CHARACTERS),
    ...(frames.length === 0 ? {} : { stack: frames.join(" | ") }),
  };
}
