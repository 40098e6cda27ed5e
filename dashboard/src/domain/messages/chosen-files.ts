// Files that are chosen to be sent.

type Named = { name: string; type: string };

/** How the network shows the file. Phones show other pictures only as files. */
export function kindOfFile(type: string): "image" | "video" | "document" {
  if (/^image\/(jpeg|png|webp)$/.test(type)) return "image";
  return type.startsWith("video/") ? "video" : "document";
}

/** Some systems give no type to the photos of iPhones. */
export function isPicture({ name, type }: Named): boolean {
  return type.startsWith("image/") || /\.hei[cf]$/i.test(name);
}
