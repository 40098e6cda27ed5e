// The operator's region in each service's terms (docs/operate/deployment.md, "Region"). Only containers can move later.
import type { Location } from "@gateway/domain/fleet/locations.ts";

type Place = {
  name: string;
  /** The nearest location for D1 and R2, which have only six. */
  storage: "wnam" | "enam" | "weur" | "eeur" | "apac" | "oc";
  /** Regions where containers may run. Cloudflare has little capacity in ME, OC and AFR, and refuses them without another region. */
  containers: readonly [string, ...string[]];
};

const PLACES: Readonly<Record<Location, Place>> = {
  wnam: { name: "Western North America", storage: "wnam", containers: ["WNAM"] },
  enam: { name: "Eastern North America", storage: "enam", containers: ["ENAM"] },
  sam: { name: "South America", storage: "enam", containers: ["SAM"] },
  weur: { name: "Western Europe", storage: "weur", containers: ["WEUR"] },
  eeur: { name: "Eastern Europe", storage: "eeur", containers: ["EEUR"] },
  apac: { name: "Asia and the Pacific", storage: "apac", containers: ["APAC"] },
  oc: { name: "Oceania", storage: "oc", containers: ["OC", "APAC"] },
  afr: { name: "Africa", storage: "weur", containers: ["AFR", "WEUR"] },
  me: { name: "the Middle East", storage: "eeur", containers: ["ME", "EEUR"] },
};

export const placeOf = (region: Location): Place => PLACES[region];

export function regionText(region: Location): string {
  const { name, storage, containers } = PLACES[region];
  return `Region ${region} (${name}): objects there or as near as Cloudflare runs them, D1 and R2 in ${storage}, containers in ${containers.join(" or ")}.
Objects, database and bucket stay where they are created; a later change of the region moves only containers.`;
}
