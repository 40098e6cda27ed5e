// Decides, before a connection leaves, whether the target gateway can receive it. Once it has left, it cannot go to any other gateway.
import type { ObjectDatabase } from "./object-database.ts";

/** A running object must import everything in one step of at most 30 s of CPU time. Node took 4 s for 119 MB. workerd was not measured. */
export const MAX_BYTES = 128 << 20;

/** `bytes` is null if the connection has already left. `schema` has each concern's table version, and `moves` has the ids of all moves. */
export type Departing = { bytes: number | null; schema: Record<string, number>; moves: readonly string[] };

export function departing(object: ObjectDatabase, bytes: number | null): Departing {
  const versions = object.prepare("SELECT concern, version FROM schema_version").all();
  const hasMoves = object.prepare("SELECT 1 FROM sqlite_master WHERE name = 'gateway_move'").get() !== undefined;
  return {
    bytes,
    schema: Object.fromEntries(versions.map(({ concern, version }) => [String(concern), Number(version)])),
    moves: hasMoves
      ? object
          .prepare("SELECT id FROM gateway_move")
          .all()
          .map(({ id }) => String(id))
      : [],
  };
}

/** Returns the reason as a sentence for the operator, or null. `known` contains the schema versions of the receiving gateway. */
export function refusalOf({ bytes, schema }: Departing, known: ReadonlyMap<string, number>): string | null {
  if (Object.entries(schema).some(([concern, version]) => version > (known.get(concern) ?? 0)))
    return "the connection is from a newer release; install that release first";
  if (bytes === null || bytes <= MAX_BYTES) return null;
  return `the connection has ${inMegabytes(bytes)} MB, and a gateway that runs takes at most ${inMegabytes(MAX_BYTES)} MB`;
}

const inMegabytes = (bytes: number) => Math.ceil(bytes / (1 << 20));
