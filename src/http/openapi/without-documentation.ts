// The worker's side of documentation.ts: `.openapi()` keeps nothing. Empty functions, so that the bundler drops their arguments too.
import { ZodType } from "zod";

export function addDocumentation(): void {
  Object.assign(ZodType.prototype, { openapi: itself });
}

export function says(): void {}

function itself<S>(this: S): S {
  return this;
}
