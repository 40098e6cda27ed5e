/** The next message's attachment. Photos and videos in `documents` are sent as files too. */
export type Attaching = { kind: "location" | "contact" | "poll" | "call" } | { files: readonly File[]; documents?: readonly File[] };

/** Files that arrive while others are chosen are added to them. A photo among them is sent as a photo. */
export function withFiles(before: Attaching | null, files: readonly File[]): Attaching {
  return before !== null && "files" in before ? { ...before, files: [...before.files, ...files] } : { files };
}

export function withoutFile(before: Attaching | null, gone: File): Attaching | null {
  if (before === null || !("files" in before)) return before;
  const files = before.files.filter((file) => file !== gone);
  return files.length === 0 ? null : { ...before, files };
}
