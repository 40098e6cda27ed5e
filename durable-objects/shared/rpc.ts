/**
 * What an object class implements of its stub, as `Connection implements ServerOf<ConnectionStub>`: the same methods, which may also
 * answer synchronously. Namespaces in `src/env.ts` are untyped, so that no module imports an object's class but the worker's entry.
 */
export type ServerOf<Stub extends Record<keyof Stub, (...args: never[]) => Promise<unknown>>> = {
  [Method in keyof Stub]: (...args: Parameters<Stub[Method]>) => Awaited<ReturnType<Stub[Method]>> | ReturnType<Stub[Method]>;
};
