// The worker's log: one JSON line per event.

type Field = string | number | boolean | null | undefined;

type Fields = Readonly<Record<string, Field>>;

export function logLine(event: string, fields: Fields): void {
  console.log(lineOf(event, fields));
}

export function lineOf(event: string, fields: Fields): string {
  return JSON.stringify({ event, ...fields });
}

/**
 * What may be said of an unexpected error: its name, its message and where it came from. A failed query says what the database
 * said, without the statement's values: they are rows.
 */
export function wordsOfError(error: unknown): { error: string; message: string; stack?: string } {
  if (!(error instanceof Error)) return { error: typeof error, message: "not an Error" };
  const told = error.name === "DrizzleQueryError" || "params" in error ? error.cause : error;
  const message = told instanceof Error ? told.message : "failed query";
  const frames = (error.stack ?? "")
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 8)
    .map((line) => line.trim());
  return { error: error.name, message: message.slice(0, 500), ...(frames.length === 0 ? {} : { stack: frames.join(" | ") }) };
}
