// The platform's original database binding, before any test file replaces it.
import { env } from "cloudflare:workers";

export const DATABASE = env.DB;
