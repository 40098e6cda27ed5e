// The database as the platform binds it, before any test file has made a binding of its own.
import { env } from "cloudflare:workers";

export const DATABASE = env.DB;
