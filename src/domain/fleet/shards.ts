// Bridge pool shards (docs/internals/bridges.md, "Shards of the pool"): names, regions, and a connection's home.

/** The platform's region names, which are also its location hints. */
export const REGIONS = ["enam", "wnam", "weur", "eeur", "apac", "sam"] as const;
export type Region = (typeof REGIONS)[number];

export type Shard = `${Region}/${number}`;

const SHARD_SIZE = 10_000;
/** A shard that is fuller than this gets no new connections, to leave capacity for returning connections. */
const CLOSED_AT = 0.8;
const MAX_SHARDS_PER_REGION = 999;

const SHARD = new RegExp(`^(${REGIONS.join("|")})/([1-9]\\d{0,2})$`);

const NEIGHBOURS: Readonly<Record<Region, readonly Region[]>> = {
  enam: ["wnam", "weur", "sam", "eeur", "apac"],
  wnam: ["enam", "apac", "sam", "weur", "eeur"],
  weur: ["eeur", "enam", "wnam", "sam", "apac"],
  eeur: ["weur", "enam", "apac", "wnam", "sam"],
  apac: ["wnam", "eeur", "weur", "enam", "sam"],
  sam: ["enam", "wnam", "weur", "eeur", "apac"],
};

/** Regions by the first digit of a phone number, following the world numbering zones. */
const ZONES: Readonly<Record<string, Region>> = {
  "1": "enam",
  "2": "weur",
  "3": "weur",
  "4": "weur",
  "5": "sam",
  "6": "apac",
  "7": "eeur",
  "8": "apac",
  "9": "apac",
};

export const isRegion = (name: string): name is Region => (REGIONS as readonly string[]).includes(name);

export const isShard = (name: string): name is Shard => SHARD.test(name);

/** Returns null for the `default` pool, which is not a shard. */
export function regionOfPool(name: string): Region | null {
  const region = SHARD.exec(name)?.[1];
  return region !== undefined && isRegion(region) ? region : null;
}

/** `weur:4,sam:2` means weur/1 to weur/4, sam/1 and sam/2. An empty string means no shards. Returns null if the setting is invalid. */
export function readShards(setting: string): Shard[] | null {
  const shards: Shard[] = [];
  for (const entry of setting.split(",").flatMap((part) => (part.trim() === "" ? [] : [part.trim()]))) {
    const [, region = "", count = "0"] = /^([a-z]+):(\d{1,3})$/.exec(entry) ?? [];
    const known = shards.some((shard) => shard.startsWith(`${region}/`));
    if (!isRegion(region) || known || Number(count) < 1 || Number(count) > MAX_SHARDS_PER_REGION) return null;
    for (let k = 1; k <= Number(count); k++) shards.push(`${region}/${k}`);
  }
  return shards;
}

export const takesNew = (pool: string, shards: readonly Shard[]): boolean =>
  shards.length === 0 ? !isShard(pool) : (shards as readonly string[]).includes(pool);

export type Whereabouts = { continent?: string | undefined; longitude?: string | undefined };

export function regionOfPlace({ continent, longitude }: Whereabouts): Region | null {
  const east = longitude === undefined ? Number.NaN : Number(longitude);
  switch (continent) {
    case "NA":
      return east < -100 ? "wnam" : "enam";
    case "SA":
    case "AN":
      return "sam";
    case "EU":
      return east > 20 ? "eeur" : "weur";
    case "AF":
      return "weur";
    case "AS":
      return east < 60 ? "eeur" : "apac";
    case "OC":
      return "apac";
    default:
      return null;
  }
}

export const regionOfPhone = (phone: string | null): Region | null => ZONES[phone?.[0] ?? ""] ?? null;

export const isOpen = (connections: number): boolean => connections < SHARD_SIZE * CLOSED_AT;

export const MAX_REHOMED_PER_MINUTE = SHARD_SIZE / 100;

export const byDistance = (region: Region): Region[] => [region, ...NEIGHBOURS[region]];

/** The shard for a new connection: an open one in its region, or else in the nearest region that has one. Null if no shard is open. */
export function homeOf(uuid: string, region: Region | null, open: readonly Shard[]): Shard | null {
  const first = region ?? regionOfPool(open[0] ?? "");
  if (first === null) return null;
  const hash = hashOf(uuid);
  for (const near of byDistance(first)) {
    const shards = open.filter((shard) => shard.startsWith(`${near}/`));
    if (shards.length > 0) return shards.reduce((best, shard) => (weightOf(hash, shard) > weightOf(hash, best) ? shard : best));
  }
  return null;
}

/** Rendezvous hashing: a new shard takes over the same share of every other shard's connections, and no others move. */
export function inHashOrder(uuid: string, shards: readonly Shard[]): Shard[] {
  const hash = hashOf(uuid);
  return shards
    .map((shard) => ({ shard, weight: weightOf(hash, shard) }))
    .toSorted((one, other) => other.weight - one.weight)
    .map(({ shard }) => shard);
}

const weightOf = (hash: number, shard: Shard): number => mixed(hash ^ hashOf(shard));

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}

/** The finalizer of MurmurHash3: every input bit affects all others. */
function mixed(hash: number): number {
  let bits = hash;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
