// Compares the pin in wrangler.toml with this release's Dockerfile, because an upgrade changes only the Dockerfile.
import { baseImageIn } from "../setup/base-image.ts";
import type { Problem } from "./problem.ts";

/** `toml` and `dockerfile` are this clone's files. Also returns null if wrangler.toml does not configure the deployment at `url`. */
export function baseImageProblem(toml: string, dockerfile: string, url: string): Problem | null {
  const own = toml.split(/^(?=\[env\.staging\]$)/m).find((part) => part.includes(`\nAPP_URL = "${url}"`));
  if (own === undefined || own.includes('\nBRIDGE_HOST = "external"')) return null;
  const image = baseImageIn(dockerfile);
  const stale = [...own.matchAll(/^image_vars = .*\bNODE_IMAGE = "([^"]*)"/gm)].find(
    ([, pinned = ""]) => pinned.split("@")[0] !== image.split("@")[0],
  );
  if (stale === undefined) return null;
  return {
    what: `image: wrangler.toml pins the bridges' base to ${stale[1]}, this release builds on ${image}`,
    remedy: "Run `npm run setup`, which pins the new one and deploys",
  };
}
