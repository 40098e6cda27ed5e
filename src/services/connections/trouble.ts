// What the runtime says of an object that did not answer; it marks such errors with properties of their own.

export type TroubleMark = "overloaded" | "retryable" | "durableObjectReset";

export function hasMark(error: unknown, mark: TroubleMark): boolean {
  return typeof error === "object" && error !== null && (error as Record<string, unknown>)[mark] === true;
}

/** The object was overloaded, moved or restarted: asked again in a moment, it answers. */
export function isPassingTrouble(error: unknown): boolean {
  return hasMark(error, "overloaded") || hasMark(error, "retryable") || hasMark(error, "durableObjectReset");
}
