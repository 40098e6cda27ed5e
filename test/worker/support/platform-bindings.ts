// The platform's original bindings, before any test file replaces them.
import { env } from "cloudflare:workers";

export const DATABASE = env.DB;
export const MAIL = env.MAIL;
