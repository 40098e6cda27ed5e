// The list of a backup's files with their digests, which reveals any damage.
import { createHash } from "node:crypto";
import { createReadStream, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import * as z from "zod";

const MANIFEST = "manifest.json";

const Manifest = z.object({
  created_at: z.iso.datetime(),
  files: z.array(z.object({ path: z.string(), bytes: z.number().int(), sha256: z.string() })),
});
export type Manifest = z.infer<typeof Manifest>;
export type ListedFile = Manifest["files"][number];

export const manifestFile = (backup: string) => join(backup, MANIFEST);

/** Returns null if the manifest is missing or unreadable. */
export function readManifest(backup: string): Manifest | null {
  try {
    return Manifest.parse(JSON.parse(readFileSync(manifestFile(backup), "utf8")));
  } catch {
    return null;
  }
}

/** Node's recursive `readdirSync` takes several times as long, and the gateway is paused while a backup lists the files. */
export function filesBelow(folder: string): string[] {
  return existsSync(folder) ? filesIn(folder, "").toSorted() : [];
}

function filesIn(folder: string, prefix: string): string[] {
  const entries = readdirSync(join(folder, prefix), { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? filesIn(folder, `${prefix}${entry.name}/`) : `${prefix}${entry.name}`));
}

export async function listed(folder: string, path: string): Promise<ListedFile> {
  const digest = createHash("sha256");
  let bytes = 0;
  await pipeline(createReadStream(join(folder, path)), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      digest.update(chunk);
    }
  });
  return { path, bytes, sha256: digest.digest("hex") };
}

/** Returns a message about the first problem, or null if the backup is intact. */
export async function damageOf(backup: string): Promise<string | null> {
  const manifest = readManifest(backup);
  if (manifest === null) return `${manifestFile(backup)} is missing or damaged`;
  const paths = filesBelow(backup).filter((path) => path !== MANIFEST);
  const listedPaths = new Set(manifest.files.map(({ path }) => path));
  // Files that are not listed would be restored unchecked. This comparison also rejects listed paths that lead outside the backup.
  const surplus = paths.find((path) => !listedPaths.has(path));
  if (surplus !== undefined) return `${surplus} is not in its manifest`;
  const present = new Set(paths);
  for (const file of manifest.files) {
    if (!present.has(file.path)) return `${file.path} is missing`;
    const found = await listed(backup, file.path);
    if (found.bytes !== file.bytes || found.sha256 !== file.sha256) return `${file.path} is damaged`;
  }
  return null;
}
