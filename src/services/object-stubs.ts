// What stubs of objects have in common.

/**
 * What an object class implements of its stub, as `Connection implements ServerOf<ConnectionStub>`: the same methods, which may also
 * answer synchronously. Namespaces in `src/env.ts` are untyped, so that no module imports an object's class but the worker's entry.
 */
export type ServerOf<Stub extends Record<keyof Stub, (...args: never[]) => Promise<unknown>>> = {
  [Method in keyof Stub]: (...args: Parameters<Stub[Method]>) => Awaited<ReturnType<Stub[Method]>> | ReturnType<Stub[Method]>;
};

export type RuntimeErrorFlag = "overloaded" | "retryable" | "durableObjectReset";

export function hasFlag(error: unknown, mark: RuntimeErrorFlag): boolean {
  return typeof error === "object" && error !== null && (error as Record<string, unknown>)[mark] === true;
}

/** The object was overloaded, moved or restarted: a retry will succeed. */
export function isTransientError(error: unknown): boolean {
  return hasFlag(error, "overloaded") || hasFlag(error, "retryable") || hasFlag(error, "durableObjectReset");
}
