// The objects' log: one JSON line per event. No secrets, no message text, no keys.

type Field = string | number | boolean | null | undefined;

export function log(event: string, fields: Readonly<Record<string, Field>>): void {
  console.log(JSON.stringify({ event, ...fields }));
}

/** What may be said of an unexpected error. A failed query says what the database said, without the statement's values: they are rows. */
export function errorFields(error: unknown): { error: string; message: string; stack?: string } {
  if (!(error instanceof Error)) return { error: typeof error, message: "not an Error" };
  const told = "params" in error ? error.cause : error;
  const message = told instanceof Error ? told.message : "failed query";
  const frames = (error.stack ?? "")
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 8);
  return {
    error: error.name,
    message: message.slice(0, 300),
    ...(frames.length === 0 ? {} : { stack: frames.map((line) => line.trim()).join(" | ") }),
  };
}
