// The worker's version of documentation.ts, in which `.openapi()` does nothing. Empty functions let the bundler drop their arguments too.
import { ZodType } from "zod";

export function addDocumentation(): void {
  Object.assign(ZodType.prototype, { openapi: itself });
}

export function says(): void {}

export function documented(): void {}

function itself<S>(this: S): S {
  return this;
}
