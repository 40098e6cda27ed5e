/// <reference types="@cloudflare/vitest-plugin/types" />
import type { Env as ProductEnv } from "../../src/env.ts";

declare global {
  namespace Cloudflare {
    interface Env extends ProductEnv {}
  }
}
