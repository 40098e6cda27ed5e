import { defineConfig } from "vitest/config";
import { configuration } from "./test/support/runner/projects.ts";

export default defineConfig(() => configuration("promises"));
