// Locations where the deployment's objects are created (docs/operate/deployment.md, "Region"). An object never moves.
import { regionOfPool } from "./shards.ts";

/** The platform's location hints for objects. Shards need bridges nearby, so they use only six of them (`REGIONS`). */
export const LOCATIONS = ["wnam", "enam", "sam", "weur", "eeur", "apac", "oc", "afr", "me"] as const;
export type Location = (typeof LOCATIONS)[number];

const isLocation = (name: string | undefined): name is Location => (LOCATIONS as readonly (string | undefined)[]).includes(name);

/** The region of the shard, or of the deployment (REGION). If it is null, the platform chooses a location near the first caller. */
export function locationOf(home: string | null, region: string | undefined): Location | null {
  return regionOfPool(home ?? "") ?? (isLocation(region) ? region : null);
}
