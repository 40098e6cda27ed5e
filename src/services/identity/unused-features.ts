// Replaces two features of better-auth that no setting of ours turns on: sign-in through social networks, and telemetry. Builds of the
// worker take this file instead (wrangler.toml, `[alias]`).
import * as z from "zod";

export const socialProviders = {};
export const SocialProviderListEnum = z.string();

export async function createTelemetry(): Promise<{ publish: () => Promise<void> }> {
  const publish = async (): Promise<void> => undefined;
  return { publish };
}
