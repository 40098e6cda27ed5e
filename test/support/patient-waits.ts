// Setup of every suite: `vi.waitFor` gives up after a second otherwise, which a slow machine needs for the thing itself.
import { vi } from "vitest";

const WAIT_MS = 60_000;

const { waitFor } = vi;
vi.waitFor = (callback, options) => waitFor(callback, typeof options === "number" ? options : { timeout: WAIT_MS, ...options });
